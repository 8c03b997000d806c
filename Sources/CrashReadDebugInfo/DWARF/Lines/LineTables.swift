/// The line tables of a file, each read once while memory allows: units may share one.
final class LineTables {
  /// A line table, which several units may share.
  final class Table {
    let program: LineProgram

    init(_ program: LineProgram) { self.program = program }
  }

  private let lock = Lock()
  /// Tables by offset; nil for those that can't be read here.
  private var tables: [Int: Table?] = [:]
  /// The number of rows of all tables in `tables`. Above the maximum, all tables are dropped, and read again on demand.
  private var keptRows = 0
  /// The number of rows that may still be read since the file was opened. Tables may overlap.
  private let rows: Budget
  private let maximumKept: Int
  private let hiddenOpcode: LineProgram.Opcode?

  /// Creates an empty set of tables.
  /// - Parameters:
  ///   - maximumKept: The maximum number of rows kept in memory: 400 MB.
  ///   - maximumRead: The maximum number of rows read in total, which takes ten seconds.
  ///   - hiddenOpcode: An opcode to treat as unknown, for tests.
  init(maximumKept: Int = 1 << 24, maximumRead: Int = 1 << 30, hiddenOpcode: LineProgram.Opcode? = nil) {
    self.maximumKept = maximumKept
    self.hiddenOpcode = hiddenOpcode
    rows = Budget(maximumRead)
  }

  /// The table at an offset in `.debug_line`; nil when its header can't be read.
  func table(at offset: Int, in sections: DebugSections, addressSize: Int) -> Table? {
    if let known = lock.withLock({ tables[offset] }) { return known }
    let program = LineProgram(
      sections, at: offset, addressSize: addressSize, maximumRows: min(LineProgram.maximumRows, rows.left),
      hiddenOpcode: hiddenOpcode)
    let count = program?.rows.count ?? 0
    rows.spend(count)
    let table = program.map { Table($0) }
    lock.withLock {
      if keptRows + count > maximumKept { (tables, keptRows) = ([:], 0) }
      keptRows += count
      tables.updateValue(table, forKey: offset)
    }
    return table
  }
}
