internal import CrashReadReports

/// A call tree with its infrequent branches folded, so that the frequent ones are visible.
struct FoldedTree {
  /// One line of the tree.
  struct Row: Equatable {
    enum Content: Equatable {
      /// An index into the entries.
      case node(Int)
      /// The number of branches omitted here.
      case folded(Int)
    }

    var depth: Int
    var content: Content
  }

  private(set) var rows: [Row] = []

  /// The percentage of all samples below which a branch is folded.
  private static let minimumPercent = 2

  /// Folds the branches of a tree, given a thread's number of samples. Without it, and at nodes without a count,
  /// nothing is folded.
  init(_ entries: [CallTreeEntry], total: Int?) {
    var foldedDepth: Int?
    // For each depth, the number of branches folded so far below the open node.
    var folded: [Int] = [0]
    for (index, entry) in entries.enumerated() {
      if let depth = foldedDepth, entry.depth > depth { continue }
      foldedDepth = nil
      close(&folded, downTo: entry.depth)
      if Self.isThin(entry, total) {
        foldedDepth = entry.depth
        folded[folded.count - 1] += 1
      } else {
        rows.append(Row(depth: entry.depth, content: .node(index)))
        folded.append(0)
      }
    }
    close(&folded, downTo: -1)
  }

  /// Closes the branches below a depth, and adds rows for those that were folded.
  private mutating func close(_ folded: inout [Int], downTo depth: Int) {
    while folded.count > depth + 1, let count = folded.popLast() {
      if count > 0 { rows.append(Row(depth: folded.count, content: .folded(count))) }
    }
  }

  private static func isThin(_ entry: CallTreeEntry, _ total: Int?) -> Bool {
    guard let total, let count = entry.sampleCount else { return false }
    let (scaled, overflow) = count.multipliedReportingOverflow(by: 100)
    let (limit, limitOverflow) = total.multipliedReportingOverflow(by: minimumPercent)
    return !overflow && !limitOverflow && scaled < limit
  }
}
