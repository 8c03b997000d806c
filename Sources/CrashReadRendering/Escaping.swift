internal import CrashReadCore

// Escapes texts that come from a report, a debug file or a path, which may be hostile. Every such text passes through
// one of these functions before it is written.

/// A text as one line for a person: nothing in it moves the cursor, starts an escape sequence, ends the line, changes
/// the text direction, or is a command to a CI runner that reads the log.
///
/// Such characters are shown as their code points, and very long texts are truncated: no name given by a person is as
/// long.
package func plainText(_ text: String) -> String { shown(text, canStartLine: true) }

/// A line of source, like `plainText`; it follows a line number, so `::close(file)` isn't a command there.
func codeText(_ line: String) -> String { shown(line, canStartLine: false) }

private func shown(_ text: String, canStartLine: Bool) -> String {
  if isHarmless(text) {
    return text.utf8.count <= maximumScalars
      ? text : String(decoding: text.utf8.prefix(maximumScalars), as: UTF8.self) + "…"
  }
  var result = ""
  // The text follows a blank, and so does each line into which it is broken.
  var last: (Unicode.Scalar, Unicode.Scalar) = (" ", " ")
  let scalars = text.unicodeScalars
  for (index, position) in scalars.indices.enumerated() {
    if index == maximumScalars { return result + "…" }
    let scalar = scalars[position]
    if scalar == "\t" {
      result += "  "
    } else if actsOnReader(scalar)
      || actsOnRunner(last, scalar, canStartLine) && (scalar == "[" || beginsCommand(scalars[position...]))
    {
      result += spelledOut(scalar)
    } else {
      result.unicodeScalars.append(scalar)
    }
    last = (last.1, scalar)
  }
  return result
}

/// Whether a text is certain to be harmless: printable ASCII without the characters that `actsOnRunner` examines.
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

/// Whether a character completes the beginning of a command to GitHub's runner: `::` at the start of a line, blanks
/// aside, or `##[` anywhere (actions/runner, `ActionCommand.TryParseV2` and `TryParse`).
private func actsOnRunner(
  _ last: (Unicode.Scalar, Unicode.Scalar), _ scalar: Unicode.Scalar, _ canStartLine: Bool
) -> Bool {
  if scalar == "[" { return last == ("#", "#") }
  return canStartLine && scalar == ":" && last.1 == ":" && last.0.properties.isWhitespace
}

/// Whether a command's name can stand from a colon on: letters and dashes, up to a blank or a colon. `::Abort()` of C++ has
/// none, so the runner shows such a line as it is (actions/runner, `ActionCommand.TryParseV2`).
private func beginsCommand(_ text: Substring.UnicodeScalarView) -> Bool {
  let end = text.dropFirst().first { !($0.properties.isAlphabetic || $0 == "-") }
  return end.map { $0 == ":" || $0.properties.isWhitespace } ?? true
}

private let maximumScalars = 4000

/// A line of Apple's text, complete and with its tabs, in which nothing moves the cursor, ends the line, changes the
/// text direction, or is a command to a CI runner.
func reportLine(_ line: some StringProtocol) -> String { escaped(line, startsLine: true, spelledOut) }

/// A report that is written back unchanged, for a terminal or a log that a CI runner reads; JSON remains valid JSON.
package func visibleReport(_ text: String, isJSON: Bool) -> String {
  // `split` on characters would treat CR LF as one character that isn't LF.
  text.unicodeScalars.split(separator: "\n", omittingEmptySubsequences: false).map { line in
    let line = Substring(line.last == "\r" ? line.dropLast() : line)
    return escaped(line, startsLine: true, isJSON ? jsonSpelling : spelledOut)
  }.joined(separator: "\n")
}

/// A name or a path as a field of a table: nothing in it ends the field or the line, or controls the program that
/// displays it.
package func tableField(_ text: String) -> String {
  needsNoEscape(text) ? text : escaped(text.replacing("\t", with: " "), startsLine: false, spelledOut)
}

/// A text with control sequences escaped; tabs are kept.
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
    // Only the colons at the start of a line can be those of a command.
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
  // The joiners are needed to spell Persian, Hindi and emoji.
  case .format: return scalar != "\u{200c}" && scalar != "\u{200d}"
  // Noncharacters; XML forbids some of them even as references.
  case .unassigned: return scalar.properties.isNoncharacterCodePoint
  default: return false
  }
}

/// A text for HTML or XML, between tags or in a quoted attribute.
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

/// A text for Markdown of GitHub or GitLab, in which nothing has a special meaning.
///
/// Zero-width spaces keep a name from notifying a user, a number from linking to an issue, a merge request, a milestone
/// or an epic (`#1`, `GH-1`, `!1`, `%1`, `&1`), and an address from becoming a link.
func markdown(_ text: String) -> String {
  let gap: Unicode.Scalar = "\u{200b}"
  var result = ""
  var last: Unicode.Scalar = " "
  // The letters and digits directly before the character, as far as they are needed.
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

/// Whether a character would turn the preceding text into a reference or an address.
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

/// A text for the start of a line of Markdown, where it isn't a heading, list or rule, or one of GitLab's quick actions
/// (`/close`).
func markdownLine(_ text: String) -> String {
  let line = markdown(String(text.drop(while: \.isWhitespace)))
  if let first = line.first, "/+-=:".contains(first) { return "\\" + line }
  let number = line.prefix(while: \.isNumber)
  let rest = line.dropFirst(number.count)
  guard !number.isEmpty, rest.hasPrefix(". ") || rest.hasPrefix(") ") else { return line }
  return number + "\\" + rest
}

/// A text as a code span of Markdown that can also be in a table: an HTML element, since a span between backquotes can
/// contain neither bars nor arbitrary runs of backquotes.
func markdownCode(_ text: String) -> String { "<code>" + markdown(text) + "</code>" }

/// Numbered lines as a code block of Markdown; the fence is longer than any run of backquotes in them.
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

/// The message of a GitHub workflow command; newlines are encoded as the runner expects.
func commandMessage(_ lines: [String]) -> String {
  commandEscaped(lines.map(plainText).joined(separator: "\n"))
}

/// The value of a property in a GitHub workflow command.
func commandProperty(_ text: String) -> String { commandEscaped(plainText(text), isProperty: true) }

/// Escapes as the runner's `CommandExtensions` and actions/toolkit's `command.ts` do.
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
func jsonLiteral(_ text: String) -> String { "\"" + jsonContent(text) + "\"" }

/// The contents of a JSON string literal, without its quotes.
///
/// Characters that `plainText` shows as code points are escaped, so that they don't affect a terminal or an editor.
func jsonContent(_ text: String) -> String { needsNoEscape(text) ? text : jsonEscaped(text) }

/// Whether a text is certain to need no escaping, as nearly all texts: printable ASCII without the characters of
/// commands to a CI runner.
private func needsNoEscape(_ text: String) -> Bool {
  let bytes = text.utf8.span
  var marks = JSONMarks()
  guard bytes.count >= 8 else {
    var word = UInt64(repeating: UInt8(ascii: " "))
    for index in bytes.indices { word = word << 8 | UInt64(bytes[index]) }
    marks.see(word)
    return marks.areHarmless
  }
  // The last eight bytes overlap those before them.
  let last = bytes.count - 8
  for offset in stride(from: 0, to: last, by: 8) {
    marks.see(unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self))
  }
  marks.see(unsafe bytes.bytes.unsafeLoadUnaligned(fromByteOffset: last, as: UInt64.self))
  return marks.areHarmless
}

/// The properties of a text that matter for its form in JSON, collected eight bytes at a time.
private struct JSONMarks {
  private var escapes: UInt64 = 0
  private var brackets: UInt64 = 0
  private var hashes: UInt64 = 0

  @inline(__always)
  mutating func see(_ bytes: UInt64) {
    let controls = (bytes &- UInt64(repeating: 0x20)) & ~bytes
    escapes |= controls | bytes | bytes.marks(0x7f) | bytes.marks(UInt8(ascii: "\""))
    escapes |= bytes.marks(UInt8(ascii: "\\"))
    brackets |= bytes.marks(UInt8(ascii: "["))
    hashes |= bytes.marks(UInt8(ascii: "#"))
  }

  /// Whether there is nothing to escape, and no `##[`, which is a command to a runner.
  var areHarmless: Bool {
    let highest = UInt64(repeating: 0x80)
    return escapes & highest == 0 && (brackets & highest == 0 || hashes & highest == 0)
  }
}

private func jsonEscaped(_ text: String) -> String {
  var last: (Unicode.Scalar, Unicode.Scalar) = (" ", " ")
  return replacing(text) { scalar in
    defer { last = (last.1, scalar) }
    switch scalar {
    case "\"": return "\\\""
    case "\\": return "\\\\"
    case "\n": return "\\n"
    case "\r": return "\\r"
    case "\t": return "\\t"
    case _ where actsOnReader(scalar) || actsOnRunner(last, scalar, false): return jsonSpelling(scalar)
    default: return nil
    }
  }
}

/// A character as UTF-16 escape sequences of JSON.
private func jsonSpelling(_ scalar: Unicode.Scalar) -> String {
  String(scalar).utf16.map { unit in
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
  }.joined()
}

/// A text with some characters replaced. What is kept between two of them is copied at once.
private func replacing(_ text: String, _ replacement: (Unicode.Scalar) -> String?) -> String {
  var result = ""
  var start = text.startIndex
  for index in text.unicodeScalars.indices {
    guard let other = replacement(text.unicodeScalars[index]) else { continue }
    result += text[start..<index]
    result += other
    start = text.unicodeScalars.index(after: index)
  }
  return result + text[start...]
}
