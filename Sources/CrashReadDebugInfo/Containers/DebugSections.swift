internal import CCrashReadElfutils
internal import CrashReadCore
internal import Synchronization

/// The sections that this module's own reader uses, each empty when the file doesn't have it.
struct DebugSections {
  /// A form in `.debug_info` or an opcode in line tables that is treated as unknown, for tests.
  enum Hidden: Hashable, Sendable {
    case form(UInt16)
    case opcode(LineProgram.Opcode)

    fileprivate var form: UInt16? { if case .form(let form) = self { form } else { nil } }
    fileprivate var opcode: LineProgram.Opcode? { if case .opcode(let opcode) = self { opcode } else { nil } }
  }

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
  /// The tables of `.debug_abbrev` read so far.
  let shapes: AbbreviationCache
  /// The line tables that are in use.
  let lineTables: LineTables
  /// The number of function ranges that may be kept, for all units together.
  let functionRanges = Budget(RangeTable.maximumEntries)
  /// The number of bytes of names and paths that may be kept for the next look-up, for all units together.
  let keptText = Budget(1 << 28)
  let limits: Limits

  /// Finds the sections through libelf, after the compressed ones were expanded.
  ///
  /// Sections of split units have names that end with a suffix, `.dwo`. A hidden form or opcode is treated as unknown,
  /// so that libdw reads it and the results can be compared.
  init(
    _ handle: borrowing DwarfHandle, suffix: String = "", limits: Limits = Limits(),
    hiding hidden: Hidden? = nil
  ) {
    self.limits = limits
    shapes = AbbreviationCache(hiddenForm: hidden?.form)
    lineTables = LineTables(hiddenOpcode: hidden?.opcode)
    var seen: Set<String> = []
    unsafe forEachSection(of: handle.elf) { name, header, section in
      // Of several sections with the same name, libdw uses the first.
      guard header.sh_type != SHT_NOBITS, name.hasSuffix(suffix), seen.insert(name).inserted else { return }
      switch name.dropLast(suffix.utf8.count) {
      case ".debug_info", ".zdebug_info": info = unsafe contents(of: section)
      case ".debug_abbrev", ".zdebug_abbrev": abbreviations = unsafe contents(of: section)
      case ".debug_aranges", ".zdebug_aranges": addressRanges = unsafe contents(of: section)
      case ".debug_addr", ".zdebug_addr": addresses = unsafe contents(of: section)
      case ".debug_line", ".zdebug_line": lines = unsafe contents(of: section)
      case ".debug_line_str", ".zdebug_line_str": lineStrings = unsafe contents(of: section)
      case ".debug_str", ".zdebug_str": strings = unsafe contents(of: section)
      case ".debug_str_offsets", ".zdebug_str_offsets": stringOffsets = unsafe contents(of: section)
      case ".debug_ranges", ".zdebug_ranges": ranges = unsafe contents(of: section)
      case ".debug_rnglists", ".zdebug_rnglists": rangeLists = unsafe contents(of: section)
      default: break
      }
    }
  }

  /// The sections that a split unit's entries refer to: its own, and those that a linker relocates, from the skeleton's
  /// file.
  func completed(by skeleton: DebugSections) -> DebugSections {
    var sections = self
    sections.addresses = skeleton.addresses
    sections.ranges = skeleton.ranges
    return sections
  }
}

/// A section's contents. The corresponding C function is `elf_rawdata`.
func contents(of section: OpaquePointer) -> ByteView {
  guard let data = unsafe elf_rawdata(section, nil), let start = unsafe data.pointee.d_buf else {
    return ByteView()
  }
  return unsafe ByteView(UnsafeRawBufferPointer(start: start, count: data.pointee.d_size))
}

/// A limit shared by all parts of a file: each of a million units may refer to the same bytes.
final class Budget: Sendable {
  private let rest: Mutex<Int>

  init(_ size: Int) { rest = Mutex(size) }

  /// The rest of the limit; never negative.
  var left: Int { rest.withLock { max(0, $0) } }

  func spend(_ count: Int) { rest.withLock { $0 -= min(count, $0) } }
}
