internal import CrashReadCore

/// Converts the indentation of lines to depths of a call tree.
struct CallTreeBuilder {
  /// A line of a tree, before its function is read.
  struct Row {
    var column: Int
    var isKernel: Bool
    var count: UInt64
    var text: Bytes

    /// Reads `  + ! 12 text`: the drawn lines of the tree, the kernel's star, a number and what it counts; nil for
    /// any other line.
    init?(_ line: Bytes) {
      var rest = line.drop { Self.isDrawing($0) }
      isKernel = rest.first == UInt8(ascii: "*")
      if isKernel { rest = rest.dropFirst() }
      // The star replaces a blank, so the number is in the same column for all rows of a depth.
      column = rest.startIndex - line.startIndex
      guard let (number, text) = rest.firstWord(), number.startIndex == rest.startIndex,
        let count = number.decimalValue
      else { return nil }
      self.count = count
      self.text = text.trimmed
    }

    private static func isDrawing(_ byte: UInt8) -> Bool {
      switch byte {
      case UInt8(ascii: "+"), UInt8(ascii: "!"), UInt8(ascii: ":"), UInt8(ascii: "|"): true
      default: byte.isBlank
      }
    }
  }

  private struct Ancestor {
    var column: Int
    var index: Int
    var isKernel: Bool
  }

  private(set) var entries: [CallTreeEntry] = []
  private var path: [Ancestor] = []

  /// Adds a function below the last one with less indentation.
  ///
  /// If it calls nothing of the same mode, it was executing: its address is a program counter.
  mutating func add(_ row: Row, line: Int) {
    while let last = path.last, last.column >= row.column { path.removeLast() }
    if Self.isState(row.text) {
      if let caller = path.last {
        entries[caller.index].state = entries[caller.index].state ?? row.text.string
      }
      return
    }
    let sampled = SampledFrame(row.text, line: line)
    if let caller = path.last, sampled.frame.address != nil, caller.isKernel == row.isKernel {
      entries[caller.index].frame.kind = .returnAddress
    }
    var entry = CallTreeEntry(
      frame: sampled.frame, depth: path.count, sampleCount: Int(exactly: row.count))
    entry.state = sampled.state
    path.append(Ancestor(column: row.column, index: entries.count, isKernel: row.isKernel))
    entries.append(entry)
  }

  /// Whether a row states how the samples of the function above it ran: `<Kernel mode, Effective Thread QoS Default>`.
  private static func isState(_ text: Bytes) -> Bool {
    text.first == UInt8(ascii: "<") && text.last == UInt8(ascii: ">") && text.contains(0x20)
  }

  /// Whether a text ends in the middle of the last row: of all rows, it alone has no address. What it called isn't known
  /// then.
  var isCut: Bool {
    guard entries.count > Self.minimumWholeRows, let last = entries.last, last.frame.address == nil else {
      return false
    }
    return entries.dropLast().allSatisfy { $0.frame.address != nil }
  }

  /// The number of rows with an address from which on one without is cut off.
  private static let minimumWholeRows = 2

  /// Removes the last row of a text that ends in the middle of its function's name.
  mutating func dropCutName() {
    guard isCut, let last = entries.last, last.frame.imageName == nil, last.frame.reportedSymbolOffset == nil
    else { return }
    entries.removeLast()
    path.removeLast()
    if let caller = path.last { entries[caller.index].frame.kind = .returnAddress }
  }

  /// The number of samples of all roots; nil when they can't be counted.
  var sampleCount: Int? {
    var sum = 0
    for entry in entries where entry.depth == 0 {
      let (next, overflow) = sum.addingReportingOverflow(entry.sampleCount ?? 0)
      if overflow { return nil }
      sum = next
    }
    return sum
  }
}
