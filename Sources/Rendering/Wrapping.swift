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
