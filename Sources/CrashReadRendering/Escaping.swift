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
    return text.utf8.count <= mostScalars
      ? text : String(decoding: text.utf8.prefix(mostScalars), as: UTF8.self) + "…"
  }
  var result = ""
  // What stands before a text is a blank, and where it is broken into lines there is one, too.
  var last: (Unicode.Scalar, Unicode.Scalar) = (" ", " ")
  for (index, scalar) in text.unicodeScalars.enumerated() {
    if index == mostScalars { return result + "…" }
    if scalar == "\t" {
      result += "  "
    } else if actsOnReader(scalar) || actsOnRunner(last, scalar, canStartLine) {
      result += "\\u{" + String(scalar.value, radix: 16) + "}"
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

private let mostScalars = 4000

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

/// A text amid GitHub-flavoured Markdown, where it means nothing but itself.
///
/// The blank of no width behind `@` and `#` keeps a name from notifying somebody, and a number from linking an issue.
func markdown(_ text: String) -> String {
  replacing(plainText(text)) { scalar in
    switch scalar {
    case "&": "&amp;"
    case "<": "&lt;"
    case ">": "&gt;"
    case "@", "#": "\(scalar)\u{200b}"
    case "\\", "`", "*", "_", "[", "]", "|", "~", "$": "\\\(scalar)"
    default: nil
    }
  }
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
func uriPath(_ path: String) -> String {
  var result = ""
  for byte in path.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
      UInt8(ascii: "_"), UInt8(ascii: "~"):
      result.unicodeScalars.append(Unicode.Scalar(byte))
    default:
      result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
  }
  return result
}

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
  result.append(contentsOf: needsNoEscape(text) ? text.utf8 : jsonEscaped(text).utf8)
  result.append(UInt8(ascii: "\""))
}

/// Whether a text surely is its own literal, as nearly all are: printable ASCII in which no mark of a runner can stand.
private func needsNoEscape(_ text: String) -> Bool {
  let bytes = text.utf8.span
  var found: UInt8 = 0
  // A loop that can't end early is made into vector instructions.
  for index in bytes.indices {
    let byte = bytes[index]
    found |= byte < 0x20 || byte >= 0x7f || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") ? 1 : 0
    found |= byte == UInt8(ascii: "[") ? 2 : byte == UInt8(ascii: "#") ? 4 : 0
  }
  return found & 1 == 0 && found != 6
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
      for unit in String(scalar).utf16 {
        let digits = String(unit, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
      }
    default: result.unicodeScalars.append(scalar)
    }
  }
  return result
}

private func replacing(_ text: String, _ replacement: (Unicode.Scalar) -> String?) -> String {
  var result = ""
  for scalar in text.unicodeScalars {
    if let other = replacement(scalar) { result += other } else { result.unicodeScalars.append(scalar) }
  }
  return result
}
