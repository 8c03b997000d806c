import CrashReadCore
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

private let tools = ["gcc", "dwz"].allSatisfy { installedProgram($0) != nil }

/// Files on which a debug file depends, and the effect of missing and wrong ones.
@Suite("Files beside debug files", .enabled(if: tools, "skipped: no gcc or no dwz"))
struct RelatedFileTests {
  private static let source = """
    volatile int sink;
    static inline __attribute__((always_inline)) int inner(int x) { return x * sink + 3; }
    __attribute__((noinline)) int outer(int x) { return inner(x) ^ inner(x + sink); }
    int main(int argc, char **argv) { return outer(argc) + argv[0][0]; }
    """

  private func run(_ script: String, in directory: TemporaryDirectory) throws {
    try directory.write(Self.source, to: "a.c")
    let run = try CommandRun(program: URL(filePath: "/bin/sh"), ["-ec", script], in: directory)
    try #require(run.outcome == .exited(0), "\(run.errors)")
  }

  private func open(_ directory: TemporaryDirectory) throws -> DebugFile {
    try DebugFile(firstIn: directory.path("prog"))
  }

  /// All chains of names in the code, and whether lines are known.
  private func answers(_ file: DebugFile) -> (names: Set<[String]>, hasLines: Bool) {
    let frames = file.slice.codeAddresses.map { file.frames(at: $0) }
    let inlined = frames.filter { $0.count > 1 }.map { $0.map { $0.function ?? "?" } }
    return (Set(inlined), frames.contains { $0.first?.location?.line == 3 })
  }

  /// What replaces the file.
  enum Replacement: CaseIterable {
    case nothing, directory, pipe, circle, text, itself, otherBuild

    var script: String {
      switch self {
      case .nothing: "rm $F"
      case .directory: "rm $F && mkdir $F"
      case .pipe: "rm $F && mkfifo $F"
      case .circle: "rm $F && ln -s $F $F"
      case .text: "echo nothing > $F"
      case .itself: "cp prog $F"
      case .otherBuild: "cp other $F"
      }
    }
  }

  private static let split = "gcc -g -gsplit-dwarf -O2 -c a.c && gcc a.o -o prog"

  @Test("a split unit's file gives names and inlined calls, in place and moved with the program")
  func splitUnit() throws {
    for script in [
      "",
      "mkdir sub && mv a.c sub && cd sub && gcc -g -gsplit-dwarf -O2 -c a.c && gcc a.o -o ../prog && mv a.dwo ..",
    ] {
      let directory = try TemporaryDirectory()
      try run(script.isEmpty ? Self.split : script, in: directory)
      let file = try open(directory)
      #expect(answers(file).names.contains(["inner", "outer"]))
      #expect(file.missingParts.isEmpty)
    }
  }

  @Test("without a split unit's file there are only lines and a note", arguments: Replacement.allCases)
  func noSplitUnit(_ replacement: Replacement) throws {
    let directory = try TemporaryDirectory()
    try run(
      Self.split
        + " && cp a.dwo kept && gcc -DX=1 -g -gsplit-dwarf -O1 -c a.c -o b.o && mv b.dwo other && F=a.dwo && "
        + replacement.script, in: directory)
    let file = try open(directory)
    #expect(file.missingParts.isEmpty, "nobody has asked for anything")
    let answers = answers(file)
    #expect(answers.names.isEmpty)
    #expect(answers.hasLines)
    let part = try #require(file.missingParts.first)
    #expect(file.missingParts.count == 1)
    #expect(part.kind == .splitUnit)
    #expect(part.path.hasSuffix("a.dwo"))
    #expect(part.isAbsent == (replacement == .nothing))
  }

  @Test func notesDoNotRevealOtherFiles() throws {
    let directory = try TemporaryDirectory()
    let name = String(repeating: "a", count: 150)
    try run(
      "cp a.c \(name).c && gcc -g -gsplit-dwarf -O2 -c \(name).c && gcc \(name).o -o program && mkdir folder private",
      in: directory)
    try directory.write("secret", to: "private/secret")
    let program = Data(try directory.bytes("program"))
    var notes: Set<String> = []
    for named in ["private/secret", "private/absent", "private", "program/x"] {
      var changed = program
      let path = directory.path(named)
      let place = Data((String(repeating: "/", count: name.count + 4 - path.utf8.count) + path).utf8)
      while let range = changed.range(of: Data((name + ".dwo").utf8)) {
        changed.replaceSubrange(range, with: place)
      }
      try directory.write(Array(changed), to: "folder/prog")
      let slice = try BinarySlice.first(in: directory.path("folder/prog"))
      let file = try DebugFile(path: directory.path("folder/prog"), slice: slice)
      #expect(!answers(file).hasLines || !file.missingParts.isEmpty)
      let part = try #require(file.missingParts.first)
      #expect(part.path.hasSuffix(named))
      notes.insert(part.description)
    }
    #expect(notes.count == 1, "\(notes)")
  }

  private static let dwz = """
    gcc -g -O2 a.c -o prog && cp prog again && gcc -g -O1 -Wl,--build-id a.c -o other
    dwz -m common.dwz -M common.dwz prog again
    """

  /// dwz moves only what saves space, so the source repeats the same at length.
  private func runDwz(_ script: String, in directory: TemporaryDirectory) throws {
    try run(Self.dwz + "\n" + script, in: directory)
  }

  @Test("names come from dwz's alternate file")
  func alternate() throws {
    let directory = try TemporaryDirectory()
    try runDwz("", in: directory)
    let file = try open(directory)
    #expect(file.slice.alternate?.path == "common.dwz")
    #expect(answers(file).names.contains(["inner", "outer"]))
    #expect(file.missingParts.isEmpty)
  }

  @Test(
    "without dwz's alternate file there are inline chains without names, and a note",
    arguments: Replacement.allCases)
  func noAlternate(_ replacement: Replacement) throws {
    let directory = try TemporaryDirectory()
    try runDwz("F=common.dwz && " + replacement.script, in: directory)
    let file = try open(directory)
    let answers = answers(file)
    #expect(answers.hasLines)
    #expect(!answers.names.isEmpty)
    #expect(answers.names.allSatisfy { $0.allSatisfy { ["inner", "outer", "main", "?"].contains($0) } })
    let part = try #require(file.missingParts.first)
    #expect(part.kind == .alternate)
    #expect(part.isAbsent == (replacement == .nothing))
  }

  @Test(
    "a damaged related file gives answers or notes",
    arguments: ["a.dwo", "common.dwz", "prog.dwp"])
  func damaged(_ name: String) throws {
    if name == "prog.dwp", installedProgram("dwp") == nil { try Test.cancel("skipped: no dwp") }
    let directory = try TemporaryDirectory()
    if name == "common.dwz" {
      try runDwz("", in: directory)
    } else {
      let package = name == "prog.dwp" ? " && dwp -e prog && rm a.dwo" : ""
      try run(Self.split.replacing("-gsplit", with: "-gdwarf-4 -gsplit") + package, in: directory)
    }
    let bytes = try directory.bytes(name)
    var random = SeededRandom(seed: 11)
    for _ in 0..<150 {
      var changed = bytes
      for _ in 0..<Int.random(in: 1...16, using: &random) {
        changed[.random(in: 0..<changed.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      try directory.write(changed, to: name)
      // The built program reads them, so that a crash inside libdw ends the program and not the tests.
      let run = try CommandRun.crashread(
        ["lookup", directory.path("prog"), "--addresses", "-"],
        input: stride(from: 0x1000, to: 0x1200, by: 7).map { String($0, radix: 16) }.joined(separator: "\n"))
      #expect(run.outcome == .exited(0) || run.outcome == .exited(1), "\(run.errors)")
    }
  }
}
