public import BinaryIdentity

/// One binary inside a file, by its headers alone: the whole of a thin Mach-O or ELF file, or one slice of a fat file.
public struct BinarySlice: Sendable, Hashable {
  /// How the binary is laid out.
  public enum Layout: Sendable, Hashable {
    case machO, elf
  }

  /// How the binary is laid out.
  public var layout: Layout
  /// `LC_UUID` or build-id; nil when it has none.
  public var id: ImageID?
  /// Its CPU; nil for one not known here.
  public var architecture: Architecture?
  /// Where it begins, in bytes from the file's start.
  public var fileOffset: Int
  /// The linked address that an image's load address stands for: `__TEXT`'s `vmaddr`, or the first `PT_LOAD`'s
  /// `p_vaddr` rounded down to its page.
  public var linkedBase: LinkedAddress
  /// Linked address ranges that hold code; empty when the headers name none.
  public var codeRanges: [Range<LinkedAddress>]
  /// Whether it has a `.debug_info` (`__debug_info`) section.
  public var hasDWARF: Bool
  /// Bytes of all its sections of debug information, as they are in the file: compressed or not.
  public var sizeOfDWARF: Int
  /// The file name in `.gnu_debuglink`; nil when there is none.
  public var debugLink: String?

  /// The file that keeps what dwz took out of this one; nil when there is none.
  var alternate: AlternateLink?
  /// What such a link calls this file, in DWARF 5's way; nil when it is none to link to.
  var supplementID: ImageID?
  /// The sections that are read in place, through an `ElfFacade`: of Mach-O `__DWARF`'s, of ELF those of split units.
  var sections: [Section]
  var symbols: MachOSymbolTable?

  init(layout: Layout, fileOffset: Int) {
    self.layout = layout
    self.fileOffset = fileOffset
    linkedBase = LinkedAddress(0)
    codeRanges = []
    hasDWARF = false
    sizeOfDWARF = 0
    sections = []
  }

  /// A section with bytes in the file.
  struct Section: Sendable, Hashable {
    var name: String
    /// In bytes from the file's start.
    var fileOffset: Int
    var size: Int
    /// Whether it begins with an ELF compression header (`SHF_COMPRESSED`).
    var isCompressed = false
  }

  /// Reads the headers of all binaries in a file: one, or one a slice of a fat file.
  ///
  /// A slice of a fat file that can't be read is left out as long as another can.
  /// - Throws: `DebugFileError` when none can be read.
  public static func all(in path: String) throws(DebugFileError) -> [BinarySlice] {
    let file = try MappedFile(path: path)
    let slices = try all(in: file)
    if file.isCut { throw .changed }
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
        throw .damaged("a header is cut off or lies", at: error.offset)
      }
      throw magic == 0xcefa_edfe || magic == 0xcffa_edfe ? .unsupported("big-endian Mach-O") : .unrecognised
    }
  }

  /// Every address is compared with all ranges; real files have a handful.
  private static func checked(_ slices: [BinarySlice]) throws(TruncationError) -> [BinarySlice] {
    for slice in slices where slice.codeRanges.count > 1024 {
      throw TruncationError(offset: slice.fileOffset)
    }
    return slices
  }
}

/// Whether a file begins like a Mach-O, fat or ELF file: for telling debug files from reports. false when it can't be read.
public func isBinary(_ path: String) -> Bool {
  guard let file = try? MappedFile(path: path) else { return false }
  return file.withBytes { bytes in
    switch try? bytes.integer(UInt32.self, at: 0) {
    case 0xfeed_face, 0xfeed_facf, 0xcefa_edfe, 0xcffa_edfe, 0xbeba_feca, 0xbfba_feca, 0x464c_457f: true
    default: false
    }
  }
}
