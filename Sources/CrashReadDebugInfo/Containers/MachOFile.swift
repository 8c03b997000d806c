internal import CrashReadCore
internal import CrashReadSystem

/// Where a Mach-O file keeps its symbols (`symtab_command` of `mach-o/loader.h`), in bytes from the file's start.
struct MachOSymbolTable: Sendable, Hashable {
  var symbolsOffset: Int
  var symbolCount: Int
  var stringsOffset: Int
  var stringsSize: Int
  /// Whether entries are `nlist_64` (16 bytes) rather than `nlist` (12).
  var is64Bit: Bool
}

/// Reads the header and load commands of one Mach-O binary (`mach-o/loader.h`).
/// - Throws: `TruncationError` when the load commands are incomplete.
func readMachO(_ bytes: Span<UInt8>, at start: Int) throws(TruncationError) -> BinarySlice {
  let magic = try bytes.integer(UInt32.self, at: start)
  guard magic == 0xfeed_face || magic == 0xfeed_facf else { throw TruncationError(offset: start) }
  let is64Bit = magic == 0xfeed_facf

  var slice = BinarySlice(layout: .machO, fileOffset: start)
  slice.architecture = Architecture(
    machOType: try bytes.integer(UInt32.self, at: start + 4),
    subtype: try bytes.integer(UInt32.self, at: start + 8))
  slice.isDSYM = try bytes.integer(UInt32.self, at: start + 12) == 0xa  // MH_DSYM
  let commandCount = Int(try bytes.integer(UInt32.self, at: start + 16))
  let commandsSize = Int(try bytes.integer(UInt32.self, at: start + 20))
  let commandsStart = start + (is64Bit ? 32 : 28)
  let commandsEnd = commandsStart + commandsSize

  var command = commandsStart
  for _ in 0..<commandCount {
    guard command < commandsEnd else { break }
    let kind = try bytes.integer(UInt32.self, at: command)
    let size = Int(try bytes.integer(UInt32.self, at: command + 4))
    switch kind {
    case 0x1, 0x19:
      try readSegment(bytes, command..<command + size, is64Bit: kind == 0x19, into: &slice)
    case 0x2: slice.symbols = try readSymtab(bytes, at: command, start: start, is64Bit: is64Bit)
    case 0x1b: slice.id = ImageID(bytes: try bytes.bytes(at: command + 8, length: 16))
    default: break
    }
    guard size >= 8 else { throw TruncationError(offset: command) }
    command += size
  }
  return slice
}

private func readSymtab(
  _ bytes: Span<UInt8>, at command: Int, start: Int, is64Bit: Bool
) throws(TruncationError) -> MachOSymbolTable {
  MachOSymbolTable(
    symbolsOffset: start + Int(try bytes.integer(UInt32.self, at: command + 8)),
    symbolCount: Int(try bytes.integer(UInt32.self, at: command + 12)),
    stringsOffset: start + Int(try bytes.integer(UInt32.self, at: command + 16)),
    stringsSize: Int(try bytes.integer(UInt32.self, at: command + 20)),
    is64Bit: is64Bit)
}

/// Reads `segment_command` or `segment_command_64` and its sections.
private func readSegment(
  _ bytes: Span<UInt8>, _ extent: Range<Int>, is64Bit: Bool, into slice: inout BinarySlice
) throws(TruncationError) {
  let command = extent.lowerBound
  let name = try bytes.string(at: command + 8, maximum: 16)
  let address: UInt64
  let size: UInt64
  let protectionOffset: Int
  if is64Bit {
    address = try bytes.integer(UInt64.self, at: command + 24)
    size = try bytes.integer(UInt64.self, at: command + 32)
    protectionOffset = command + 56
  } else {
    address = UInt64(try bytes.integer(UInt32.self, at: command + 24))
    size = UInt64(try bytes.integer(UInt32.self, at: command + 28))
    protectionOffset = command + 40
  }
  let initialProtection = try bytes.integer(UInt32.self, at: protectionOffset + 4)
  if name == "__TEXT" { slice.linkedBase = LinkedAddress(address) }
  let isExecutable = initialProtection & 4 != 0  // VM_PROT_EXECUTE
  // An object file has one unnamed segment with all permissions; its sections name their segments.
  guard name == "__DWARF" || isExecutable else { return }

  let count = Int(try bytes.integer(UInt32.self, at: protectionOffset + 8))
  let sections = protectionOffset + 16
  let sectionSize = is64Bit ? 80 : 68
  // Segments with common sections could make a file of a few megabytes take hours.
  guard count <= (extent.upperBound - sections) / sectionSize else { throw TruncationError(offset: command) }
  var code: [Range<LinkedAddress>] = []
  for index in 0..<count {
    let section = sections + index * sectionSize
    if try bytes.string(at: section + 16, maximum: 16) == "__DWARF" {
      try readSection(bytes, at: section, is64Bit: is64Bit, into: &slice)
    } else {
      if try bytes.string(at: section, maximum: 16) == "__debug_dylib" { slice.isDebugDylibStub = true }
      if let range = try codeRange(ofSection: bytes, at: section, is64Bit: is64Bit) {
        code.append(range)
        let offset = Int(try bytes.integer(UInt32.self, at: section + (is64Bit ? 48 : 40)))
        slice.addCode(range, at: offset == 0 || slice.isDSYM ? nil : slice.fileOffset + offset, bytes.count)
      }
    }
  }
  // `__TEXT` also holds strings and tables; if no section is marked as code, all of it may be code.
  if isExecutable {
    slice.codeRanges += code.isEmpty ? addressRange(address, size: size).map { [$0] } ?? [] : code
  }
}

extension BinarySlice {
  /// Records the bytes of a section of code, if all of them are in the file.
  mutating func addCode(_ addresses: Range<LinkedAddress>, at offset: Int?, _ fileSize: Int) {
    guard let offset, code.count < Self.maximumCodeSections, offset < fileSize,
      addresses.upperBound.rawValue - addresses.lowerBound.rawValue <= UInt64(fileSize - offset)
    else { return }
    code.append(CodeSection(addresses: addresses, fileOffset: offset))
  }
}

/// The addresses of a section that holds instructions (`S_ATTR_PURE_INSTRUCTIONS`, `S_ATTR_SOME_INSTRUCTIONS`); nil for
/// any other.
private func codeRange(
  ofSection bytes: Span<UInt8>, at header: Int, is64Bit: Bool
) throws(TruncationError) -> Range<LinkedAddress>? {
  let flags = try bytes.integer(UInt32.self, at: header + (is64Bit ? 64 : 56))
  guard flags & 0x8000_0400 != 0 else { return nil }
  if is64Bit {
    return addressRange(
      try bytes.integer(UInt64.self, at: header + 32), size: try bytes.integer(UInt64.self, at: header + 40))
  }
  return addressRange(
    UInt64(try bytes.integer(UInt32.self, at: header + 32)),
    size: UInt64(try bytes.integer(UInt32.self, at: header + 36)))
}

/// The range of a start and a size; nil if it is empty or exceeds the address space.
private func addressRange(_ start: UInt64, size: UInt64) -> Range<LinkedAddress>? {
  let (end, overflow) = start.addingReportingOverflow(size)
  return size > 0 && !overflow ? LinkedAddress(start)..<LinkedAddress(end) : nil
}

/// Reads `section` or `section_64` of the `__DWARF` segment.
private func readSection(
  _ bytes: Span<UInt8>, at header: Int, is64Bit: Bool, into slice: inout BinarySlice
) throws(TruncationError) {
  let name = try bytes.string(at: header, maximum: 16)
  let size =
    is64Bit
    ? try bytes.integer(UInt64.self, at: header + 40)
    : UInt64(try bytes.integer(UInt32.self, at: header + 36))
  let offset = slice.fileOffset + Int(try bytes.integer(UInt32.self, at: header + (is64Bit ? 48 : 40)))
  guard name.hasPrefix("__debug_") || name.hasPrefix("__zdebug_") else { return }
  guard offset <= bytes.count, size <= UInt64(bytes.count - offset) else {
    throw TruncationError(offset: header)
  }
  var section = BinarySlice.Section(name: elfName(ofMachO: name), fileOffset: offset, size: Int(size))
  let relocations = header + (is64Bit ? 56 : 48)
  section.relocationsOffset = slice.fileOffset + Int(try bytes.integer(UInt32.self, at: relocations))
  section.relocationCount = Int(try bytes.integer(UInt32.self, at: relocations + 4))
  slice.sections.append(section)
  slice.sizeOfDWARF += Int(size)
  if name == "__debug_info" || name == "__zdebug_info", size > 0 { slice.hasDWARF = true }
}

/// The ELF name of a Mach-O section: `.debug_info` for `__debug_info`, and the same with `z`, for sections compressed
/// by Go's linker.
private func elfName(ofMachO name: String) -> String { "." + (uncutNames[name] ?? name).dropFirst(2) }

/// The full names of sections that Mach-O truncates to 16 bytes.
private let uncutNames: [String: String] = {
  let long = ["_str_offsets", "_line_str", "_rnglists", "_loclists"]
  let names = long.map { "__debug" + $0 } + long.map { "__zdebug" + $0 }
  return Dictionary(uniqueKeysWithValues: names.map { (String($0.prefix(16)), $0) })
}()

/// Reads the slices of a fat file (`mach-o/fat.h`), whose own header is big-endian.
func readUniversal(_ bytes: Span<UInt8>) throws(TruncationError) -> [BinarySlice] {
  let isWide = try bytes.integer(UInt32.self, at: 0) == 0xbfba_feca  // FAT_MAGIC_64
  let count = Int(try bytes.integer(UInt32.self, at: 4).byteSwapped)
  // Java class files share the magic; their version number is where the count is.
  guard count > 0, count <= 30 else { throw TruncationError(offset: 4) }

  var slices: [BinarySlice] = []
  for index in 0..<count {
    let entry = 8 + index * (isWide ? 32 : 20)
    let offset =
      isWide
      ? try bytes.integer(UInt64.self, at: entry + 8).byteSwapped
      : UInt64(try bytes.integer(UInt32.self, at: entry + 8).byteSwapped)
    guard offset < UInt64(bytes.count) else { continue }
    // An unreadable slice must not hide the others.
    if let slice = try? readMachO(bytes, at: Int(offset)) { slices.append(slice) }
  }
  guard !slices.isEmpty else { throw TruncationError(offset: 8) }
  return slices
}
