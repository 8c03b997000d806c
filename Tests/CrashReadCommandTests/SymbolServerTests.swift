import CrashReadCore
import CrashReadDebugInfo
import CrashReadSystem
import Foundation
import TestSupport
import Testing

private let hasLibrary = (try? RuntimeLibrary("libcurl.so.4", package: "libcurl4")) != nil

/// Debug files that servers have under the names that Sentry, Microsoft and Breakpad give them.
@Suite("Symbol servers", .enabled(if: hasLibrary, "libcurl.so.4 is not there (Debian package libcurl4)"))
struct SymbolServerTests {
  private let report = Samples.path("reports/ips/HogeApp.ips")
  private let file = Samples.path("symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp")
  private let digits = "4c4c44ed55553144a1625a07dae58c2c"

  private func run(
    _ servers: [String], in directory: TemporaryDirectory, cache: String = "off", _ arguments: [String] = []
  ) throws -> CommandRun {
    let environment = [
      "DEBUGINFOD_TIMEOUT": "2", "DEBUGINFOD_MAXTIME": "4", "http_proxy": "", "no_proxy": "127.0.0.1",
    ]
    return try CommandRun.crashread(
      servers.map { "--symbol-server=" + $0 } + ["--cache=" + cache] + arguments + [report],
      environment: environment, in: directory)
  }

  @Test(arguments: [
    ("unified", "/4c/4c44ed55553144a1625a07dae58c2c/debuginfo"),
    ("symstore", "/_.dwarf/mach-uuid-sym-4c4c44ed55553144a1625a07dae58c2c/_.dwarf"),
    ("ssqp", "/hogeapp/mach-uuid-4c4c44ed55553144a1625a07dae58c2c/hogeapp"),
    ("breakpad", "/HogeApp/4C4C44ED55553144A1625A07DAE58C2C0/HogeApp.sym"),
  ])
  func eachLayoutGivesTheLine(_ layout: String, _ path: String) throws {
    let directory = try TemporaryDirectory()
    let bytes = Array(try Data(contentsOf: URL(filePath: file)))
    let server = try TestServer { $0 == "/store" + path ? .file(bytes) : .notFound }
    let found = try run(["\(layout)=\(server.url)/store/"], in: directory)
    #expect(found.outcome == .exited(0))
    #expect(found.errors == "")
    #expect(found.output.contains("Fuga.swift:17"))
  }

  /// Electron publishes the output of Breakpad's dump_syms: names with blanks, demangled functions, lines of Chromium's
  /// sources, and bare symbols of code that has none.
  @Test func electronSymbolsNameFrames() throws {
    let directory = try TemporaryDirectory()
    let id = "4C4C440855553144A1B7C35F5FD9A3ED"
    try directory.write(
      """
      Process:             Shop [42]
      Path:                /Applications/Shop.app/Contents/MacOS/Shop
      Code Type:           ARM-64 (Native)
      OS Version:          macOS 15.1 (24B83)

      Exception Type:  EXC_BREAKPOINT (SIGTRAP)
      Triggered by Thread:  0

      Thread 0 Crashed:
      0   Electron Framework            \t       0x10a001010 0x10a000000 + 4112
      1   Electron Framework            \t       0x10a001044 0x10a000000 + 4164
      2   Electron Framework            \t       0x10a002008 0x10a000000 + 8200

      Binary Images:
      0x10a000000 - 0x112000000 com.github.Electron.framework (33.2.0) <\(id)> /Applications/Shop.app/Contents/Frameworks/Electron Framework.framework/Versions/A/Electron Framework

      """, to: "shop.crash")
    let symbols = """
      MODULE mac arm64 \(id)0 Electron Framework
      INFO CODE_ID \(id)
      INLINE_ORIGIN 0 base::ImmediateCrash()
      FILE 0 ../../base/immediate_crash.h
      FILE 1 ../../v8/src/api/api.cc
      FUNC m 1000 60 0 v8::Utils::ReportApiFailure(char const*, char const*)
      INLINE 0 412 1 0 1010 8
      1000 10 408 1
      1010 8 176 0
      1018 48 415 1
      PUBLIC 2000 0 ElectronMain

      """
    let server = try TestServer {
      $0 == "/Electron%20Framework/\(id)0/Electron%20Framework.sym" ? .file(Array(symbols.utf8)) : .notFound
    }
    let run = try CommandRun.crashread(
      ["--symbol-server=breakpad=\(server.url)", "--cache=off", "-f", "json", "shop.crash"],
      environment: ["no_proxy": "127.0.0.1", "http_proxy": ""], in: directory)
    let frames = try Document(run.output).threads[0].frames
    #expect(
      frames.map { $0.locations.map(\.function) } == [
        ["base::ImmediateCrash()", "v8::Utils::ReportApiFailure(char const*, char const*)"],
        ["v8::Utils::ReportApiFailure(char const*, char const*)"], ["ElectronMain"],
      ], "\(run.errors) \(server.requests)")
    #expect(frames.first?.locations.map(\.line) == [176, 412])
  }

  @Test func fileIsFetchedOnceAndCached() throws {
    let directory = try TemporaryDirectory()
    let bytes = Array(try Data(contentsOf: URL(filePath: file)))
    let server = try TestServer {
      $0.hasSuffix("/debuginfo") && $0.contains("4c44ed") ? .file(bytes) : .notFound
    }
    for _ in 0..<2 {
      let found = try run(["unified=\(server.url)"], in: directory, cache: directory.path("cache"))
      #expect(found.output.contains("Fuga.swift:17"))
    }
    #expect(server.requests.count { $0.contains("4c44ed") } == 1)
  }

  @Test func searchStopsAtTheFirstAnswer() throws {
    let directory = try TemporaryDirectory()
    let bytes = Array(try Data(contentsOf: URL(filePath: file)))
    let empty = try TestServer { _ in .notFound }
    let server = try TestServer { $0.contains("4c44ed") ? .file(bytes) : .notFound }
    let found = try run(["symstore=\(empty.url)", "unified=\(server.url)"], in: directory)
    #expect(found.output.contains("Fuga.swift:17"))
    #expect(empty.requests.contains { $0.contains(digits) })
  }

  @Test(arguments: [
    (TestServer.Answer.notFound, "no server has a file with this UUID"),
    (
      .file(Array("<html>sign in</html>".utf8)), "the file from the server isn't the debug file of this build"
    ),
    (.half, "partial file"), (.silence, "Timeout"), (.dripping, "Timeout"),
  ])
  func failureIsReportedAndFinal(_ answer: TestServer.Answer, _ message: String) throws {
    let directory = try TemporaryDirectory()
    let server = try TestServer { _ in answer }
    let found = try run(
      ["breakpad=\(server.url)"], in: directory, cache: directory.path("cache"), ["--format=json"])
    #expect(found.outcome == .exited(0))
    #expect(!found.output.contains("Fuga.swift:17"))
    #expect(found.output.contains("symbol servers") && found.output.contains(message))
    // Nothing remains of an incomplete download.
    let kept = (try? FileManager.default.subpathsOfDirectory(atPath: directory.path("cache"))) ?? []
    #expect(!kept.contains { $0.contains("served") })
  }

  @Test(arguments: [
    "https://example.org", "shelf=https://example.org", "unified=ftp://example.org", "unified=",
  ])
  func invalidServersAreRejected(_ text: String) throws {
    let directory = try TemporaryDirectory()
    let refused = try run([text], in: directory)
    #expect(refused.outcome == .exited(2))
    #expect(refused.errors.contains("--symbol-server"))
  }
}
