import CrashRead
import CrashReadCore
import CrashReadReports
import Foundation
import TestSupport
import Testing

@testable import CrashReadRendering

@Suite("The page")
struct PageTests {
  @Test(.enabled(if: installedProgram("openssl") != nil)) func allowsNothingButItsOwnStyleSheet() throws {
    let openssl = try #require(installedProgram("openssl"))
    let sheet = Repository.root.appending(path: "Sources/CrashReadRendering/HTML/page.css").path
    let command = "'\(openssl.path)' dgst -sha256 -binary '\(sheet)' | base64"
    let run = try CommandRun(program: URL(filePath: "/bin/sh"), ["-c", command])
    #expect(run.output == HTMLSheet.digest + "\n")
    let page = rendered([exampleAnalysis("calm")], as: .html)
    #expect(page.contains("<style>\(HTMLSheet.text)</style>"))
    #expect(page.contains("default-src 'none'; style-src 'sha256-\(HTMLSheet.digest)'"))
  }

  @Test func severalReportsHaveAContentsList() {
    let page = rendered([exampleAnalysis("one"), exampleAnalysis("two")], as: .html)
    #expect(page.contains("<title>2 reports</title>"))
    #expect(page.contains("<a href=\"#report-2\">two two crashed: two</a>"))
    #expect(!rendered([exampleAnalysis("one")], as: .html).contains("<nav"))
  }

  @Test func identicalStacksAreShownOnce() {
    var example = exampleAnalysis("calm")
    for index in 1...57 {
      var thread = example.diagnosis.symbolicated.report.threads[0]
      (thread.index, thread.isCrashed, thread.name) = (index, false, "worker \(index)")
      example.diagnosis.symbolicated.report.threads.append(thread)
      example.diagnosis.symbolicated.threads.append(example.diagnosis.symbolicated.threads[0])
      example.diagnosis.symbolicated.callTrees.append([])
    }
    let page = rendered([example], as: .html)
    #expect(page.contains("<h2>57 other threads</h2>"))
    #expect(page.contains("57 threads like this: 1–57"))
    #expect(page.components(separatedBy: "<ol class=\"frames\"").count == 3)
  }
}

@Suite("Groups of threads")
struct ThreadGroupTests {
  private func thread(_ index: Int, _ addresses: [UInt64]) -> ThreadRecord {
    var thread = ThreadRecord(index: index)
    thread.frames = addresses.enumerated().map { number, address in
      var frame = Frame(kind: .returnAddress, address: RuntimeAddress(address))
      (frame.number, frame.line) = (number, index * 10 + number)
      return frame
    }
    return thread
  }

  @Test func containThreadsWithEqualFrames() {
    var report = CrashReport(format: .appleText)
    report.threads = [
      thread(0, [1, 2]), thread(1, [3]), thread(2, [1, 2]), thread(3, [1]), thread(4, []), thread(5, []),
    ]
    #expect(groupedThreads(report, [0, 1, 2, 3, 4, 5]).map(\.threads) == [[0, 2], [1], [3], [4, 5]])
    #expect(groupedThreads(report, [1, 2]).map(\.threads) == [[1], [2]])
  }

  @Test func threadWithCallTreeIsNotGrouped() {
    var report = CrashReport(format: .sample)
    report.threads = [thread(0, [1]), thread(1, [1])]
    report.threads[1].callTree = [CallTreeEntry(frame: report.threads[0].frames[0], depth: 0)]
    #expect(groupedThreads(report, [0, 1]).map(\.threads) == [[0], [1]])
  }

  @Test(
    "are numbered",
    arguments: [
      ([1], "1"), ([1, 2], "1, 2"), ([1, 2, 3], "1–3"), ([1, 3, 4, 5, 9], "1, 3–5, 9"), ([5, 4], "5, 4"),
      ([.max, .min], "\(Int.max), \(Int.min)"),
      ([.max - 1, .max, .max], "\(Int.max - 1), \(Int.max), \(Int.max)"),
    ] as [([Int], String)])
  func numbers(_ numbers: [Int], _ text: String) {
    #expect(numberList(numbers) == text)
  }
}

@Suite("Values for programs")
struct ValueTests {
  @Test(
    "dates without a zone",
    arguments: [
      ("2025-01-01 09:00:12.1234 +0900", "2025-01-01T09:00:12"),
      ("2025-01-01T09:00:12Z", "2025-01-01T09:00:12"),
      ("2025-01-01", "1970-01-01T00:00:00"), ("Tue Jan  1 2019", "1970-01-01T00:00:00"),
      ("２０２５-01-01 09:00:12", "1970-01-01T00:00:00"), ("2025-01-01 09:00:1é", "1970-01-01T00:00:00"),
    ] as [(String, String)])
  func timestamps(_ text: String, _ stamp: String) {
    #expect(timestamp(text) == stamp)
  }

  /// Known values of the hash's authors.
  @Test(arguments: [
    ("", "6c62272e07bb014262b821756295c58d"), ("a", "d228cb696f1a8caf78912b704e4a8964"),
    ("foobar", "343e1662793c64bf6f0d3597ba446f18"),
  ])
  func hashes(_ text: String, _ hash: String) {
    #expect(fnv1a128(text) == hash)
  }

  @Test(arguments: [
    ("/a b/é?#%.c", "/a%20b/%C3%A9%3F%23%25.c"), ("a:b", "a%3Ab"), ("", ""), ("\n", "%0A"),
  ])
  func paths(_ path: String, _ uri: String) {
    #expect(uriPath(path) == uri)
  }
}
