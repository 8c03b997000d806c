import TestSupport
import Testing

@testable import CrashReadDebugInfo

@Suite("Indexes of packages")
struct PackageIndexTests {
  /// An index with the units 0x11, 0x22 and 0x15, of which the last collides with the first.
  private func index(version: UInt32 = 5, slots: UInt32 = 4, rows: [UInt32] = [0, 1, 2, 3]) -> [UInt8] {
    var bytes = ByteBuilder()
    for field in [version, 2, 3, slots] { bytes.append(field) }
    for id in [0, 0x11, 0x22, 0x15] as [UInt64] { bytes.append(id) }
    for row in rows { bytes.append(row) }
    for column in [1, 3] as [UInt32] { bytes.append(column) }
    for offset in [100, 200, 300, 400, 500, 600] as [UInt32] { bytes.append(offset) }
    for size in [10, 20, 30, 40, 50, 60] as [UInt32] { bytes.append(size) }
    return bytes.bytes
  }

  private func parts(_ index: PackageIndex, _ id: UInt64) -> [String]? {
    index.contributions(of: id)?.map { "\($0.section) \($0.offset) \($0.size)" }
  }

  @Test("find a unit's parts", arguments: [2, 5] as [UInt32])
  func found(_ version: UInt32) throws {
    let index = try #require(PackageIndex(index(version: version)))
    #expect(parts(index, 0x11) == [".debug_info.dwo 100 10", ".debug_abbrev.dwo 200 20"])
    #expect(parts(index, 0x22) == [".debug_info.dwo 300 30", ".debug_abbrev.dwo 400 40"])
    #expect(parts(index, 0x15) == [".debug_info.dwo 500 50", ".debug_abbrev.dwo 600 60"])
    #expect(parts(index, 0x1_0000_0015) == nil)
    #expect(parts(index, 0x99) == nil)
  }

  @Test("end the search in a table without a free slot")
  func full() throws {
    let index = try #require(PackageIndex(index(rows: [1, 1, 2, 3])))
    #expect(index.contributions(of: 0x77) == nil)
    #expect(parts(index, 0x15)?.first == ".debug_info.dwo 500 50")
  }

  /// A table without a free slot would be searched completely for each of a million units.
  @Test("are searched up to a maximum number of slots")
  func farSlots() throws {
    let index = try #require(PackageIndex(fullIndex(slots: 1 << 10)))
    #expect(parts(index, 127 << 10) == [".debug_info.dwo 7 9"])
    #expect(parts(index, 128 << 10) == nil)
  }

  /// Every unit hashes to slot 0, and is stored 1, 2, 3… slots further.
  private func fullIndex(slots: Int) -> [UInt8] {
    var bytes = ByteBuilder()
    for field in [5, 1, 1, UInt32(slots)] { bytes.append(field) }
    for slot in 0..<slots { bytes.append(UInt64(slot) << 10) }
    for _ in 0..<slots { bytes.append(1 as UInt32) }
    for field in [1, 7, 9] as [UInt32] { bytes.append(field) }
    return bytes.bytes
  }

  @Test("refuse truncated and unsupported indexes")
  func damaged() throws {
    let whole = index()
    for length in 0..<whole.count { #expect(PackageIndex(Array(whole.prefix(length))) == nil) }
    #expect(PackageIndex(index(version: 3)) == nil)
    #expect(PackageIndex(index(slots: 3)) == nil)
    #expect(PackageIndex(index(slots: 0xffff_ffff)) == nil)
    let far = try #require(PackageIndex(index(rows: [0, 0xffff_ffff, 0, 0])))
    #expect(far.contributions(of: 0x11) == nil)
  }
}
