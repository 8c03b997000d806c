internal import CCrashReadElfutils
internal import CrashReadCore

// A unit's answers for all addresses, from the same tables as for a single one.

extension DwarfUnit {
  /// The reader of the unit's functions; nil when they are in another file, which may change unnoticed, or can't be
  /// read.
  var cacheableSearch: (any FunctionSearch)? {
    let isSplit = root?.string(DW_AT_dwo_name) != nil || root?.string(DW_AT_GNU_dwo_name) != nil
    return isSplit ? nil : search
  }

  /// For each address, the function's entry that covers it, as an offset in `.debug_info`.
  func functionPieces(_ search: any FunctionSearch) -> AddressPieces {
    let outer = AddressPieces(functionTable(search, skipsBodies: true))
    guard shapes(of: header).shapes.contains(where: \.hidesFunctions) else { return outer }
    return outer.filled(with: AddressPieces(functionTable(search, skipsBodies: false)))
  }

  private func shapes(of header: UnitHeader) -> AbbreviationTable {
    sections.shapes.table(at: header.abbreviations, header.encoding, in: sections.abbreviations)
  }

  /// Another object for the unit: what is read of a unit stays in memory as long as the object exists.
  func unread() -> DwarfUnit {
    unsafe DwarfUnit(
      header, of: units, sections, splitFiles: splitFiles, dwarf: dwarf, codeRanges: codeRanges)
  }
}

extension AbbreviationTable.Shape {
  /// Whether the first search for functions skips the children of such an entry.
  fileprivate var hidesFunctions: Bool { Int(tag) == DW_TAG_subprogram && hasChildren && hasSibling }
}

extension SourceLines {
  /// The rows within some ranges, by ascending address; nil when they are read through libdw.
  func pieces(in ranges: [AddressPieces.Piece]) -> [LineProgram.Row]? { program?.pieces(in: ranges) }
}

extension LineProgram {
  /// The rows that `row(at:)` finds within some ranges, each from its address to the next row's; nil for a table whose
  /// addresses descend within a sequence.
  fileprivate func pieces(in ranges: [AddressPieces.Piece]) -> [Row]? {
    guard sequences.entries.allSatisfy({ isAscending(rows(of: $0)) }) else { return nil }
    var result: [Row] = []
    for piece in AddressPieces(sequences).clipped(to: ranges).pieces {
      append(rows(of: piece), piece, to: &result)
    }
    return result
  }

  private func rows(of sequence: RangeTable.Entry) -> ArraySlice<Row> {
    rows[Int(sequence.value & 0xffff_ffff)..<Int(sequence.value >> 32)]
  }

  private func isAscending(_ rows: ArraySlice<Row>) -> Bool {
    var previous: UInt64 = 0
    for row in rows {
      if row.address < previous { return false }
      previous = row.address
    }
    return true
  }

  private func append(_ rows: ArraySlice<Row>, _ piece: AddressPieces.Piece, to result: inout [Row]) {
    let upperBound = rows.partitioningIndex { $0.address > piece.low }
    if upperBound > rows.startIndex {
      result.append(rows[upperBound - 1])
      result[result.count - 1].address = piece.low
    }
    result += rows[upperBound...].prefix { $0.address < piece.high }
    result.append(.end(at: piece.high))
  }
}

extension LineProgram.Row {
  /// A row that ends a sequence: from its address on, there is no row.
  fileprivate static func end(at address: UInt64) -> Self {
    Self(address: address, file: .max, line: 0, column: 0)
  }

  var isEnd: Bool { file == .max }
}
