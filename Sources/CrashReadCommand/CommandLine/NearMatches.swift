/// The candidate a mistyped word most likely means; nil when none is near.
func nearest(to word: String, among candidates: [String]) -> String? {
  nearMatches(to: word, among: candidates).first
}

/// The candidates a mistyped word may mean, the nearest first; empty when none is near.
///
/// Those that the word begins come before those a few edits away; equally near ones keep their order.
func nearMatches(to word: String, among candidates: [String]) -> [String] {
  // Longer words are near to nothing, and measuring them would take long.
  guard (1...40).contains(word.utf8.count) else { return [] }
  let ranked = candidates.enumerated().map { index, candidate in
    (candidate: candidate, rank: (candidate.hasPrefix(word) ? 0 : editDistance(word, candidate), index))
  }
  return ranked.filter { $0.rank.0 <= max(1, $0.candidate.count / 3) }.sorted { $0.rank < $1.rank }
    .map(\.candidate)
}

/// The number of insertions, deletions, replacements and swaps of neighbours that make one word the other.
private func editDistance(_ from: String, _ to: String) -> Int {
  let from = Array(from.utf8)
  let to = Array(to.utf8)
  var beforeLast: [Int] = []
  var last = Array(0...to.count)
  for (row, byte) in from.enumerated() {
    var current = [row + 1]
    for (column, other) in to.enumerated() {
      var cost = min(last[column] + (byte == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, byte == to[column - 1], from[row - 1] == other {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current.append(cost)
    }
    beforeLast = last
    last = current
  }
  return last[to.count]
}
