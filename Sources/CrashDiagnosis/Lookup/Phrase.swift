/// A question to the code tables, split into what it can be asked by.
struct Phrase: Sendable, Hashable {
  enum Token: Sendable, Hashable {
    case word(String)
    case number(UInt64)
  }

  var tokens: [Token] = []

  /// A line of a report has a few words; more are not looked at.
  private static let mostTokens = 64

  /// Splits a text at all that can't be part of a name or a number.
  init(_ text: String) {
    let words = text.split { !($0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_" || $0 == "-")) }
    tokens = words.prefix(Self.mostTokens).map { word in
      number(word).map(Token.number) ?? .word(String(word))
    }
  }

  /// The number, when the phrase is nothing else.
  var onlyNumber: UInt64? {
    if tokens.count == 1, case .number(let number) = tokens[0] { number } else { nil }
  }
}

/// A number as people write it: decimal, hexadecimal with `0x`, or at least six hexadecimal digits with both kinds.
private func number(_ word: Substring) -> UInt64? {
  let word = word.lowercased()
  if let number = unsigned(word) { return number }
  let isHexadecimal = word.allSatisfy(\.isHexDigit) && word.contains { $0.isNumber }
  return isHexadecimal && word.utf8.count >= 6 ? UInt64(word, radix: 16) : nil
}
