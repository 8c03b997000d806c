import CrashRead
import CrashReadDebugInfo
import Foundation
import TestSupport
import Testing

@Suite("Source excerpts")
struct SourceFinderTests {
  /// Twenty numbered lines in `app/src/a.c`, and what else a case needs.
  private func tree() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for folder in ["app/src", "other"] { try directory.makeDirectory(folder) }
    let lines = (1...20).map { "line \($0)" }.joined(separator: "\n")
    for name in ["app/src/a.c", "app/src/notes.txt", "app/src/passwd", "outside.c"] {
      try directory.write(lines, to: name)
    }
    try directory.write("first\r\nsecond\r\n", to: "app/src/crlf.c")
    try directory.write(String(repeating: "x", count: 100_000), to: "app/src/long.c")
    return directory
  }

  private func excerpt(
    _ file: String, line: Int? = 10, roots: [String] = [], maps: [SourceFinder.PathMap] = []
  ) -> SourceExcerpt? {
    SourceFinder(roots: roots, maps: maps).excerpt(around: SourceLocation(file: file, line: line, column: 4))
  }

  @Test func aPathThatExistsIsTakenAsItIs() throws {
    let directory = try tree()
    let found = try #require(excerpt(directory.path("app/src/a.c")))
    #expect(found.path == directory.path("app/src/a.c"))
    #expect(found.firstLine == 7)
    #expect(found.lines == (7...13).map { "line \($0)" })
    #expect(found.markedLine == 10 && found.markedColumn == 4)
    #expect(!found.isGuess)
  }

  @Test("lines at the edges", arguments: [(1, 1, 4), (2, 1, 5), (20, 17, 4), (19, 16, 5)])
  func edges(_ line: Int, _ first: Int, _ count: Int) throws {
    let directory = try tree()
    let found = try #require(excerpt(directory.path("app/src/a.c"), line: line))
    #expect(found.firstLine == first)
    #expect(found.lines.count == count)
    #expect(found.lines[line - first] == "line \(line)")
  }

  @Test("no excerpt without such a line", arguments: [nil, 21, Int.max])
  func noLine(_ line: Int?) throws {
    let directory = try tree()
    #expect(excerpt(directory.path("app/src/a.c"), line: line) == nil)
  }

  @Test func theLongestTailUnderARootIsFound() throws {
    let directory = try tree()
    let found = try #require(excerpt("/build/machine/app/src/a.c", roots: [directory.url.path]))
    #expect(found.path == directory.path("app/src/a.c"))
    #expect(!found.isGuess)
  }

  @Test func theNameAloneIsAGuess() throws {
    let directory = try tree()
    #expect(excerpt("/elsewhere/a.c", roots: [directory.path("app/src")])?.isGuess == true)
    #expect(excerpt("src/a.c", roots: [directory.path("app")])?.isGuess == false)
    #expect(excerpt("/elsewhere/a.c", roots: [directory.url.path]) == nil)
  }

  @Test func rootsAreTriedInOrderForEachTail() throws {
    let directory = try tree()
    try directory.write("other", to: "other/a.c")
    let roots = [directory.path("other"), directory.path("app")]
    #expect(excerpt("/x/src/a.c", roots: roots)?.path == directory.path("app/src/a.c"))
    #expect(excerpt("/x/lib/a.c", line: 1, roots: roots)?.path == directory.path("other/a.c"))
  }

  @Test func aPathMapReplacesTheStart() throws {
    let directory = try tree()
    let maps = [
      SourceFinder.PathMap(old: "/build/", new: directory.path("app") + "/"),
      .init(old: "/", new: "/nowhere/"),
    ]
    #expect(excerpt("/build/src/a.c", maps: maps)?.isGuess == false)
    #expect(excerpt(directory.path("app/src/a.c"), maps: maps) == nil)
  }

  @Test func noPathLeadsOutOfAMap() throws {
    let directory = try tree()
    try directory.write("1\n2\n3", to: "secret.c")
    let maps = [SourceFinder.PathMap(old: "/build", new: directory.path("app"))]
    #expect(excerpt("/build/src/a.c", maps: maps) != nil)
    #expect(excerpt("/build/lib/../src/a.c", maps: maps) != nil)
    #expect(excerpt("/build/../secret.c", line: 1, maps: maps) == nil)
    #expect(excerpt("../secret.c", line: 1, roots: [directory.path("app")]) == nil)
  }

  @Test func aMappedPathIsStillSearchedUnderRoots() throws {
    let directory = try tree()
    let maps = [SourceFinder.PathMap(old: "/build", new: "/ci/app/src")]
    #expect(excerpt("/build/a.c", roots: [directory.url.path], maps: maps)?.isGuess == false)
  }

  @Test(
    "what is no source isn't opened",
    arguments: [
      "app/src/notes.txt", "app/src/passwd", "app/src", "absent.c",
    ])
  func noSource(_ name: String) throws {
    let directory = try tree()
    #expect(excerpt(directory.path(name)) == nil)
    #expect(excerpt("/x/" + name, roots: [directory.url.path]) == nil)
  }

  @Test(
    "roots are not left upwards",
    arguments: ["../outside.c", "/x/../outside.c", "src/../../outside.c", "../../outside.c"])
  func upwards(_ file: String) throws {
    let directory = try tree()
    #expect(excerpt(file, roots: [directory.path("app")]) == nil)
  }

  @Test func lineEndsAndLongLinesAreCut() throws {
    let directory = try tree()
    #expect(excerpt(directory.path("app/src/crlf.c"), line: 1)?.lines == ["first", "second", ""])
    #expect(excerpt(directory.path("app/src/long.c"), line: 1)?.lines.map(\.utf8.count) == [500])
  }
}

@Suite("Source excerpts of the samples")
struct SampleSourceTests {
  @Test(
    "are found under a root",
    arguments: [
      ("text/HogeApp.crash", "HogeApp/Fuga.swift:17"), ("text/NullNode-x86_64.crash", "NullNode/list.h:11"),
      ("text/ObjCThrow.crash", "ObjCThrow/shop.m:15"), ("text/JumpNull.crash", "JumpNull/jump_null.c:12"),
      ("text/swift-trap.crash", "swift-trap/Shop.swift:37"),
      ("text/cpp-inline.crash", "cpp-inline/cpp_inline.cpp:33"),
      ("text/c-abort.crash", "c-abort/check.h:6"), ("text/c-divide.crash", "c-divide/c_divide.c:11"),
    ])
  func underARoot(_ report: String, _ place: String) throws {
    let parts = place.split(separator: ":").map(String.init)
    let source = try String(decoding: Samples.bytes("sources/" + parts[0]), as: UTF8.self)
    let line = source.split(separator: "\n", omittingEmptySubsequences: false)[
      try #require(Int(parts[1])) - 1]
    let run = try CommandRun.crashread(
      atRoot: ["--source-root", "Samples/sources", "Samples/reports/" + report, "Samples/symbols"])
    #expect(run.outcome == .exited(0))
    let marked = try #require(run.output.split(separator: "\n").first { $0.hasPrefix("  > ") })
    #expect(marked.dropFirst(4).drop { $0 == " " } == "\(parts[1]) │ \(line)")
    #expect(!run.output.contains("found by its file name alone"))
  }

  @Test func areFoundByAPathMap() throws {
    let run = try CommandRun.crashread(
      atRoot: [
        "--path-map", "/Users/dev/HogeApp=Samples/sources/HogeApp", "Samples/reports/text/HogeApp.crash",
        "Samples/symbols",
      ])
    #expect(run.outcome == .exited(0))
    #expect(run.output.contains("  > 17 │ "))
  }

  @Test func areMarkedWhenOnlyTheNameIsTheSame() throws {
    let elsewhere = try TemporaryDirectory()
    try elsewhere.write(try Samples.bytes("sources/HogeApp/Fuga.swift"), to: "Fuga.swift")
    #expect(try text(root: elsewhere.url.path).contains("found by its file name alone"))
    // The root's own name counts: /Users/dev/HogeApp/Fuga.swift is surely the one in a folder HogeApp.
    #expect(try !text(root: "Samples/sources/HogeApp").contains("found by its file name alone"))
  }

  private func text(root: String) throws -> String {
    let run = try CommandRun.crashread(
      atRoot: ["--source-root", root, "Samples/reports/text/HogeApp.crash", "Samples/symbols"])
    #expect(run.output.contains("  > 17 │ "))
    return run.output
  }

  @Test func areLeftOutWithoutARoot() throws {
    let run = try CommandRun.crashread(atRoot: ["Samples/reports/text/HogeApp.crash", "Samples/symbols"])
    #expect(!run.output.contains("  > 17 │ "))
  }
}
