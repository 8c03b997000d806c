internal import CrashReadCore

// What Markdown, HTML and logging tools put into lines, and how it is taken out.

// MARK: - Markdown

/// A line without the fence of a code block, behind or before which some paste their text.
func withoutFence(_ line: Bytes) -> Bytes {
  guard isFence(line.trimmedStart) else {
    return line.trimmedEnd.before("```").map(\.trimmedEnd) ?? line
  }
  let rest = line.trimmedStart.drop { $0 == UInt8(ascii: "`") || $0 == UInt8(ascii: "~") }
  let text = (rest.before("```") ?? rest).trimmed
  // What a fence says of the language is one word.
  return text.contains(0x20) ? text : line[..<line.startIndex]
}

/// Whether names in a text have Markdown's marks: `\_` anywhere, or `**` where a frame's name had two underscores.
func hasMarkdownInNames(_ text: Bytes) -> Bool {
  if text.firstRange(of: "\\_") != nil { return true }
  guard text.firstRange(of: "**") != nil, text.firstRange(of: " **") ?? text.firstRange(of: "::**") != nil
  else { return false }
  return LineCursor(text).contains { boldFrame($0.raw) != nil }
}

func withoutMarkdownInNames(_ line: Bytes) -> Bytes {
  let line = boldFrame(line) ?? line
  guard line.contains(UInt8(ascii: "\\")) else { return line }
  var text: [UInt8] = []
  var rest = line
  while let byte = rest.first {
    rest = rest.dropFirst()
    if byte == UInt8(ascii: "\\"), let next = rest.first, "_*[]<>#`".utf8.contains(next) { continue }
    text.append(byte)
  }
  return Bytes(text)
}

/// A frame whose name lost its two underscores to bold type: `0 libsystem_kernel.dylib 0x1234 **pthread_kill + 8`.
private func boldFrame(_ line: Bytes) -> Bytes? {
  guard let first = line.trimmedStart.first, first.isDigit, line.firstRange(of: "0x") != nil else {
    return nil
  }
  var text = Array(line)
  var isChanged = false
  for index in text.indices.dropFirst().dropLast(2)
  where text[index] == UInt8(ascii: "*") && text[index + 1] == UInt8(ascii: "*") && text[index + 2].isLetter {
    guard text[index - 1] == 0x20 || text[index - 1] == UInt8(ascii: ":") else { continue }
    text[index] = UInt8(ascii: "_")
    text[index + 1] = UInt8(ascii: "_")
    isChanged = true
  }
  return isChanged ? Bytes(text) : nil
}

// MARK: - HTML

private let tags = ["<pre>", "</pre>", "<code>", "</code>", "<br>", "<br/>", "<br />", "<p>", "</p>"]

/// Whether a line begins or ends with a tag of preformatted text.
func hasTag(_ line: Bytes) -> Bool { tags.contains { line.hasPrefix($0) || line.hasSuffix($0) } }

func withoutTags(_ line: Bytes) -> Bytes {
  var line = line
  while let tag = tags.first(where: { line.trimmedStart.hasPrefix($0) }) {
    line = line.trimmedStart.dropFirst(tag.utf8.count)
  }
  while let tag = tags.first(where: { line.trimmedEnd.hasSuffix($0) }) {
    line = line.trimmedEnd.dropLast(tag.utf8.count)
  }
  return line
}

// MARK: - Logs

/// A line without `2024-05-01 10:00:00.123+0900` or `[10:00:00.123]` before it; nil when nothing of the kind stands there.
func withoutTimestamp(_ line: Bytes) -> Bytes? {
  var text = line.trimmedStart
  if let first = text.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "(") {
    text = text.dropFirst()
  }
  if let rest = afterDigits(text, "dddd-dd-dd") ?? afterDigits(text, "dddd/dd/dd") {
    guard let separator = rest.first, separator == 0x20 || separator == UInt8(ascii: "T") else { return nil }
    text = rest.dropFirst()
  }
  guard let time = afterDigits(text, "dd:dd:dd") else { return nil }
  let end = time.drop { $0.isDigit || ".,+-Z".utf8.contains($0) }
  let rest = end.first == UInt8(ascii: "]") || end.first == UInt8(ascii: ")") ? end.dropFirst() : end
  guard let blank = rest.first else { return rest }
  return blank.isBlank ? rest.dropFirst() : nil
}

/// What follows digits in a form such as `dd:dd`; nil when a text doesn't have that form.
private func afterDigits(_ text: Bytes, _ form: String) -> Bytes? {
  guard text.count >= form.utf8.count else { return nil }
  for (byte, mark) in zip(text, form.utf8) where mark == UInt8(ascii: "d") ? !byte.isDigit : byte != mark {
    return nil
  }
  return text.dropFirst(form.utf8.count)
}
