import TestSupport
import Testing

@testable import CrashReadReports

private func bugsnag(_ type: String, _ message: String, unhandled: Bool) -> String {
  """
  {"unhandled": \(unhandled), "exceptions": [{"errorClass": "\(type)", "message": "\(message)", "stacktrace": [
    {"method": "__psynch_mutexwait", "machoFile": "/usr/lib/system/libsystem_kernel.dylib"}]}]}
  """
}

@Suite("Events of reporters that are no crashes")
struct ReporterEventTests {
  private func report(_ text: String) throws -> CrashReport {
    try #require(try CrashReport.parse(Array(text.utf8)).first)
  }

  @Test(
    "A main thread that doesn't respond is a hang, whether the app survived it or not",
    arguments: [true, false])
  func bugsnagHang(_ unhandled: Bool) throws {
    let message = "The app's main thread failed to respond to an event within 2000 milliseconds"
    let hang = try report(bugsnag("App Hang", message, unhandled: unhandled))
    #expect(hang.kind == .hang)
    #expect(hang.applicationSpecificInformation == [message])
    #expect(hang.uncaughtException == nil && hang.exception == nil)
    #expect(hang.threads.first?.frames.first?.reportedSymbol == "__psynch_mutexwait")
  }

  @Test("Datadog states a hang's duration in nanoseconds")
  func datadogHang() throws {
    let hang = try report(
      """
      {"freeze": {"duration": 3512345678}, "error": {"source_type": "ios", "type": "AppHang", "message": "App Hang",
        "is_crash": false, "stack": "0   App 0x0000000104a10000 0x104a00000 + 65536"}}
      """)
    #expect(hang.kind == .hang)
    #expect(hang.applicationSpecificInformation == ["App Hang", "Hang duration: 3.5 s"])
  }

  @Test("An error that Crashlytics recorded without an end is one that the app reported")
  func crashlyticsNonFatal() throws {
    let error = try report(
      """
      {"issue": {"id": "1", "errorType": "NON_FATAL", "title": "NSURLErrorDomain", "subtitle": "-1009"},
        "errors": [{"code": -1009, "frames": [{"symbol": "-[Store save]", "library": "Larder"}]}],
        "threads": [{"frames": [{"symbol": "mach_msg2_trap", "library": "libsystem_kernel.dylib"}]}]}
      """)
    #expect(error.kind == .other)
    #expect(error.applicationSpecificInformation == ["Error reported by the app: NSURLErrorDomain: -1009"])
  }

  @Test(
    "An end that a library infers at the next start is no exception that was thrown",
    arguments: [
      bugsnag("Out Of Memory", "The app was likely terminated by the operating system", unhandled: true),
      bugsnag("Thermal Kill", "The device was too hot", unhandled: true),
      """
      {"error": {"source_type": "ios", "type": "WatchdogTermination", "is_crash": true, "stack": "not available",
        "message": "The operating system watchdog terminated the application."}}
      """,
    ])
  func inferredEnd(_ text: String) throws {
    let end = try report(text)
    #expect(end.kind == .crash)
    #expect(end.uncaughtException == nil && end.exception?.type == nil)
    let type = try #require(
      ["Out Of Memory", "Thermal Kill", "WatchdogTermination"].first(where: text.contains))
    #expect(end.exception?.message?.hasPrefix("\(type): The ") ?? false)
  }
}
