import CrashReadCore
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// Files that are truncated, written to, replaced or removed while they are mapped.
@Suite("Debug files that change while they are read")
struct ChangedFileTests {
  private static let original = "symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp"

  private static func copy(in directory: TemporaryDirectory) throws -> (path: String, slice: BinarySlice) {
    try directory.write(Samples.bytes(original), to: "file")
    let path = directory.path("file")
    return (path, try BinarySlice.first(in: path))
  }

  private static func coveredAddress() throws -> LinkedAddress {
    let slice = try BinarySlice.first(in: Samples.path(original))
    let file = try DebugFile(path: Samples.path(original), slice: slice)
    let addresses = testAddresses(in: slice, count: 60, seed: 5)
    return try #require(addresses.first { !file.frames(at: $0).isEmpty })
  }

  private static func cut(_ path: String, to size: Int) throws {
    let isTruncated = unsafe truncate(path, size) == 0
    try #require(isTruncated)
  }

  @Test func readAsZerosWhereTruncated() async {
    await ahead {
      await #expect(processExitsWith: .success) {
        MappingGuard.install()
        let directory = try TemporaryDirectory()
        let file = try MappedFile(path: try ChangedFileTests.copy(in: directory).path)
        try ChangedFileTests.cut(directory.path("file"), to: 8192)
        let (kept, lost) = file.withBytes { ($0[0], $0[20_000]) }
        #expect(kept == 0xcf && lost == 0)
        let (isTruncated, isChanged) = (file.isTruncated, file.isChanged)
        #expect(isTruncated && isChanged)
        let whole = try MappedFile(path: Samples.path(ChangedFileTests.original))
        let isTouched = whole.isTruncated || whole.isChanged
        #expect(!isTouched)
      }
    }
  }

  @Test func crashWithoutTheGuard() async {
    await ahead {
      await #expect(processExitsWith: .signal(SIGBUS)) {
        let directory = try TemporaryDirectory()
        let file = try MappedFile(path: try ChangedFileTests.copy(in: directory).path)
        try ChangedFileTests.cut(directory.path("file"), to: 8192)
        _ = file.withBytes { $0[20_000] }
      }
    }
  }

  @Test func forwardOtherFaults() async {
    await ahead {
      await #expect(processExitsWith: .signal(SIGBUS)) {
        MappingGuard.install()
        raise(SIGBUS)
      }
    }
  }

  @Test func giveNoFurtherAnswers() async {
    await ahead {
      await #expect(processExitsWith: .success) {
        MappingGuard.install()
        let directory = try TemporaryDirectory()
        let (path, slice) = try ChangedFileTests.copy(in: directory)
        let file = try DebugFile(path: path, slice: slice)
        let address = try ChangedFileTests.coveredAddress()
        #expect(!file.frames(at: address).isEmpty)
        try ChangedFileTests.cut(path, to: 4096)
        #expect(file.frames(at: [address]) == [[]])
        #expect(file.frames(at: address).isEmpty && file.symbol(at: address) == nil)
        #expect(file.variables(at: address, in: VariableContext()).isEmpty)
        #expect(file.failure == .changedWhileOpen)
      }
    }
  }

  @Test func areDetectedWhenWrittenTo() throws {
    let directory = try TemporaryDirectory()
    let (path, slice) = try Self.copy(in: directory)
    let file = try DebugFile(path: path, slice: slice)
    let address = try ChangedFileTests.coveredAddress()
    let before = file.frames(at: address)
    #expect(!before.isEmpty && file.failure == nil)
    let handle = try FileHandle(forUpdating: URL(filePath: path))
    try handle.write(contentsOf: [0xcf])
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: path)
    #expect(file.frames(at: address).isEmpty)
    #expect(file.failure == .changedWhileOpen)
  }

  @Test("are unchanged when they are replaced or removed", arguments: [true, false])
  func replaced(_ byAnother: Bool) throws {
    let directory = try TemporaryDirectory()
    let (path, slice) = try Self.copy(in: directory)
    let file = try DebugFile(path: path, slice: slice)
    let address = try ChangedFileTests.coveredAddress()
    try FileManager.default.removeItem(atPath: path)
    if byAnother { try directory.write([1, 2, 3], to: "file") }
    #expect(!file.frames(at: address).isEmpty)
    #expect(file.failure == nil)
  }
}
