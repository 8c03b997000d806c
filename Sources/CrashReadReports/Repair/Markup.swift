internal import CrashReadCore

// Removal of what Markdown, HTML and logging tools put into lines.

// MARK: - Markdown

/// A line without the fence of a code block, which some people put on the same line as their text.
func withoutFence(_ line: Bytes) -> Bytes {
  if hasLoneTick(line.trimmed) { return Bytes(line.filter { $0 != UInt8(ascii: "`") }) }
  guard isFence(line.trimmedStart) else {
    return line.trimmedEnd.before("```").map(\.trimmedEnd) ?? line
  }
  let rest = line.trimmedStart.drop { $0 == UInt8(ascii: "`") || $0 == UInt8(ascii: "~") }
  let text = (rest.before("```") ?? rest).trimmed
  // The info string of a fence, which names the language, is one word.
  return text.contains(0x20) ? text : line[..<line.startIndex]
}

/// Whether a text contains Markdown: `\_` anywhere, bold type at the beginning or end of a line, or `**` where a
/// frame's name had two underscores.
func hasMarkdown(_ text: Bytes) -> Bool {
  if text.firstRange(of: "\\_") != nil { return true }
  var position = text.startIndex
  while let mark = text[position...].firstRange(of: "**") {
    let line = text.line(around: mark.lowerBound).trimmedEnd
    if boldFrame(line) != nil || withoutBold(line) != line { return true }
    position = line.endIndex
  }
  return false
}

func withoutMarkdown(_ line: Bytes) -> Bytes {
  let line = withListMark(boldName(withoutBold(boldFrame(line) ?? line)))
  guard line.contains(UInt8(ascii: "\\")) else { return line }
  var text: [UInt8] = []
  var rest = line
  while let byte = rest.first {
    rest = rest.dropFirst()
    if byte == UInt8(ascii: "\\"), let next = rest.first, next.isAny(of: "_*[]<>#`+()~") { continue }
    text.append(byte)
  }
  return Bytes(text)
}

/// `Exception Type: EXC_CRASH (SIGABRT)` for a table's row of a field of reports, ``| Exception Type | `EXC_CRASH (SIGABRT)` |``.
func withField(_ line: Bytes) -> Bytes {
  let bar = UInt8(ascii: "|")
  guard let row = line.trimmed.after("|"), row.last == bar,
    case let cells = row.dropLast().split(separator: bar), cells.count == 2,
    case let name = Bytes(cells[0].filter { !$0.isAny(of: "*`") }).trimmed,
    let field = tableFields.first(where: { name.equals($0.name) })
  else { return line }
  let value = Bytes(cells[1].filter { $0 != UInt8(ascii: "`") }).trimmed
  return Bytes(Array("\(field.key): ".utf8) + Array(value.after("Thread ") ?? value))
}

/// Names in tables, and the keys of reports for them.
private let tableFields: [(name: StaticString, key: StaticString)] = [
  ("Exception Type", "Exception Type"), ("Exception Subtype", "Exception Subtype"),
  ("Exception Codes", "Exception Codes"), ("Termination Reason", "Termination Reason"),
  ("Termination", "Termination Reason"), ("Crashed Thread", "Crashed Thread"),
  ("Faulting Thread", "Crashed Thread"), ("Faulting thread", "Crashed Thread"),
  ("Triggered by Thread", "Crashed Thread"),
]

/// A line with an asterisk for the dash before LLDB's `thread #1` and `frame #0`.
func withDebuggerMark(_ line: Bytes) -> Bytes {
  let text = line.trimmedStart
  guard text.hasPrefix("- thread #") || text.hasPrefix("- frame #") else { return line }
  return Bytes(Array(line[..<text.startIndex]) + [UInt8(ascii: "*")] + Array(text.dropFirst()))
}

/// A line with underscores for the asterisks after `objc` and in the labels of Swift's functions.
func withUnderscores(_ line: Bytes) -> Bytes {
  var text = Array(line)
  for index in text.indices where text[index] == UInt8(ascii: "*") {
    let (before, after) = (text[..<index].suffix(5), text[(index + 1)...].first)
    let isRuntime = before.elementsEqual(" objc".utf8)
    let isLabel =
      after == UInt8(ascii: ":") && (before.last == UInt8(ascii: "(") || before.last == UInt8(ascii: ":"))
    if isRuntime || isLabel { text[index] = UInt8(ascii: "_") }
  }
  return Bytes(text)
}

/// A line without the marks of bold type around all of it, or around the key before a colon.
///
/// Three asterisks are Apple's own: `*** Terminating app`.
private func withoutBold(_ line: Bytes) -> Bytes {
  func isMark(_ byte: UInt8?) -> Bool { byte == UInt8(ascii: "*") }
  var line = line
  // A blank after the marks keeps pages from making the type bold: `** 3   Shop  0x1234 main + 53**`.
  if let inside = line.trimmed.after("** ")?.before("**"), inside.first?.isDigit ?? false { return inside }
  if let rest = line.trimmedStart.after("**"), let first = rest.first, !isMark(first), !first.isBlank {
    line = rest
    if let mark = line.firstRange(of: ":** ") ?? line.firstRange(of: "**: ") {
      let value = codeSpan(line[mark.upperBound...]) ?? line[mark.upperBound...]
      return Bytes(Array(line[..<mark.lowerBound]) + Array(": ".utf8) + Array(value))
    }
  }
  if let rest = line.trimmedEnd.before("**"), let last = rest.last, !isMark(last), !last.isBlank {
    line = rest
  }
  return line
}

/// A frame whose name lost its two underscores to bold type: `0 libsystem_kernel.dylib 0x1234 **pthread_kill + 8`.
private func boldFrame(_ line: Bytes) -> Bytes? {
  guard let first = line.trimmedStart.first, first.isDigit, line.firstRange(of: "0x") != nil else {
    return nil
  }
  var text = Array(line)
  var isChanged = false
  for index in text.indices.dropFirst().dropLast()
  where text[index] == UInt8(ascii: "*") && text[index + 1] == UInt8(ascii: "*") {
    guard isBoldMark(between: text[index - 1], and: text[(index + 2)...]) else { continue }
    text[index] = UInt8(ascii: "_")
    text[index + 1] = UInt8(ascii: "_")
    isChanged = true
  }
  return isChanged ? Bytes(text) : nil
}

/// Whether two asterisks were underscores: before a name or its part, `**pthread_kill` and `std::**1::`, within one,
/// `NSThread**start`, or at its end, `BLOCK** + 20`. Types of C++ have them before parentheses, commas and blanks.
private func isBoldMark(between before: UInt8, and after: Bytes) -> Bool {
  // `**_forwarding_**` was `___forwarding___`.
  if before == UInt8(ascii: "_"), after.isEmpty || after.hasPrefix(" + ") { return true }
  guard let next = after.first else { return false }
  if before == 0x20 || before == UInt8(ascii: ":") {
    return next.isLetter || next.isDigit || before == 0x20 && next == UInt8(ascii: "_")
  }
  guard before.isLetter || before.isDigit else { return false }
  return next.isLetter || after.hasPrefix(" + ")
}

/// A line with the underscores around a name's part that bold type took: `**GI**\_raise` was `__GI__raise`.
private func boldName(_ line: Bytes) -> Bytes {
  guard let open = line.firstRange(of: "**"), let close = line[open.upperBound...].firstRange(of: "**"),
    case let name = line[open.upperBound..<close.lowerBound], !name.isEmpty,
    name.allSatisfy({ $0.isLetter || $0.isDigit }),
    case let rest = line[close.upperBound...], (rest.after("\\") ?? rest).first == UInt8(ascii: "_")
  else { return line }
  let underscores = Array("__".utf8)
  return Bytes(Array(line[..<open.lowerBound]) + underscores + Array(name) + underscores + Array(rest))
}

/// A line with LLDB's asterisk for the plus that some tools write for it, as both begin an element of a list.
private func withListMark(_ line: Bytes) -> Bytes {
  let text = line.trimmedStart
  guard text.hasPrefix("+ frame ") || text.hasPrefix("+ thread ") else { return line }
  return Bytes([UInt8(ascii: "*")] + Array(text.dropFirst()))
}

// MARK: - HTML

private let tags: [StaticString] = [
  "<pre>", "</pre>", "<code>", "</code>", "<br>", "<br/>", "<br />", "<p>", "</p>",
  "<div>", "</div>", "</span>", "<blockquote>", "</blockquote>",
]

/// Whether a line begins or ends with a tag of preformatted text.
func hasTag(_ line: Bytes) -> Bool { tags.contains { line.hasPrefix($0) || line.hasSuffix($0) } }

func withoutTags(_ line: Bytes) -> Bytes {
  var line = line
  while let tag = tags.first(where: { line.trimmedStart.hasPrefix($0) }) {
    line = line.trimmedStart.dropFirst(tag.utf8CodeUnitCount)
  }
  while let tag = tags.first(where: { line.trimmedEnd.hasSuffix($0) }) {
    line = line.trimmedEnd.dropLast(tag.utf8CodeUnitCount)
  }
  return withoutInlineTags(line)
}

private let inlineTags: [StaticString] = [
  "<span>", "<span ", "</span>", "<a href=", "<a class=", "</a>", "<em>", "</em>", "<strong>", "</strong>",
]

private let maximumTagLength = 512

/// A line of a page without the tags around its words: `<span class="mention">@rpath</span>/lib`.
private func withoutInlineTags(_ line: Bytes) -> Bytes {
  guard line.contains(UInt8(ascii: "<")) else { return line }
  var text: [UInt8] = []
  var rest = line
  while let open = rest.firstPosition(of: UInt8(ascii: "<")) {
    text += rest[..<open]
    rest = rest[open...]
    let isTag = inlineTags.contains { rest.hasPrefix($0) }
    let end = isTag ? rest.prefix(maximumTagLength).firstPosition(of: UInt8(ascii: ">")) : nil
    if end == nil { text.append(UInt8(ascii: "<")) }
    rest = rest[((end ?? open) + 1)...]
  }
  return Bytes(text + rest)
}

// MARK: - Logs

/// What follows a log's level, after which Titanium puts a colon: `[ERROR] :  0   CoreFoundation`.
func withoutLevelColon(_ text: Bytes) -> Bytes { text.trimmedStart.after(": ")?.trimmedStart ?? text }

/// A line without `2024-05-01 10:00:00.123+0900`, `[05/01/2024 10:00:00 AM]` or `[10:00:00.123]` before it; nil when there is none.
func withoutTimestamp(_ line: Bytes) -> Bytes? {
  var text = line.trimmedStart
  if let rest = withoutElapsedTime(text) { return rest }
  if let first = text.first, first == UInt8(ascii: "[") || first == UInt8(ascii: "(") {
    text = text.dropFirst()
  }
  if let rest = afterDigits(text, dashedDate) ?? afterDigits(text, slashedDate)
    ?? afterDigits(text, americanDate)
  {
    guard let separator = rest.first, separator == 0x20 || separator == UInt8(ascii: "T") else { return nil }
    text = rest.dropFirst()
  }
  guard let time = afterDigits(text, clockTime) else { return nil }
  let clock = time.drop { $0.isDigit || $0.isAny(of: ".,+-Z") }
  let end = clock.after(" AM") ?? clock.after(" PM") ?? clock
  let rest = end.first == UInt8(ascii: "]") || end.first == UInt8(ascii: ")") ? end.dropFirst() : end
  guard let blank = rest.first else { return rest }
  return blank.isBlank ? frameInLog(rest.dropFirst()) ?? rest.dropFirst() : nil
}

/// The frame in a line of `log show`, from behind its time: thread, type, activity, process and time to live, then
/// `Moon: (AppKit) [com.apple.AppKit:Display] 29  AppKit  0x195932c14 …`; nil for other lines.
private func frameInLog(_ text: Bytes) -> Bytes? {
  guard let (thread, columns) = text.firstWord(), thread.prefixedHexValue != nil,
    let (_, activity) = columns.firstWord(), let (word, numbers) = activity.firstWord(),
    word.prefixedHexValue != nil, let (pid, rest) = numbers.firstWord(), pid.decimalValue != nil,
    let (_, message) = rest.firstWord()?.rest.split(at: UInt8(ascii: ":"))
  else { return nil }
  var frame = message.trimmedStart
  if let inside = frame.after("("), let (_, after) = inside.split(at: UInt8(ascii: ")")) {
    frame = after.trimmedStart
  }
  if let inside = frame.after("["), let (_, after) = inside.split(at: UInt8(ascii: "]")) {
    frame = after.trimmedStart
  }
  return frame.first?.isDigit ?? false && frame.firstRange(of: " 0x") != nil ? frame : nil
}

/// Removes `[+4293 ms] ` and `[        ] `, the time since the line before, as Flutter's tool prints it.
private func withoutElapsedTime(_ text: Bytes) -> Bytes? {
  guard let inside = text.after("["), let first = inside.first, first == 0x20 || first == UInt8(ascii: "+")
  else {
    return nil
  }
  let number = inside.drop { $0 == 0x20 }.after("+")?.drop(while: \.isDigit).after(" ms")
  return (number ?? inside.drop { $0 == 0x20 }).after("] ")
}

/// What follows digits in a format such as `dd:dd`; nil when the text doesn't have that format.
private func afterDigits(_ text: Bytes, _ form: [UInt8]) -> Bytes? {
  guard text.count >= form.count else { return nil }
  let (bytes, form) = (text.span, form.span)
  for index in form.indices {
    let byte = bytes[index]
    guard form[index] == UInt8(ascii: "d") ? byte.isDigit : byte == form[index] else { return nil }
  }
  return text.dropFirst(form.count)
}

private let dashedDate = Array("dddd-dd-dd".utf8)
private let slashedDate = Array("dddd/dd/dd".utf8)
private let americanDate = Array("dd/dd/dddd".utf8)
private let clockTime = Array("dd:dd:dd".utf8)
