internal import CCrashReadElfutils
internal import CrashReadCore
internal import CrashReadSystem
internal import Glibc

/// Prepares the compressed sections of a file for libdw: rejects those that expand excessively, and expands those that
/// libelf can't.
///
/// libelf 0.188 expands zlib, in both forms: `SHF_COMPRESSED` and the older `.zdebug_…`. Later versions support zstd
/// only if they are built with it, so such sections are expanded here.
@safe
struct CompressedSections: ~Copyable {
  /// The maximum expanded size of all sections of a file together: 4 GiB.
  static let maximumTotal: UInt64 = 4 << 30
  /// The total size up to which the ratio isn't checked: 64 MiB. Above it, a file's sections may be at most 100 times
  /// as large as their compressed forms. Real ones expand to 3 to 10 times their size; 4 KB crafted for the purpose can
  /// expand to gigabytes.
  static let freeSize: UInt64 = 64 << 20
  static let maximumRatio: UInt64 = 100

  /// The buffers of expanded sections, from `malloc`.
  private var buffers: [UnsafeMutableRawPointer] = unsafe []

  /// Examines the debug sections. Expanded bytes live as long as this value.
  /// - Throws: `DebugFileError` for a section that is too large, damaged, or compressed in an unsupported way.
  init(of elf: OpaquePointer) throws(DebugFileError) {
    var sections: [Section] = []
    // the size of `Elf32_Chdr`, `Elf64_Chdr`
    let headSize = unsafe gelf_getclass(elf) == ELFCLASS32 ? 12 : 24
    var seen: Set<String> = []
    unsafe forEachSection(of: elf) { name, header, section in
      // Of several sections with the same name, libdw uses the first.
      guard Self.isRead(name), header.sh_type != SHT_NOBITS, seen.insert(name).inserted else { return }
      if let found = unsafe Section(name, header, section, headSize) { sections.append(found) }
    }
    try Self.check(sections)
    for section in sections where section.algorithm == Section.zstd { try expand(section) }
  }

  deinit { unsafe buffers.forEach { unsafe free($0) } }

  private static func check(_ sections: [Section]) throws(DebugFileError) {
    var sum: UInt64 = 0
    var packed: UInt64 = 0
    for section in sections {
      packed += UInt64(section.contents.count)
      let maximum = min(max(freeSize, maximumRatio * packed), maximumTotal)
      guard section.expandedSize <= maximum, sum <= maximum - section.expandedSize else {
        throw .unsupported(
          "\(section.name) of \(section.expandedSize) bytes, compressed to \(section.contents.count),")
      }
      sum += section.expandedSize
    }
  }

  /// The sections that libdw or this module reads; other sections named `.debug…` are left alone.
  private static let names: Set<Substring> = [
    "abbrev", "addr", "aranges", "frame", "info", "line", "line_str", "loc", "loclists", "macinfo", "macro",
    "names",
    "pubnames", "pubtypes", "ranges", "rnglists", "str", "str_offsets", "types",
  ]

  private static func isRead(_ name: String) -> Bool {
    let bare = name.hasSuffix(".dwo") ? name.dropLast(4) : name[...]
    return [".debug_", ".zdebug_"].contains { bare.hasPrefix($0) && names.contains(bare.dropFirst($0.count)) }
  }

  /// Replaces the bytes of a section in the file by the expanded ones, as if it had never been compressed.
  private mutating func expand(_ section: Section) throws(DebugFileError) {
    let size = Int(section.expandedSize)
    guard let buffer = unsafe malloc(max(size, 1)) else { throw .system(.last("malloc")) }
    unsafe buffers.append(buffer)
    try unsafe expandZstd(
      section.contents, into: UnsafeMutableRawBufferPointer(start: buffer, count: size), section.name)
    unsafe section.replaceContents(by: buffer, size)
  }
}

/// A compressed section.
@safe
private struct Section {
  /// `ELFCOMPRESS_ZSTD` of `elf.h`.
  static let zstd: UInt32 = 2

  let name: String
  /// `ELFCOMPRESS_…`; 0 for GNU's older form.
  var algorithm: UInt32 = 0
  /// The contents of its header.
  let expandedSize: UInt64
  /// The compressed bytes, after that header.
  let contents: ByteView
  private let section: OpaquePointer

  /// Nil for a section that isn't compressed, or is too short for the header.
  init?(_ name: String, _ header: GElf_Shdr, _ section: OpaquePointer, _ headSize: Int) {
    self.name = name
    unsafe self.section = section
    let bytes = unsafe CrashReadDebugInfo.contents(of: section)
    if header.sh_flags & UInt64(SHF_COMPRESSED) != 0 {
      var head = GElf_Chdr()
      guard unsafe gelf_getchdr(section, &head) != nil else { return nil }
      algorithm = head.ch_type
      expandedSize = head.ch_size
      contents = bytes.part(from: headSize, size: bytes.count - headSize)
    } else if name.hasPrefix(".z"), bytes.integer(at: 0, size: 4) == 0x4249_4c5a {  // "ZLIB"
      expandedSize = bytes.integer(at: 4, size: 8).byteSwapped
      contents = bytes.part(from: 12, size: bytes.count - 12)
    } else {
      return nil
    }
  }

  /// the magic number "ZLIB"
  func replaceContents(by bytes: UnsafeMutableRawPointer, _ size: Int) {
    unsafe [elf_rawdata(section, nil), elf_getdata(section, nil)].forEach { data in
      unsafe data?.pointee.d_buf = bytes
      unsafe data?.pointee.d_size = size
    }
    var header = GElf_Shdr()
    guard unsafe gelf_getshdr(section, &header) != nil else { return }
    header.sh_flags &= ~UInt64(SHF_COMPRESSED)
    unsafe gelf_update_shdr(section, &header)
  }
}

/// Expands zstd's frames. The corresponding C function is `ZSTD_decompress`.
/// - Throws: `DebugFileError` when the library is missing, or the bytes don't match their header.
private func expandZstd(
  _ bytes: ByteView, into buffer: UnsafeMutableRawBufferPointer, _ name: String
) throws(DebugFileError) {
  typealias Decompress =
    @convention(c) (UnsafeMutableRawPointer?, Int, UnsafeRawPointer?, Int) -> Int
  let decompress: Decompress
  do throws(MissingLibrary) {
    let library = try RuntimeLibrary("libzstd.so.1", package: "libzstd1")
    unsafe decompress = try library.function("ZSTD_decompress")
  } catch {
    throw .unsupported(
      "\(name), compressed with zstd, without \(error.name) (Debian package \(error.package))")
  }
  // Error codes are greater than any size.
  let size = unsafe bytes.withBytes {
    unsafe decompress(buffer.baseAddress, buffer.count, $0.baseAddress, $0.count)
  }
  guard size == buffer.count else { throw .damaged("\(name) can't be decompressed", at: 0) }
}
