/// The line tables of a file, each read once while there is room: units may share one.
final class LineTables {
  /// A table that several units may hold.
  final class Table {
    let program: LineProgram

    init(_ program: LineProgram) { self.program = program }
  }

  private let lock = Lock()
  /// By offset; nil for those that can't be read here.
  private var tables: [Int: Table?] = [:]
  /// Rows of all tables in `tables`. When there are too many, all are dropped and read again on demand.
  private var keptRows = 0
  /// Rows read since the file was opened. Tables may overlap.
  private let rows: Budget
  private let maximumKept: Int
  private let hiddenOpcode: LineProgram.Opcode?

  /// - Parameters:
  ///   - maximumKept: Rows kept in memory: 400 MB.
  ///   - maximumRead: Rows read in total, which takes ten seconds.
  ///   - hiddenOpcode: An opcode to treat as unknown.
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
