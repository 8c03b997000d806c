/// A query for the code tables, split into tokens.
struct Phrase: Sendable, Hashable {
  enum Token: Sendable, Hashable {
    case word(String)
    case number(UInt64)
  }

  var tokens: [Token] = []

  /// The maximum number of tokens. A line of a report has a few words; further ones are ignored.
  private static let maximumTokens = 64

  /// Splits a text at everything that can't be part of a name or a number.
  init(_ text: String) {
    let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-")) }
    tokens = words.prefix(Self.maximumTokens).map { word in
      typedNumber(word).map(Token.number) ?? .word(String(word))
    }
  }

  var words: [String] { words(before: tokens.endIndex) }

  func words(before index: Int) -> [String] {
    tokens[..<index].compactMap { if case .word(let word) = $0 { word } else { nil } }
  }

  /// The first number that isn't labelled as something other than a code, and its index.
  var firstCode: (number: UInt64, index: Int)? {
    let otherNumbers: Set = ["address", "at", "pid", "subcode", "thread"]
    for (index, token) in tokens.enumerated() {
      guard case .number(let number) = token else { continue }
      if index > 0, case .word(let word) = tokens[index - 1], otherNumbers.contains(word.lowercased()) {
        continue
      }
      return (number, index)
    }
    return nil
  }

  /// The next number: an address, or `code[1]`.
  func number(after index: Int) -> UInt64? {
    tokens[(index + 1)...].lazy.compactMap { if case .number(let number) = $0 { number } else { nil } }.first
  }

  /// The first number that follows one of some words.
  func number(afterWord words: [String]) -> UInt64? {
    for (index, token) in tokens.enumerated().dropFirst() {
      if case .number(let number) = token, case .word(let word) = tokens[index - 1], words.contains(word) {
        return number
      }
    }
    return nil
  }

  /// The number, when the phrase is nothing but a number.
  var onlyNumber: UInt64? {
    if tokens.count == 1, case .number(let number) = tokens[0] { number } else { nil }
  }
}

/// A number as people write it: decimal, hexadecimal with `0x`, or at least six hexadecimal digits one of which is
/// decimal.
private func typedNumber(_ word: Substring) -> UInt64? {
  let word = word.lowercased()
  if let number = unsigned(word) { return number }
  let isHexadecimal = word.allSatisfy(\.isHexDigit) && word.contains { $0.isNumber }
  return isHexadecimal && word.utf8.count >= 6 ? UInt64(word, radix: 16) : nil
}
