internal import CrashReadCore
internal import CrashReadSystem

/// A mapped cache file, of which no byte is used before its page's checksum is verified.
@safe
final class CheckedPages {
  private let file: MappedFile
  /// The whole file. Only ranges that `check` has verified may be read.
  let bytes: ByteView
  /// Whether a page was damaged or missing so far; answers given since then must not be used.
  var isDamaged: Bool { hasDamage || file.isTruncated }
  private var hasDamage = false
  private let table: Int
  private var isChecked: [Bool]
  private let sections: [Range<Int>]

  /// Reads the header; nil for another format, another key, or damage.
  init?(_ file: consuming MappedFile, key: [UInt8]) {
    typealias Field = CacheFormat.Field
    let page = CacheFormat.pageSize
    let size = file.fileSize
    bytes = unsafe ByteView(UnsafeRawBufferPointer(file.block))
    let bytes = bytes
    func number(_ offset: Int) -> Int { Int(clamping: bytes.integer(at: offset, size: 8)) }

    let headerSum = unsafe checksum(
      UnsafeRawBufferPointer(rebasing: file.block[..<min(size, Field.checksum)]))
    guard size > page, bytes.integer(at: Field.magic, size: 8) == CacheFormat.magic,
      bytes.integer(at: Field.version, size: 8) == CacheFormat.version,
      bytes.integer(at: Field.checksum, size: 8) == headerSum,
      number(Field.size) == size, number(Field.keySize) == key.count,
      key.count <= Field.checksum - Field.key,
      key.indices.allSatisfy({ bytes.byte(at: Field.key + $0) == key[$0] })
    else { return nil }

    table = number(Field.table)
    guard table >= page, table % page == 0, table <= size, size - table == 8 * (table / page - 1) else {
      return nil
    }
    let tableSum = unsafe checksum(UnsafeRawBufferPointer(rebasing: file.block[table..<size]))
    guard bytes.integer(at: Field.tableChecksum, size: 8) == tableSum else { return nil }

    var sections: [Range<Int>] = []
    for section in CacheFormat.Section.allCases {
      let start = number(Field.sections + 16 * section.rawValue)
      let count = number(Field.sections + 16 * section.rawValue + 8)
      guard start >= page, start <= table, count <= table - start else { return nil }
      sections.append(start..<start + count)
    }
    self.sections = sections
    isChecked = [Bool](repeating: false, count: table / page)
    self.file = file
  }

  /// The range of a section in the file.
  @inline(__always)
  func range(of section: CacheFormat.Section) -> Range<Int> { sections[section.rawValue] }

  /// Verifies the checksums of a range's pages, each once.
  ///
  /// - Returns: False for damage, and for a range outside all sections.
  @inline(__always)
  func check(_ range: Range<Int>) -> Bool {
    guard range.lowerBound >= CacheFormat.pageSize, range.upperBound <= table, !range.isEmpty else {
      hasDamage = true
      return false
    }
    for page in range.lowerBound / CacheFormat.pageSize...(range.upperBound - 1) / CacheFormat.pageSize
    where !isChecked[page] {
      guard isIntact(page) else {
        hasDamage = true
        return false
      }
      isChecked[page] = true
    }
    return true
  }

  /// Whether every page is intact; reads the whole file.
  var isWhole: Bool { check(CacheFormat.pageSize..<table) }

  private func isIntact(_ page: Int) -> Bool {
    let start = page * CacheFormat.pageSize
    let actual = unsafe checksum(
      UnsafeRawBufferPointer(rebasing: file.block[start..<start + CacheFormat.pageSize]))
    return bytes.integer(at: table + 8 * (page - 1), size: 8) == actual
  }

  /// An entry of a table of 4-byte numbers; nil beyond its end and for damage.
  @inline(__always)
  func number(_ index: Int, in section: CacheFormat.Section) -> UInt32? {
    let range = range(of: section)
    guard index >= 0, index < range.count / 4 else { return nil }
    let start = range.lowerBound + 4 * index
    return check(start..<start + 4) ? UInt32(truncatingIfNeeded: bytes.integer(at: start, size: 4)) : nil
  }

  /// A cursor at a record with a maximum size; nil beyond the section's end and for damage.
  func record(at offset: Int, in section: CacheFormat.Section, limit: Int) -> ByteCursor? {
    let range = range(of: section)
    guard offset >= 0, offset < range.count else { return nil }
    let start = range.lowerBound + offset
    let end = min(start + limit, range.upperBound)
    return check(start..<end) ? ByteCursor(bytes, at: start, end: end) : nil
  }

  /// A string; nil for damage.
  func string(at offset: UInt32) -> String? {
    let range = range(of: .strings)
    guard Int(offset) < range.count else { return nil }
    let start = range.lowerBound + Int(offset)
    var end = start
    while end < range.upperBound {
      // Page by page, since the length isn't known in advance.
      let pageEnd = min((end / CacheFormat.pageSize + 1) * CacheFormat.pageSize, range.upperBound)
      guard check(end..<pageEnd) else { return nil }
      while end < pageEnd, bytes.byte(at: end) != 0 { end += 1 }
      if end < pageEnd { return bytes.string(at: start) }
    }
    return nil
  }
}
