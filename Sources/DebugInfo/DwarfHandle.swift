internal import CElfutils

/// Owns libelf's and libdw's view of one binary, and the mapping both read from.
///
/// Not thread-safe, as libdw isn't: one thread at a time may use a handle.
@safe
struct DwarfHandle: ~Copyable {
  private let file: MappedFile
  /// `Elf *`.
  let elf: OpaquePointer
  /// `Dwarf *`; nil when libdw finds no DWARF.
  let dwarf: OpaquePointer?

  /// Opens a binary; for Mach-O the file must have been mapped with room for the façade.
  /// - Throws: `DebugFileError.elfutils` when libelf refuses the bytes.
  init(_ file: consuming MappedFile, slice: BinarySlice) throws(DebugFileError) {
    if slice.layout == .machO {
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
    unsafe self.elf = elf
    unsafe dwarf = dwarf_begin_elf(elf, DWARF_C_READ, nil)
    self.file = file
  }

  // The mapping, a stored property, goes after this body has run.
  deinit {
    unsafe dwarf_end(dwarf)
    unsafe elf_end(elf)
  }

  /// The file's bytes, without the head. Valid as long as this handle lives.
  var fileView: ByteView {
    let block = unsafe file.block
    return unsafe ByteView(UnsafeRawBufferPointer(rebasing: block[file.headSize...]))
  }
}
