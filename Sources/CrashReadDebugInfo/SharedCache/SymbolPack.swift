internal import CrashReadCore
internal import CrashReadSystem

/// A file with the names and starts of the functions of many images, which is all that is needed to name addresses, in
/// place of a system's gigabytes.
///
/// Numbers are little-endian. A header of 16 bytes (magic, number of images, 0) is followed by the images, 56 bytes
/// each: UUID, linked base, size of code, offset and number of the functions, offsets of path and CPU. Functions have 8
/// bytes each, in ascending order of address: distance from the base, and the offset of the name, 0 for none. Names are
/// C strings; all offsets are from the file's start.
final class SymbolPack: NameSource {
  static let mark = Array("crsympk1".utf8)
  static let headSize = 16
  static let entrySize = 56
  private static let maximumImages = 1 << 17

  private let file: MappedFile
  private let bytes: ByteView
  private let base: UInt64
  private let functionsOffset: Int
  private let count: Int
  private let code: Range<UInt64>

  /// Reads an image of a pack.
  /// - Throws: `DebugFileError` when the file can't be read, or has no such image.
  init(path: String, slice: BinarySlice) throws(DebugFileError) {
    file = try MappedFile.debugFile(path)
    bytes = file.view
    let entry = bytes.part(from: slice.fileOffset, size: Self.entrySize)
    guard entry.count == Self.entrySize, ImageID(bytes: entry.bytes(at: 0, count: 16)) == slice.id else {
      throw .damaged("an image of a symbol pack", at: slice.fileOffset)
    }
    base = entry.integer(at: 16, size: 8)
    let size = entry.integer(at: 24, size: 8)
    code = base..<(base &+ size >= base ? base + size : .max)
    functionsOffset = Int(clamping: entry.integer(at: 32, size: 8))
    count = min(Int(entry.integer(at: 40, size: 4)), max(0, bytes.count - functionsOffset) / 8)
  }

  /// The images of a pack.
  static func slices(_ file: ByteView) -> [BinarySlice] {
    let count = min(
      Int(file.integer(at: 8, size: 4)), max(0, file.count - headSize) / entrySize, maximumImages)
    return (0..<count).compactMap { slice(file, at: headSize + entrySize * $0) }
  }

  /// The image of an entry; nil without an identity.
  static func slice(_ file: ByteView, at entry: Int) -> BinarySlice? {
    var slice = BinarySlice(layout: .symbolPack, fileOffset: entry)
    slice.id = ImageID(bytes: file.bytes(at: entry, count: 16))
    slice.linkedBase = LinkedAddress(file.integer(at: entry + 16, size: 8))
    slice.member = file.path(at: Int(file.integer(at: entry + 44, size: 4)))
    let architecture = file.path(at: Int(file.integer(at: entry + 48, size: 4)))
    slice.architecture = architecture.isEmpty ? nil : Architecture(rawValue: architecture)
    return slice.id == nil ? nil : slice
  }

  var isChanged: Bool { file.isChanged }

  func symbol(at address: LinkedAddress) -> SymbolTable.Symbol? {
    guard code.contains(address.rawValue) else { return nil }
    let upperBound = (0..<count).partitioningIndex { self.address($0) > address.rawValue }
    guard upperBound > 0, let name = name(upperBound - 1) else { return nil }
    return SymbolTable.Symbol(address: self.address(upperBound - 1), name: name, file: nil)
  }

  var functions: [(address: UInt64, name: String?)] { (0..<count).map { (address($0), name($0)) } }

  private func address(_ index: Int) -> UInt64 {
    base &+ bytes.integer(at: functionsOffset + 8 * index, size: 4)
  }

  private func name(_ index: Int) -> String? {
    let offset = Int(bytes.integer(at: functionsOffset + 8 * index + 4, size: 4))
    return offset == 0 ? nil : bytes.string(at: offset)
  }
}

/// Builds a `SymbolPack`.
package struct SymbolPackWriter {
  private struct Image {
    var slice: BinarySlice
    var functions: [(distance: UInt32, name: UInt32)]
  }

  private var images: [Image] = []
  private var strings: [UInt8] = []
  private var offsets: [String: UInt32] = [:]

  /// The number of functions with a name.
  package private(set) var nameCount = 0
  package var imageCount: Int { images.count }

  /// An empty pack.
  package init() {}

  /// Adds the functions of a binary, unless it has no UUID or no names.
  package mutating func add(_ file: DebugFile) {
    let functions = file.functions
    guard file.slice.id?.byteCount == 16, functions.contains(where: { $0.name != nil }) else { return }
    let base = file.slice.linkedBase.rawValue
    var image = Image(slice: file.slice, functions: [])
    for function in functions {
      guard function.address >= base, let distance = UInt32(exactly: function.address - base) else {
        continue
      }
      image.functions.append((distance, function.name.map { offset(of: $0) } ?? 0))
      nameCount += function.name == nil ? 0 : 1
    }
    images.append(image)
  }

  /// The offset of a string relative to the first one, plus 1; 0 means none.
  private mutating func offset(of string: String) -> UInt32 {
    if let known = offsets[string] { return known }
    let offset = UInt32(clamping: strings.count + 1)
    strings += Array(string.utf8) + [0]
    offsets[string] = offset
    return offset
  }

  /// The whole file, its images in the order of their identities; nil when it is too large for 32-bit offsets.
  package mutating func file() -> [UInt8]? {
    images.sort { ($0.slice.id?.bytes ?? []).lexicographicallyPrecedes($1.slice.id?.bytes ?? []) }
    let labels = images.map { image in
      (offset(of: image.slice.member ?? ""), offset(of: image.slice.architecture?.rawValue ?? ""))
    }
    let functionsStart = SymbolPack.headSize + SymbolPack.entrySize * images.count
    let stringsStart = functionsStart + 8 * images.reduce(0) { $0 + $1.functions.count }
    guard stringsStart + strings.count < UInt32.max else { return nil }
    func moved(_ offset: UInt32) -> UInt32 { offset == 0 ? 0 : UInt32(stringsStart) + offset - 1 }
    var bytes = SymbolPack.mark
    bytes.append(UInt64(images.count), size: 8)
    var next = functionsStart
    for (image, label) in zip(images, labels) {
      bytes += image.slice.id?.bytes ?? []
      bytes.append(image.slice.linkedBase.rawValue, size: 8)
      bytes.append(image.slice.codeSize, size: 8)
      bytes.append(UInt64(next), size: 8)
      bytes.append(UInt64(image.functions.count), size: 4)
      for offset in [moved(label.0), moved(label.1), 0] { bytes.append(UInt64(offset), size: 4) }
      next += 8 * image.functions.count
    }
    for function in images.lazy.flatMap(\.functions) {
      bytes.append(UInt64(function.distance), size: 4)
      bytes.append(UInt64(moved(function.name)), size: 4)
    }
    return bytes + strings
  }
}

extension BinarySlice {
  /// The distance in bytes from its base to the end of its code.
  fileprivate var codeSize: UInt64 {
    codeRanges.map(\.upperBound.rawValue).max().map { $0 &- linkedBase.rawValue } ?? 0
  }
}
