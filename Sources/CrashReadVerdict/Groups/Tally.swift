/// The frequencies of texts; of very many different ones only the first are distinguished.
public struct Tally: Sendable, Hashable {
  /// The number of occurrences by text.
  public private(set) var counts: [String: Int] = [:]
  /// The number of occurrences of texts beyond the maximum.
  public private(set) var others = 0

  private static let maximumTexts = 1000

  /// Counts a text once; nothing for nil.
  mutating func add(_ text: String?) {
    guard let text else { return }
    if counts[text] == nil, counts.count >= Self.maximumTexts {
      others += 1
    } else {
      counts[text, default: 0] += 1
    }
  }

  /// Adds the counts of another tally.
  mutating func add(_ other: Tally) {
    others += other.others
    for (text, count) in other.counts {
      if counts[text] == nil, counts.count >= Self.maximumTexts {
        others += count
      } else {
        counts[text, default: 0] += count
      }
    }
  }

  /// Texts and their counts, the most frequent first, then in alphabetical order.
  public var ranked: [(text: String, count: Int)] {
    counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }
}
