internal import BinaryIdentity
internal import CElfutils
internal import Glibc

/// The functions a binary's symbol table names, by address: what is left to say where there is no DWARF.
struct SymbolTable {
  struct Symbol {
    var address: UInt64
    /// Bytes; 0 where the table doesn't say, as in Mach-O.
    var size: UInt64
    var name: String
    /// The source file's name without its folder, which ELF records for local symbols.
    var file: String?
  }

  private var symbols: [Symbol]

  /// Reads `LC_SYMTAB`, or `.symtab` and `.dynsym`.
  init(_ handle: borrowing DwarfHandle, slice: BinarySlice) {
    if let table = slice.symbols {
      symbols = handle.withFile { readMachOSymbols($0, table) }
    } else if slice.layout == .elf {
      symbols = unsafe readElfSymbols(handle.elf)
    } else {
      symbols = []
    }
    symbols.removeAll { !isCode($0.address, in: slice.codeRanges) }
    // At one address, the sized and then the longer name says more.
    symbols.sort { ($0.address, $1.size, $1.name.utf8.count) < ($1.address, $0.size, $0.name.utf8.count) }
  }

  /// The last symbol at or before an address; nil when there is none, or its size says it ends before the address.
  func symbol(at address: LinkedAddress) -> Symbol? {
    var low = 0
    var high = symbols.count
    while low < high {
      let middle = (low + high) / 2
      if symbols[middle].address <= address.rawValue { low = middle + 1 } else { high = middle }
    }
    guard low > 0 else { return nil }
    let start = symbols[low - 1].address
    while low > 1, symbols[low - 2].address == start { low -= 1 }
    let symbol = symbols[low - 1]
    return symbol.size == 0 || address.rawValue - start < symbol.size ? symbol : nil
  }
}

extension SymbolTable {
  /// The name of the symbol that begins exactly at an address; nil when none does.
  func name(beginningAt address: LinkedAddress) -> String? {
    symbol(at: address).flatMap { $0.address == address.rawValue ? $0.name : nil }
  }
}

/// Reads the `nlist` entries that name an address in a section (`mach-o/nlist.h`).
private func readMachOSymbols(_ bytes: Span<UInt8>, _ table: MachOSymbolTable) -> [SymbolTable.Symbol] {
  let entrySize = table.is64Bit ? 16 : 12
  let stringsEnd = min(bytes.count, table.stringsOffset + table.stringsSize)
  var symbols: [SymbolTable.Symbol] = []
  for index in 0..<table.symbolCount {
    let entry = table.symbolsOffset + index * entrySize
    guard let type = try? bytes.integer(UInt8.self, at: entry + 4) else { break }
    guard type & 0xe0 == 0, type & 0x0e == 0x0e else { continue }  // not N_STAB, and N_SECT
    guard let nameOffset = try? Int(bytes.integer(UInt32.self, at: entry)),
      let address = try? table.is64Bit
        ? bytes.integer(UInt64.self, at: entry + 8) : UInt64(bytes.integer(UInt32.self, at: entry + 8)),
      nameOffset > 0, table.stringsOffset + nameOffset < stringsEnd,
      let name = try? bytes.string(
        at: table.stringsOffset + nameOffset, maximum: stringsEnd - table.stringsOffset - nameOffset)
    else { continue }
    // Mach-O puts an underscore in front of every C name.
    symbols.append(
      .init(address: address, size: 0, name: name.hasPrefix("_") ? String(name.dropFirst()) : name))
  }
  return symbols
}

/// Reads functions of `.symtab` and `.dynsym`. The corresponding C function is `gelf_getsym`.
private func readElfSymbols(_ elf: OpaquePointer) -> [SymbolTable.Symbol] {
  var symbols: [SymbolTable.Symbol] = []
  var section: OpaquePointer?
  while let current = unsafe elf_nextscn(elf, section) {
    unsafe section = current
    var header = GElf_Shdr()
    guard unsafe gelf_getshdr(current, &header) != nil,
      header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM, header.sh_entsize > 0,
      let data = unsafe elf_getdata(current, nil)
    else { continue }
    let count = Int(clamping: header.sh_size / header.sh_entsize)
    var file: String?
    for index in 0..<min(count, Int(Int32.max)) {
      var symbol = GElf_Sym()
      guard unsafe gelf_getsym(data, Int32(index), &symbol) != nil else { break }
      let type = symbol.st_info & 0xf
      if type == STT_FILE { file = unsafe copiedString(elf_strptr(elf, Int(header.sh_link), Int(symbol.st_name))) }
      guard type == STT_FUNC || type == STT_GNU_IFUNC, symbol.st_shndx != SHN_UNDEF,
        let name = unsafe copiedString(elf_strptr(elf, Int(header.sh_link), Int(symbol.st_name))),
        !name.isEmpty
      else { continue }
      let isLocal = symbol.st_info >> 4 == STB_LOCAL
      symbols.append(
        .init(address: symbol.st_value, size: symbol.st_size, name: name, file: isLocal ? file : nil))
    }
  }
  return symbols
}
