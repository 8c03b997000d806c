import TestSupport
import Testing

@testable import CrashReadDebugInfo

@Suite("Range tables")
struct RangeTableTests {
  /// Layouts of ranges, from ordered to random.
  enum Layout: String, Sendable, CaseIterable {
    case disjoint, nested, overlapping, sameStart, crowded
  }

  private func ranges(_ layout: Layout, _ random: inout SeededRandom) -> [(low: UInt64, high: UInt64)] {
    (0..<UInt64(60)).map { index in
      switch layout {
      case .disjoint: (index * 20, index * 20 + .random(in: 0...20, using: &random))
      case .nested: (index, 200 - index)
      case .overlapping: (.random(in: 0...1000, using: &random), .random(in: 0...1200, using: &random))
      case .sameStart: (index / 6 * 50, .random(in: 0...600, using: &random))
      case .crowded: (.random(in: 0...40, using: &random), .random(in: 0...60, using: &random))
      }
    }
  }

  @Test("find the same as a linear search", arguments: Layout.allCases, [1, 2, 3] as [UInt64])
  func againstBruteForce(_ layout: Layout, _ seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let ranges = ranges(layout, &random).shuffled(using: &random)
    var table = RangeTable()
    for (index, range) in ranges.enumerated() {
      table.append(low: range.low, high: range.high, value: UInt64(index))
    }
    table.sort()
    for address in 0...UInt64(1300) {
      let holding = ranges.filter { $0.low <= address && address < $0.high }
      let found = table.find(address)
      #expect(found?.low == holding.map(\.low).max(), "at \(address)")
      if let found {
        #expect(address >= found.low && address < found.high)
        let source = ranges[Int(found.value)]
        #expect(source.low == found.low && source.high == found.high)
      }
    }
  }

  /// Going back through all of them for each address would take minutes.
  @Test(
    "take no longer for nested ranges", .mustEnd, arguments: [true, false])
  func manyInOneAnother(_ isNested: Bool) {
    let count: UInt64 = 200_000
    var table = RangeTable()
    table.append(low: 0, high: 10 * count, value: count)
    for index in 1..<count {
      table.append(low: index, high: isNested ? 4 * count - index : index + 1, value: index)
    }
    table.sort()
    for step in 0..<count {
      // After the small ones, in the widest only; and where almost all of the nested ones have ended.
      let address = isNested ? 4 * count - 1 - step % 100 : count + step
      let expected = isNested ? step % 100 == 0 ? nil : step % 100 : count
      guard table.find(address)?.value == expected ?? table.find(0)?.value else {
        Issue.record("\(address)")
        return
      }
    }
  }

  @Test func edgesOfTheAddressSpace() {
    var table = RangeTable()
    #expect(table.isEmpty)
    table.append(low: 8, high: 8, value: 0)
    table.append(low: 9, high: 2, value: 0)
    #expect(table.isEmpty)
    table.append(low: .max - 1, high: .max, value: 7)
    table.append(low: 0, high: 1, value: 8)
    table.sort()
    #expect(table.find(0)?.value == 8)
    #expect(table.find(1) == nil)
    #expect(table.find(.max - 1)?.value == 7)
    #expect(table.find(.max) == nil)
    #expect(RangeTable().find(0) == nil)
  }
}
