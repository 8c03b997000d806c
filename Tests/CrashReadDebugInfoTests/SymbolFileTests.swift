import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// Breakpad's and GSYM's files, compared with the debug files from which they were made.
@Suite struct SymbolFileTests {
  private static let gsymutil = ["llvm-gsymutil", "llvm-gsymutil-19"].lazy.compactMap(program).first

  private static func program(_ name: String) -> URL? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.lazy.map { URL(filePath: "\($0)/\(name)") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// What both kinds of files keep of a frame: no columns.
  private struct Kept: Equatable {
    var function: String?
    var file: String?
    var line: Int?
    var isInlined: Bool
    var entry: UInt64?

    init(_ frame: SourceFrame, base: UInt64 = 0) {
      function = frame.function
      (file, line) = (frame.location?.file, frame.location?.line)
      isInlined = frame.isInlined
      entry = frame.entry.map { $0.rawValue &- base }
    }
  }

  /// Addresses of all code, and the debug file's results for those that DWARF covers.
  private func chains(
    _ path: String
  ) throws -> (slice: BinarySlice, chains: [(address: UInt64, frames: [SourceFrame])]) {
    let slice = try BinarySlice.first(in: path)
    let file = try DebugFile(path: path, slice: slice)
    let step = slice.architecture?.isARM64 == true ? 4 : 1
    let addresses = slice.codeRanges.flatMap { range in
      stride(from: range.lowerBound.rawValue, to: range.upperBound.rawValue, by: step).map {
        LinkedAddress($0)
      }
    }
    let frames = file.frames(at: addresses)
    let covered = zip(addresses, frames).filter {
      $1.last?.entry != nil && $1.allSatisfy { $0.function != nil }
    }
    return (slice, covered.map { ($0.rawValue, $1) })
  }

  @Test(
    arguments: Samples.symbols.filter {
      $0.hasSuffix("cpp-inline.debug") || $0.hasSuffix("/HogeApp") || $0.hasSuffix("vars-swift-O.debug")
    })
  func breakpadAgreesWithTheDebugFile(_ name: String) throws {
    let (slice, chains) = try chains(Repository.root.appending(path: name).path)
    let base = slice.linkedBase.rawValue
    let directory = try TemporaryDirectory()
    try directory.write(breakpadFile(slice, chains), to: "App.sym")
    let path = directory.path("App.sym")
    let own = try BinarySlice.first(in: path)
    #expect((own.id, own.architecture, own.layout) == (slice.id, slice.architecture, .breakpad))
    let file = try DebugFile(path: path, slice: own)
    #expect(chains.count > 100)
    let addresses = chains.map { LinkedAddress($0.address &- base) }
    for (found, expected) in zip(file.frames(at: addresses), chains) {
      #expect(found.map { Kept($0) } == expected.frames.map { Kept($0, base: base) }, "\(expected.address)")
    }
    // The same one by one, and in any order.
    for address in [addresses.last, addresses.first, addresses[addresses.count / 2]].compactMap(\.self) {
      #expect(!file.frames(at: address).isEmpty)
    }
  }

  @Test(
    .enabled(if: gsymutil != nil, "llvm-gsymutil isn't installed"),
    arguments: Samples.symbols.filter { $0.hasSuffix("cpp-inline.debug") || $0.hasSuffix("/HogeApp") })
  func gsymAgreesWithTheDebugFile(_ name: String) throws {
    let source = Repository.root.appending(path: name).path
    let (slice, chains) = try chains(source)
    let directory = try TemporaryDirectory()
    let made = try CommandRun(
      program: try #require(Self.gsymutil), ["--convert", source, "-o", directory.path("App.gsym")],
      in: directory)
    #expect(made.outcome == .exited(0), "\(made.errors)")
    let own = try BinarySlice.first(in: directory.path("App.gsym"))
    #expect((own.id, own.linkedBase, own.layout) == (slice.id, slice.linkedBase, .gsym))
    let file = try DebugFile(path: directory.path("App.gsym"), slice: own)
    var count = 0
    for (address, expected) in chains {
      let found = file.frames(at: LinkedAddress(address))
      // If both names are known, that of the symbol table is used; only DWARF's have parameters.
      #expect(found.map(\.isInlined) == expected.map(\.isInlined), "\(address)")
      for (frame, other) in zip(found, expected) {
        // Compiler-generated code has no folder.
        if frame.location?.file != "/<compiler-generated>" {
          #expect(frame.location?.file == other.location?.file, "\(address)")
        }
        // Line 0 is `no line`, for which a look-up in DWARF goes back to the last one.
        if let line = frame.location?.line { #expect(line == other.location?.line, "\(address)") }
      }
      #expect(found.last?.entry == expected.last?.entry, "\(address)")
      count += 1
    }
    #expect(count > 100)
  }

  @Test func breakpadReadsRecordsInAnyOrder() throws {
    let text = """
      MODULE mac arm64 4C4C44ED55553144A1625A07DAE58C2C0 Some Framework
      FILE 0 /src/a.mm
      INLINE_ORIGIN 0 base::Check(bool)
      PUBLIC m 30 0 exported
      FUNC m 10 10 0 first(int, char const*)
      INLINE 0 7 0 0 14 4 1c 4
      10 8 5 0
      18 8 6 0
      FUNC 40 8 0 _ZN4last3runEv
      STACK CFI INIT 10 10 .cfa: sp 0 +
      PUBLIC 10 0 not_this
      """
    let directory = try TemporaryDirectory()
    try directory.write(text, to: "a.sym")
    let slice = try BinarySlice.first(in: directory.path("a.sym"))
    #expect(slice.id?.description == "4C4C44ED-5555-3144-A162-5A07DAE58C2C")
    let file = try DebugFile(path: directory.path("a.sym"), slice: slice)
    func lines(_ address: UInt64) -> [String] {
      file.frames(at: LinkedAddress(address)).map {
        "\($0.function ?? "?") \($0.location?.description ?? "-")"
      }
    }
    #expect(lines(0x10) == ["first(int, char const*) a.mm:5"])
    #expect(lines(0x15) == ["base::Check(bool) a.mm:5", "first(int, char const*) a.mm:7"])
    #expect(lines(0x18) == ["first(int, char const*) a.mm:6"])
    #expect(lines(0x1f) == ["base::Check(bool) a.mm:6", "first(int, char const*) a.mm:7"])
    #expect(lines(0x20).isEmpty && lines(0x44).isEmpty)
    #expect(file.symbol(at: LinkedAddress(0x20)) == nil, "between two functions")
    #expect(file.symbol(at: LinkedAddress(0x3f))?.function == "exported")
    #expect(file.symbol(at: LinkedAddress(0x44))?.function == "last::run()")
    #expect(file.symbol(at: LinkedAddress(0x48)) == nil)
    #expect(file.functions.map(\.address) == [0x10, 0x30, 0x40])
  }

  /// `Tests/SharedCache/symcache.py` compares with symbolic's own look-ups.
  @Test(arguments: [7, 8, 9] as [UInt32])
  func symCacheOfEachVersion(_ version: UInt32) throws {
    let directory = try TemporaryDirectory()
    try directory.write(SymCacheBuilder.example(version: version).file(), to: "a.symcache")
    let slice = try BinarySlice.first(in: directory.path("a.symcache"))
    #expect((slice.id?.bytes, slice.architecture?.rawValue) == (Array(1...16), "arm64"))
    let file = try DebugFile(path: directory.path("a.symcache"), slice: slice)
    func lines(_ address: UInt64) -> [String] {
      file.frames(at: LinkedAddress(address)).map {
        "\($0.function ?? "?") \($0.location?.file ?? "-"):\($0.location?.line ?? 0)\($0.isInlined ? " inlined" : "")"
      }
    }
    #expect(lines(0x0fff).isEmpty)
    #expect(lines(0x1000) == ["run(Cart*) /src/App/a.swift:5"])
    #expect(lines(0x101f) == ["Cart::total() /usr/include/v.h:40 inlined", "run(Cart*) /src/App/a.swift:7"])
    #expect(lines(0x1020) == ["run(Cart*) b.c:0"])
    #expect(lines(0x1030).isEmpty && lines(0x1100).isEmpty)
    #expect(file.symbol(at: LinkedAddress(0x1040)) == nil, "no code")
    #expect(file.symbol(at: LinkedAddress(0x1108))?.function == "start")
    #expect(file.symbol(at: LinkedAddress(0x1108))?.symbolOffset == 8)
    #expect(file.functions.map(\.address) == [0x1000, 0x1100])
  }

  @Test func damagedSymCachesAreRejected() throws {
    let directory = try TemporaryDirectory()
    let whole = SymCacheBuilder.example(version: 8).file()
    for count in stride(from: 0, to: whole.count, by: 3) {
      try directory.write(Array(whole.prefix(count)), to: "a")
      if let slice = try? BinarySlice.all(in: directory.path("a")).first {
        let file = try DebugFile(path: directory.path("a"), slice: slice)
        for address in [0x1000, 0x1010, 0x1020, 0x1100] {
          _ = file.frames(at: LinkedAddress(UInt64(address)))
        }
      }
    }
    try directory.write(SymCacheBuilder.example(version: 6).file(), to: "old")
    #expect(throws: DebugFileError.unsupported("version 6 of SymCache")) {
      try BinarySlice.all(in: directory.path("old"))
    }
  }

  @Test func buildIDOfELFIsTheCodeID() throws {
    let directory = try TemporaryDirectory()
    let head = "MODULE Linux x86_64 5245356F28277BE1323F6DB54AFCA9C10 app\n"
    try directory.write(
      head + "INFO CODE_ID 6F35E4522728FBE1323F6DB54AFCA9C1CF6DAAC6\nPUBLIC 10 0 f\n", to: "app.sym")
    let slice = try BinarySlice.first(in: directory.path("app.sym"))
    #expect(slice.id?.description == "6f35e4522728fbe1323f6db54afca9c1cf6daac6")
  }

  @Test(arguments: ["MODULE PROCEDURE solve(x)\n", "MODULE mac arm64 123 App\n", "MODULE "])
  func otherTextIsRejected(_ text: String) throws {
    let directory = try TemporaryDirectory()
    try directory.write(text + "      end module\n", to: "a")
    #expect(throws: DebugFileError.unrecognised) { try BinarySlice.all(in: directory.path("a")) }
  }
}

/// A Breakpad file with a debug file's results for each address.
private func breakpadFile(
  _ slice: BinarySlice, _ chains: [(address: UInt64, frames: [SourceFrame])]
) -> String {
  let base = slice.linkedBase.rawValue
  let step: UInt64 = slice.architecture?.isARM64 == true ? 4 : 1
  let digits = (slice.id?.bytes ?? []).prefix(16).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    .joined()
  var files: [String] = []
  var origins: [String] = []
  func number(_ text: String, in list: inout [String]) -> Int {
    if let known = list.firstIndex(of: text) { return known }
    list.append(text)
    return list.count - 1
  }
  func place(_ location: CrashReadDebugInfo.SourceLocation?) -> String {
    location.map { "\($0.line ?? 0) \(number($0.file, in: &files))" } ?? "0 999999"
  }
  func hex(_ value: UInt64) -> String { String(value, radix: 16) }
  var body: [String] = []
  for (function, members) in Dictionary(grouping: chains, by: { $0.frames.last?.entry?.rawValue ?? 0 }) {
    let end = (members.map(\.address).max() ?? 0) + step
    let name = members[0].frames.last.flatMap { $0.linkageName ?? $0.function } ?? ""
    body.append("FUNC \(hex(function - base)) \(hex(end - function)) 0 \(name)")
    for (address, frames) in members {
      for (level, frame) in frames.dropLast().reversed().enumerated() {
        let call = frames[frames.count - 1 - level].location
        let origin = number(frame.linkageName ?? frame.function ?? "", in: &origins)
        body.append("INLINE \(level) \(place(call)) \(origin) \(hex(address - base)) \(hex(step))")
      }
      body.append("\(hex(address - base)) \(hex(step)) \(place(frames[0].location))")
    }
  }
  return
    ([
      "MODULE mac \(slice.architecture?.rawValue ?? "") \(digits)0 App",
      "INFO CODE_ID \(slice.id?.description.filter { $0 != "-" } ?? "")",
    ]
    + files.enumerated().map { "FILE \($0) \($1)" } + origins.enumerated().map { "INLINE_ORIGIN \($0) \($1)" }
    + body).joined(separator: "\n") + "\n"
}
