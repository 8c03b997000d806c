internal import CCrashReadElfutils
internal import CrashReadCore
internal import Glibc

/// Names functions by address, from a binary's symbol table or from a cache of it.
protocol SymbolSource {
  /// The last symbol at or before an address; nil when there is none, or it ends before the address.
  func symbol(at address: LinkedAddress) -> SymbolTable.Symbol?

  /// The names of the symbols that begin exactly at an address, starting with the one that a look-up returns; at most
  /// `maximumNames`.
  func names(beginningAt address: LinkedAddress) -> [String]
}

extension SymbolSource {
  /// The name of the symbol that begins exactly at an address; nil when none does.
  func name(beginningAt address: LinkedAddress) -> String? { names(beginningAt: address).first }

  /// The maximum number of names for one address: linkers fold hundreds of functions, and only a few of their names are
  /// shown.
  static var maximumNames: Int { 32 }
}

/// The functions of a binary's symbol table by address, for addresses without DWARF.
///
/// Large programs have hundreds of thousands of symbols, of which a report needs a few: names stay in the file until
/// they are used.
struct SymbolTable: SymbolSource {
  private struct Entry {
    var address: UInt64
    /// The size in bytes; 0 where the table doesn't state it, as in Mach-O.
    var size: UInt64
    /// The offset of the name in its string table.
    var name: Int
    /// The offset of the name of its source file, which ELF records for local symbols; otherwise nil.
    var file: Int?
    /// The string table of these offsets, as an index into `strings`.
    var table: Int
  }

  /// A symbol with its name.
  struct Symbol {
    var address: UInt64
    var name: String
    /// The source file's name without its directory; nil when unknown.
    var file: String?
  }

  private var entries: [Entry] = []
  var count: Int { entries.count }
  private var strings: [ByteView] = []
  private let isMachO: Bool
  /// Whether bit 0 of a function's address may mark its code as Thumb, as in ELF; Mach-O has a flag for that.
  private let isThumb: Bool
  private let wanted: [UInt64]?

  /// Reads `LC_SYMTAB`, or `.symtab` and `.dynsym`. Valid as long as the handle lives.
  ///
  /// - Parameters:
  ///   - handle: The binary.
  ///   - slice: Its layout.
  ///   - addresses: The only addresses whose symbols are kept, ascending; nil for all.
  init(_ handle: borrowing DwarfHandle, slice: BinarySlice, at addresses: [UInt64]? = nil) {
    wanted = addresses
    isMachO = slice.layout == .machO
    isThumb = !isMachO && slice.architecture?.isARM32 == true
    if isMachO {
      if let table = slice.symbols { readMachO(handle.fileView, table) }
    } else {
      unsafe readElf(handle.elf, fileSize: handle.fileView.count)
    }
    entries.removeAll { !isCode($0.address, in: slice.codeRanges) }
    // At one address, a symbol with a size is more useful, and otherwise the first one.
    entries.sort { ($0.address, $1.size, $0.name) < ($1.address, $0.size, $1.name) }
  }

  func symbol(at address: LinkedAddress) -> Symbol? {
    entry(at: address).map(symbol)
  }

  private func symbol(_ entry: Entry) -> Symbol {
    let name = name(at: entry.name, in: entry.table)
    let file = entry.file.map { strings[entry.table].string(at: $0) }
    return Symbol(address: entry.address, name: name, file: file.flatMap { holds($0, name) ? $0 : nil })
  }

  /// Whether a file can be the source of a symbol's code.
  ///
  /// Local symbols of an object file without an `STT_FILE` symbol follow those of another file: those of Swift's files
  /// follow `crtstuff.c`, which is part of every program.
  private func holds(_ file: String, _ symbol: String) -> Bool {
    guard let dot = file.lastIndex(of: "."), file != "crtstuff.c" else { return false }
    let isSwift = ["$s", "$S", "_T0", "$e"].contains { symbol.hasPrefix($0) }
    let isCxx = symbol.hasPrefix("_Z")
    switch file[dot...] {
    case ".swift": return isSwift
    case ".c", ".s", ".S": return !isSwift && !isCxx
    case ".o": return false
    default: return !isSwift
    }
  }

  private func entry(at address: LinkedAddress) -> Entry? {
    let upperBound = entries.partitioningIndex { $0.address > address.rawValue }
    guard upperBound > 0 else { return nil }
    let start = entries[upperBound - 1].address
    let entry = entries[entries[..<upperBound].partitioningIndex { $0.address >= start }]
    return entry.size == 0 || address.rawValue - start < entry.size ? entry : nil
  }

  /// The start of the function that contains a Swift closure; nil if no symbol names it.
  ///
  /// A closure's mangled name begins with that of the enclosing function.
  func start(ofFunctionAround closure: String) -> LinkedAddress? {
    let wanted = Array(closure.utf8)
    var best: (length: Int, address: UInt64)?
    var left = Self.maximumCompared
    for entry in entries {
      // A closure's name ends with its number.
      guard left > 0 else { return nil }
      guard let length = lengthOfName(entry, beginning: wanted, spending: &left), length > best?.length ?? 3,
        wanted[length - 1] != UInt8(ascii: "_")
      else { continue }
      best = (length, entry.address)
    }
    return best.map { LinkedAddress($0.address) }
  }

  /// The number of bytes that may be compared. A million names of one module have a common prefix of a third of their
  /// bytes; names that are prefixes of one another could have one thousands of times as long.
  private static let maximumCompared = 1 << 27

  /// The length of a symbol's name, if a longer name begins with it; otherwise nil. Compares only until the first
  /// difference.
  private func lengthOfName(_ entry: Entry, beginning wanted: [UInt8], spending budget: inout Int) -> Int? {
    let names = strings[entry.table]
    let start = entry.name + (isMachO && names.byte(at: entry.name) == UInt8(ascii: "_") ? 1 : 0)
    var length = 0
    while length < wanted.count, names.byte(at: start + length) == wanted[length] { length += 1 }
    budget -= length
    return length < wanted.count && names.byte(at: start + length) == 0 ? length : nil
  }

  func names(beginningAt address: LinkedAddress) -> [String] {
    let first = entries.partitioningIndex { $0.address >= address.rawValue }
    // Symbols of other sizes name other code: an empty function, or a label in this one.
    return entries[first...].prefix(Self.maximumNames)
      .prefix { $0.address == address.rawValue && $0.size == entries[first].size }
      .map { name(at: $0.name, in: $0.table) }
  }

  private mutating func append(_ entry: Entry) {
    if let wanted {
      let index = wanted.partitioningIndex { $0 >= entry.address }
      guard index < wanted.count, wanted[index] == entry.address else { return }
    }
    entries.append(entry)
  }

  /// The lowest and the highest address of the symbols; nil when there are none.
  var bounds: (low: UInt64, high: UInt64)? {
    entries.first.flatMap { first in entries.last.map { (first.address, $0.address) } }
  }

  /// Calls `body` with every symbol and its size, in ascending order of address; of several at one address, the one
  /// that a look-up returns comes last.
  func forEachSymbol(_ body: (_ symbol: Symbol, _ size: UInt64) -> Void) {
    var start = 0
    while start < entries.count {
      let end = entries[start...].firstIndex { $0.address != entries[start].address } ?? entries.count
      for entry in entries[start..<end].reversed() { body(symbol(entry), entry.size) }
      start = end
    }
  }

  private func name(at offset: Int, in table: Int) -> String {
    let name = strings[table].string(at: offset)
    // Mach-O puts an underscore in front of every C name.
    return isMachO && name.hasPrefix("_") ? String(name.dropFirst()) : name
  }
}

// MARK: - Reading

extension SymbolTable {
  /// Reads the symbols of addresses in sections.
  private mutating func readMachO(_ file: ByteView, _ table: MachOSymbolTable) {
    let names = table.strings(in: file)
    strings = [names]
    if wanted == nil { entries.reserveCapacity(table.count(in: file)) }
    table.forEachSymbol(in: file) { symbol in
      guard symbol.isDefined, symbol.name > 0, symbol.name < names.count else { return }
      append(Entry(address: symbol.value, size: 0, name: symbol.name, table: 0))
    }
  }

  /// Reads functions of `.symtab` and `.dynsym`. The corresponding C function is `gelf_getsym`.
  private mutating func readElf(_ elf: OpaquePointer, fileSize: Int) {
    // Many headers may refer to the same bytes: all tables together may have no more entries than fit in the file.
    var room = fileSize / MemoryLayout<Elf32_Sym>.size
    var section: OpaquePointer?
    while let current = unsafe elf_nextscn(elf, section) {
      unsafe section = current
      var header = GElf_Shdr()
      guard unsafe gelf_getshdr(current, &header) != nil,
        header.sh_type == SHT_SYMTAB || header.sh_type == SHT_DYNSYM, header.sh_entsize > 0,
        let data = unsafe elf_getdata(current, nil),
        let names = unsafe elf_getscn(elf, Int(header.sh_link))
      else { continue }
      unsafe strings.append(contents(of: names))
      let count = min(Int(clamping: header.sh_size / header.sh_entsize), Int(Int32.max), room)
      room -= count
      unsafe readElf(data, count: count)
    }
  }

  private mutating func readElf(_ data: UnsafeMutablePointer<Elf_Data>, count: Int) {
    let table = strings.count - 1
    var file: Int?
    for index in 0..<count {
      var symbol = GElf_Sym()
      guard unsafe gelf_getsym(data, Int32(index), &symbol) != nil else { return }
      let type = symbol.st_info & 0xf
      let name = Int(symbol.st_name)
      if type == STT_FILE { file = name }
      guard type == STT_FUNC || type == STT_GNU_IFUNC, symbol.st_shndx != SHN_UNDEF, name > 0,
        name < strings[table].count
      else { continue }
      let isLocal = symbol.st_info >> 4 == STB_LOCAL
      append(
        Entry(
          address: isThumb ? symbol.st_value & ~1 : symbol.st_value, size: symbol.st_size, name: name,
          file: isLocal ? file : nil, table: table
        ))
    }
  }
}

/// One `nlist` or `nlist_64` of `mach-o/nlist.h`.
struct MachOSymbol {
  /// The offset of the name in the string table; 0 for none.
  var name: Int
  /// `n_type`.
  var type: UInt8
  /// `n_desc`.
  var description: UInt16
  /// `n_value`: usually an address.
  var value: UInt64

  /// Whether it is a debugger symbol (`N_STAB`); see `mach-o/stab.h`.
  var isStab: Bool { type & 0xe0 != 0 }
  /// Whether it has an address in a section (`N_SECT`).
  var isDefined: Bool { !isStab && type & 0x0e == 0x0e }
}

extension MachOSymbolTable {
  /// The names, concatenated.
  func strings(in file: ByteView) -> ByteView { file.part(from: stringsOffset, size: stringsSize) }

  /// Calls `body` with each complete symbol of the file, in order.
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

  /// The number of symbols that are inside the file.
  func count(in file: ByteView) -> Int {
    min(symbolCount, max(0, file.count - symbolsOffset) / (is64Bit ? 16 : 12))
  }
}
