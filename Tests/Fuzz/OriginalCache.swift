import CrashReadCore
import CrashReadSystem

@testable import CrashReadDebugInfo

/// A valid cache, to be changed and given checksums of the changed contents.
struct OriginalCache {
  private let bytes: [UInt8]
  private let table: Int
  private let edits: FileEdits
  private let base: UInt64
  private let key: [UInt8] = [1, 2, 3]

  init(path: String) throws {
    let slice = try BinarySlice.all(in: path)[0]
    let file = try MappedFile(path: path, headSize: slice.layout == .machO ? ElfFacade.headSize : 0)
    let handle = try DwarfHandle(file, slice: slice)
    guard let contents = CacheBuilder.build(handle, slice, path: path) else {
      throw DebugFileError.unsupported("a seed without a cache")
    }
    let parts = CacheWriter(base: contents.base, sections: contents.sections, key: key).parts
    base = contents.base
    bytes = Array(parts.joined())
    let table = bytes.count - (parts.last?.count ?? 0)
    self.table = table
    let page = CacheFormat.pageSize
    var regions = [CacheFormat.Field.base..<CacheFormat.Field.keySize]
    var start = page
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      regions.append(start..<start + part.count)
      start += part.count
    }
    edits = FileEdits(regions: regions, protected: 16)
  }

  func lookUp(_ number: Int, edits records: ArraySlice<UInt8>, _ file: MemoryFile) {
    file.write(signed(edits.apply(records, to: bytes)))
    guard let mapping = try? MappedFile(path: file.path), let pages = CheckedPages(mapping, key: key) else {
      return
    }
    let reader = CacheReader(pages)
    for step in 0..<16 {
      let address = LinkedAddress(base &+ UInt64(number * 7 + step * 97))
      _ = reader.chain(at: address)
      _ = reader.symbol(at: address)
      _ = reader.name(beginningAt: address)
    }
    _ = reader.isWhole
  }

  private func signed(_ damaged: [UInt8]) -> [UInt8] {
    guard damaged.count == bytes.count else { return damaged }
    var result = damaged
    func put(_ range: Range<Int>, at offset: Int) {
      let sum = unsafe result[range].withUnsafeBytes { unsafe checksum($0) }
      for index in 0..<8 { result[offset + index] = UInt8(truncatingIfNeeded: sum >> UInt64(8 * index)) }
    }
    let page = CacheFormat.pageSize
    for (index, start) in stride(from: page, to: table, by: page).enumerated() {
      put(start..<start + page, at: table + 8 * index)
    }
    put(table..<result.count, at: CacheFormat.Field.tableChecksum)
    put(0..<CacheFormat.Field.checksum, at: CacheFormat.Field.checksum)
    return result
  }
}
