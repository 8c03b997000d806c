/// Breaks a text into lines of at most some columns, at blanks where there are any.
func wrapped(_ text: String, toWidth width: Int) -> [String] {
  var lines: [String] = []
  var line = ""
  var used = 0
  for word in text.split(separator: " ") {
    let size = displayWidth(word)
    if used > 0, used + 1 + size > width {
      lines.append(line)
      line = ""
      used = 0
    }
    line += used > 0 ? " " + word : String(word)
    used += used > 0 ? size + 1 : size
  }
  if !line.isEmpty { lines.append(line) }
  return lines
}

extension Palette {
  /// A heading in a column of its own, and paragraphs beside it; nothing without a paragraph.
  func labelled(_ label: String, _ paragraphs: [String], width: Int) -> [String] {
    let indent = 10
    var lines: [String] = []
    for paragraph in paragraphs where !paragraph.isEmpty {
      for line in wrapped(terminalText(paragraph), toWidth: width - indent) {
        let head = lines.isEmpty ? padded(label, toWidth: indent) : String(repeating: " ", count: indent)
        lines.append(paint(head, .heading) + line)
      }
    }
    return lines
  }
}
