internal import CrashReadCore

/// Reads JSON values one after another from a stretch of the input.
///
/// A document that breaks off yields what stood before the break, because half a report is still worth reading.
struct JSONReader {
  /// What is wrong, and where.
  struct Break {
    var position: Int
    var message: String
  }

  /// How deep arrays and objects may nest on any thread's stack.
  static let deepest = Limits().jsonDepth

  private let bytes: Bytes
  /// The next byte to read.
  private(set) var position: Int
  /// Why reading stopped; nil while all is well.
  private(set) var failure: Break?
  private let mostDepth: Int
  private var depth = 0

  init(_ bytes: Bytes, depth: Int = deepest) {
    self.bytes = bytes
    mostDepth = min(depth, Self.deepest)
    position = bytes.startIndex
  }

  /// Reads one value; nil when there is not even its beginning.
  mutating func readValue() -> JSONValue? {
    skipWhitespace()
    guard let byte = peek else { return fail("the document ends here") }
    switch byte {
    case UInt8(ascii: "{"): return nested { $0.readObject() }
    case UInt8(ascii: "["): return nested { $0.readArray() }
    case UInt8(ascii: "\""): return readString().map { .string($0) }
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return readNumber()
    default: return readWord()
    }
  }

  private var peek: UInt8? { position < bytes.endIndex ? bytes[position] : nil }

  private mutating func skipWhitespace() {
    while let byte = peek {
      if byte.isWhitespace {
        position += 1
      } else if byte == UInt8(ascii: "."), bytes[position...].hasPrefix("...") {
        // Where somebody left something out of an excerpt.
        position += 3
      } else {
        return
      }
    }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    skipWhitespace()
    guard peek == byte else { return false }
    position += 1
    return true
  }

  private mutating func fail(_ message: String) -> JSONValue? {
    if failure == nil { failure = Break(position: position, message: message) }
    return nil
  }

  private mutating func nested(_ read: (inout JSONReader) -> JSONValue) -> JSONValue? {
    guard depth < mostDepth else { return fail("it nests deeper than \(mostDepth) levels") }
    depth += 1
    defer { depth -= 1 }
    position += 1
    return read(&self)
  }

  private mutating func readObject() -> JSONValue {
    var members: [(name: String, value: JSONValue)] = []
    while failure == nil {
      if take(UInt8(ascii: "}")) { break }
      // Of an object that was left out of an excerpt only the opening brace is there.
      if members.isEmpty, take(UInt8(ascii: "{")) { continue }
      guard peek == UInt8(ascii: "\"") else {
        _ = fail("a member's name is missing")
        break
      }
      guard let name = readString() else { break }
      guard take(UInt8(ascii: ":")) else {
        _ = fail("a colon is missing")
        break
      }
      if let value = readValue() { members.append((name, value)) }
      endElement(before: UInt8(ascii: "}"))
    }
    return .object(members)
  }

  private mutating func readArray() -> JSONValue {
    var elements: [JSONValue] = []
    while failure == nil {
      if take(UInt8(ascii: "]")) { break }
      if let value = readValue() { elements.append(value) }
      endElement(before: UInt8(ascii: "]"))
    }
    return .array(elements)
  }

  /// Goes past the comma behind an element.
  ///
  /// One before the closing bracket does no harm.
  private mutating func endElement(before close: UInt8) {
    guard failure == nil, !take(UInt8(ascii: ",")), peek != close else { return }
    _ = fail(peek == nil ? "the document ends here" : "a comma is missing")
  }

  private mutating func readWord() -> JSONValue? {
    let words: [(String, JSONValue)] = [("true", .bool(true)), ("false", .bool(false)), ("null", .null)]
    for (word, value) in words where bytes[position...].hasPrefix(word) {
      position += word.utf8.count
      return value
    }
    return fail("this is no JSON value")
  }

  /// Reads a number.
  ///
  /// One that touches the end of the input may be cut, so it doesn't count inside a container.
  private mutating func readNumber() -> JSONValue? {
    let start = position
    while let byte = peek, byte.isPartOfNumber { position += 1 }
    guard depth == 0 || peek != nil else { return fail("the document ends here") }
    let text = bytes[start..<position]
    if let value = text.decimalValue { return .unsigned(value) }
    let string = text.string
    if let value = Int64(string) { return .negative(value) }
    if let value = Double(string) { return .real(value) }
    position = start
    return fail("this is no number")
  }

  /// Reads a string; nil when it isn't closed.
  private mutating func readString() -> String? {
    position += 1
    let start = position
    while let byte = peek, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") { position += 1 }
    guard let byte = peek else { return failInString() }
    if byte == UInt8(ascii: "\"") {
      defer { position += 1 }
      return bytes[start..<position].string
    }
    return readEscapedString(Array(bytes[start..<position]))
  }

  private mutating func readEscapedString(_ beginning: [UInt8]) -> String? {
    var text = beginning
    while let byte = peek {
      position += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): readEscape(into: &text)
      default: text.append(byte)
      }
    }
    return failInString()
  }

  private mutating func failInString() -> String? {
    _ = fail("a string isn't closed")
    return nil
  }

  private mutating func readEscape(into text: inout [UInt8]) {
    guard let byte = peek else { return }
    position += 1
    switch byte {
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "u"): text.append(contentsOf: String(readUnicodeEscape()).utf8)
    default: text.append(byte)
    }
  }

  /// Reads the digits of `\uXXXX`, and of the second half of a surrogate pair.
  ///
  /// What is invalid becomes U+FFFD.
  private mutating func readUnicodeEscape() -> Character {
    guard let first = readFourDigits() else { return "\u{fffd}" }
    if let scalar = Unicode.Scalar(first) { return Character(scalar) }
    let rest = position
    if first < 0xdc00, bytes[position...].hasPrefix("\\u") {
      position += 2
      if let second = readFourDigits(), (0xdc00...0xdfff).contains(second),
        let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
      {
        return Character(scalar)
      }
      position = rest
    }
    return "\u{fffd}"
  }

  private mutating func readFourDigits() -> UInt32? {
    let digits = bytes[position...].prefix(4)
    guard digits.count == 4, let value = digits.hexDigitsValue else { return nil }
    position += 4
    return UInt32(value)
  }
}

extension UInt8 {
  fileprivate var isPartOfNumber: Bool {
    switch self {
    case UInt8(ascii: "+"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "e"), UInt8(ascii: "E"): true
    default: isDigit
    }
  }
}

extension JSONValue {
  /// Reads a whole document; nil when it breaks off, holds an error, or has anything behind it.
  package init?(document bytes: [UInt8]) {
    var reader = JSONReader(bytes[...])
    guard let value = reader.readValue(), reader.failure == nil,
      bytes[reader.position...].allSatisfy(\.isWhitespace)
    else { return nil }
    self = value
  }
}

/// The members of a JSON object, in the document's order, and of each value the bytes it stands in.
///
/// - Returns: nil when the bytes aren't one whole object.
package func jsonMembers(
  of document: [UInt8]
) -> [(name: String, value: JSONValue, bytes: ArraySlice<UInt8>)]? {
  var reader = JSONReader(document[...])
  return reader.readMembers()
}

extension JSONReader {
  fileprivate mutating func readMembers() -> [(name: String, value: JSONValue, bytes: ArraySlice<UInt8>)]? {
    var members: [(name: String, value: JSONValue, bytes: ArraySlice<UInt8>)] = []
    guard take(UInt8(ascii: "{")) else { return nil }
    depth = 1
    while !take(UInt8(ascii: "}")) {
      guard peek == UInt8(ascii: "\""), let name = readString(), take(UInt8(ascii: ":")) else { return nil }
      skipWhitespace()
      let start = position
      guard let value = readValue(), failure == nil else { return nil }
      members.append((name, value, bytes[start..<position]))
      endElement(before: UInt8(ascii: "}"))
      guard failure == nil else { return nil }
    }
    skipWhitespace()
    return peek == nil ? members : nil
  }
}
