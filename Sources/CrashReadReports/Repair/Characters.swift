internal import CrashReadCore

/// The order of the two bytes of a UTF-16 unit.
enum UTF16ByteOrder {
  case little, big

  /// Detected by the byte order mark, or by the zeros in every second byte of plain English; nil for other bytes.
  init?(of bytes: [UInt8]) {
    if bytes.starts(with: [0xff, 0xfe]) {
      self = .little
    } else if bytes.starts(with: [0xfe, 0xff]) {
      self = .big
    } else {
      let start = bytes.prefix(64)
      guard start.count >= 8 else { return nil }
      let zeros = start.indices.filter { start[$0] == 0 }
      let odd = zeros.count { !$0.isMultiple(of: 2) }
      // Names in other scripts can occur near the start as well; a binary file has zeros at both even and odd offsets.
      guard zeros.count * 8 >= start.count * 3, odd == 0 || odd == zeros.count else { return nil }
      self = odd == 0 ? .big : .little
    }
  }

  /// The text as UTF-8, without its byte order mark.
  ///
  /// An incomplete unit at the end is dropped; unpaired surrogates become U+FFFD.
  func utf8(_ bytes: [UInt8]) -> [UInt8] {
    var units: [UInt16] = []
    units.reserveCapacity(bytes.count / 2)
    var position = 0
    while position + 1 < bytes.count {
      let first = UInt16(bytes[position])
      let second = UInt16(bytes[position + 1])
      units.append(self == .little ? second << 8 | first : first << 8 | second)
      position += 2
    }
    let text = units.first == 0xfeff ? units.dropFirst() : units[...]
    return Array(String(decoding: text, as: UTF16.self).utf8)
  }
}

// MARK: - Escapes

/// Whether a text was escaped as HTML: it has none of the `<` that are frequent in reports, and each `&` begins an
/// escape; or it has an escaped image identity, or a blank that only HTML needs an escape for.
///
/// In a property list, escapes are expected.
func isEvidentlyEscaped(_ text: Bytes) -> Bool {
  if text.drop(while: \.isWhitespace).hasPrefix("<?xml") { return false }
  if hasEscapedIdentity(text) || text.firstRange(of: "&nbsp;") != nil { return true }
  if hasUnescapedAngle(text) { return false }
  var rest = text
  var isDistinctive = false
  while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
    guard let escape = escape(at: rest[mark...]) else { return false }
    rest = rest[mark...].dropFirst(escape.length)
    // A lone `&amp;` can be part of a URL; before a comma or parenthesis it is a C++ reference.
    let isReference = rest.first.map { $0.isAny(of: ",)") } ?? false
    if escape.text != "&" || isReference { isDistinctive = true }
  }
  return isDistinctive
}

/// Whether a text has a `<` that begins none of the tags that web pages put around a report.
private func hasUnescapedAngle(_ text: Bytes) -> Bool {
  var rest = text
  while let mark = rest.firstIndex(of: UInt8(ascii: "<")) {
    rest = rest[mark...].dropFirst()
    let name = rest.first == UInt8(ascii: "/") ? rest.dropFirst() : rest
    if !["details", "summary", "pre", "code", "br", "p>", "blockquote"].contains(where: { name.hasPrefix($0) }
    ) {
      return true
    }
  }
  return false
}

/// Finds `&lt;`, a UUID or build-id, and `&gt;`.
private func hasEscapedIdentity(_ text: Bytes) -> Bool {
  var rest = text
  while let mark = rest.firstPosition(of: UInt8(ascii: "&")) {
    rest = rest[(mark + 1)...]
    guard let inside = rest.after("lt;") else { continue }
    let digits = inside.prefix(64).prefix { $0.isHexDigit || $0 == UInt8(ascii: "-") }
    if digits.count >= 32, inside[digits.endIndex...].hasPrefix("&gt;") { return true }
  }
  return false
}

/// The character for the escape at the start of some bytes, and the escape's length; nil when there is none.
private func escape(at bytes: Bytes) -> (text: Character, length: Int)? {
  guard let name = bytes.prefix(12).dropFirst().split(at: UInt8(ascii: ";"))?.before else { return nil }
  let named: [(StaticString, Character)] = [
    ("lt", "<"), ("gt", ">"), ("amp", "&"), ("quot", "\""), ("apos", "'"), ("nbsp", " "),
  ]
  if let (_, text) = named.first(where: { name.equals($0.0) }) { return (text, name.count + 2) }
  guard name.first == UInt8(ascii: "#") else { return nil }
  let digits = name.dropFirst()
  let isHex = digits.first.map { $0 | 0x20 } == UInt8(ascii: "x")
  guard let value = isHex ? digits.dropFirst().hexDigitsValue : digits.decimalValue,
    let scalar = UInt32(exactly: value).flatMap({ Unicode.Scalar($0) }), scalar.value >= 0x20
  else { return nil }
  return (scalar == "\u{a0}" ? " " : Character(scalar), name.count + 2)
}

extension Bytes {
  /// With the escapes of XML and HTML decoded, named and numeric.
  var withoutXMLEscapes: Bytes {
    guard contains(UInt8(ascii: "&")) else { return self }
    var text: [UInt8] = []
    var rest = self
    while let mark = rest.firstIndex(of: UInt8(ascii: "&")) {
      text.append(contentsOf: rest[..<mark])
      rest = rest[mark...]
      if let escape = escape(at: rest) {
        text.append(contentsOf: String(escape.text).utf8)
        rest = rest.dropFirst(escape.length)
      } else {
        text.append(UInt8(ascii: "&"))
        rest = rest.dropFirst()
      }
    }
    return Bytes(text + rest)
  }
}

// MARK: - Invisible characters

/// Characters that can be removed without loss: soft hyphen, zero-width space, byte order mark.
private let invisibles: [[UInt8]] = [[0xc2, 0xad], [0xe2, 0x80, 0x8b], [0xef, 0xbb, 0xbf]]
private let noBreakSpace: [UInt8] = [0xc2, 0xa0]

/// Whether a text has invisible characters, or no-break spaces where reports have blanks: next to other blanks, at
/// the start of a line, and before an address. A name may contain one.
func hasDamagingInvisibles(_ text: Bytes) -> Bool {
  var rest = text
  while let mark = rest.firstIndex(where: { $0 >= 0xc2 }) {
    let here = rest[mark...]
    if invisibles.contains(where: { here.starts(with: $0) }) { return true }
    if here.starts(with: noBreakSpace) {
      let before = mark > text.startIndex ? text[mark - 1] : 0x0a
      let after = here.dropFirst(2)
      if before.isWhitespace || after.first?.isWhitespace == true || after.starts(with: noBreakSpace)
        || after.hasPrefix("0x")
      {
        return true
      }
    }
    rest = here.dropFirst()
  }
  return false
}

func withoutInvisibles(_ line: Bytes) -> Bytes {
  guard line.contains(where: { $0 >= 0xc2 }) else { return line }
  var text: [UInt8] = []
  var rest = line
  while let byte = rest.first {
    if byte == 0xc2, rest.starts(with: noBreakSpace) {
      text.append(0x20)
      rest = rest.dropFirst(2)
    } else if byte >= 0xc2, let found = invisibles.first(where: { rest.starts(with: $0) }) {
      rest = rest.dropFirst(found.count)
    } else {
      text.append(byte)
      rest = rest.dropFirst()
    }
  }
  return Bytes(text)
}

// MARK: - Colons

private let keys: [StaticString] = [
  "Crashed", "Exception Type", "Exception Codes", "Exception Subtype", "Exception Note", "Fatal Exception",
  "Non-fatal Exception", "Termination Reason", "Triggered by Thread", "Crashed Thread", "Process",
  "Identifier", "Version",
  "OS Version", "Hardware Model", "Application Specific Information", "Last Exception Backtrace",
  "Binary Images",
]

/// A line with a plain colon behind a report's key that has one of full width: `Exception Type：EXC_CRASH (SIGABRT)`.
func withPlainColon(_ line: Bytes) -> Bytes {
  guard let colon = line.prefix(64).firstRange(of: "\u{ff1a}"),
    case let key = line[..<colon.lowerBound].trimmed,
    keys.contains(where: key.equals) || key.hasPrefix("Thread ") && key.allSatisfy({ $0 < 0x80 })
  else { return line }
  let value = line[colon.upperBound...].trimmed
  let rest = value.isEmpty ? [] : [0x20] + Array(value)
  return Bytes(Array(line[..<colon.lowerBound]) + [UInt8(ascii: ":")] + rest)
}
