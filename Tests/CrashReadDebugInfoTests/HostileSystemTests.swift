import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// Shared caches and packs whose images, names and symbols share their bytes, so that megabytes would take minutes.
@Suite("System symbol files that exceed limits", .mustEnd)
struct HostileSystemTests {
  private static let base: UInt64 = 0x1_8000_0000
  private static let uuid = [UInt8](1...16)
  /// The header, one mapping.
  private static let listStart = 0x68 + 32

  private static func bytes(_ numbers: [any FixedWidthInteger]) -> [UInt8] {
    var builder = ByteBuilder()
    for number in numbers { builder.append(number) }
    return builder.bytes
  }

  /// A cache of one file, with so many entries of the same image, which is after the list.
  private static func cache(count: Int, _ rest: [UInt8]) -> [UInt8] {
    var file = ByteBuilder()
    file.append("dyld_v1  arm64e", length: 16)
    file.append(contentsOf: bytes([UInt32(0x68), UInt32(1), UInt32(listStart), UInt32(count)]))
    file.pad(to: 0x58)
    file.append(contentsOf: uuid)
    file.append(contentsOf: bytes([base, UInt64(1 << 30), UInt64(0), UInt64(5)]))
    let image = base + UInt64(listStart + 32 * count)
    for _ in 0..<count { file.append(contentsOf: bytes([image, UInt64(0), UInt64(0), UInt64(0)])) }
    return file.bytes + rest
  }

  private static func image(_ commands: [[UInt8]]) -> [UInt8] {
    let head: [UInt32] = [
      0xfeed_facf, 0x100_000c, 0, 6, UInt32(commands.count), UInt32(commands.joined().count), 0, 0,
    ]
    return bytes(head) + commands.joined()
  }

  private static let uuidCommand = bytes([UInt32(0x1b), UInt32(24)]) + uuid

  /// A cache of one image with one table in `__LINKEDIT`, at the offset in the table's command.
  private static func cache(
    _ linkEdit: [UInt8], _ table: (_ place: UInt32) -> [UInt32]
  ) throws -> (directory: TemporaryDirectory, image: SharedCacheImage) {
    func segment(_ name: String, _ address: UInt64, _ size: Int, _ offset: UInt64) -> [UInt8] {
      var command = ByteBuilder()
      command.append(contentsOf: bytes([UInt32(0x19), UInt32(72)]))
      command.append(name, length: 16)
      command.append(
        contentsOf: bytes([address, UInt64(size), offset, UInt64(size), UInt64(0), UInt64(0)]))
      return command.bytes
    }
    let start = UInt64(listStart + 32)
    func all(_ place: UInt64) -> [UInt8] {
      image([
        uuidCommand, segment("__TEXT", base + start, 1 << 28, 0),
        segment("__LINKEDIT", base + place, linkEdit.count, place), bytes(table(UInt32(place))),
      ])
    }
    let place = start + UInt64(all(0).count)
    let directory = try TemporaryDirectory()
    try directory.write(cache(count: 1, all(place) + linkEdit), to: "cache")
    let path = directory.path("cache")
    let slice = try BinarySlice.first(in: path)
    return (directory, try SharedCacheImage(path: path, slice: slice))
  }

  @Test func packPathLengthIsLimited() throws {
    let count = 2000
    let names = 16 + 56 * count
    var file = ByteBuilder()
    file.append(contentsOf: SymbolPack.mark)
    file.append(UInt64(count))
    for number in 1...count {
      file.append(
        contentsOf: Self.bytes(
          [UInt64(number), UInt64(7), Self.base, UInt64(0x1000), UInt64(names)] + [UInt32(0), UInt32(names)]
            + [UInt32(names), UInt32(0)]))
    }
    let directory = try TemporaryDirectory()
    try directory.write(file.bytes + [UInt8](repeating: 0x6e, count: 1 << 16), to: "pack")
    let slices = try BinarySlice.all(in: directory.path("pack"))
    #expect(slices.count == count)
    let longest = slices.map { ($0.member ?? "").utf8.count + ($0.architecture?.rawValue ?? "").utf8.count }
      .max()
    #expect(longest.map { $0 <= 2048 } == true)
  }

  @Test func sharedLoadCommandsAreLimited() throws {
    let commands =
      [[UInt8]](repeating: Self.bytes([UInt32(0x30), UInt32(8)]), count: 4095) + [Self.uuidCommand]
    let directory = try TemporaryDirectory()
    try directory.write(Self.cache(count: 20_000, Self.image(commands)), to: "cache")
    #expect(try BinarySlice.all(in: directory.path("cache")).count == 1024)
  }

  /// Tens of thousands of nodes, each with an edge whose name continues to the end of the file.
  @Test func trieEdgeLengthIsLimited() throws {
    var trie: [UInt8] = []
    let (nodes, edges) = (300, 255)
    let size = 2 + 6 * edges
    func place(_ offset: Int) -> [UInt8] {
      (0..<4).map { UInt8(offset >> (7 * $0) & 0x7f) | ($0 < 3 ? 0x80 : 0) }
    }
    for node in 0..<nodes {
      trie += [0, UInt8(edges)]
      for edge in 0..<edges {
        let leaf = nodes * size + 3 * (node * edges + edge)
        trie += [0x61, 0] + place(edge == 0 ? (node + 1) * size : leaf)
      }
    }
    trie += [UInt8](repeating: 1, count: 3 * nodes * edges + 4 << 20)
    let (directory, image) = try Self.cache(trie) { [0x8000_0033, 16, $0, UInt32(trie.count)] }
    #expect(image.functions.map(\.name) == ["a"])
    withExtendedLifetime(directory) {}
  }

  @Test func manySymbolsAtOneAddress() throws {
    let count = 1 << 18
    let symbol = Self.bytes([UInt32(1), UInt32(0x1_0f), Self.base + 0x200])
    let names: [UInt8] = [0, 0x66, 0, 0]
    let tables = names + [[UInt8]](repeating: symbol, count: count).joined()
    let (directory, image) = try Self.cache(tables) { [0x2, 24, $0 + 4, UInt32(count), $0, 4] }
    let unnamed = (0..<50_000).filter {
      image.symbol(at: LinkedAddress(Self.base + 0x200 + UInt64($0)))?.name != "f"
    }
    #expect(unnamed.isEmpty)
    #expect(image.functions.count == 1)
    withExtendedLifetime(directory) {}
  }

  /// Half a megabyte that expands to a gigabyte: thousands of nested calls of a function with a long name.
  @Test func breakpadCallCountIsLimited() throws {
    let long = String(repeating: "f", count: 65_000)
    let head =
      "MODULE mac arm64 4C4C44ED55553144A1625A07DAE58C2C0 App\nFILE 0 /a.c\nINLINE_ORIGIN 0 \(long)\n"
    let calls = (0..<16_000).map { "INLINE \($0) 1 0 0 4000 1000\n" }
    let directory = try TemporaryDirectory()
    try directory.write(head + "FUNC 4000 1000 0 main\n" + calls.joined() + "4000 1000 1 0\n", to: "a.sym")
    let path = directory.path("a.sym")
    let read = try BreakpadFile(path: path, slice: try BinarySlice.first(in: path))
    let frames = read.frames(at: LinkedAddress(0x4010))
    #expect(frames.count == 1001 && frames.last?.linkageName == "main")
    #expect(frames.first?.linkageName == long)
  }

  @Test func manySymbolsAtOneAddressOfOtherFiles() throws {
    var builder = MachOBuilder()
    builder.segments = [.init("__TEXT", at: 0x1_0000_0000, size: 0x10_0000, isCode: true)]
    builder.symbols = [MachOBuilder.Symbol](repeating: .init("_f", at: 0x1_0000_1000), count: 1 << 18)
    let directory = try TemporaryDirectory()
    try directory.write(builder.file(), to: "file")
    let path = directory.path("file")
    let file = try DebugFile(path: path, slice: try BinarySlice.first(in: path))
    let unnamed = (0..<50_000).filter {
      file.symbol(at: LinkedAddress(0x1_0000_1000 + UInt64($0)))?.linkageName != "f"
    }
    #expect(unnamed.isEmpty)
  }
}

extension HostileSystemTests {
  /// A thousand functions with one line table, all of whose rows have the same address.
  @Test func gsymTableSizeIsLimited() throws {
    let count = 1000
    func file(rows: Int) -> [UInt8] {
      let (infos, strings) = (48 + 4 * count, 48 + 8 * count + 4)
      var file = ByteBuilder()
      file.append(
        contentsOf: GsymFile.mark + Self.bytes([UInt16(1), UInt8(4), UInt8(16), UInt64(0x1_0000_1000)]))
      file.append(contentsOf: Self.bytes([UInt32(count), UInt32(strings), UInt32(3)]) + Self.uuid)
      file.pad(to: 48)
      for number in 0..<count { file.append(UInt32(16 * number)) }
      for _ in 0..<count { file.append(UInt32(strings + 4)) }
      #expect(file.count == infos + 4 * count)
      file.append(contentsOf: Self.bytes([UInt32(0)]) + [0, 0x66, 0, 0])
      let lines: [UInt8] = [1, 1, 1] + [[UInt8]](repeating: [2, 0], count: rows).joined()
      file.append(contentsOf: Self.bytes([UInt32(16), UInt32(1), UInt32(1), UInt32(lines.count)]) + lines)
      file.append(contentsOf: [UInt8](repeating: 0, count: 8))
      return file.bytes
    }
    let directory = try TemporaryDirectory()
    for (rows, hasLines) in [(10, true), (1 << 18, false)] {
      try directory.write(file(rows: rows), to: "gsym")
      let path = directory.path("gsym")
      let read = try GsymFile(path: path, slice: try BinarySlice.first(in: path))
      for number in 0..<count {
        let address = LinkedAddress(0x1_0000_1008 + 16 * UInt64(number))
        guard read.symbol(at: address)?.name == "f", read.frames(at: address).isEmpty != hasLines else {
          Issue.record("\(number) of \(rows)")
          return
        }
      }
    }
  }
}
