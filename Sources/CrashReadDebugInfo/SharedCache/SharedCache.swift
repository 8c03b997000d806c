internal import CrashReadCore
internal import CrashReadSystem

/// dyld's shared cache: one file, or the first of several with the others beside it, opened on demand.
///
/// Only pages that are used are read. Not thread-safe.
final class SharedCache {
  /// One of its files.
  private final class Part {
    let file: MappedFile
    let header: SharedCacheHeader

    /// Opens a file; nil when it isn't part of a cache.
    init?(_ file: consuming MappedFile) {
      guard let header = SharedCacheHeader(file.view) else { return nil }
      self.file = file
      self.header = header
    }

    /// A subcache file; nil when it can't be read, or belongs to another cache.
    convenience init?(_ path: String, uuid: [UInt8]) {
      guard let file = try? MappedFile(path: path) else { return nil }
      self.init(file)
      if header.uuid != uuid { return nil }
    }
  }

  private let path: String
  private let first: Part
  /// Indices of the subcaches, in descending order of address.
  private let order: [Int]
  /// The number of load commands that may be read: real caches have about a hundred thousand, and images can share
  /// theirs.
  private var commandBudget = 1 << 22
  /// Subcaches by their index in the first file's list; nil for those that can't be used.
  private var parts: [Int: Part?] = [:]
  private var symbolPart: Part??

  /// Opens a cache.
  /// - Throws: `DebugFileError` when the path isn't the first file of a cache, or can't be read.
  init(path: String) throws(DebugFileError) {
    self.path = path
    guard let part = Part(try MappedFile.debugFile(path)) else {
      throw .damaged("the header of a shared cache", at: 0)
    }
    first = part
    let subcaches = part.header.subcaches
    order = subcaches.indices.sorted { subcaches[$0].distance > subcaches[$1].distance }
  }

  /// Counts a load command; false when the maximum is reached.
  func spendCommand() -> Bool {
    commandBudget -= 1
    return commandBudget >= 0
  }

  /// The CPU that the cache is for.
  var architecture: Architecture? { first.header.architecture }

  /// The address at which the cache's memory begins.
  var base: UInt64 { first.header.base }

  /// Whether a file was truncated or written to since it was opened.
  var isChanged: Bool {
    ([first] + parts.values.compactMap(\.self) + [symbolPart ?? nil].compactMap(\.self)).contains {
      $0.file.isChanged
    }
  }

  /// The images of the cache, with their identities; those without one are left out.
  var images: [SharedCacheHeader.Image] {
    first.header.images(in: first.file.view).compactMap(identified)
  }

  /// The image of an entry of the list; nil when it has no identity.
  func image(at entry: Int) -> SharedCacheHeader.Image? {
    identified(first.header.image(at: entry, in: first.file.view))
  }

  private func identified(_ image: SharedCacheHeader.Image) -> SharedCacheHeader.Image? {
    if image.uuid != nil { return image }
    guard let mapped = MappedImage(self, at: image.address), let uuid = mapped.uuid else { return nil }
    var image = image
    (image.uuid, image.textSize) = (uuid, mapped.textSize)
    return image
  }

  /// The memory from an address to the end of its mapping; empty when no file contains it.
  func bytes(at address: UInt64) -> ByteView {
    if let location = first.header.fileOffset(of: address) {
      return first.file.view.part(from: location.offset, size: location.size)
    }
    // Each subcache begins after the previous one, so the last that begins before the address is the likely one.
    let candidates = order.lazy.filter { self.first.header.subcaches[$0].distance <= address &- self.base }
    for index in candidates.prefix(Self.maximumTries) {
      guard let part = part(index), let location = part.header.fileOffset(of: address) else { continue }
      return part.file.view.part(from: location.offset, size: location.size)
    }
    return ByteView()
  }

  private static let maximumTries = 8

  private func part(_ index: Int) -> Part? {
    if let known = parts[index] { return known }
    let subcache = first.header.subcaches[index]
    let part = Part(path + subcache.suffix, uuid: subcache.uuid)
    parts[index] = .some(part)
    return part
  }

  /// The local symbols of an image: their names, and their entries, whose size is `entrySize` bytes.
  func localSymbols(of image: UInt64, entrySize: Int) -> (names: ByteView, entries: ByteView)? {
    guard let part = localPart() else { return nil }
    let start = part.header.localSymbolsOffset
    let file = part.file.view
    func field(_ index: Int) -> Int { Int(file.integer(at: start + 4 * index, size: 4)) }
    // Libraries are identified by address in memory, or by offset in the first file.
    let isWide = first.header.hasWideEntries
    let wanted = isWide ? image &- base : first.header.fileOffset(of: image).map { UInt64($0.offset) } ?? .max
    let size = isWide ? 16 : 12
    for index in 0..<min(field(5), max(0, file.count - start - field(4)) / size) {
      let entry = start + field(4) + size * index
      guard file.integer(at: entry, size: size - 8) == wanted else { continue }
      let first = Int(file.integer(at: entry + size - 8, size: 4))
      let count = Int(file.integer(at: entry + size - 4, size: 4))
      return (
        file.part(from: start + field(2), size: field(3)),
        file.part(
          from: start + field(0) + entrySize * first,
          size: entrySize * min(count, max(0, field(1) - first)))
      )
    }
    return nil
  }

  /// The file with the local symbols: the first file, or a separate one; nil when there is none.
  private func localPart() -> Part? {
    if first.header.localSymbolsOffset != 0, first.header.symbolFileID == nil { return first }
    if let symbolPart { return symbolPart }
    let part = first.header.symbolFileID.flatMap { Part(path + ".symbols", uuid: $0) }
    symbolPart = .some(part)
    return part
  }
}
