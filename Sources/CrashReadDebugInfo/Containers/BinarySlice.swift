package import CrashReadCore
internal import CrashReadSystem

/// One binary inside a file, described by its headers alone: the whole of a thin Mach-O or ELF file, or one slice of a
/// fat file.
package struct BinarySlice: Sendable, Hashable {
  /// How the binary is laid out.
  package enum Layout: String, Sendable, Hashable {
    case machO, elf
    /// An image of dyld's shared cache.
    case sharedCache
    /// An image of a `SymbolPack`.
    case symbolPack
    /// A `BreakpadFile`.
    case breakpad
    /// A `GsymFile`.
    case gsym
    /// A `SymCacheFile`.
    case symCache
  }

  /// How the binary is laid out.
  package var layout: Layout
  /// `LC_UUID` or build-id; nil when it has none.
  package var id: ImageID?
  /// Its CPU; nil when it is unsupported.
  package var architecture: Architecture?
  /// Its offset in the file; for an image in a shared cache or in a symbol pack, that of its entry.
  package var fileOffset: Int
  /// The linked address that corresponds to an image's load address: `__TEXT`'s `vmaddr`, or the first `PT_LOAD`'s
  /// `p_vaddr` rounded down to its page.
  package var linkedBase: LinkedAddress
  /// Linked address ranges that hold code; empty when the headers name none.
  package var codeRanges: [Range<LinkedAddress>]
  /// Whether it has a `.debug_info` (`__debug_info`) section.
  package var hasDWARF: Bool
  /// The size of all its debug sections in the file, in bytes, compressed or not.
  package var sizeOfDWARF: Int
  /// The link to an ELF program's debug file (`.gnu_debuglink`); nil when there is none.
  package var debugLink: DebugLink?
  /// Whether it was written by `dsymutil` (`MH_DSYM`), and isn't a program.
  var isDSYM: Bool
  /// Whether it is the executable of a debug build that only loads the app's code from a `.debug.dylib`.
  ///
  /// Xcode 16 links apps like this (`ENABLE_DEBUG_DYLIB`): the section `__TEXT,__debug_dylib` holds the library's path.
  /// The app's code and its debug information are in `App.debug.dylib`, and a dSYM of the executable itself is empty.
  var isDebugDylibStub: Bool

  /// The path of an image that shares its file with others; nil for a single one, or a slice of a fat file.
  package var member: String?

  /// The link to the file to which dwz moved parts of this one; nil when there is none.
  var alternate: AlternateLink?
  /// The identity of this file in a DWARF 5 supplementary link; nil when it isn't the target of such links.
  var supplementID: ImageID?
  /// The sections that are read in place, through an `ElfFacade`: for Mach-O those of `__DWARF`, for ELF those of split
  /// units.
  var sections: [Section]
  var symbols: MachOSymbolTable?
  /// The sections of code with bytes in the file; empty in a dSYM and in a separate debug file.
  var code: [CodeSection] = []

  init(layout: Layout, fileOffset: Int) {
    self.layout = layout
    self.fileOffset = fileOffset
    linkedBase = LinkedAddress(0)
    codeRanges = []
    hasDWARF = false
    sizeOfDWARF = 0
    isDSYM = false
    isDebugDylibStub = false
    sections = []
  }

  /// A section with bytes in the file.
  struct Section: Sendable, Hashable {
    var name: String
    /// The offset from the file's start, in bytes.
    var fileOffset: Int
    var size: Int
    /// Whether it begins with an ELF compression header (`SHF_COMPRESSED`).
    var isCompressed = false
    /// The offset of its relocations in a Mach-O object file, and their number.
    var relocationsOffset = 0
    var relocationCount = 0
  }

  /// A section of instructions with bytes in the file.
  struct CodeSection: Sendable, Hashable {
    var addresses: Range<LinkedAddress>
    /// The offset from the file's start, in bytes.
    var fileOffset: Int
  }

  /// The maximum number of code sections; no program has more.
  static let maximumCodeSections = 64

  /// Reads the headers of all binaries in a file: one, or one per slice of a fat file.
  ///
  /// A slice of a fat file that can't be read is left out as long as another can.
  /// - Throws: `DebugFileError` when none can be read.
  package static func all(in path: String) throws(DebugFileError) -> [BinarySlice] {
    let file = try MappedFile.debugFile(path)
    let images = try images(in: file, at: path)
    let slices = if let images { images } else { try all(in: file) }
    if file.isTruncated { throw .changedWhileOpen }
    return slices
  }

  static func all(in file: borrowing MappedFile) throws(DebugFileError) -> [BinarySlice] {
    try file.withBytes { (bytes) throws(DebugFileError) in
      guard let magic = try? bytes.integer(UInt32.self, at: 0) else { throw .unrecognised }
      do throws(TruncationError) {
        switch magic {
        case 0xfeed_face, 0xfeed_facf: return try checked([readMachO(bytes, at: 0)])
        case 0xbeba_feca, 0xbfba_feca: return try checked(readUniversal(bytes))
        case 0x464c_457f: return try checked([readELF(bytes)])
        default: break
        }
      } catch {
        throw .damaged("a header is truncated or inconsistent", at: error.offset)
      }
      throw magic == 0xcefa_edfe || magic == 0xcffa_edfe ? .unsupported("big-endian Mach-O") : .unrecognised
    }
  }

  /// Checks that no slice has too many ranges: every address is compared with all of them, and real files have a
  /// handful.
  private static func checked(_ slices: [BinarySlice]) throws(TruncationError) -> [BinarySlice] {
    for slice in slices where slice.codeRanges.count > 1024 {
      throw TruncationError(offset: slice.fileOffset)
    }
    return slices
  }
}

extension BinarySlice {
  /// The images of a file that is neither Mach-O nor ELF; nil for any other file.
  private static func images(
    in file: borrowing MappedFile, at path: String
  ) throws(DebugFileError) -> [BinarySlice]? {
    let head = file.view.bytes(at: 0, count: 8)
    if head == SymbolPack.mark { return SymbolPack.slices(file.view) }
    if head.starts(with: GsymFile.mark) { return [try GsymFile.slice(file.view)] }
    if head.starts(with: SymCacheFile.mark) { return [try SymCacheFile.slice(file.view)] }
    if head.starts(with: BreakpadFile.mark) {
      guard let slice = BreakpadFile.slice(file.view) else { throw .unrecognised }
      return [slice]
    }
    guard SharedCacheHeader.begins(head) else { return nil }
    let cache = try SharedCache(path: path)
    return cache.images.map { BinarySlice($0, in: cache) }
  }

  /// One image of a file with all images of a system; nil for any other binary, and when the image no longer exists.
  static func image(in path: String, _ summary: Summary) throws(DebugFileError) -> BinarySlice? {
    let slice: BinarySlice?
    switch summary.layout {
    case .machO, .elf, .breakpad, .gsym, .symCache: return nil
    case .sharedCache:
      let cache = try SharedCache(path: path)
      slice = cache.image(at: summary.fileOffset).map { BinarySlice($0, in: cache) }
    case .symbolPack:
      let file = try MappedFile.debugFile(path)
      slice = SymbolPack.slice(file.view, at: summary.fileOffset)
      if file.isTruncated { throw .changedWhileOpen }
    }
    return slice?.id == summary.id ? slice : nil
  }

  /// An image of a shared cache.
  init(_ image: SharedCacheHeader.Image, in cache: SharedCache) {
    self.init(layout: .sharedCache, fileOffset: image.entry)
    id = image.uuid.flatMap { ImageID(bytes: $0) }
    architecture = cache.architecture
    linkedBase = LinkedAddress(image.address)
    member = image.path
    let (end, overflow) = image.address.addingReportingOverflow(image.textSize)
    if !overflow { codeRanges = [linkedBase..<LinkedAddress(end)] }
  }
}

/// Whether a file begins like a supported debug file, to distinguish it from reports; false when it can't be read.
package func isBinary(_ path: String) -> Bool {
  (try? readHead(path, count: 8)).map { isBinary($0) } ?? false
}

/// Whether a regular file begins with these bytes.
package func fileBegins(_ path: String, with head: [UInt8]) -> Bool {
  (try? readHead(path, count: head.count)) == head
}

/// Whether a file's first bytes are those of a Mach-O, fat or ELF file, or of another supported file with symbols.
func isBinary(_ head: some Collection<UInt8>) -> Bool {
  let marks = [SymbolPack.mark, GsymFile.mark, SymCacheFile.mark, BreakpadFile.mark]
  if SharedCacheHeader.begins(head) || marks.contains(where: head.starts) { return true }
  return switch head.prefix(4).reduce(0, { $0 << 8 | UInt32($1) }) {
  case 0xcefa_edfe, 0xcffa_edfe, 0xfeed_face, 0xfeed_facf, 0xcafe_babe, 0xcafe_babf, 0x7f45_4c46: true
  default: false
  }
}
