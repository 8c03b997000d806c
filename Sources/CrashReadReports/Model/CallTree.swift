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
  package init(frame: Frame, depth: Int, sampleCount: Int? = nil) {
    self.frame = frame
    self.depth = depth
    self.sampleCount = sampleCount
  }
}

/// The path through a tree that goes, from the heaviest root, to the most often seen callee each time: innermost first,
/// like a backtrace. Of equally heavy ones the first is taken.
func heaviestPath(through tree: [CallTreeEntry]) -> [Frame] {
  let (root, callees) = heaviestCallees(in: tree)
  var path: [Frame] = []
  var next = root
  while let index = next {
    path.append(tree[index].frame)
    next = callees[index]
  }
  return path.reversed()
}

/// The heaviest root, and of each entry the callee seen most often. Each entry is looked at once.
private func heaviestCallees(in tree: [CallTreeEntry]) -> (root: Int?, callees: [Int?]) {
  var root: Int?
  var callees = [Int?](repeating: nil, count: tree.count)
  var callers: [Int] = []
  for (index, entry) in tree.enumerated() where entry.depth <= callers.count {
    callers.removeLast(callers.count - entry.depth)
    func isHeavier(than known: Int?) -> Bool {
      known.map { entry.sampleCount ?? 0 > tree[$0].sampleCount ?? 0 } ?? true
    }
    if let caller = callers.last {
      if isHeavier(than: callees[caller]) { callees[caller] = index }
    } else if isHeavier(than: root) {
      root = index
    }
    callers.append(index)
  }
  return (root, callees)
}
