/// How often each of some texts occurred; of very many different ones only the first are told apart.
public struct Tally: Sendable, Hashable {
  /// How often each occurred.
  public private(set) var counts: [String: Int] = [:]
  /// How often others occurred, when there was no more room.
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

  /// Adds what another has counted.
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

  /// Texts and how often they occurred, the most frequent first; equals in the order of their names.
  public var ranked: [(text: String, count: Int)] {
    counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
  }
}
