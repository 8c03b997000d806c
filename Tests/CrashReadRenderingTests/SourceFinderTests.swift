import CrashRead
import CrashReadDebugInfo
import Foundation
import TestSupport
import Testing

@Suite("Source excerpts")
struct SourceFinderTests {
  /// Twenty numbered lines in `app/src/a.c`, and the other files of a case.
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

  /// What is found of a file in a checkout, by its whole path.
  private func excerpt(_ name: String, line: Int? = 10, in checkout: TemporaryDirectory) -> SourceExcerpt? {
    SourceFinder(checkouts: [checkout.url.path]).excerpt(
      around: SourceLocation(file: checkout.path(name), line: line, column: 4))
  }

  @Test func pathInCheckoutIsUnchanged() throws {
    let directory = try tree()
    // Debug info can't cause files elsewhere to be shown.
    #expect(excerpt(directory.path("app/src/a.c")) == nil)
    #expect(excerpt(directory.path("app/src/a.c"), roots: [directory.path("other")]) == nil)
    let found = try #require(excerpt("app/src/a.c", in: directory))
    #expect(found.path == directory.path("app/src/a.c"))
    #expect(found.firstLine == 7)
    #expect(found.lines == (7...13).map { "line \($0)" })
    #expect(found.markedLine == 10 && found.markedColumn == 4)
    #expect(!found.isGuess)
  }

  @Test(
    "a module and a file name (`#fileID`) lead to the only such file below a folder of the module's name"
  )
  func moduleAndFile() throws {
    let directory = try TemporaryDirectory()
    for folder in ["Sources/Shop/Deep/Er", "Sources/Other", "build/Shop", "Sources/Two/a", "Sources/Two/b"] {
      try directory.makeDirectory(folder)
      try directory.write("one\ntwo\n", to: folder + "/Cart.swift")
    }
    let root = directory.url.path
    let finder = SourceFinder(roots: [root], checkouts: [root])
    func path(_ file: String) -> String? {
      finder.excerpt(around: SourceLocation(file: file, line: 2))?.relativePath
    }
    #expect(path("Shop/Cart.swift") == "Sources/Shop/Deep/Er/Cart.swift")
    #expect(path("Two/Cart.swift") == nil)
    #expect(path("Three/Cart.swift") == nil)
    #expect(path("/Shop/Cart.swift") == nil)
  }

  @Test(
    "the first and the last lines of a file", arguments: [(1, 1, 4), (2, 1, 5), (20, 17, 4), (19, 16, 5)])
  func edges(_ line: Int, _ first: Int, _ count: Int) throws {
    let directory = try tree()
    let found = try #require(excerpt("app/src/a.c", line: line, in: directory))
    #expect(found.firstLine == first)
    #expect(found.lines.count == count)
    #expect(found.lines[line - first] == "line \(line)")
  }

  @Test("a line beyond the end gives no excerpt", arguments: [nil, 21, Int.max])
  func noLine(_ line: Int?) throws {
    let directory = try tree()
    #expect(excerpt("app/src/a.c", line: line, in: directory) == nil)
  }

  @Test func longestPathSuffixIsFound() throws {
    let directory = try tree()
    let found = try #require(excerpt("/build/machine/app/src/a.c", roots: [directory.url.path]))
    #expect(found.path == directory.path("app/src/a.c"))
    #expect(!found.isGuess)
  }

  @Test func nameAloneIsAGuess() throws {
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

  @Test func pathMapReplacesThePrefix() throws {
    let directory = try tree()
    let maps = [
      SourceFinder.PathMap(old: "/build/", new: directory.path("app") + "/"),
      .init(old: "/", new: "/nowhere/"),
    ]
    #expect(excerpt("/build/src/a.c", maps: maps)?.isGuess == false)
    #expect(excerpt(directory.path("app/src/a.c"), maps: maps) == nil)
  }

  @Test func pathsStayInsideAMap() throws {
    let directory = try tree()
    try directory.write("1\n2\n3", to: "secret.c")
    let maps = [SourceFinder.PathMap(old: "/build", new: directory.path("app"))]
    #expect(excerpt("/build/src/a.c", maps: maps) != nil)
    #expect(excerpt("/build/lib/../src/a.c", maps: maps) != nil)
    #expect(excerpt("/build/../secret.c", line: 1, maps: maps) == nil)
    #expect(excerpt("../secret.c", line: 1, roots: [directory.path("app")]) == nil)
  }

  @Test func mappedPathIsSearchedUnderRoots() throws {
    let directory = try tree()
    let maps = [SourceFinder.PathMap(old: "/build", new: "/ci/app/src")]
    #expect(excerpt("/build/a.c", roots: [directory.url.path], maps: maps)?.isGuess == false)
  }

  @Test(
    "files without a source extension aren't opened",
    arguments: [
      "app/src/notes.txt", "app/src/passwd", "app/src", "absent.c",
    ])
  func noSource(_ name: String) throws {
    let directory = try tree()
    #expect(excerpt(name, in: directory) == nil)
    #expect(excerpt("/x/" + name, roots: [directory.url.path]) == nil)
  }

  @Test(
    "paths don't lead above a root",
    arguments: ["../outside.c", "/x/../outside.c", "src/../../outside.c", "../../outside.c"])
  func upwards(_ file: String) throws {
    let directory = try tree()
    #expect(excerpt(file, roots: [directory.path("app")]) == nil)
  }

  @Test func lineEndsAreRemovedAndLongLinesTruncated() throws {
    let directory = try tree()
    #expect(excerpt("app/src/crlf.c", line: 1, in: directory)?.lines == ["first", "second", ""])
    #expect(excerpt("app/src/long.c", line: 1, in: directory)?.lines.map(\.utf8.count) == [500])
  }
}

@Suite("Links among source files")
struct SourceLinkTests {
  private static let outside = "outside/secret.c"

  /// A root with one file of source, and beside the root what links must not lead to.
  private func tree() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for folder in ["root/src", "root/.git", "outside"] { try directory.makeDirectory(folder) }
    for name in ["root/src/a.c", "root/.git/config", "root/.git/hook.c", "root/notes.txt", Self.outside] {
      try directory.write("text\n", to: name)
    }
    try directory.makePipe("root/pipe.c")
    return directory
  }

  private func isShown(_ file: String, in directory: TemporaryDirectory) -> Bool {
    let root = directory.path("root")
    let finder = SourceFinder(roots: [root], checkouts: [root])
    let locations = [root + "/" + file, "/elsewhere/" + file, file].map { SourceLocation(file: $0, line: 1) }
    let excerpts = finder.excerpts(around: locations)
    #expect([0, 3].contains(excerpts.count))
    return !excerpts.isEmpty
  }

  @Test(
    "that lead out of a root, or to no source file, aren't followed",
    arguments: [
      "../outside/secret.c", "src/../../outside/secret.c", "/etc/passwd", "/proc/self/environ", "/dev/zero",
      "/dev/stdin", "/proc/self/fd/0", ".git/config", ".git/hook.c", "src/../.git/hook.c", "notes.txt",
      "pipe.c",
      "src", "absent.c", "link.c", ".", "..", "/",
    ])
  func refused(_ target: String) throws {
    let directory = try tree()
    try directory.link("root/link.c", to: target)
    try directory.link("root/chain.c", to: "link.c")
    #expect(!isShown("link.c", in: directory))
    #expect(!isShown("chain.c", in: directory))
  }

  @Test("to folders are followed like those to files")
  func folders() throws {
    let directory = try tree()
    try directory.link("root/out", to: "../outside")
    try directory.link("root/git", to: ".git")
    try directory.link("root/in", to: "src")
    #expect(!isShown("out/secret.c", in: directory))
    #expect(!isShown("git/hook.c", in: directory))
    #expect(!isShown(".git/hook.c", in: directory))
    #expect(isShown("in/a.c", in: directory))
    #expect(!isShown("pipe.c", in: directory))
  }

  @Test("inside a root are followed", arguments: ["src/a.c", "./src//a.c", "in/../src/a.c", "ABSOLUTE"])
  func followed(_ target: String) throws {
    let directory = try tree()
    try directory.link("root/in", to: "src")
    try directory.link("root/link.c", to: target == "ABSOLUTE" ? directory.path("root/src/a.c") : target)
    #expect(isShown("link.c", in: directory))
    let root = directory.path("root")
    let found = SourceFinder(roots: [root], checkouts: [root]).excerpt(
      around: SourceLocation(file: root + "/link.c", line: 1))
    // A CI system needs the file that the repository contains.
    #expect(found?.relativePath == "src/a.c")
  }

  @Test func rootMayBeALink() throws {
    let directory = try tree()
    try directory.link("here", to: directory.path("root"))
    for root in [directory.path("here"), directory.path("here") + "/"] {
      let finder = SourceFinder(roots: [root])
      for file in [directory.path("here/src/a.c"), directory.path("root/src/a.c")] {
        #expect(finder.excerpt(around: SourceLocation(file: file, line: 1)) != nil)
      }
    }
  }

  @Test func largeFileIsReadOnce() throws {
    let directory = try TemporaryDirectory()
    try directory.write([UInt8](repeating: 0x0a, count: 1 << 20), to: "lines.c")
    let finder = SourceFinder(checkouts: [directory.url.path])
    let locations = (1...100).map { SourceLocation(file: directory.path("lines.c"), line: $0 * 10_485) }
    let once = processorTime { #expect(finder.excerpt(around: locations[99]) != nil) }
    let all = processorTime { #expect(finder.excerpts(around: locations).count == 100) }
    let limit: Duration = once * 10 + .milliseconds(500)
    #expect(all < limit)
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
    #expect(!run.output.contains("found by its file name only"))
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

  @Test func nameMatchesAreMarked() throws {
    let elsewhere = try TemporaryDirectory()
    try elsewhere.write(try Samples.bytes("sources/HogeApp/Fuga.swift"), to: "Fuga.swift")
    #expect(try text(root: elsewhere.url.path).contains("found by its file name only"))
    // The root's own name counts: /Users/dev/HogeApp/Fuga.swift is surely the one in a folder HogeApp.
    #expect(try !text(root: "Samples/sources/HogeApp").contains("found by its file name only"))
  }

  private func text(root: String) throws -> String {
    let run = try CommandRun.crashread(
      atRoot: ["--source-root", root, "Samples/reports/text/HogeApp.crash", "Samples/symbols"])
    #expect(run.output.contains("  > 17 │ "))
    return run.output
  }

  @Test func areOmittedWithoutARoot() throws {
    let run = try CommandRun.crashread(atRoot: ["Samples/reports/text/HogeApp.crash", "Samples/symbols"])
    #expect(!run.output.contains("  > 17 │ "))
  }
}

extension SourceFinder {
  fileprivate func excerpt(around location: CrashReadDebugInfo.SourceLocation) -> SourceExcerpt? {
    excerpts(around: [location])[location]
  }
}
