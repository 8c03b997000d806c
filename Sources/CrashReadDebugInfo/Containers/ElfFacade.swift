internal import CrashReadCore

/// An ELF header for a Mach-O file, so that libelf and libdw read its DWARF in place.
///
/// The header is directly in front of the mapped file in memory and describes the `__DWARF` sections as ELF sections
/// whose offsets refer to the mapping. An ELF64 header serves 64-bit and 32-bit files, since libdw takes the address
/// size from each unit and not from the ELF class.
enum ElfFacade {
  /// The size reserved for the ELF header, the section headers and their names, in bytes: a multiple of the page size
  /// on every Linux.
  static let headSize = 65536

  /// The header's bytes, for sections of a file that begins `headSize` bytes after the header.
  ///
  /// - Returns: Nil when there are more sections than fit, as in no real file.
  static func head(for slice: BinarySlice) -> [UInt8]? {
    let headerSize = 64
    let sectionCount = slice.sections.count + 2  // the null section, and that of the names
    guard headerSize + sectionCount * 128 < headSize else { return nil }

    var names: [UInt8] = [0]
    var table = [UInt8](repeating: 0, count: 64)
    for section in slice.sections {
      appendSection(
        nameOffset: names.count, type: 1, offset: headSize + section.fileOffset, size: section.size,
        flags: section.isCompressed ? 0x800 : 0, to: &table)
      names += Array(section.name.utf8) + [0]
    }
    let ownName = names.count
    names += Array(".shstrtab".utf8) + [0]
    let namesOffset = headerSize + table.count + 64
    appendSection(nameOffset: ownName, type: 3, offset: namesOffset, size: names.count, to: &table)

    let head = header(sectionCount: sectionCount, machine: slice.architecture?.isARM64 == true ? 183 : 62)
    return head + table + names
  }

  /// `Elf64_Ehdr` of `elf.h`.
  private static func header(sectionCount: Int, machine: UInt16) -> [UInt8] {
    var bytes: [UInt8] = [0x7f, 0x45, 0x4c, 0x46, 2, 1, 1] + [UInt8](repeating: 0, count: 9)
    append(UInt16(2), to: &bytes)  // e_type: ET_EXEC
    append(machine, to: &bytes)
    append(UInt32(1), to: &bytes)  // e_version
    append(UInt64(0), to: &bytes)  // e_entry
    append(UInt64(0), to: &bytes)  // e_phoff
    append(UInt64(64), to: &bytes)  // e_shoff
    append(UInt32(0), to: &bytes)  // e_flags
    append(UInt16(64), to: &bytes)  // e_ehsize
    append(UInt16(0), to: &bytes)  // e_phentsize
    append(UInt16(0), to: &bytes)  // e_phnum
    append(UInt16(64), to: &bytes)  // e_shentsize
    append(UInt16(sectionCount), to: &bytes)
    append(UInt16(sectionCount - 1), to: &bytes)  // e_shstrndx
    return bytes
  }

  /// `Elf64_Shdr` of `elf.h`.
  private static func appendSection(
    nameOffset: Int, type: UInt32, offset: Int, size: Int, flags: UInt64 = 0, to bytes: inout [UInt8]
  ) {
    append(UInt32(nameOffset), to: &bytes)
    append(type, to: &bytes)
    append(flags, to: &bytes)  // sh_flags
    append(UInt64(0), to: &bytes)  // sh_addr
    append(UInt64(offset), to: &bytes)
    append(UInt64(size), to: &bytes)
    append(UInt32(0), to: &bytes)  // sh_link
    append(UInt32(0), to: &bytes)  // sh_info
    append(UInt64(1), to: &bytes)  // sh_addralign
    append(UInt64(0), to: &bytes)  // sh_entsize
  }

  private static func append(_ value: some FixedWidthInteger, to bytes: inout [UInt8]) {
    for shift in stride(from: 0, to: type(of: value).bitWidth, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
