internal import CCrashReadElfutils
internal import CrashReadCore
internal import CrashReadSystem

/// Owns libelf's and libdw's handles of one binary, and the mapping both read from.
///
/// Not thread-safe, as libdw isn't: one thread at a time may use a handle.
@safe
struct DwarfHandle: ~Copyable {
  private let file: MappedFile
  private let compressed: CompressedSections
  /// `Elf *`.
  let elf: OpaquePointer
  /// `Dwarf *`; nil when libdw finds no DWARF.
  let dwarf: OpaquePointer?

  /// Opens a binary. Of a file mapped with room for a façade, libelf sees only the slice's sections.
  /// - Throws: `DebugFileError` when libelf rejects the bytes, or they are compressed in an unsupported way.
  init(_ file: consuming MappedFile, slice: BinarySlice) throws(DebugFileError) {
    if file.headSize > 0 {
      guard let head = ElfFacade.head(for: slice) else { throw .unsupported("a file with so many sections") }
      file.writeHead(head)
    }
    elf_version(UInt32(EV_CURRENT))
    let block = unsafe file.block
    guard
      let elf = unsafe elf_memory(block.baseAddress?.assumingMemoryBound(to: CChar.self), block.count)
    else {
      throw .elfutils(unsafe copiedString(elf_errmsg(-1)) ?? "libelf can't read the file")
    }
    unsafe hideAlternate(elf)
    do throws(DebugFileError) {
      compressed = try unsafe CompressedSections(of: elf)
    } catch {
      unsafe elf_end(elf)
      throw error
    }
    unsafe self.elf = elf
    unsafe dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nil)
    self.file = file
  }

  // The mapping and the expanded sections are stored properties, which are destroyed after this body.
  deinit {
    unsafe dwarf_end(dwarf)
    unsafe elf_end(elf)
  }

  /// Resolves references to dwz's alternate file in this file, which must live as long as the handle is used.
  func readAlternate(from file: AlternateFile) {
    if let dwarf = unsafe dwarf { unsafe dwarf_setalt(dwarf, file.handle.dwarf) }
  }

  /// Whether the file has changed since it was opened.
  var isChanged: Bool { file.isChanged }
  /// Whether bytes of the file were missing when they were read.
  var isTruncated: Bool { file.isTruncated }

  /// The file's bytes, without the façade. Valid as long as this handle lives.
  var fileView: ByteView { file.view }
}

/// Keeps libdw from opening the alternate file itself: it would open any path that a file names, even that of a
/// terminal.
private func hideAlternate(_ elf: OpaquePointer) {
  unsafe forEachSection(of: elf) { name, header, section in
    guard name == ".gnu_debugaltlink" else { return }
    var header = header
    header.sh_type = UInt32(SHT_NOBITS)
    unsafe gelf_update_shdr(section, &header)
  }
}

/// Calls `body` with every section that has a name.
func forEachSection(
  of elf: OpaquePointer, _ body: (_ name: String, _ header: GElf_Shdr, _ section: OpaquePointer) -> Void
) {
  var namesIndex = 0
  guard unsafe elf_getshdrstrndx(elf, &namesIndex) == 0 else { return }
  var section: OpaquePointer?
  while let current = unsafe elf_nextscn(elf, section) {
    unsafe section = current
    var header = GElf_Shdr()
    guard unsafe gelf_getshdr(current, &header) != nil,
      let name = unsafe copiedString(elf_strptr(elf, namesIndex, Int(header.sh_name)))
    else { continue }
    unsafe body(name, header, current)
  }
}
