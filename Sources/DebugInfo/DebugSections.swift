internal import CElfutils

/// The sections that crashread goes over itself. Empty where the file has none.
struct DebugSections {
  private(set) var info = ByteView()
  private(set) var abbreviations = ByteView()
  private(set) var addressRanges = ByteView()
  private(set) var addresses = ByteView()
  private(set) var lines = ByteView()
  private(set) var lineStrings = ByteView()
  private(set) var strings = ByteView()
  private(set) var stringOffsets = ByteView()
  private(set) var ranges = ByteView()
  private(set) var rangeLists = ByteView()
  /// The tables of `.debug_abbrev` that were needed so far.
  let shapes = AbbreviationCache()

  /// Looks the sections up in what libelf has, after libdw has expanded the compressed ones.
  init(_ handle: borrowing DwarfHandle) {
    var namesIndex = 0
    guard unsafe elf_getshdrstrndx(handle.elf, &namesIndex) == 0 else { return }
    var section: OpaquePointer?
    while let current = unsafe elf_nextscn(handle.elf, section) {
      unsafe section = current
      var header = GElf_Shdr()
      guard unsafe gelf_getshdr(current, &header) != nil, header.sh_type != SHT_NOBITS,
        let name = unsafe copiedString(elf_strptr(handle.elf, namesIndex, Int(header.sh_name)))
      else { continue }
      switch name {
      case ".debug_info", ".zdebug_info": info = unsafe contents(of: current)
      case ".debug_abbrev", ".zdebug_abbrev": abbreviations = unsafe contents(of: current)
      case ".debug_aranges", ".zdebug_aranges": addressRanges = unsafe contents(of: current)
      case ".debug_addr", ".zdebug_addr": addresses = unsafe contents(of: current)
      case ".debug_line", ".zdebug_line": lines = unsafe contents(of: current)
      case ".debug_line_str", ".zdebug_line_str": lineStrings = unsafe contents(of: current)
      case ".debug_str", ".zdebug_str": strings = unsafe contents(of: current)
      case ".debug_str_offsets", ".zdebug_str_offsets": stringOffsets = unsafe contents(of: current)
      case ".debug_ranges", ".zdebug_ranges": ranges = unsafe contents(of: current)
      case ".debug_rnglists", ".zdebug_rnglists": rangeLists = unsafe contents(of: current)
      default: break
      }
    }
  }
}

/// A section's contents. The corresponding C function is `elf_rawdata`.
func contents(of section: OpaquePointer) -> ByteView {
  guard let data = unsafe elf_rawdata(section, nil), let start = unsafe data.pointee.d_buf else {
    return ByteView()
  }
  return unsafe ByteView(UnsafeRawBufferPointer(start: start, count: data.pointee.d_size))
}
