/// One node of a call tree, in a list that gives each node before what it called.
public struct CallTreeEntry: Sendable, Hashable {
  /// The function that was running, or had called the next.
  public var frame: Frame
  /// How many calls lie above it; 0 for a root.
  public var depth: Int
  /// In how many samples it was seen; nil where the report doesn't say.
  public var sampleCount: Int?
  /// What the report says of the thread at this place, such as `running` or `blocked by …`; nil when nothing.
  public var state: String?

  /// A node of a tree.
  public init(frame: Frame, depth: Int, sampleCount: Int? = nil) {
    self.frame = frame
    self.depth = depth
    self.sampleCount = sampleCount
  }
}

/// The path through a tree that goes, from the heaviest root, to the most often seen callee each time: innermost first,
/// like a backtrace. Of equally heavy ones the first is taken.
func heaviestPath(through tree: [CallTreeEntry]) -> [Frame] {
  var path: [Frame] = []
  var start = tree.startIndex
  while let next = heaviest(at: path.count, in: tree[start...]) {
    path.append(tree[next].frame)
    start = next + 1
  }
  return path.reversed()
}

/// The most often seen of the entries at a depth, up to where the branch ends.
private func heaviest(at depth: Int, in entries: ArraySlice<CallTreeEntry>) -> Int? {
  var best: Int?
  for index in entries.indices {
    if entries[index].depth < depth { break }
    guard entries[index].depth == depth else { continue }
    if let known = best, (entries[index].sampleCount ?? 0) <= (entries[known].sampleCount ?? 0) { continue }
    best = index
  }
  return best
}
