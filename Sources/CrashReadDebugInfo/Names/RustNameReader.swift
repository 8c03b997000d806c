/// Parses a name of Rust's 'v0' scheme, and prints it in the process.
///
/// Every nested part may be a back reference, so a short name can stand for a text that doubles with each reference.
/// Depth, number of steps and length of the text are limited to values that no real name approaches.
struct RustNameReader {
  struct Malformed: Error {}

  let name: [UInt8]
  /// The base of offsets in references: the end of the `_R`.
  private static let start = 2
  var position = RustNameReader.start
  private var output: [UInt8] = []
  /// Whether the parts that are parsed are printed; references are followed only then.
  private var isShown = true
  private var depth = 0
  private var steps = 0
  /// The number of lifetimes bound by the enclosing `for<…>`.
  var boundLifetimes: UInt64 = 0

  private static let maximumDepth = 200
  private static let maximumSteps = 100_000
  private static let maximumLength = 65_536

  /// Prepares parsing a name.
  /// - Returns: Nil for an unsupported version of the scheme.
  init?(_ name: [UInt8]) {
    guard name.count > Self.start, 0x41...0x5a ~= name[Self.start] else { return nil }
    self.name = name
  }

  /// The whole name; nil when it is damaged.
  mutating func read() -> String? {
    do throws(Malformed) {
      try readPath(inType: false)
      if let next = peek, 0x41...0x5a ~= next {  // the crate that instantiated a generic function
        try hidden { (reader) throws(Malformed) in try reader.readPath(inType: false) }
      }
    } catch {
      return nil
    }
    return RustDemangler.shown(suffix: name[position...]).map { String(decoding: output, as: UTF8.self) + $0 }
  }
}

// MARK: - Identifiers and numbers

extension RustNameReader {
  /// A number that distinguishes items with the same name; 0 when omitted.
  mutating func readDisambiguator() throws(Malformed) -> UInt64 {
    guard take("s") else { return 0 }
    let (number, overflow) = try readNumber().addingReportingOverflow(1)
    if overflow { throw Malformed() }
    return number
  }

  /// A base-62 number and an underscore: the underscore alone is 0, and digits count from 1.
  mutating func readNumber() throws(Malformed) -> UInt64 {
    if take("_") { return 0 }
    var value: UInt64 = 0
    while !take("_") {
      guard let digit = Self.digit(try next()) else { throw Malformed() }
      let (product, isTooBig) = value.multipliedReportingOverflow(by: 62)
      let (sum, overflow) = product.addingReportingOverflow(digit)
      if isTooBig || overflow { throw Malformed() }
      value = sum
    }
    let (number, overflow) = value.addingReportingOverflow(1)
    if overflow { throw Malformed() }
    return number
  }

  private static func digit(_ character: Character) -> UInt64? {
    guard let byte = character.asciiValue.map(UInt64.init) else { return nil }
    switch byte {
    case 0x30...0x39: return byte - 0x30
    case 0x61...0x7a: return byte - 0x61 + 10
    case 0x41...0x5a: return byte - 0x41 + 36
    default: return nil
    }
  }

  /// A name with its length; a preceding `u` marks Punycode.
  mutating func readIdentifier() throws(Malformed) -> String {
    let isPunycode = take("u")
    var length = 0
    guard let first = peek, 0x30...0x39 ~= first else { throw Malformed() }
    while let byte = peek, 0x30...0x39 ~= byte, length == 0 || length <= name.count {
      position += 1
      length = length * 10 + Int(byte - 0x30)
      if first == 0x30 { break }  // a number has no leading zeros
    }
    _ = take("_")
    guard length <= name.count - position else { throw Malformed() }
    let bytes = name[position..<position + length]
    position += length
    guard isPunycode else { return String(decoding: bytes, as: UTF8.self) }
    guard let text = decodePunycode(bytes) else { throw Malformed() }
    return text
  }
}

// MARK: - Reading and writing

extension RustNameReader {
  private var peek: UInt8? { position < name.count ? name[position] : nil }

  mutating func next() throws(Malformed) -> Character {
    guard let byte = peek, byte < 0x80 else { throw Malformed() }
    position += 1
    return Character(Unicode.Scalar(byte))
  }

  mutating func take(_ scalar: Unicode.Scalar) -> Bool {
    guard let byte = peek, UInt32(byte) == scalar.value else { return false }
    position += 1
    return true
  }

  mutating func write(_ text: String) { if isShown { output += text.utf8 } }

  /// Parses one part of a path, type or constant inside another, within the limits.
  mutating func nested(
    _ body: (inout RustNameReader) throws(Malformed) -> Void
  ) throws(Malformed) {
    depth += 1
    steps += 1
    guard depth <= Self.maximumDepth, steps <= Self.maximumSteps, output.count <= Self.maximumLength else {
      throw Malformed()
    }
    try body(&self)
    depth -= 1
  }

  mutating func hidden(
    _ body: (inout RustNameReader) throws(Malformed) -> Void
  ) throws(Malformed) {
    let outer = isShown
    isShown = false
    try body(&self)
    isShown = outer
  }

  /// Parses the part that a back reference refers to.
  mutating func followReference(
    _ body: (inout RustNameReader) throws(Malformed) -> Void
  ) throws(Malformed) {
    let reference = position - 1 - Self.start
    let target = try readNumber()
    guard target < UInt64(reference) else { throw Malformed() }
    guard isShown else { return }
    let back = position
    position = Self.start + Int(target)
    try nested(body)
    position = back
  }

  /// Reads parts until `E`.
  @discardableResult
  mutating func readList(
    separator: String = ", ", _ element: (inout RustNameReader) throws(Malformed) -> Void
  ) throws(Malformed) -> Int {
    var count = 0
    while !take("E") {
      if count > 0 { write(separator) }
      try element(&self)
      count += 1
    }
    return count
  }
}
