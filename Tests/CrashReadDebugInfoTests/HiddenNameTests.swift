import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// Names that Apple's bitcode compiler hid, compared with the same program compiled without hiding.
@Suite("Hidden names")
struct HiddenNameTests {
  private static let dSYM = "dSYMs/Ledger.app.dSYM"
  private static let binary = dSYM + "/Contents/Resources/DWARF/Ledger"
  private static let uuid = "11111111-2222-3333-4444-555555555555"
  private static let map = "BCSymbolMaps/\(uuid).bcsymbolmap"

  private func copy() throws -> TemporaryDirectory { try TemporaryDirectory(copyOf: "variants/hidden") }

  /// All addresses of the code, and what a file says of them.
  private func answers(_ file: DebugFile) -> [[SourceFrame]] {
    file.slice.codeAddresses.map { file.frames(at: $0) }
  }

  private func symbols(_ file: DebugFile) -> [String?] {
    file.slice.codeAddresses.map { file.symbol(at: $0)?.function }
  }

  @Test(
    "are replaced by those of the symbol map, wherever it is and whichever UUID names it",
    arguments: [
      "", "mv \(map) dSYMs", "mkdir dSYMs/BCSymbolMaps && mv \(map) dSYMs/BCSymbolMaps",
      "mv \(map) \(dSYM)/Contents/Resources", "mv \(binary) . && mv \(map) NEW",
      "mv \(map) dSYMs/NEW && rm \(dSYM)/Contents/Resources/*.plist",
      "sed -i 's/2.0/1.0/; s/$/\\r/' \(map)",
    ])
  func revealed(_ script: String) throws {
    let directory = try copy()
    let truth = try DebugFile(firstIn: directory.path("Ledger.dwarf"))
    let id = try #require(BinarySlice.all(in: directory.path(Self.binary)).first?.id?.description)
    let run = try CommandRun(
      program: URL(filePath: "/bin/sh"), ["-ec", script.replacing("NEW", with: id + ".bcsymbolmap")],
      in: directory)
    try #require(run.outcome == .exited(0), "\(run.errors)")
    let isMoved = FileManager.default.fileExists(atPath: directory.path("Ledger"))
    let file = try DebugFile(firstIn: directory.path(isMoved ? "Ledger" : Self.binary))
    #expect(answers(file) == answers(truth))
    #expect(symbols(file) == symbols(truth))
    #expect(file.missingParts.isEmpty)
    #expect(
      answers(truth).joined().contains { $0.function == "bank::twice(bank::Ledger&, int)" && $0.isInlined })
    #expect(symbols(truth).contains("audit"))
  }

  @Test(
    "are those that dsymutil inserts", .enabled(if: dsymutil != nil, "skipped: no dsymutil of LLVM 14 to 17"))
  func oracle() throws {
    let directory = try copy()
    let program = try #require(dsymutil)
    let run = try CommandRun(
      program: program, ["--symbol-map", directory.path(Self.map), directory.path(Self.dSYM)], in: directory)
    try #require(run.outcome == .exited(0), "\(run.errors)")
    let told = try DebugFile(firstIn: directory.path(Self.binary))
    let file = try DebugFile(firstIn: Samples.path("variants/hidden/" + Self.binary))
    #expect(answers(file) == answers(told))
    #expect(answers(told).joined().contains { $0.function == "bank::twice(bank::Ledger&, int)" })
  }

  @Test(
    "aren't shown without a usable map",
    arguments: [
      ("rm \(map)", "stat: No such file or directory"),
      (
        "echo 'BCSymbolMap Version: 3.0' > \(map)",
        "a symbol map that begins 'BCSymbolMap Version: 3.0' is not supported"
      ),
      (": > \(map)", "a symbol map that begins '' is not supported"),
      ("rm \(map) && mkdir \(map)", "not a regular file"),
    ])
  func hidden(_ script: String, _ reason: String) throws {
    let directory = try copy()
    let run = try CommandRun(program: URL(filePath: "/bin/sh"), ["-ec", script], in: directory)
    try #require(run.outcome == .exited(0), "\(run.errors)")
    let file = try DebugFile(firstIn: directory.path(Self.binary))
    let answers = answers(file)
    #expect(Set(answers.joined().map(\.function)) == [nil, "main"])
    #expect(answers.joined().allSatisfy { $0.location == nil })
    #expect(answers.contains { $0.count == 2 && $0[0].isInlined }, "the inlined calls are still there")
    #expect(Set(symbols(file)) == [nil, "main"])
    #expect(file.missingParts.map(\.kind) == [.symbolMap])
    #expect(file.missingParts[0].error?.description == reason)
  }

  @Test("are replaced as far as a truncated map has them")
  func cutMap() throws {
    let directory = try copy()
    let lines = try directory.read(Self.map).split(separator: "\n").prefix(4).joined(separator: "\n")
    try directory.write(lines, to: Self.map)  // up to 'audit'
    let functions = Set(answers(try DebugFile(firstIn: directory.path(Self.binary))).joined().map(\.function))
    #expect(functions == [nil, "main", "audit"])
  }

  @Test("of variables are replaced, or the variable is left out")
  func variables() throws {
    let directory = try copy()
    func names() throws -> Set<String> {
      let file = try DebugFile(firstIn: directory.path(Self.binary))
      let variables = file.slice.codeAddresses.flatMap { file.variables(at: $0, in: VariableContext()) }
      return Set(variables.joined().map { $0.name + ": " + $0.type })
    }
    #expect(try names().isSuperset(of: ["amount: int", "argc: int"]))
    try directory.write("BCSymbolMap Version: 2.0\n", to: Self.map)
    #expect(try names().isEmpty)
  }

  @Test("are nil for invalid numbers; components of paths are replaced too")
  func forms() throws {
    let directory = try copy()
    let id = try #require(BinarySlice.all(in: directory.path(Self.binary)).first?.id)
    let names = HiddenNames(of: directory.path(Self.binary), id)
    #expect(names.revealed("__hidden#2_") == "audit")
    #expect(names.revealed("__hidden#99999999999999999999_") == nil)
    #expect(names.revealed("__hidden#-1_") == nil)
    #expect(names.revealed("__hidden#_") == nil)
    #expect(names.revealed("hidden#2_") == "hidden#2_")
    #expect(names.revealed(path: "/src/__hidden#0_") == "/src/ledger.cpp")
    #expect(names.revealed(path: "/src/__hidden#1_/__hidden#0_") == "/Users/dev/Hidden/ledger.cpp")
    #expect(names.revealed(path: "/src/a#b") == "/src/a#b")
    #expect(names.revealed(path: "/src/__hidden#77_/a.c") == nil)
  }

  @Test("prevent a cache, since it would outlive the map")
  func noCache() throws {
    let directory = try copy()
    let caches = CacheDirectory(path: directory.path("caches"))
    let path = directory.path(Self.binary)
    let slice = try BinarySlice.first(in: path)
    #expect(throws: DebugFileError.unsupported("a file with hidden names")) {
      try caches.makeCache(of: path, slice)
    }
    let plain = directory.path("Ledger.dwarf")
    #expect(try caches.makeCache(of: plain, BinarySlice.first(in: plain)))
  }
}

/// Another one, which still has `--symbol-map`.
private let dsymutil = (14...17).lazy.compactMap { installedProgram("dsymutil-\($0)") }.first
