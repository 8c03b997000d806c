internal import CCrashReadElfutils
internal import CrashReadCore

/// The line table of one unit: address → file, line and column (DWARF 5, section 6.2).
///
/// libdw allocates and sorts an object for each row of a unit, which took half the time of a look-up; here, rows stay
/// in the order of the program, sequence by sequence. `LineProgram` is tested against `dwarf_getsrc_die`.
struct LineProgram {
  struct Row {
    var address: UInt64
    var file: UInt32
    var line: UInt32
    var column: UInt32
  }

  private(set) var rows: [Row] = []
  /// Address ranges of sequences; the value has the index of the first row in its low half, and that after the last row
  /// in its high half.
  private(set) var sequences = RangeTable()
  private let header: LineHeader
  /// An opcode to treat as unknown.
  private let hiddenOpcode: Opcode?
  /// Whether there was an opcode that only libdw supports.
  private var isForeign = false

  /// An opcode, as `DW_LNS_…` or `DW_LNE_…`.
  enum Opcode: Hashable, Sendable {
    case standard(UInt8), extended(UInt8)
  }

  /// The maximum number of rows, 200 MB of them. The largest units have a fraction of that.
  static let maximumRows = 1 << 23
  private let maximumRows: Int

  /// Reads and runs a program; nil when its header can't be read, or it has an opcode that only libdw supports.
  ///
  /// It stops at `maximumRows`.
  init?(
    _ sections: DebugSections, at offset: Int, addressSize: Int, maximumRows: Int,
    hiddenOpcode: Opcode? = nil
  ) {
    guard let header = LineHeader(sections, at: offset, addressSize: addressSize) else { return nil }
    self.header = header
    self.maximumRows = maximumRows
    self.hiddenOpcode = hiddenOpcode
    run(ByteCursor(sections.lines, at: header.program, end: header.end))
    if isForeign { return nil }
    sequences.sort()
  }

  /// The last row at or before an address inside the sequence that covers it; nil when none does.
  func row(at address: UInt64) -> Row? {
    guard let sequence = sequences.find(address)?.value else { return nil }
    let rows = rows[Int(sequence & 0xffff_ffff)..<Int(sequence >> 32)]
    let upperBound = rows.partitioningIndex { $0.address > address }
    return upperBound > rows.startIndex ? rows[upperBound - 1] : nil
  }

  /// A file's path, which may be relative to the compilation directory; nil when the table has no such file.
  func path(ofFile index: UInt64) -> String? { header.path(ofFile: index) }
}

// MARK: - The state machine

extension LineProgram {
  /// The registers (section 6.2.2) that are needed for look-ups.
  private struct Registers {
    var row = Row(address: 0, file: 1, line: 1, column: 0)
    var operation: UInt64 = 0
  }

  /// The effect of a special opcode (section 6.2.5.1), precomputed because a division takes longer than everything
  /// else.
  private struct Special {
    var operations: UInt64
    var lines: UInt32
  }

  private var specials: [Special] {
    (0...255).map { (opcode: UInt8) in
      let adjusted = opcode &- header.opcodeBase
      return Special(
        operations: UInt64(adjusted / header.lineRange),
        lines: UInt32(truncatingIfNeeded: header.lineBase + Int64(adjusted % header.lineRange)))
    }
  }

  private mutating func run(_ program: ByteCursor) {
    var cursor = program
    // A row takes about three bytes of the program; unused capacity is never touched.
    rows.reserveCapacity(min(program.remaining / 3, 1 << 20))
    var registers = Registers()
    var sequenceStart = 0
    let opcodeBase = header.opcodeBase
    let specials = specials
    while !cursor.isAtEnd, rows.count < maximumRows, !isForeign {
      let opcode = cursor.byte()
      if opcode >= opcodeBase {
        let special = specials[Int(opcode)]
        advance(&registers, by: special.operations)
        registers.row.line &+= special.lines
        rows.append(registers.row)
      } else if opcode == 0 {
        runExtended(&cursor, &registers, &sequenceStart)
      } else {
        runStandard(opcode, &cursor, &registers)
      }
    }
  }

  @inline(__always)
  private func advance(_ registers: inout Registers, by operations: UInt64) {
    if header.maximumOperations == 1 {
      registers.row.address &+= header.instructionLength &* operations
      return
    }
    let sum = registers.operation &+ operations
    registers.row.address &+= header.instructionLength &* (sum / header.maximumOperations)
    registers.operation = sum % header.maximumOperations
  }

  @inline(__always)
  private mutating func runStandard(
    _ opcode: UInt8, _ cursor: inout ByteCursor, _ registers: inout Registers
  ) {
    if let hiddenOpcode, hiddenOpcode == .standard(opcode) {
      isForeign = true
      return
    }
    switch Int(opcode) {
    case DW_LNS_copy: rows.append(registers.row)
    case DW_LNS_advance_pc: advance(&registers, by: cursor.uleb())
    case DW_LNS_advance_line: registers.row.line &+= UInt32(truncatingIfNeeded: cursor.sleb())
    case DW_LNS_set_file: registers.row.file = UInt32(clamping: cursor.uleb())
    case DW_LNS_set_column: registers.row.column = UInt32(clamping: cursor.uleb())
    case DW_LNS_negate_stmt, DW_LNS_set_basic_block, DW_LNS_set_prologue_end, DW_LNS_set_epilogue_begin: break
    case DW_LNS_const_add_pc:
      advance(&registers, by: UInt64((255 - header.opcodeBase) / header.lineRange))
    case DW_LNS_fixed_advance_pc:
      registers.row.address &+= cursor.integer(size: 2)
      registers.operation = 0
    default:
      for _ in 0..<header.operandCounts[Int(opcode) - 1] { _ = cursor.uleb() }
    }
  }

  private mutating func runExtended(
    _ cursor: inout ByteCursor, _ registers: inout Registers, _ sequenceStart: inout Int
  ) {
    let size = Int(clamping: cursor.uleb())
    let end = size < cursor.remaining ? cursor.offset + size : cursor.end
    guard size > 0 else { return }
    let opcode = cursor.byte()
    if let hiddenOpcode, hiddenOpcode == .extended(opcode) { isForeign = true }
    switch Int(opcode) {
    case DW_LNE_end_sequence:
      endSequence(at: registers.row.address, from: sequenceStart)
      registers = Registers()
      sequenceStart = rows.count
    case DW_LNE_set_address:
      registers.row.address = cursor.integer(size: min(size - 1, 8))
      registers.operation = 0
    case DW_LNE_define_file: isForeign = true
    // As in libdw: other opcodes don't change the registers used here.
    default: break
    }
    cursor.move(to: end)
  }

  private mutating func endSequence(at address: UInt64, from start: Int) {
    guard start < rows.count, rows.count < Int(UInt32.max) else { return }
    sequences.append(
      low: rows[start].address, high: address, value: UInt64(start) | UInt64(rows.count) << 32)
  }
}
