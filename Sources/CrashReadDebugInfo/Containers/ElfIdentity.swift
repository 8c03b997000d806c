internal import CrashReadCore

/// Reads the headers of an ELF file (`elf.h`): machine, first `PT_LOAD`, build-id, debug link.
func readELF(_ bytes: Span<UInt8>) throws(TruncationError) -> BinarySlice {
  guard try bytes.integer(UInt8.self, at: 5) == 1 else { throw TruncationError(offset: 5) }  // ELFDATA2LSB
  let header = ElfHeader(is64Bit: try bytes.integer(UInt8.self, at: 4) == 2)
  var slice = BinarySlice(layout: .elf, fileOffset: 0)
  slice.architecture = Architecture(elfMachine: try bytes.integer(UInt16.self, at: 18))
  try header.readSegments(bytes, into: &slice)
  try header.readSections(bytes, into: &slice)
  return slice
}

/// Field positions that depend on the ELF class.
private struct ElfHeader {
  var is64Bit: Bool

  /// Reads an address, offset or size field.
  func word(_ bytes: Span<UInt8>, at offset: Int) throws(TruncationError) -> UInt64 {
    is64Bit
      ? try bytes.integer(UInt64.self, at: offset) : UInt64(try bytes.integer(UInt32.self, at: offset))
  }

  /// A file offset as an `Int`; beyond the end of any file when it doesn't fit.
  func offset(_ bytes: Span<UInt8>, at position: Int) throws(TruncationError) -> Int {
    let value = try word(bytes, at: position)
    return value <= UInt64(bytes.count) ? Int(value) : bytes.count
  }

  func readSegments(_ bytes: Span<UInt8>, into slice: inout BinarySlice) throws(TruncationError) {
    let table = try offset(bytes, at: is64Bit ? 32 : 28)
    let entrySize = Int(try bytes.integer(UInt16.self, at: is64Bit ? 54 : 42))
    let count = Int(try bytes.integer(UInt16.self, at: is64Bit ? 56 : 44))
    guard table == 0 || count == 0 || entrySize >= (is64Bit ? 56 : 32) else {
      throw TruncationError(offset: is64Bit ? 54 : 42)
    }
    var hasBase = false
    for index in 0..<count where table != 0 {
      let segment = table + index * entrySize
      let type = try bytes.integer(UInt32.self, at: segment)
      let flags = try bytes.integer(UInt32.self, at: segment + (is64Bit ? 4 : 24))
      let address = try word(bytes, at: segment + (is64Bit ? 16 : 8))
      let size = try word(bytes, at: segment + (is64Bit ? 40 : 20))
      switch type {
      case 1:  // PT_LOAD
        if !hasBase { slice.linkedBase = LinkedAddress(address & ~0xfff) }
        hasBase = true
        let (end, overflow) = address.addingReportingOverflow(size)
        if flags & 1 != 0, size > 0, !overflow {  // PF_X
          slice.codeRanges.append(LinkedAddress(address)..<LinkedAddress(end))
        }
      case 4:  // PT_NOTE
        let start = try offset(bytes, at: segment + (is64Bit ? 8 : 4))
        let length = try offset(bytes, at: segment + (is64Bit ? 32 : 16))
        if slice.id == nil { slice.id = buildID(bytes, at: start, length: length) }
      default: break
      }
    }
  }

  func readSections(_ bytes: Span<UInt8>, into slice: inout BinarySlice) throws(TruncationError) {
    let table = try offset(bytes, at: is64Bit ? 40 : 32)
    let entrySize = Int(try bytes.integer(UInt16.self, at: is64Bit ? 58 : 46))
    let count = Int(try bytes.integer(UInt16.self, at: is64Bit ? 60 : 48))
    let namesIndex = Int(try bytes.integer(UInt16.self, at: is64Bit ? 62 : 50))
    guard table != 0, count > 0 else { return }
    guard entrySize >= (is64Bit ? 64 : 40) else { throw TruncationError(offset: is64Bit ? 58 : 46) }
    let names = try offset(bytes, at: table + namesIndex * entrySize + (is64Bit ? 24 : 16))

    for index in 0..<count {
      let section = table + index * entrySize
      let nameOffset = Int(try bytes.integer(UInt32.self, at: section))
      let type = try bytes.integer(UInt32.self, at: section + 4)
      guard type != 8 else { continue }  // SHT_NOBITS: emptied by objcopy --only-keep-debug
      let start = try offset(bytes, at: section + (is64Bit ? 24 : 16))
      let length = try offset(bytes, at: section + (is64Bit ? 32 : 20))
      if type == 1, try word(bytes, at: section + 8) & 4 != 0 {  // SHT_PROGBITS, SHF_EXECINSTR
        let address = try word(bytes, at: section + (is64Bit ? 16 : 12))
        let (end, overflow) = address.addingReportingOverflow(UInt64(length))
        if !overflow { slice.addCode(LinkedAddress(address)..<LinkedAddress(end), at: start, bytes.count) }
      }
      if type == 7, let id = buildID(bytes, at: start, length: length) { slice.id = id }  // SHT_NOTE
      guard let name = try? bytes.string(at: names + nameOffset, maximum: 64) else { continue }
      if name.hasPrefix(".debug_") || name.hasPrefix(".zdebug_") { slice.sizeOfDWARF += length }
      switch name {
      case ".debug_info", ".zdebug_info": slice.hasDWARF = length > 0
      case ".gnu_debuglink": slice.debugLink = DebugLink(bytes, at: start, length: length)
      case ".gnu_debugaltlink": slice.alternate = AlternateLink(altlink: bytes, at: start, length: length)
      case ".debug_sup":
        let link = AlternateLink(supplement: bytes, at: start, length: length)
        if link?.path == "" { slice.supplementID = link?.id } else { slice.alternate = link }
      case let name where name.hasSuffix(".dwo") || name == ".debug_cu_index":
        let isCompressed = try word(bytes, at: section + 8) & 0x800 != 0  // SHF_COMPRESSED
        // The façade describes sections by 64-bit headers, so compression headers must be 64-bit, too.
        guard length <= bytes.count - start, is64Bit || !isCompressed else { continue }
        slice.sections.append(.init(name: name, fileOffset: start, size: length, isCompressed: isCompressed))
      default: break
      }
    }
  }

  /// The maximum size of the notes that are examined, in bytes: 65,535 headers may all refer to the same notes.
  private static let maximumNoteBytes = 1 << 16

  /// The descriptor of the `NT_GNU_BUILD_ID` note in a run of notes; nil when there is none, or the notes are damaged.
  private func buildID(_ bytes: Span<UInt8>, at start: Int, length: Int) -> ImageID? {
    let end = min(bytes.count, start + min(length, Self.maximumNoteBytes))
    var note = start
    while note < end - 12 {
      guard let nameSize = try? Int(bytes.integer(UInt32.self, at: note)),
        let descriptorSize = try? Int(bytes.integer(UInt32.self, at: note + 4)),
        let type = try? bytes.integer(UInt32.self, at: note + 8)
      else { return nil }
      let descriptor = note + 12 + (nameSize + 3) & ~3
      if type == 3, nameSize == 4, (try? bytes.string(at: note + 12, maximum: 4)) == "GNU" {
        return (try? bytes.bytes(at: descriptor, length: descriptorSize)).flatMap { ImageID(bytes: $0) }
      }
      note = descriptor + (descriptorSize + 3) & ~3
    }
    return nil
  }
}
