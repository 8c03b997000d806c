import CrashReadReports
import CrashReadSymbolication
import Foundation
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

/// Public reports that are beside the repository on some machines; tests that need them are skipped elsewhere.
private enum PublicReports {
  static let directory: URL = {
    var url = URL(fileURLWithPath: #filePath)
    for _ in 0..<4 { url.deleteLastPathComponent() }
    return url.appendingPathComponent("shared/corpus")
  }()

  static let areAvailable = FileManager.default.fileExists(atPath: directory.path)

  static func diagnosis(_ path: String) throws -> Diagnosis {
    let bytes = Array(try Data(contentsOf: directory.appendingPathComponent(path)))
    let symbolicator = Symbolicator(store: SymbolStore(searching: []))
    return KnowledgeBase(language: .english).diagnose(
      symbolicator.symbolicate(try CrashReport(parsing: bytes)))
  }
}

@Suite("Public reports", .enabled(if: PublicReports.areAvailable))
struct PublicReportTests {
  @Test(
    "get the headline that a person assigned",
    arguments: [
      ("crashprobe/Call abort().ips", "The program called abort()"),
      ("crashprobe/Dereference a NULL pointer.ips", "Null pointer dereference"),
      (
        "crashprobe/Throw Objective-C exception.crash",
        "Uncaught exception NSGenericException: Application threw exception NSGenericException: An uncaught exception! "
          + "SCREAM."
      ),
      ("crashprobe/Swift.crash", "The program stopped itself with a trap instruction"),
      ("ips/2501-OSX__crash.ips", "A thread was still running while the process was exiting"),
      (
        "ips/apple-browsers__DuckDuckGo-ExampleCrash.ips",
        "Swift fatal error: Fatal error triggered from the Debug menu"
      ),
      (
        "ips/RealmFileLockTest__RealmFileLockTest-2024-03-27-153712.ips",
        "Held a file lock while being suspended (0xdead10cc)"
      ),
      (
        "text/ios-crash-dump-analysis-book__icdab_sema_osx.crash",
        "A semaphore was freed with a lower value than it began with"
      ),
      (
        "text/ios-crash-dump-analysis-book__icdab_wrap_ios_translocated.crash",
        "Unexpectedly found nil at icdab_wrap/PlanetViewController.swift:45"
      ),
      (
        "text/ios-crash-dump-analysis-book__reportCrash_ios.crash",
        "A page does not match its code signature"
      ),
      ("text/fuzz_samples__crashreport.txt", "General protection fault"),
      (
        "text/ios-crash-dump-analysis-book__wakeups.crash",
        "Killed: a VoIP app was resumed too often (0xbad22222)"
      ),
      (
        "ips/ios-crash-dump-analysis-book__jetsam_vnode-limit.crash",
        "The system had too many files open (vnode-limit)"
      ),
      (
        "sample/Ventura-ShutdownStall__spindump.txt",
        "Not a crash, the event was: shutdown stall"
      ),
      ("sample/Symbolicator__memory_leak_no_stack.txt", "2 leaks, 64 bytes in all"),
      (
        "ips/ipsw-auto-symbolicate-server__stacks+audiomxd-2025-06-12-080425.ips",
        "Stacks recorded on request: XPC message timeout in "
          + "-[AVAudioSessionRemoteXPCClient setProperties:values:MXProperties:batchStrategy:genericMXPipe:reply:], "
          + "probably deadlocked. Writing a stackshot and terminating."
      ),
    ])
  func headline(_ path: String, _ title: String) throws {
    #expect(try PublicReports.diagnosis(path).explanation.title == title)
  }
}
