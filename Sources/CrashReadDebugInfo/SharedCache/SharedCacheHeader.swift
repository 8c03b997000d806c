internal import CrashReadCore

/// The header of one file of dyld's shared cache, which holds the system's libraries linked together.
///
/// The format is that of dyld's `include/mach-o/dyld_cache_format.h`. It has no version number: each release adds
/// fields at the end, and the header ends where the mappings begin, so that a field exists if it is before them.
struct SharedCacheHeader {
  /// A part of the file, and the address at which dyld maps it.
  struct Mapping {
    var address: UInt64
    var size: UInt64
    var fileOffset: UInt64
  }

  /// A subcache of a split cache.
  struct Subcache {
    /// The suffix of its file name: `.01`, `.02.dylddata`.
    var suffix: String
    var uuid: [UInt8]
    /// Its offset from the start of the cache's memory.
    var distance: UInt64
  }

  /// The CPU named by the magic number; nil for an unknown one.
  let architecture: Architecture?
  let mappings: [Mapping]
  let uuid: [UInt8]
  let subcaches: [Subcache]
  /// The identity of the file with local symbols; nil when there is no such file.
  let symbolFileID: [UInt8]?
  /// The offset of local symbols in this file; 0 when it has none.
  let localSymbolsOffset: Int
  /// Whether the entries of local symbols identify libraries by 8-byte addresses; otherwise by 4-byte file offsets.
  let hasWideEntries: Bool
  /// The offset and length of the list of images; entries have 32 bytes.
  private let images: (offset: Int, count: Int)
  /// Whether the list has identities.
  private let listsIdentities: Bool

  private static let maximumMappings = 1024
  private static let maximumSubcaches = 1024
  private static let maximumImages = 1 << 17

  /// Whether a file's first bytes are those of a shared cache.
  static func begins(_ head: some Collection<UInt8>) -> Bool { head.starts(with: "dyld_v1".utf8) }

  /// Parses a header; nil when the bytes are no header, or incomplete.
  init?(_ file: ByteView) {
    let fields = Fields(file)
    guard Self.begins((0..<8).map { file.byte(at: $0) }), fields.size >= 0x68, fields.size <= file.count
    else { return nil }
    architecture = Self.architecture(fields)
    uuid = file.bytes(at: 0x58, count: 16)
    mappings = (0..<min(fields.number(0x14), Self.maximumMappings)).map { index in
      let position = fields.size + 32 * index
      return Mapping(
        address: file.integer(at: position, size: 8), size: file.integer(at: position + 8, size: 8),
        fileOffset: file.integer(at: position + 16, size: 8))
    }
    let localSymbols = file.integer(at: 0x48, size: 8)
    localSymbolsOffset = localSymbols < UInt64(file.count) ? Int(localSymbols) : 0
    let symbolFile = fields.has(0x190, 16) ? file.bytes(at: 0x190, count: 16) : []
    symbolFileID = symbolFile.contains { $0 != 0 } ? symbolFile : nil
    hasWideEntries = fields.has(0x190, 16)
    subcaches = Self.subcaches(fields)
    listsIdentities = fields.has(0x88, 16) && file.integer(at: 0x88, size: 8) != 0
    if listsIdentities {
      images = (fields.number(0x88, size: 8), fields.number(0x90, size: 8))
    } else if fields.has(0x1c0, 8), fields.number(0x1c0) != 0 {
      images = (fields.number(0x1c0), fields.number(0x1c4))
    } else {
      images = (fields.number(0x18), fields.number(0x1c))
    }
  }

  /// The CPU from the fields that macOS 27 and iOS 27 added, otherwise from the magic number, which ends with a name of
  /// at most 8 letters.
  private static func architecture(_ fields: Fields) -> Architecture? {
    if fields.has(0x228, 8) {
      let (type, subtype) = (fields.number(0x228), fields.number(0x22c))
      if let known = Architecture(machOType: UInt32(type), subtype: UInt32(subtype)) { return known }
    }
    let name = fields.file.part(from: 7, size: 9).string(at: 0).drop { $0 == " " }
    if name.isEmpty { return nil }
    // "arm64e.x1" would be too long.
    return Architecture(rawValue: name == "arm64ex1" ? Architecture.arm64eX1.rawValue : String(name))
  }

  private static func subcaches(_ fields: Fields) -> [Subcache] {
    guard fields.has(0x188, 8) else { return [] }
    let (start, count) = (fields.number(0x188), min(fields.number(0x18c), maximumSubcaches))
    // Entries have suffixes since the header has a subtype.
    let hasSuffix = fields.has(0x1c8, 4)
    let size = hasSuffix ? 56 : 24
    return (0..<count).compactMap { index in
      let position = start + size * index
      guard position + size <= fields.file.count else { return nil }
      let suffix = hasSuffix ? fields.file.part(from: position + 24, size: 32).string(at: 0) : ".\(index + 1)"
      // The suffix isn't trusted, and must name a file beside this one.
      guard suffix.hasPrefix("."), suffix.utf8.allSatisfy(isPlain) else { return nil }
      return Subcache(
        suffix: suffix, uuid: fields.file.bytes(at: position, count: 16),
        distance: fields.file.integer(at: position + 16, size: 8))
    }
  }

  /// The address at which the cache's memory begins.
  var base: UInt64 { mappings.map(\.address).min() ?? 0 }

  /// The offset of an address in this file; nil when this file doesn't contain it.
  func fileOffset(of address: UInt64) -> (offset: Int, size: Int)? {
    for mapping in mappings where address >= mapping.address && address - mapping.address < mapping.size {
      let distance = address - mapping.address
      let (offset, overflow) = mapping.fileOffset.addingReportingOverflow(distance)
      guard !overflow, let position = Int(exactly: offset) else { return nil }
      return (position, Int(clamping: mapping.size - distance))
    }
    return nil
  }

  /// One image of the list.
  struct Image {
    /// The offset of its entry.
    var entry: Int
    var address: UInt64
    /// The image's identity; nil when the list has no identities.
    var uuid: [UInt8]?
    /// The size of its code in bytes; 0 when unknown.
    var textSize: UInt64
    var path: String
  }

  /// The images, in the file's order; empty in subcaches.
  func images(in file: ByteView) -> [Image] {
    let room = max(0, file.count - images.offset) / 32
    return (0..<min(images.count, room, Self.maximumImages)).map {
      image(at: images.offset + 32 * $0, in: file)
    }
  }

  /// The image of an entry.
  func image(at entry: Int, in file: ByteView) -> Image {
    if listsIdentities {
      return Image(
        entry: entry, address: file.integer(at: entry + 16, size: 8), uuid: file.bytes(at: entry, count: 16),
        textSize: file.integer(at: entry + 24, size: 4),
        path: file.path(at: Int(file.integer(at: entry + 28, size: 4))))
    }
    return Image(
      entry: entry, address: file.integer(at: entry, size: 8), uuid: nil, textSize: 0,
      path: file.path(at: Int(file.integer(at: entry + 24, size: 4))))
  }
}

/// The fields of a header, some of which may be missing.
private struct Fields {
  let file: ByteView
  /// The size of the header, which is the offset of the mappings.
  let size: Int

  init(_ file: ByteView) {
    self.file = file
    size = Int(file.integer(at: 0x10, size: 4))
  }

  func has(_ offset: Int, _ length: Int) -> Bool { offset + length <= size && size <= file.count }

  /// A count or an offset.
  func number(_ offset: Int, size: Int = 4) -> Int { Int(clamping: file.integer(at: offset, size: size)) }
}

/// Whether a byte may occur in the suffix of a subcache's file name.
private func isPlain(_ byte: UInt8) -> Bool { byte.isLetterOrDigit || "._-".utf8.contains(byte) }

extension ByteView {
  /// Bytes of the file; zeros beyond its end.
  func bytes(at offset: Int, count: Int) -> [UInt8] { (0..<count).map { byte(at: offset + $0) } }

  /// A path. It is limited in length, since all images of a file may refer to the same one.
  func path(at offset: Int) -> String { part(from: offset, size: 1024).string(at: 0) }
}
