internal import CrashReadCore

/// Reads consecutive JSON values from a part of the input.
///
/// Of a truncated document, the values before the end are returned, because an incomplete report is still useful.
struct JSONReader {
  /// An error, and its position.
  struct Failure {
    var position: Int
    var message: String
  }

  /// The maximum nesting depth of arrays and objects for which any thread's stack suffices.
  static let maximumDepth = Limits().jsonDepth

  private let bytes: Bytes
  private var scanner: JSONScanner

  init(_ bytes: Bytes, depth: Int = maximumDepth) {
    self.bytes = bytes
    scanner = JSONScanner(depth: min(depth, Self.maximumDepth))
    if bytes.count > UInt32.max { scanner.fail("it is larger than 4 GB") }
  }

  /// The next byte to read.
  var position: Int { bytes.startIndex + scanner.position }

  /// Why reading stopped; nil while there is no error.
  var failure: Failure? {
    scanner.failure.map { Failure(position: bytes.startIndex + $0.position, message: $0.message) }
  }

  /// Reads one value; nil when there is none, not even the beginning of one.
  mutating func readValue() -> JSONValue? {
    let bytes = self.bytes
    guard scanner.failure == nil, scanner.scan(bytes.span) else { return nil }
    return JSONValue(JSONDocument(bytes, scanner.nodes))
  }
}

extension JSONReader {
  /// The contents of a string with its escapes decoded.
  ///
  /// Anything invalid becomes U+FFFD.
  static func withoutEscapes(_ string: Bytes) -> [UInt8] {
    var text: [UInt8] = []
    var rest = string
    while let escape = rest.firstPosition(of: UInt8(ascii: "\\")) {
      text += rest[..<escape]
      rest = rest[(escape + 1)...]
      readEscape(&rest, into: &text)
    }
    return text + rest
  }

  private static func readEscape(_ rest: inout Bytes, into text: inout [UInt8]) {
    guard let byte = rest.popFirst() else { return }
    switch byte {
    case UInt8(ascii: "n"): text.append(0x0a)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0d)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0c)
    case UInt8(ascii: "u"): text.append(contentsOf: String(readUnicodeEscape(&rest)).utf8)
    default: text.append(byte)
    }
  }

  /// Reads the digits of `\uXXXX`, and of the second half of a surrogate pair.
  private static func readUnicodeEscape(_ rest: inout Bytes) -> Character {
    guard let first = readFourDigits(&rest) else { return "\u{fffd}" }
    if let scalar = Unicode.Scalar(first) { return Character(scalar) }
    var lookahead = rest
    if first < 0xdc00, lookahead.popFirst() == UInt8(ascii: "\\"), lookahead.popFirst() == UInt8(ascii: "u"),
      let second = readFourDigits(&lookahead), (0xdc00...0xdfff).contains(second),
      let scalar = Unicode.Scalar(0x10000 + (first - 0xd800) << 10 + (second - 0xdc00))
    {
      rest = lookahead
      return Character(scalar)
    }
    return "\u{fffd}"
  }

  private static func readFourDigits(_ rest: inout Bytes) -> UInt32? {
    let digits = rest.prefix(4)
    guard digits.count == 4, let value = digits.hexDigitsValue else { return nil }
    rest = rest.dropFirst(4)
    return UInt32(value)
  }
}
