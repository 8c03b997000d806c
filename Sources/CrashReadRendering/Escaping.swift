internal import CrashReadCore

// Every text that comes from a report, a debug file or a path passes through one of these functions on its way out:
// such texts are written by strangers.

/// A text for one line in front of a person: nothing in it moves a cursor, starts an escape sequence, ends the line or
/// turns the reading direction, nor is it a command to the CI runner that reads the log.
///
/// What would do so is shown as its number, and very long texts are cut: no name a person gave is as long as that.
package func plainText(_ text: String) -> String { shown(text, canStartLine: true) }

/// The same for a line that stands behind a line number: there `::close(file)` is no command.
func codeText(_ line: String) -> String { shown(line, canStartLine: false) }

private func shown(_ text: String, canStartLine: Bool) -> String {
  if isHarmless(text) {
    return text.utf8.count <= maximumScalars
      ? text : String(decoding: text.utf8.prefix(maximumScalars), as: UTF8.self) + "…"
  }
  var result = ""
  // What stands before a text is a blank, and where it is broken into lines there is one, too.
  var last: (Unicode.Scalar, Unicode.Scalar) = (" ", " ")
  for (index, scalar) in text.unicodeScalars.enumerated() {
    if index == maximumScalars { return result + "…" }
    if scalar == "\t" {
      result += "  "
    } else if actsOnReader(scalar) || actsOnRunner(last, scalar, canStartLine) {
      result += spelledOut(scalar)
    } else {
      result.unicodeScalars.append(scalar)
    }
    last = (last.1, scalar)
  }
  return result
}

/// Whether a text surely means no more than itself: printable ASCII without the marks that `actsOnRunner` looks for.
private func isHarmless(_ text: String) -> Bool {
  let (blank, colon, hash) = (UInt8(ascii: " "), UInt8(ascii: ":"), UInt8(ascii: "#"))
  var last = (blank, blank)
  for byte in text.utf8 {
    guard (0x20..<0x7f).contains(byte), byte != colon || last != (blank, colon),
      byte != UInt8(ascii: "[") || last != (hash, hash)
    else { return false }
    last = (last.1, byte)
  }
  return true
}

/// Whether a character ends the mark of a command to GitHub's runner: `::` at the start of a line, blanks aside, or
/// `##[` anywhere (actions/runner, `ActionCommand.TryParseV2` and `TryParse`).
private func actsOnRunner(
  _ last: (Unicode.Scalar, Unicode.Scalar), _ scalar: Unicode.Scalar, _ canStartLine: Bool
) -> Bool {
  if scalar == "[" { return last == ("#", "#") }
  return canStartLine && scalar == ":" && last.1 == ":" && last.0.properties.isWhitespace
}

private let maximumScalars = 4000

/// A line of Apple's text, whole and with its tabs, in which nothing moves a cursor, ends the line, turns the reading
/// direction, or is a command to a CI runner.
func reportLine(_ line: some StringProtocol) -> String { escaped(line, startsLine: true, spelledOut) }

/// A report that is written back as it came, for a terminal or a log that a CI runner reads; JSON stays JSON.
package func visibleReport(_ text: String, isJSON: Bool) -> String {
  // `split` of characters would take CR LF for one that is no LF.
  text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    let line = Substring(line.last == "\r" ? line.dropLast() : line)
    return escaped(line, startsLine: true, isJSON ? jsonSpelling : spelledOut)
  }.joined(separator: "\n")
}

/// A name or a path as a field of a table: nothing in it ends the field or the line, or acts on who shows the table.
package func tableField(_ text: String) -> String {
  needsNoEscape(text) ? text : escaped(text.replacing("\t", with: " "), startsLine: false, spelledOut)
}

/// A text with what acts on its reader spelled in another way; tabs stay.
private func escaped(
  _ text: some StringProtocol, startsLine: Bool, _ spelling: (Unicode.Scalar) -> String
) -> String {
  var result = ""
  var last: (Unicode.Scalar, Unicode.Scalar) = (" ", " ")
  var canStartLine = startsLine
  for scalar in text.unicodeScalars {
    if scalar != "\t", actsOnReader(scalar) || actsOnRunner(last, scalar, canStartLine) {
      result += spelling(scalar)
    } else {
      result.unicodeScalars.append(scalar)
    }
    // The colons of a command are the first characters of a line.
    canStartLine = canStartLine && (scalar == ":" || scalar.properties.isWhitespace)
    last = (last.1, scalar)
  }
  return result
}

private func spelledOut(_ scalar: Unicode.Scalar) -> String {
  "\\u{" + String(scalar.value, radix: 16) + "}"
}

private func actsOnReader(_ scalar: Unicode.Scalar) -> Bool {
  if scalar.value < 0x20 || (0x7f..<0xa0).contains(scalar.value) { return true }
  if scalar.value < 0xa0 { return false }
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator: return true
  // The joiners are part of how Persian, Hindi and emoji are spelled.
  case .format: return scalar != "\u{200c}" && scalar != "\u{200d}"
  // No characters, and XML allows some of them not even as references.
  case .unassigned: return scalar.properties.isNoncharacterCodePoint
  default: return false
  }
}

/// A text for HTML or XML, both between tags and in a quoted attribute.
func markup(_ text: String) -> String { escapedMarkup(plainText(text)) }

/// A line of source for HTML or XML.
func markup(code line: String) -> String { escapedMarkup(codeText(line)) }

private func escapedMarkup(_ text: String) -> String {
  replacing(text) { scalar in
    switch scalar {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "\"": "&quot;"
    case "'": "&#39;"
    default: nil
    }
  }
}

/// A text amid Markdown of GitHub or GitLab, where it means nothing but itself.
///
/// A blank of no width keeps a name from notifying a user, a number from linking an issue, a merge request, a milestone
/// or an epic (`#1`, `GH-1`, `!1`, `%1`, `&1`), and an address from becoming a link.
func markdown(_ text: String) -> String {
  let gap: Unicode.Scalar = "\u{200b}"
  var result = ""
  var last: Unicode.Scalar = " "
  // The letters and digits right before, as far as they matter.
  var word = ""
  for scalar in plainText(text).unicodeScalars {
    if isReference(last, word, scalar) { result.unicodeScalars.append(gap) }
    switch scalar {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "@", "#": result.unicodeScalars += [scalar, gap]
    case "\\", "`", "*", "_", "[", "]", "|", "~", "$": result += "\\\(scalar)"
    default: result.unicodeScalars.append(scalar)
    }
    let isWord = scalar.isASCII && (scalar.properties.isAlphabetic || isDigit(scalar))
    word = !isWord ? "" : word.utf8.count < 4 ? word + scalar.properties.lowercaseMapping : word
    last = scalar
  }
  return result
}

/// Whether a character would make what stands before it a reference or an address.
private func isReference(_ last: Unicode.Scalar, _ word: String, _ scalar: Unicode.Scalar) -> Bool {
  switch scalar {
  case "-": word == "gh"
  case ".": word == "www"
  case "/": last == ":"
  case "\"": last == "%"
  default:
    last == "%"
      ? scalar.properties.isAlphabetic || isDigit(scalar)
      : "!&^".unicodeScalars.contains(last) && isDigit(scalar)
  }
}

private func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }

/// A text that begins a line of Markdown, where it is no heading, list or rule, nor one of GitLab's quick actions
/// (`/close`).
func markdownLine(_ text: String) -> String {
  let line = markdown(String(text.drop(while: \.isWhitespace)))
  if let first = line.first, "/+-=:".contains(first) { return "\\" + line }
  let number = line.prefix(while: \.isNumber)
  let rest = line.dropFirst(number.count)
  guard !number.isEmpty, rest.hasPrefix(". ") || rest.hasPrefix(") ") else { return line }
  return number + "\\" + rest
}

/// A text as a code span of Markdown, which also fits a table: HTML's element, since a span between backquotes can hold
/// neither a bar nor every run of backquotes.
func markdownCode(_ text: String) -> String { "<code>" + markdown(text) + "</code>" }

/// Lines, which begin with a number, as a block of code in Markdown; its fence is longer than any run of backquotes in
/// them.
func markdownBlock(_ lines: [String]) -> [String] {
  let lines = lines.map(codeText)
  var longest = 2
  for line in lines {
    var run = 0
    for byte in line.utf8 {
      run = byte == UInt8(ascii: "`") ? run + 1 : 0
      longest = max(longest, run)
    }
  }
  let fence = String(repeating: "`", count: longest + 1)
  return [fence] + lines + [fence]
}

/// The message of a GitHub workflow command; its line ends stay line ends of the message.
func commandMessage(_ lines: [String]) -> String {
  commandEscaped(lines.map(plainText).joined(separator: "\n"))
}

/// A property's value in a GitHub workflow command.
func commandProperty(_ text: String) -> String { commandEscaped(plainText(text), isProperty: true) }

/// The rules of the runner's `CommandExtensions` and of actions/toolkit's `command.ts`.
private func commandEscaped(_ text: String, isProperty: Bool = false) -> String {
  replacing(text) { scalar in
    switch scalar {
    case "%": "%25"
    case "\r": "%0D"
    case "\n": "%0A"
    case ":" where isProperty: "%3A"
    case "," where isProperty: "%2C"
    default: nil
    }
  }
}

/// A path as the path of a URI (RFC 3986, section 3.3), with its slashes.
func uriPath(_ path: String) -> String { percentEncoded(path, keeping: "/") }

/// A JSON string literal, quotes included (RFC 8259, section 7).
func jsonLiteral(_ text: String) -> String {
  var result: [UInt8] = []
  appendJSONLiteral(text, to: &result)
  return String(decoding: result, as: UTF8.self)
}

/// Appends a JSON string literal in UTF-8, quotes included.
///
/// What `plainText` shows as numbers is escaped, so that a terminal or an editor does nothing with it.
func appendJSONLiteral(_ text: String, to result: inout [UInt8]) {
  result.append(UInt8(ascii: "\""))
  result.append(utf8Of: needsNoEscape(text) ? text : jsonEscaped(text))
  result.append(UInt8(ascii: "\""))
}

/// Whether a text surely is its own literal, as nearly all are: printable ASCII in which no mark of a runner can stand.
private func needsNoEscape(_ text: String) -> Bool {
  let bytes = text.utf8.span
  var found: UInt8 = 0
  // A loop without a branch that can't end early is made into vector instructions.
  unsafe bytes.withUnsafeBufferPointer { bytes in
    for index in 0..<bytes.count {
      let byte = unsafe bytes[index]
      found |= byte &- 0x20 > 0x5e ? 1 : 0
      found |= byte == UInt8(ascii: "\"") ? 1 : 0
      found |= byte == UInt8(ascii: "\\") ? 1 : 0
      found |= byte == UInt8(ascii: "[") ? 2 : 0
      found |= byte == UInt8(ascii: "#") ? 4 : 0
    }
  }
  return found & 1 == 0 && found != 6
}

extension [UInt8] {
  /// Appends a text in one piece; its `utf8` would be appended byte by byte.
  mutating func append(utf8Of text: String) {
    let bytes = text.utf8.span
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }
}

private func jsonEscaped(_ text: String) -> String {
  var result = ""
  var last: (Unicode.Scalar, Unicode.Scalar) = (" ", " ")
  for scalar in text.unicodeScalars {
    defer { last = (last.1, scalar) }
    switch scalar {
    case "\"": result += "\\\""
    case "\\": result += "\\\\"
    case "\n": result += "\\n"
    case "\r": result += "\\r"
    case "\t": result += "\\t"
    case _ where actsOnReader(scalar) || actsOnRunner(last, scalar, false):
      result += jsonSpelling(scalar)
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

/// A character by its numbers in UTF-16, as JSON's strings have it.
private func jsonSpelling(_ scalar: Unicode.Scalar) -> String {
  String(scalar).utf16.map { unit in
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }.joined()
}

private func replacing(_ text: String, _ replacement: (Unicode.Scalar) -> String?) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    if let other = replacement(scalar) { result += other } else { result.unicodeScalars.append(scalar) }
  }
  return result
}
