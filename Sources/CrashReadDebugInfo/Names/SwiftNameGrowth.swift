internal import CrashReadCore

/// Bounds the length of a mangled Swift name's printed form, without printing it.
///
/// A mangled name may refer to an earlier part of itself (`AC`, `AdB`, `A12_`). Each part may contain two references to
/// the previous one, so 150 bytes can stand for gigabytes of text, and the runtime's demangler has no limit. A part is
/// complete before the first reference to it, so it is no longer than everything before that. The name is only split
/// into tokens, not parsed: this protects against hostile names, and isn't exact.
struct SwiftNameGrowth {
  private var rest: Substring.UTF8View
  /// The length so far, in floating point, because it may have any size.
  private var length = 0.0
  private var partLengths: [Int: Double] = [:]

  /// An approximate upper bound of the printed form's length.
  static func bound(_ mangled: String) -> Double {
    var growth = SwiftNameGrowth(rest: mangled.utf8.dropFirst(2))  // `$s`, `$S`, `$e` or `_T`
    growth.scan()
    return growth.length
  }

  private init(rest: Substring.UTF8View) {
    self.rest = rest
  }

  private mutating func scan() {
    while let byte = rest.first {
      if byte.isDigit {
        readIdentifier()
        continue
      }
      rest.removeFirst()
      length += 1
      if byte == UInt8(ascii: "A") { readReferences() }
      if byte == UInt8(ascii: "S") { length += 10 * Double(takeNumber() ?? 1) }  // `S2i` is Int twice.
    }
  }

  /// Reads what may follow an `A`: `number? a-z` any number of times, then `number? A-Z`; or `number? _`.
  private mutating func readReferences() {
    var isLast = false
    while !isLast {
      let number = takeNumber()
      guard let byte = rest.popFirst() else { return }
      isLast = !byte.isLetter || byte.isUppercase
      if byte.isLetter {
        refer(to: Int(byte | 0x20) - Int(UInt8(ascii: "a")), times: number ?? 1)
      } else if byte == UInt8(ascii: "_") {
        refer(to: 26 + (number.map { $0 + 1 } ?? 0), times: 1)
      }
    }
  }

  private mutating func refer(to part: Int, times: Int) {
    let partLength = partLengths[part] ?? length
    partLengths[part] = partLength
    length += partLength * Double(times)
  }

  /// Reads `3Foo`; with word substitutions `0aB3Foo`, `0aB0`; in Punycode `005Foo`.
  private mutating func readIdentifier() {
    guard rest.first == UInt8(ascii: "0") else { return readLiteral() }
    rest.removeFirst()
    while let byte = rest.first, byte.isLetter {
      rest.removeFirst()
      length += 20
      if byte.isUppercase { break }
      if let next = rest.first, next.isDigit { readLiteral() }
    }
    readLiteral()
  }

  /// Reads `3Foo`, `0` for none, or `3_`, a plain number.
  ///
  /// A private name's discriminator has 33 bytes, the first of which is `_`.
  private mutating func readLiteral() {
    if rest.first == UInt8(ascii: "0") {
      rest.removeFirst()
    } else if let count = takeNumber(), rest.first != UInt8(ascii: "_") || count == 33 {
      rest = rest.dropFirst(count)
      length += Double(count)
    }
  }

  /// A decimal number; one larger than any name is replaced by a million. Nil when there is none.
  private mutating func takeNumber() -> Int? {
    let digits = rest.prefix(while: \.isDigit)
    rest = rest.dropFirst(digits.count)
    if digits.isEmpty { return nil }
    return digits.reduce(0) { min($0 * 10 + Int($1 - UInt8(ascii: "0")), 1_000_000) }
  }
}
