import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo
@testable import CrashReadSystem

@Suite("Opened debug files")
struct LeakTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    try directory.write(
      Samples.bytes("symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp"), to: "file")
    path = canonicalPath(directory.path("file"))
  }

  private func mappingCount() throws -> Int {
    let maps = String(decoding: try readFile("/proc/self/maps", limit: 1 << 26), as: UTF8.self)
    return maps.split(separator: "\n").count { $0.hasSuffix(path) }
  }

  private func descriptorCount() throws -> Int {
    try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count {
      (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == path
    }
  }

  private func use(_ slice: BinarySlice) throws {
    let file = try DebugFile(path: path, slice: slice)
    for address in testAddresses(in: slice, count: 4, seed: 3) {
      _ = file.frames(at: address)
      _ = file.variables(at: address, in: VariableContext())
      _ = file.symbol(at: address)
    }
    // While it is in use there is one to be counted, perhaps in pieces.
    let count = try withExtendedLifetime(file) { try mappingCount() }
    #expect(count >= 1)
  }

  @Test func releaseMappingsAndDescriptors() throws {
    let slice = try BinarySlice.first(in: path)
    for _ in 0..<20 { try use(slice) }
    #expect(try mappingCount() == 0)
    #expect(try descriptorCount() == 0)
  }

  /// Also those that are refused half-way.
  @Test func releaseEverythingWhenRejected() throws {
    var bytes = try directory.bytes("file")
    let slice = try BinarySlice.first(in: path)
    bytes.replaceSubrange(0..<4, with: [0, 0, 0, 0])
    try directory.write(bytes, to: "file")
    for _ in 0..<20 { #expect(throws: DebugFileError.self) { try BinarySlice.all(in: path) } }
    var crowded = slice
    crowded.sections = [BinarySlice.Section](repeating: slice.sections[0], count: 1000)
    for _ in 0..<20 { #expect(throws: DebugFileError.self) { try DebugFile(path: path, slice: crowded) } }
    #expect(try mappingCount() == 0)
    #expect(try descriptorCount() == 0)
  }

  /// Each mapping takes a slot and releases it.
  @Test func areGuardedForAnyNumber() throws {
    for _ in 0..<5000 {
      let file = try MappedFile(path: path)
      let isTruncated = file.isTruncated
      #expect(!isTruncated)
    }
    let last = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 1)
    defer { unsafe last.deallocate() }
    let found = unsafe MappingTable.add(last)
    MappingTable.remove(try #require(found))
  }
}
