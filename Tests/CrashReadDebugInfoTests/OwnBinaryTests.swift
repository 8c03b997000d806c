import CrashReadCore
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// The return addresses of its callers, and the line of its request for them.
@inline(never)
private func probe() -> (addresses: [UInt64], line: Int) {
  (Thread.callStackReturnAddresses.map(\.uint64Value), #line)
}

/// The kernel's list of this process's mappings; it has no size, so it is read to its end.
private func memoryMap() throws -> String {
  String(decoding: try readFile("/proc/self/maps", limit: 1 << 24), as: UTF8.self)
}

@Suite("The tests' own binary")
struct OwnBinaryTests {
  /// The first address at which the kernel mapped this program.
  private func loadAddress(of path: String) throws -> UInt64 {
    let maps = try memoryMap()
    let line = try #require(maps.split(separator: "\n").first { $0.hasSuffix(" " + path) })
    return try #require(line.split(separator: "-").first.flatMap { UInt64($0, radix: 16) })
  }

  @Test func resolvesTheRunningFunction() throws {
    let path = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let slice = try BinarySlice.first(in: path)
    try #require(slice.hasDWARF)
    let file = try DebugFile(path: path, slice: slice)
    let start = RuntimeAddress(try loadAddress(of: path))
    let (addresses, line) = probe()
    let here = #line - 1
    let frames = addresses.compactMap { address -> SourceFrame? in
      let offset = RuntimeAddress(address &- 1).offset(from: start)
      return offset.flatMap { slice.linkedBase.advanced(by: $0) }.flatMap { file.frames(at: $0).last }
    }
    let own = frames.filter { $0.location?.file == #filePath }
    try #require(own.count >= 2)
    #expect(own[0].function?.contains("probe") == true)
    #expect(own[0].location?.line == line)
    #expect(own[1].function?.contains("resolvesTheRunningFunction()") == true)
    #expect(own[1].location?.line == here)
  }
}

@Suite("Debug files in use")
struct DebugFileUseTests {
  /// How many open files, and how many mappings, of this process name a path.
  private func uses(of path: String) throws -> (descriptors: Int, mappings: Int) {
    let files = FileManager.default
    let open = try files.contentsOfDirectory(atPath: "/proc/self/fd").filter {
      (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == path
    }
    let maps = try memoryMap()
    return (open.count, maps.split(separator: "\n").filter { $0.hasSuffix(" " + path) }.count)
  }

  @Test(
    "leave nothing behind when dropped",
    arguments: [
      "symbols/swift-trap.debug", "symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp",
    ])
  func dropped(_ sample: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write(Samples.bytes(sample), to: "file")
    let path = directory.url.resolvingSymlinksInPath().appending(path: "file").path
    let slice = try BinarySlice.first(in: path)
    let code = try #require(slice.codeRanges.first)
    do {
      let file = try DebugFile(path: path, slice: slice)
      let open = try uses(of: path)
      #expect(open.descriptors == 0)
      #expect(open.mappings == 1)
      #expect(file.path == path)
    }
    for _ in 0..<300 {
      let file = try DebugFile(path: path, slice: slice)
      _ = file.frames(at: code.lowerBound)
      _ = file.symbol(at: code.lowerBound)
    }
    let left = try uses(of: path)
    #expect(left.descriptors == 0)
    #expect(left.mappings == 0)
  }

  @Test(
    "answer several tasks as they answer one",
    arguments: [
      "symbols/swift-trap.debug", "symbols/アプリ.app.dSYM/Contents/Resources/DWARF/アプリ",
    ])
  func concurrent(_ sample: String) async throws {
    let path = Samples.path(sample)
    let slice = try BinarySlice.first(in: path)
    let code = try #require(slice.codeRanges.first)
    let all = code.lowerBound.rawValue..<code.upperBound.rawValue
    let addresses = Array(stride(from: all.lowerBound, to: all.upperBound, by: max(4, all.count / 3000)))
    let serial = try DebugFile(path: path, slice: slice)
    let expected = addresses.map { serial.frames(at: LinkedAddress($0)) }
    try #require(Set(expected).count > 20)

    let shared = try DebugFile(path: path, slice: slice)
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for seed in 1...6 as ClosedRange<UInt64> {
        group.addTask {
          var random = SeededRandom(seed: seed)
          return zip(addresses, expected).shuffled(using: &random).allSatisfy { address, frames in
            shared.frames(at: LinkedAddress(address)) == frames
          }
        }
      }
      for try await isEqual in group { #expect(isEqual) }
    }
  }
}
