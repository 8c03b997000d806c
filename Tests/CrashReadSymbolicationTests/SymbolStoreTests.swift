import CrashReadCore
import CrashReadDebugInfo
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadSymbolication

@Suite("Locations of debug files")
struct SymbolStoreTests {
  /// Paths below a directory, in order.
  private func found(_ store: SymbolStore, in directory: TemporaryDirectory) -> [String] {
    store.candidates.map { String($0.path.dropFirst(directory.url.path.utf8.count + 1)) }
  }

  @Test("a bundle stands for the binary inside it", arguments: ["", "/"])
  func bundle(_ ending: String) throws {
    let store = SymbolStore(searching: [Samples.path("symbols/HogeApp.app.dSYM") + ending])
    try #require(store.candidates.count == 1)
    #expect(store.problems.isEmpty)
    #expect(store.candidates[0].path.hasSuffix("HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp"))
    #expect(store.candidates(named: "HogeApp").count == 1)
  }

  @Test func bundleNamesItsBinary() throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("Shop.app.dSYM/Contents/Resources/DWARF")
    try directory.write(
      Samples.bytes("symbols/c-abort.debug"), to: "Shop.app.dSYM/Contents/Resources/DWARF/main")
    let store = SymbolStore(searching: [directory.url.path])
    #expect(store.candidates(named: "Shop").count == 1)
    #expect(store.candidates(named: "main").count == 1)
    #expect(store.candidates(named: "Shop.app").isEmpty)
  }

  @Test func fatFileHasOneCandidatePerSlice() {
    let store = SymbolStore(searching: [Samples.path("symbols/NullNode.dSYM")])
    #expect(Set(store.candidates.map { $0.slice.architecture?.rawValue }) == ["x86_64", "arm64"])
  }

  @Test func sliceIsExcludedAlone() throws {
    let store = SymbolStore(searching: [Samples.path("symbols/NullNode.dSYM")])
    var refusals = SymbolStore.Refusals()
    let bad = try #require(store.candidates.first)
    refusals.reasons[BinaryName(path: bad.path, id: bad.slice.id)] = "it ended a worker"
    store.refuse(refusals)
    for candidate in store.candidates {
      let isRefused = (try? store.open(candidate).get()) == nil
      #expect(isRefused == (candidate == bad))
    }
  }

  @Test func directoriesAreSearchedRecursively() throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("a/b/c")
    try directory.write(Samples.bytes("symbols/c-abort.debug"), to: "a/b/c/deep")
    try directory.write("no binary", to: "a/readme.txt")
    try directory.write("", to: "a/empty")
    let store = SymbolStore(searching: [directory.url.path])
    #expect(found(store, in: directory) == ["a/b/c/deep"])
    #expect(store.problems.isEmpty)
  }

  @Test(
    "every layout is searched",
    arguments: [
      "My.xcarchive/dSYMs/Shop.app.dSYM/Contents/Resources/DWARF/Shop",
      "4C4C44ED-5555-3144-A162-5A07DAE58C2C.dSYM/Contents/Resources/DWARF/Shop",
      "DerivedData/Shop-abc/Build/Products/Debug-iphonesimulator/Shop.app.dSYM/Contents/Resources/DWARF/Shop",
      ".build/x86_64-unknown-linux-gnu/debug/Shop", ".build-id/4c/4c44ed555531.debug",
      String(repeating: "d/", count: 60) + "Shop",
    ])
  func layouts(_ path: String) throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory(path.split(separator: "/").dropLast().joined(separator: "/"))
    try directory.write(Samples.bytes("symbols/c-abort.debug"), to: path)
    #expect(found(SymbolStore(searching: [directory.url.path]), in: directory) == [path])
  }

  @Test func damagedBinariesInDirectoriesAreOnlyNoted() throws {
    let directory = try TemporaryDirectory()
    try directory.write(Samples.bytes("symbols/c-abort.debug"), to: "good")
    try directory.write(Array(Samples.bytes("symbols/c-abort.debug").prefix(100)), to: "cut")
    let store = SymbolStore(searching: [directory.url.path])
    #expect(store.problems.isEmpty)
    #expect(store.damaged.map(\.path) == [directory.path("cut")])
    #expect(found(store, in: directory) == ["good"])
  }

  @Test func duplicatePathCountsOnce() throws {
    let path = Samples.path("symbols/c-abort.debug")
    #expect(SymbolStore(searching: [path, path]).candidates.count == 1)
  }

  @Test func linksAreFollowed() throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("real")
    try directory.makeDirectory("search")
    try directory.write(Samples.bytes("symbols/c-abort.debug"), to: "real/file")
    try directory.link("search/link", to: "../real")
    try directory.link("search/broken", to: "nowhere")
    let store = SymbolStore(searching: [directory.path("search")])
    #expect(found(store, in: directory) == ["search/link/file"])
    #expect(store.problems.isEmpty)
  }

  @Test("cyclic links terminate", arguments: [["one"], ["one", "two", "three"]])
  func circles(_ names: [String]) throws {
    let directory = try TemporaryDirectory()
    try directory.write(Samples.bytes("symbols/c-abort.debug"), to: "file")
    for name in names { try directory.link(name, to: ".") }
    let run = try CommandRun(
      program: builtProgram("crashread"), ["lookup", directory.url.path, "0x1234"])
    #expect(run.outcome == .exited(0))
    #expect(found(SymbolStore(searching: [directory.url.path]), in: directory) == ["file"])
  }

  @Test func nestedPathIsNoProblem() {
    let paths = [Samples.path("symbols"), Samples.path("symbols/HogeApp.app.dSYM"), Samples.path("symbols")]
    let store = SymbolStore(searching: paths)
    #expect(store.problems.isEmpty)
    #expect(store.candidates(named: "HogeApp").count == 1)
  }

  @Test(
    "unusable paths are reported",
    arguments: [
      ("text", "neither a Mach-O nor an ELF file"), ("empty", "the file is empty"),
      ("absent", "stat: No such file or directory"), ("folder", "contains no Mach-O or ELF file"),
      ("cut", "damaged: a header is truncated or inconsistent at byte"),
    ])
  func problems(_ name: String, _ message: String) throws {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("folder")
    try directory.write("Hello", to: "text")
    try directory.write("", to: "empty")
    try directory.write(Array(Samples.bytes("symbols/c-abort.debug").prefix(100)), to: "cut")
    let store = SymbolStore(searching: [directory.path(name)])
    #expect(store.candidates.isEmpty)
    try #require(store.problems.count == 1)
    #expect(store.problems[0].path == directory.path(name))
    #expect(store.problems[0].message.hasPrefix(message))
  }

  @Test func strippedProgramLeadsToItsDebugFile() throws {
    let directory = try TemporaryDirectory()
    try directory.write(Samples.bytes("binaries/c-abort"), to: "c-abort")
    let stripped = try #require(BinarySlice.all(in: directory.path("c-abort")).first)
    try #require(!stripped.hasDWARF)
    let link = try #require(stripped.debugLink).name
    try directory.makeDirectory(".debug")
    try directory.write(Samples.bytes("symbols/c-abort.debug"), to: ".debug/" + link)
    let store = SymbolStore(searching: [directory.path("c-abort")])
    #expect(found(store, in: directory) == ["c-abort", ".debug/" + link])
    let id = try #require(stripped.id)
    #expect(store.candidates(for: id).first?.slice.hasDWARF == true)
  }

  @Test func bundleBesideAProgramIsFound() throws {
    let directory = try TemporaryDirectory()
    var program = MachOBuilder()
    program.segments = [.init("__TEXT", at: 0x4000, size: 0x1000, isCode: true)]
    var debug = program
    debug.segments.append(.init("__DWARF", at: 0x8000, size: 0x10, sections: [.init("__debug_info", [1])]))
    try directory.makeDirectory("App.dSYM/Contents/Resources/DWARF")
    try directory.write(program.file(), to: "App")
    try directory.write(debug.file(), to: "App.dSYM/Contents/Resources/DWARF/App")
    let store = SymbolStore(searching: [directory.path("App")])
    #expect(found(store, in: directory) == ["App", "App.dSYM/Contents/Resources/DWARF/App"])
  }
}
