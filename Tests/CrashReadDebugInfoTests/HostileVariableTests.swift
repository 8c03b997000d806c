import CCrashReadElfutils
import CrashReadCore
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

private let compiler = installedProgram("clang-19") ?? installedProgram("clang")

/// Debug files with wrong variables and types: they give fewer results, never a trap or a long wait.
@Suite("Variables of hostile debug files")
struct HostileVariableTests {
  private static let dsym = "symbols/NullNode.dSYM/Contents/Resources/DWARF/NullNode"

  /// The offset of the pointer or the `const` in `const struct node *`, in `.debug_info`.
  private func offset(of tag: Int, in slice: BinarySlice) throws -> Int {
    let file = try MappedFile(path: Samples.path(Self.dsym), headSize: ElfFacade.headSize)
    let handle = try DwarfHandle(file, slice: slice)
    var next = try unsafe DwarfEntry(in: #require(unsafe handle.dwarf), at: 11)?.firstChild
    // Of `const char *` it isn't.
    while let entry = next, entry.tag != tag || !leadsToStructure(entry) { next = entry.nextSibling }
    return Int(clamping: try #require(next).offset)
  }

  private func leadsToStructure(_ entry: DwarfEntry) -> Bool {
    guard let target = entry.reference(DW_AT_type) else { return false }
    if entry.tag == DW_TAG_const_type { return target.tag == DW_TAG_structure_type }
    return target.tag == DW_TAG_const_type && leadsToStructure(target)
  }

  /// The variables of the crashed function, after the type that an entry refers to was replaced by another.
  private func variables(patching tag: Int, toRefer target: (Int) -> Int) throws -> [Variable] {
    let path = Samples.path(Self.dsym)
    let slice = try #require(BinarySlice.all(in: path).first { $0.architecture == .x86_64 })
    let section = try #require(slice.sections.first { $0.name == ".debug_info" })
    let entry = try offset(of: tag, in: slice)
    var bytes = try Samples.bytes(Self.dsym)
    // One byte of code, and `DW_AT_type` in four bytes.
    let place = section.fileOffset + entry + 1
    let value = UInt32(target(entry))
    for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
    let directory = try TemporaryDirectory()
    try directory.write(bytes, to: "file")
    let file = try DebugFile(path: directory.path("file"), slice: slice)
    let context = VariableContext(registers: ["rdi": 0x1_0000, "rax": 0], faultAddress: 0x1_0018)
    let start = try #require(slice.codeRanges.first).lowerBound
    let found = (start.rawValue..<start.rawValue + 64).lazy.compactMap {
      file.variables(at: LinkedAddress($0), in: context).last
    }
    return try #require(found.first { !$0.isEmpty })
  }

  @Test func typeOfItself() throws {
    let list = try #require(try variables(patching: DW_TAG_const_type) { $0 }.first)
    #expect(list.type.contains("const const") && list.type.contains("…"))
    #expect(list.type.utf8.count < 300)
    #expect(list.value == .known("0x10000", pointer: 0x1_0000))
    #expect(list.faultMembers == [])
  }

  @Test func pointerToItself() throws {
    let list = try #require(try variables(patching: DW_TAG_pointer_type) { $0 }.first)
    #expect(list.type.utf8.count < 300)
  }

  @Test(arguments: [0, 1, 3, 10, 12, 14, 0x7fff_ffff])
  func invalidTypeReference(_ target: Int) throws {
    for tag in [DW_TAG_const_type, DW_TAG_pointer_type] {
      #expect(try variables(patching: tag) { _ in target }.allSatisfy { $0.faultMembers.isEmpty })
    }
  }

  /// A library made of one source; its functions' variables are in the registers of the calling convention.
  private func library(_ source: String, in directory: TemporaryDirectory) throws -> DebugFile {
    try directory.write(source, to: "source.c")
    let run = try CommandRun(
      program: #require(compiler),
      [
        "-target", "x86_64-linux-gnu", "-g", "-O1", "-shared", "-nostdlib", "-fPIC", "source.c", "-o", "file",
      ],
      in: directory)
    try #require(run.outcome == .exited(0), "\(run.errors)")
    return try DebugFile(path: directory.path("file"), slice: BinarySlice.all(in: directory.path("file"))[0])
  }

  private func firstFunction(_ file: DebugFile, _ context: VariableContext) throws -> [Variable] {
    let range = try #require(file.slice.codeRanges.first)
    let addresses = (range.lowerBound.rawValue..<range.upperBound.rawValue).map { LinkedAddress($0) }
    let address = try #require(addresses.first { !file.frames(at: $0).isEmpty })
    return try #require(file.variables(at: address, in: context).last)
  }

  @Test(.enabled(if: compiler != nil)) func memberLists() throws {
    func members(_ count: Int) -> String { (0..<count).map { "int m\($0);" }.joined() }
    let names = (0..<20_000).map { "e\($0)" }.joined(separator: ",")
    let directory = try TemporaryDirectory()
    let file = try library(
      """
      struct large {\(members(2000))}; struct huge {\(members(20_000))}; enum many {\(names)};
      int f(struct large *p, struct huge *q, enum many e) { return p->m7 + q->m7 + e; }
      """, in: directory)
    let first = try firstFunction(
      file,
      VariableContext(
        registers: ["rdi": 0x10_0000, "rsi": 0x20_0000, "rdx": 9], faultAddress: 0x10_0000 + 28))
    #expect(first[0].faultMembers.map(\.expression) == ["p->m7"])
    #expect(first[2].value == .known("e9", pointer: nil))
    // Beyond the limit on work there is no result.
    let second = try firstFunction(
      file, VariableContext(registers: ["rsi": 0x20_0000, "rdx": 19_999], faultAddress: 0x20_0000 + 28))
    #expect(second[1].faultMembers == [])
    #expect(second[2].value == .known("19999", pointer: nil))
  }

  @Test(.enabled(if: compiler != nil)) func unionsBitFieldsAndArrays() throws {
    let directory = try TemporaryDirectory()
    let file = try library(
      """
      struct point { int x, y; };
      struct shape {
        union { long count; double weight; struct point at; };
        unsigned flags : 3, kind : 5;
        struct point corners[2][3];
        char tail;
      };
      int f(struct shape *s, int *n, void *v, struct point (*g)(int)) { return s->tail + *n + !v + !g; }
      """, in: directory)
    func members(at offset: UInt64) throws -> [FaultMember] {
      let context = VariableContext(
        registers: ["rdi": 0x1_0000, "rsi": 0x2_0000, "rdx": 0x1_0000, "rcx": 0x1_0000],
        faultAddress: 0x1_0000 + offset)
      let variables = try firstFunction(file, context)
      #expect(variables.map(\.type) == ["struct shape *", "int *", "void *", "struct point (*)(int)"])
      #expect(variables.dropFirst(2).allSatisfy { $0.faultMembers.isEmpty })
      return variables[0].faultMembers + variables[1].faultMembers
    }
    #expect(try members(at: 0).map(\.expression) == ["s->count", "s->weight", "s->at.x"])
    #expect(try members(at: 0).allSatisfy { !$0.isExact })
    #expect(try members(at: 4).map(\.expression) == ["s->at.y"])
    #expect(try members(at: 8).map(\.expression) == ["s->flags", "s->kind"])
    #expect(try members(at: 9).allSatisfy { !$0.isExact })
    #expect(try members(at: 12 + 8 * 5 + 4).map(\.expression) == ["s->corners[1][2].y"])
    #expect(try members(at: 12 + 48).map(\.expression) == ["s->tail"])
    #expect(try members(at: 14) == [])  // in the middle of a member
    #expect(try members(at: 61) == [])  // padding
    #expect(try members(at: 64) == [])  // after the structure
    #expect(try members(at: 0x1_0000).map(\.expression) == ["*n"])
    #expect(try members(at: 0x1_0001) == [])
  }

  /// Observed in Swift 6.3: offsets of members that ignore alignment. Members after such a member aren't named.
  @Test func impossibleSwiftOffsets() throws {
    let path = Samples.path("symbols/VarsSwift.dSYM/Contents/Resources/DWARF/VarsSwift")
    let file = try DebugFile(path: path, slice: BinarySlice.all(in: path)[0])
    let range = try #require(file.slice.codeRanges.first)
    let address = try #require(
      stride(from: range.lowerBound.rawValue, to: range.upperBound.rawValue, by: 4).map { LinkedAddress($0) }
        .first { file.frames(at: $0).first?.function == "weighOdd(_:)" })
    for offset: UInt64 in [0, 8, 9, 12] {
      let context = VariableContext(registers: ["x0": 0x1_0000], faultAddress: 0x1_0000 + offset)
      let item = try #require(file.variables(at: address, in: context).first?.first)
      #expect(item.type == "UnsafePointer<OddItem>")
      #expect(item.value == .known("0x10000", pointer: 0x1_0000))
      #expect(item.faultMembers == [])
    }
  }

  @Test(
    "end a run with status 0 or 1", arguments: ["vars-c-O2", "vars-cpp-O2", "cpp-inline", "vars-swift-O"])
  func damaged(_ name: String) throws {
    let bytes = try Samples.bytes("symbols/\(name).debug")
    let directory = try TemporaryDirectory()
    try directory.write(try Samples.bytes("reports/text/\(name).crash"), to: "report")
    var random = SeededRandom(seed: 3)
    for variant in 0..<(testsEverything ? 40 : 10) {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...16, using: &random) {
        // The header and the identity stay intact, so that the file is used.
        changed[Int.random(in: 0x400..<bytes.count, using: &random)] =
          [0, 0xff, .random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
      }
      try directory.write(changed, to: "file")
      let run = try CommandRun(
        program: builtProgram("crashread"), ["--variables", "report", "file"], in: directory)
      #expect([.exited(0), .exited(1)].contains(run.outcome), "variant \(variant): \(run.errors)")
    }
  }
}
