/// One `nlist` or `nlist_64` of `mach-o/nlist.h`.
struct MachOSymbol {
  /// Where the name begins, in bytes from the start of the string table; 0 for none.
  var name: Int
  /// `n_type`.
  var type: UInt8
  /// `n_desc`.
  var description: UInt16
  /// `n_value`: an address, mostly.
  var value: UInt64

  /// Whether it is one of the debugger's (`N_STAB`), which `mach-o/stab.h` describes.
  var isStab: Bool { type & 0xe0 != 0 }
  /// Whether it names an address in a section (`N_SECT`).
  var isDefined: Bool { !isStab && type & 0x0e == 0x0e }
}

extension MachOSymbolTable {
  /// The names, one behind the other.
  func strings(in file: ByteView) -> ByteView { file.part(from: stringsOffset, size: stringsSize) }

  /// Calls `body` with each symbol that is in the file, in order.
  func forEachSymbol(in file: ByteView, _ body: (MachOSymbol) -> Void) {
    let size = is64Bit ? 16 : 12
    for index in 0..<count(in: file) {
      let entry = symbolsOffset + index * size
      body(
        MachOSymbol(
          name: Int(file.integer(at: entry, size: 4)), type: file.byte(at: entry + 4),
          description: UInt16(file.integer(at: entry + 6, size: 2)),
          value: file.integer(at: entry + 8, size: is64Bit ? 8 : 4)))
    }
  }

  /// How many symbols there are, and not only said to be.
  func count(in file: ByteView) -> Int {
    min(symbolCount, max(0, file.count - symbolsOffset) / (is64Bit ? 16 : 12))
  }
}
