import CrashReadReports
import Testing

@testable import CrashReadRendering

private func rows(_ nodes: [(Int, Int?)], total: Int?) -> [String] {
  let entries = nodes.map { depth, count in
    CallTreeEntry(frame: Frame(kind: .returnAddress, address: nil), depth: depth, sampleCount: count)
  }
  return FoldedTree(entries, total: total).rows.map { row in
    switch row.content {
    case .node(let index): "\(row.depth) node \(index)"
    case .folded(let count): "\(row.depth) folded \(count)"
    }
  }
}

@Suite("A folded call tree")
struct FoldedTreeTests {
  @Test("omits branches below two percent, and counts them after their siblings")
  func folds() {
    let nodes: [(Int, Int?)] = [
      (0, 100), (1, 1), (2, 1), (1, 98), (2, 97), (2, 1), (3, 1), (1, 1), (0, 2), (0, 1),
    ]
    #expect(
      rows(nodes, total: 100) == [
        "0 node 0", "1 node 3", "2 node 4", "2 folded 1", "1 folded 2", "0 node 8", "0 folded 1",
      ])
  }

  @Test("omits no node without a count")
  func keeps() {
    #expect(rows([(0, nil), (1, nil)], total: 100) == ["0 node 0", "1 node 1"])
    #expect(rows([(0, 1), (1, 1)], total: nil) == ["0 node 0", "1 node 1"])
    #expect(rows([], total: 100) == [])
  }

  @Test("doesn't trap on odd trees", arguments: [Int.max, Int.min, -1, 0])
  func odd(_ number: Int) {
    #expect(rows([(0, number), (3, .max), (1, 0), (0, 1)], total: number).count > 0)
  }
}
