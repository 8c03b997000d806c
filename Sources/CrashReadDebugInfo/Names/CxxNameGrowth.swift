internal import CrashReadCore

/// Bounds the length of a mangled C++ name's printed form, without printing it.
///
/// A part may refer to earlier ones twice, and these to others, so 230 bytes can stand for gigabytes of text; libstdc++
/// bounds only depth and input length. The name is parsed by the grammar of the Itanium C++ ABI, section 5.1, as
/// libstdc++ does, adding up the length of each part that can be referred to. Names are in `CxxNameParts.swift`, types
/// and expressions in `CxxTypeGrowth.swift`.
struct CxxNameGrowth {
  /// The name is damaged, or has an unsupported part.
  struct NotUnderstood: Error {}

  let name: [UInt8]
  var position = 2  // after `_Z`
  /// The lengths of `S_`, `S0_`, …, in floating point, because they may have any size.
  var parts: [Double] = []
  /// The maximum length of `T_`, `T0_`, …: template arguments of functions.
  var arguments: [Double] = []
  /// The maximum number of elements of a template argument list, and so of repetitions of a pack's pattern.
  var largestPack = 1.0
  /// Whether template arguments are those of a function.
  var isFunctionName = false
  /// Whether template parameters are those of a lambda's signature, which are printed as `auto`.
  var isLambda = false

  /// An upper bound of the length that a single part adds, such as `std::basic_iostream<char, std::char_traits<char> >`
  /// or `operator delete[]`.
  static let word = 80.0

  /// An approximate upper bound of the printed form's length.
  static func bound(_ mangled: String) -> Double {
    var growth = CxxNameGrowth(mangled)
    do throws(NotUnderstood) {
      let length = try growth.readEncoding()
      guard growth.peek == nil || growth.peek == UInt8(ascii: ".") else { throw NotUnderstood() }
      return length
    } catch {
      return growth.worst
    }
  }

  init(_ mangled: String) { name = Array(mangled.utf8) }

  /// The bound without parsing: each reference may double the length, and each pack repeat it once per element.
  private var worst: Double {
    var length = Self.word * Double(name.count)
    for (first, second) in zip(name, name.dropFirst()) {
      if first == UInt8(ascii: "S") || first == UInt8(ascii: "T") { length *= 2 }
      if second == UInt8(ascii: "p"), first == UInt8(ascii: "D") || first == UInt8(ascii: "s") {
        length *= Double(name.count)
      }
    }
    return length
  }
}

// MARK: - Reading

extension CxxNameGrowth {
  var peek: UInt8? { position < name.count ? name[position] : nil }

  var remaining: Int { name.count - position }

  func isNext(_ text: StaticString) -> Bool {
    guard text.utf8CodeUnitCount <= remaining else { return false }
    return text.withUTF8Buffer { unsafe name[position...].starts(with: $0) }
  }

  mutating func take(_ text: StaticString) -> Bool {
    guard isNext(text) else { return false }
    position += text.utf8CodeUnitCount
    return true
  }

  mutating func next() throws(NotUnderstood) -> UInt8 {
    guard let byte = peek else { throw NotUnderstood() }
    position += 1
    return byte
  }

  mutating func expect(_ text: StaticString) throws(NotUnderstood) {
    if !take(text) { throw NotUnderstood() }
  }

  mutating func skipNumber() {
    _ = take("n")
    while let byte = peek, byte.isDigit { position += 1 }
  }

  /// Skips bytes up to and including the next one of a value.
  mutating func skip(past byte: UInt8) throws(NotUnderstood) {
    while try next() != byte {}
  }

  /// Adds up the lengths of parts until `E`.
  mutating func readList(
    _ element: (inout CxxNameGrowth) throws(NotUnderstood) -> Double
  ) throws(NotUnderstood) -> Double {
    var length = Self.word
    while !take("E") { length += try element(&self) }
    return length
  }

  /// Makes a part available to later references.
  mutating func remember(_ length: Double) -> Double {
    parts.append(length)
    return length
  }

  /// The number of a reference: `_` is 0, `0_` is 1; `base` is 36 after an `S` and 10 after a `T`.
  private mutating func readIndex(base: Int) throws(NotUnderstood) -> Int {
    var index: Int?
    while !take("_") {
      guard let digit = Character(Unicode.Scalar(try next())).hexDigitOrLetter, digit < base else {
        throw NotUnderstood()
      }
      index = min((index ?? 0) * base + digit, 1 << 20)
    }
    return index.map { $0 + 1 } ?? 0
  }

  /// `S_`, `S1_`: a part that was parsed before. `Sa`, `Ss`, …: a name of the standard library.
  mutating func readSubstitution() throws(NotUnderstood) -> Double {
    try expect("S")
    guard let byte = peek, byte == UInt8(ascii: "_") || byte.isDigit || byte.isUppercase else {
      _ = try next()
      // With an ABI tag, it can be referred to as another part.
      return isNext("B") ? remember(try readTags() + Self.word) : Self.word
    }
    let index = try readIndex(base: 36)
    guard parts.indices.contains(index) else { throw NotUnderstood() }
    return parts[index]
  }

  /// `T_`, `T1_`.
  mutating func readTemplateParameter() throws(NotUnderstood) -> Double {
    try expect("T")
    let index = try readIndex(base: 10)
    if isLambda { return Self.word }
    guard arguments.indices.contains(index) else { throw NotUnderstood() }
    return arguments[index]
  }
}

extension Character {
  fileprivate var hexDigitOrLetter: Int? { Int(String(self), radix: 36).flatMap { isLowercase ? nil : $0 } }
}
