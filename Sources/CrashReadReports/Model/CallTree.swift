/// One node of a call tree; a tree is listed in preorder.
public struct CallTreeEntry: Sendable, Hashable {
  /// The function that was running, or that called the next one.
  public var frame: Frame
  /// Its depth in the tree; 0 for a root.
  public var depth: Int
  /// The number of samples it was seen in; nil if the report doesn't state it.
  public var sampleCount: Int?
  /// The state of the thread in this node, such as `running` or `blocked by …`; nil if the report doesn't state it.
  public var state: String?

  /// A node of a tree.
  package init(frame: Frame, depth: Int, sampleCount: Int? = nil) {
    self.frame = frame
    self.depth = depth
    self.sampleCount = sampleCount
  }
}

/// The path from the heaviest root through the most sampled callee of each entry, innermost first, like a backtrace. Of
/// equally heavy entries, the first is taken.
func heaviestPath(through tree: [CallTreeEntry]) -> [Frame] {
  let (root, callees) = heaviestCallees(in: tree)
  var path: [Frame] = []
  var next = root
  while let index = next {
    var frame = tree[index].frame
    frame.sampleCount = tree[index].sampleCount
    path.append(frame)
    next = callees[index]
  }
  return path.reversed()
}

/// The heaviest root, and the most sampled callee of each entry. Each entry is visited once.
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
