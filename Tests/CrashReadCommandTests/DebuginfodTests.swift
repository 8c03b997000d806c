import CrashReadCore
import CrashReadDebugInfo
import CrashReadSystem
import Foundation
import FoundationNetworking
import TestSupport
import Testing

private let hasLibrary = (try? RuntimeLibrary("libdebuginfod.so.1", package: "libdebuginfod1")) != nil

/// Debug files that servers have.
@Suite(
  "debuginfod", .enabled(if: hasLibrary, "libdebuginfod.so.1 is not there (Debian package libdebuginfod1)"))
struct DebuginfodTests {
  private let report = Samples.path("reports/text/c-abort.crash")

  /// Reads the report with a server's address in the environment as the only source of debug files.
  private func run(
    _ url: String, _ arguments: [String] = [], in directory: TemporaryDirectory,
    environment: [String: String] = [:]
  ) throws -> CommandRun {
    let variables = [
      "DEBUGINFOD_URLS": url, "DEBUGINFOD_CACHE_PATH": directory.path("fetched"), "DEBUGINFOD_TIMEOUT": "2",
      "DEBUGINFOD_PROGRESS": "", "http_proxy": "", "no_proxy": "127.0.0.1",
    ]
    return try CommandRun.crashread(
      arguments + [report], environment: variables.merging(environment) { $1 }, in: directory)
  }

  private func buildID() throws -> String {
    try #require(BinarySlice.all(in: Samples.path("symbols/c-abort.debug")).first?.id).description
  }

  /// Paths and outcomes of what was tried for the program itself.
  private func attempts(_ run: CommandRun) throws -> [(path: String, outcome: String, message: String?)] {
    let value = try JSONSerialization.jsonObject(with: Data(run.output.utf8))
    let report = try #require((value as? [[String: Any]])?.first ?? value as? [String: Any])
    let images = try #require(report["images"] as? [[String: Any]])
    let image = try #require(images.first { $0["name"] as? String == "c-abort" })
    return try #require(image["attempts"] as? [[String: Any]]).map {
      ($0["path"] as? String ?? "", $0["outcome"] as? String ?? "", $0["message"] as? String)
    }
  }

  @Test(
    "a real server's file gives the line",
    .enabled(if: installedProgram("debuginfod") != nil, "debuginfod is not installed"))
  func realServer() throws {
    let directory = try TemporaryDirectory()
    let server = try DebuginfodServer(of: Samples.path("symbols"), in: directory)
    try server.waitFor(buildID())
    let first = try run(server.url, in: directory)
    #expect(first.outcome == .exited(0))
    #expect(first.errors == "")
    let local = try CommandRun.crashread([report, Samples.path("symbols/c-abort.debug")])
    #expect(first.output == local.output)
    #expect(first.output.contains("c_abort.c:"))

    let json = try run(server.url, ["--format=json"], in: directory)
    let attempt = try #require(attempts(json).first)
    #expect(attempt.path.hasPrefix(directory.path("fetched")))
    #expect(attempt.outcome == "used")
  }

  @Test func localFileHasPriority() throws {
    let directory = try TemporaryDirectory()
    let server = try TestServer { _ in .notFound }
    let run = try run(server.url, ["--symbols", Samples.path("symbols/c-abort.debug")], in: directory)
    #expect(run.output.contains("c_abort.c:"))
    let id = try buildID()
    #expect(!server.requests.contains { $0.contains(id) })
  }

  @Test func missingFileIsRequestedOnce() throws {
    let directory = try TemporaryDirectory()
    let server = try TestServer { _ in .notFound }
    let twice = try run(server.url, [report, "--format=json"], in: directory)
    let attempt = try #require(attempts(twice).first)
    #expect(attempt.path == "debuginfod" && attempt.outcome == "missing")
    #expect(attempt.message == "no server has a file with this build-id")
    let id = try buildID()
    #expect(server.requests.count { $0.contains(id) } == 1)

    let text = try run(server.url, in: directory)
    #expect(text.outcome == .exited(0))
    #expect(text.output.contains("asked:  debuginfod: no server has a file with this build-id"))
  }

  /// A server's file is checked like any other.
  @Test func fileOfAnotherIdentityIsRejected() throws {
    let directory = try TemporaryDirectory()
    let other = try Samples.bytes("symbols/c-divide.debug")
    let server = try TestServer { _ in .file(other) }
    let run = try run(server.url, ["--format=json"], in: directory)
    #expect(try attempts(run).map(\.outcome) == ["identityMismatch"])
    #expect(!run.output.contains("c_divide.c"))
  }

  @Test func damagedFilesAreNotUsed() throws {
    let directory = try TemporaryDirectory()
    let server = try TestServer { _ in .file(Array("no debug file".utf8)) }
    let run = try run(server.url, ["--format=json"], in: directory)
    #expect(run.outcome == .exited(0))
    #expect(try attempts(run).map(\.outcome) == ["identityMismatch"])
  }

  /// libdebuginfod has the same limits, and would ask three times; either may notice the timeout first.
  @Test(
    "a request ends at its time limit",
    arguments: [
      (TestServer.Answer.silence, "2", "no answer within 2 s"),
      (.dripping, "60", "the transfer took longer than 3 s"),
    ])
  func silence(_ answer: TestServer.Answer, _ timeout: String, _ message: String) throws {
    let directory = try TemporaryDirectory()
    let server = try TestServer { _ in answer }
    let run = try run(
      server.url, ["--format=json"], in: directory,
      environment: ["DEBUGINFOD_TIMEOUT": timeout, "DEBUGINFOD_MAXTIME": "3"])
    #expect(run.outcome == .exited(0))
    let attempt = try #require(attempts(run).first)
    #expect(attempt.outcome == "missing")
    #expect([message, "Timer expired"].contains(attempt.message))
    let id = try buildID()
    #expect((1...2).contains(server.requests.count { $0.contains(id) }))
  }

  @Test func abortedTransferIsNoNegativeAnswer() throws {
    let directory = try TemporaryDirectory()
    let server = try TestServer { _ in .half }
    let run = try run(server.url, ["--format=json"], in: directory)
    #expect(run.outcome == .exited(0))
    #expect(try attempts(run).map(\.message) == ["the server aborted the transfer"])
  }

  @Test func unreachableServerIsReported() throws {
    let directory = try TemporaryDirectory()
    let run = try run("http://127.0.0.1:\(freePort())", ["--format=json"], in: directory)
    #expect(run.outcome == .exited(0))
    #expect(try attempts(run).first?.message == "Connection refused")
  }

  @Test func noRequestWithoutTheVariable() throws {
    let directory = try TemporaryDirectory()
    let run = try run("", ["--format=json"], in: directory)
    #expect(try attempts(run).isEmpty)
    #expect(!FileManager.default.fileExists(atPath: directory.path("fetched")))
  }

  /// Apple's UUIDs aren't build-ids, and aren't requested from servers.
  @Test func noRequestForAUUID() throws {
    let directory = try TemporaryDirectory()
    let server = try TestServer { _ in .notFound }
    let run = try CommandRun.crashread(
      [Samples.path("reports/text/HogeApp.crash")],
      environment: ["DEBUGINFOD_URLS": server.url, "DEBUGINFOD_CACHE_PATH": directory.path("fetched")])
    #expect(run.outcome == .exited(0))
    #expect(server.requests == [])
  }

  @Test func missingLibraryIsReportedOnce() throws {
    let directory = try TemporaryDirectory()
    try directory.write("no library", to: "libdebuginfod.so.1")
    let run = try run(
      "http://127.0.0.1:1", [report], in: directory,
      environment: ["LD_LIBRARY_PATH": libraryPath(before: directory.url.path)])
    #expect(run.outcome == .exited(0))
    #expect(run.errors.split(separator: "\n").count == 1)
    #expect(run.errors.contains("needs libdebuginfod.so.1 (Debian package libdebuginfod1)"))
  }
}
