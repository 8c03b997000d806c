internal import CrashReadCore

/// Replacements for personal data. Equal texts have equal replacements of the same length, so that columns, line ends
/// and the lengths stated in binary formats stay valid.
package struct Pseudonyms: Sendable {
  /// Kinds of personal data; raw values are those of the list of replacements.
  package enum Kind: String, Sendable, CaseIterable {
    case user, folder, file, volume, identifier, name, host, mail, phone, address, secret
  }

  /// A text that was replaced.
  package struct Entry: Sendable, Hashable {
    /// The kind of data.
    package var kind: Kind
    /// The original text.
    package var original: String
    /// Its replacement.
    package var pseudonym: String
    /// How often it was replaced.
    package var count: Int
  }

  private var numbers: [Key: Int] = [:]
  /// Everything that was replaced, in the order of its first occurrence.
  package private(set) var entries: [Entry] = []

  private struct Key: Hashable {
    var kind: Kind
    var original: [UInt8]
  }

  /// No pseudonyms yet.
  init() {}

  /// Returns the replacement of a text, and counts it as replaced.
  mutating func replace(_ original: [UInt8], _ kind: Kind) -> [UInt8] {
    let key = Key(kind: kind, original: original)
    if let number = numbers[key] {
      entries[number].count += 1
      return Array(entries[number].pseudonym.utf8)
    }
    let number = entries.count
    var pseudonym = Self.pseudonym(original, kind, number + 1)
    // A name that looks like a pseudonym gets a different one.
    if pseudonym == original { pseudonym = Self.pseudonym(original, kind, number + 1_000_003) }
    numbers[key] = number
    entries.append(
      Entry(
        kind: kind, original: String(decoding: original, as: UTF8.self),
        pseudonym: String(decoding: pseudonym, as: UTF8.self), count: 1))
    return pseudonym
  }

  private static func pseudonym(_ original: [UInt8], _ kind: Kind, _ number: Int) -> [UInt8] {
    if original.allSatisfy(\.isDigit) {
      return numbered(original, number)
    }
    switch kind {
    case .identifier, .address:
      if original.allSatisfy({ !$0.isLetterOrDigit || $0.isHexDigit }) { return numbered(original, number) }
      return named(kind.rawValue, number, original.count)
    case .phone: return numbered(original, number)
    case .mail:
      let at = original.firstIndex(of: UInt8(ascii: "@")) ?? 0
      return named("mail", number, at) + original[at...].map { $0.isLetterOrDigit ? UInt8(ascii: "x") : $0 }
    case .file:
      let dot = original.lastIndex(of: UInt8(ascii: ".")) ?? original.endIndex
      return named("file", number, dot) + original[dot...]
    case .user, .folder, .volume, .name, .host, .secret: return named(kind.rawValue, number, original.count)
    }
  }

  /// A number in place of letters and digits, right-aligned; the remaining digits become zeros.
  private static func numbered(_ original: [UInt8], _ number: Int) -> [UInt8] {
    var rest = number
    var result = original
    for index in original.indices.reversed() where original[index].isLetterOrDigit {
      result[index] = UInt8(ascii: "0") + UInt8(rest % 10)
      rest /= 10
    }
    // A JSON number doesn't begin with a zero.
    if original.count > 1, original.first != UInt8(ascii: "0"),
      original.allSatisfy(\.isDigit)
    {
      result[0] = UInt8(ascii: "1")
    }
    return result
  }

  /// A word and a number with a given total length in bytes: `user0001`; if that is too short, only the number.
  private static func named(_ word: String, _ number: Int, _ length: Int) -> [UInt8] {
    let digits = Array(String(number, radix: length > 2 ? 10 : 36).utf8.suffix(length))
    let name = Array(word.utf8.prefix(length - digits.count))
    return name + Array(repeating: UInt8(ascii: "0"), count: length - digits.count - name.count) + digits
  }
}
