import CrashReadCore
import CrashReadReports
import Testing

@Suite("Exceptions in logs")
struct ExceptionLogTests {
  @Test("are found between lines of other processes")
  func interleaved() throws {
    let reports = try parseAll(
      """
      a line
      2024-05-01 10:00:00.123 High Tide[12:34] *** Terminating app due to uncaught exception 'NSRangeException', reason: 'first
      second'
      *** First throw call stack:
      (
      \t0   CoreFoundation   0x00007fff203fbbb4 __exceptionPreprocess + 242
      Test Case 'x' started.
      \t1   High Tide        0x0000000104001234 High Tide + 4660
      \t2   High Tide        0x0000000104002234 _TFCut
      )
      libc++abi: terminating with uncaught exception of type NSException
      2024-05-01 10:00:01.000 Ebb[13:35] *** Terminating app due to uncaught exception 'Mine'
      *** First throw call stack:
      (0x1b14e2a48 0x1b1209fa4
       0x1b14e2a40)
      """)
    #expect(reports.map(\.format) == [.nsException, .nsException])
    #expect(reports.map(\.header.process) == ["High Tide", "Ebb"])
    #expect(reports.map(\.header.pid) == [12, 13])
    #expect(reports[0].header.date == "2024-05-01 10:00:00.123")
    #expect(
      reports.map(\.uncaughtException) == [
        UncaughtException(name: "NSRangeException", reason: "first\nsecond"),
        UncaughtException(name: "Mine", reason: nil),
      ])
    #expect(reports.map(\.lastExceptionBacktrace.count) == [3, 3])
    #expect(reports[0].lastExceptionBacktrace.allSatisfy { $0.kind == .returnAddress })
    #expect(reports[0].lastExceptionBacktrace.map(\.reportedSymbol) == ["__exceptionPreprocess", nil, nil])
    #expect(reports[0].images.map(\.start) == [RuntimeAddress(0x1_0400_0000)])
    #expect(reports[0].notes.map(\.line).contains(9))
  }

  @Test("as bare lists give a thread; a UUID in the symbol's place is the image's identity")
  func callStackSymbols() throws {
    let reports = try parseAll(
      """
      0   CoreFoundation                      0x00000001835df228 7821F73C-378B-3A10-BE90-EF526B7DBA93 + 1155624
      1   Tides                               0x0000000180a79abc objc_exception_throw + 88
      noise
      2   Tides                               0x0000000180a79abd Tides + 1
      """)
    #expect(reports.map(\.format) == [.callStackSymbols])
    let report = reports[0]
    #expect(report.threads.first?.frames.map(\.imageOffset?.rawValue) == [1_155_624, nil, 1])
    #expect(report.images.first?.id?.description == "7821F73C-378B-3A10-BE90-EF526B7DBA93")
    #expect(report.images.first?.start == RuntimeAddress(0x1_834c_5000))
  }

  @Test("quoted by Apple's report remain part of it")
  func quoted() throws {
    let text = iOSReport.replacing(
      "Binary Images:",
      with: """
        Application Specific Information:
        *** Terminating app due to uncaught exception 'X', reason: 'Y'
        ==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0
            #0 0x1 in f (a+0x1)

        Binary Images:
        """)
    #expect(try parseAll(text).map(\.format) == [.appleText])
  }

  @Test("one frame isn't a list")
  func single() {
    #expect(throws: ReportError.unrecognised) { try parseAll("0   Tides   0x0000000180a79abc f + 88\n") }
  }
}
