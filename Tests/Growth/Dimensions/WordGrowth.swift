/// How a line or a text can be long.
struct WordGrowth {
  var name: String
  var grow: @Sendable (_ size: Int) -> [UInt8]

  /// Words further back in a line are of the same kinds as those before.
  private static let maximumWords = 12

  /// The ways in which each word of a line can be long: one of its letters, the word, a path's component, or a mark in it is
  /// is repeated.
  static func all(of line: [UInt8]) -> [WordGrowth] {
    let words = line.split(separator: 0x20).prefix(maximumWords)
    return words.enumerated().flatMap { number, word in
      repetitions(in: word).map { repetition in
        let (before, unit, after) = (
          Array(line[..<repetition.at]), repetition.unit, Array(line[repetition.at...])
        )
        return WordGrowth(name: "word \(number + 1), \(repetition.name)") { size in
          before + repeated(unit, size) + after
        }
      }
    }
  }

  private typealias Repetition = (name: String, unit: [UInt8], at: Int)

  private static func repetitions(in word: ArraySlice<UInt8>) -> [Repetition] {
    let middle = word.index(after: word.startIndex)
    var found: [Repetition] = [
      ("letters", [UInt8(ascii: "x")], middle), ("components", Array("/a".utf8), middle),
      ("the word itself", Array(word), word.startIndex),
      ("as many words", Array(word) + [0x20], word.startIndex),
    ]
    var known: Set<UInt8> = []
    for index in word.indices where isMark(word[index]) && known.insert(word[index]).inserted {
      found.append((String(UnicodeScalar(word[index])), [word[index]], index))
    }
    return found
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x21...0x2f, 0x3a...0x40, 0x5b...0x60, 0x7b...0x7e: true
    default: false
    }
  }
}

/// A repeated part, up to some size; at least once.
func repeated(_ unit: [UInt8], _ size: Int) -> [UInt8] {
  let count = max(1, size / unit.count)
  var bytes: [UInt8] = []
  bytes.reserveCapacity(count * unit.count)
  for _ in 0..<count { bytes += unit }
  return bytes
}
