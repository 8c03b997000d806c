import CrashReadCore
import CrashReadReports
import Foundation
import TestSupport
import Testing

private let log = """
  Tides/Wave.swift:3: Fatal error: no luck
  *** Signal 4: Backtracing from 0x104001f7f... done ***

  *** Program crashed: Illegal instruction at 0x0000000104001f7f ***

  Platform: arm64 macOS 26.1 (25B64)

  Thread 0 "main":

   x0 0x0000000000000001  1

  0      0x0000000104003301 wait + 65 in libc.dylib
  ...
  1 [ra] 0x0000000104001f80 f(_:) in Tides at /Tides/Wave.swift:9
  ...

  Thread 1 crashed:

    0 [inlined]         0x0000000104001f7f inner(_:) in Tides at /Tides/Wave.swift:1:62

        1| func inner(_ a: [Int]) -> Int { a[7] }
    *   2| func outer(_ a: [Int]) -> Int { inner(a) }
         |                                 ^

    1                   0x0000000104001f7f closure #1 in outer(_:) + 270 in Tides at /Tides/my dir/Wave.swift:4:10
    2 [async]           0x0000000104001800 static M.main() in Tides at /Tides/Wave.swift:11
    3 [ra] [thunk]      0x0000000104001cb0 <unknown> in High Tide.dylib


  Registers:

   x1 0x0000000000000002  00 00  ··
  cs 0x0033  fs 0x0000


  Images (3 omitted):

  0x0000000104000000–0x0000000104004000 0123456789abcdef0123456789abcdef Tides          /Tides/Tides
  0x0000000105000000–0x0000000105004000 <no build ID>                    High Tide.dylib /usr/High Tide.dylib

  Backtrace took 0.35s
  """

@Suite("Swift crash logs")
struct SwiftLogTests {
  @Test("state the address 0 without a name where a null function pointer was called")
  func nullCall() throws {
    let report = try #require(
      try parseAll(
        """
        *** Program crashed: Bad pointer dereference at 0x0000000000000000 ***

        Platform: arm64 macOS 15.1 (24B83)

        Thread 0 crashed:

        0 null
        1 rise #1 (over:) in Tide.init(mode:) + 95 in Moon at /moon/Tide.swift:82:17
        2 static Moon.main() + 67 in Moon at /moon/Moon.swift:46:38
        """
      ).first)
    let frames = try #require(report.threads.first?.frames)
    #expect(frames.first?.address == RuntimeAddress(0) && frames.first?.reportedSymbol == nil)
    #expect(
      frames[1].reportedSymbol == "rise #1 (over:) in Tide.init(mode:)" && frames[1].imageName == "Moon")
  }

  @Test("state what happened, and the message before it")
  func facts() throws {
    let report = try #require(try parseAll(log).first)
    #expect(report.format == .swiftText)
    #expect(report.header.osVersion == "macOS 26.1 (25B64)")
    #expect(report.architecture == .arm64)
    #expect(report.exception?.type == "SIGILL")
    #expect(report.exception?.message == "Illegal instruction at 0x0000000104001f7f")
    #expect(report.applicationSpecificInformation == ["Tides/Wave.swift:3: Fatal error: no luck"])
  }

  @Test("give threads, with each frame's kind as marked")
  func threads() throws {
    let report = try #require(try parseAll(log).first)
    #expect(report.threads.map(\.name) == ["main", nil])
    #expect(report.crashedThread == 1)
    #expect(report.threads.map(\.state?.registers.count) == [1, 3])
    try #require(report.threads.count == 2)
    #expect(
      report.threads[0].frames.map(\.kind) == [.programCounter, .omitted, .returnAddress, .truncated])
    #expect(
      report.threads[1].frames.map(\.kind) == [
        .programCounter, .programCounter, .asyncResumePoint, .returnAddress,
      ])
    #expect(report.threads[1].frames.map(\.isInlined) == [true, false, false, false])
    let symbols = ["inner(_:)", "closure #1 in outer(_:)", "static M.main()", nil]
    #expect(report.threads[1].frames.map(\.reportedSymbol) == symbols)
    #expect(report.threads[1].frames.map(\.reportedLine) == [1, 4, 11, nil])
    #expect(report.threads[1].frames[1].reportedFile == "/Tides/my dir/Wave.swift")
    #expect(report.threads[1].frames[1].reportedSymbolOffset == 270)
    #expect(report.threads[1].frames.map(\.imageName) == ["Tides", "Tides", "Tides", "High Tide.dylib"])
  }

  @Test("list images, whose ends are exclusive")
  func images() throws {
    let report = try #require(try parseAll(log).first)
    #expect(report.images.map(\.name) == ["Tides", "High Tide.dylib"])
    #expect(report.images.map(\.path) == ["/Tides/Tides", "/usr/High Tide.dylib"])
    #expect(report.images.map(\.id?.description) == ["01234567-89AB-CDEF-0123-456789ABCDEF", nil])
    #expect(report.images.map(\.end?.rawValue) == [0x1_0400_3fff, 0x1_0500_3fff])
  }

  @Test(
    "are found behind a logger's prefix, colours and an emoji",
    arguments: ["May 01 10:00:07 host tides[12]: ", "\u{1b}[91m", "\t"])
  func prefixed(_ prefix: String) throws {
    let text = log.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
      .map { prefix.replacing("07", with: "0\($0 % 10)") + $1 }.joined(separator: "\n")
    let report = try #require(
      try parseAll("noise\n" + text.replacing("*** Program", with: "💣 Program")).first)
    #expect(report.threads.map(\.frames.count) == [4, 4])
    #expect(report.images.count == 2)
    #expect(report.exception?.type == "SIGILL")
  }

  @Test("in the friendly form have frames without addresses")
  func friendly() throws {
    let report = try #require(
      try parseAll(
        """
        *** Program crashed: Bad pointer dereference at 0x8 ***
        Thread 0 crashed:
          0 inner(_:) in Tides at /Wave.swift:1:62
              1| func inner() {}
          1 run(_:) + 26 in Tides at /Wave.swift:3:56
        ...
        """
      ).first)
    #expect(report.threads.first?.frames.map(\.reportedSymbol) == ["inner(_:)", "run(_:)", nil])
    #expect(report.exception?.type == "SIGSEGV")
  }

  @Test("shortened by hand have frames of a function and its place")
  func shortened() throws {
    let report = try CrashReport(
      parsing: Array(
        """
        *** Program crashed: System trap at 0x0000ffff9c5e387c ***
        Thread 1 crashed:
         0  __DISPATCH_WAIT_FOR_QUEUE__ + 332                in libdispatch.so
         1  Tide.rise() + 987      Tide.swift:340:19
         2  closure #2 in closure #1 in static Moon.pull(...) Moon.swift:95:33
         3  _dispatch_worker_thread                          in libdispatch.so
        """.utf8))
    let frames = try #require(report.threads.first).frames
    #expect(frames.map(\.kind).contains(.truncated) == false)
    #expect(
      frames.map(\.reportedSymbol) == [
        "__DISPATCH_WAIT_FOR_QUEUE__", "Tide.rise()", "closure #2 in closure #1 in static Moon.pull(...)",
        "_dispatch_worker_thread",
      ])
    #expect(frames.map(\.reportedLine) == [nil, 340, 95, nil])
  }

  @Test("agree as text and as JSON")
  func pair() throws {
    let samples = Repository.root.appending(path: "Samples/reports/other/swift-trap-backtrace")
    let text = try CrashReport(parsing: Array(try Data(contentsOf: samples.appendingPathExtension("txt"))))
    let json = try CrashReport(parsing: Array(try Data(contentsOf: samples.appendingPathExtension("json"))))
    #expect(json.format == .swiftJSON)
    #expect(text.exception == json.exception)
    #expect(text.header.osVersion == json.header.osVersion)
    #expect(text.crashedThreadState?.registers == json.crashedThreadState?.registers)
    #expect(text.images.map(\.id) == json.images.map(\.id))
    #expect(text.images.map(\.end) == json.images.map(\.end))
    let frames = [text, json].map { $0.threads.first?.frames ?? [] }
    #expect(frames[0].count == 6)
    #expect(frames[0].map(\.kind) == frames[1].map(\.kind))
    #expect(frames[0].map(\.address) == frames[1].map(\.address))
    #expect(frames[0].map(\.isInlined) == frames[1].map(\.isInlined))
    #expect(frames[0].map(\.reportedSymbol) == frames[1].map(\.reportedSymbol))
    #expect(frames[0].map(\.reportedSymbolOffset) == frames[1].map(\.reportedSymbolOffset))
    #expect(frames[0].map(\.reportedLine) == frames[1].map(\.reportedLine))
  }
}
