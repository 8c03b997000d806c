package import Foundation

/// An interactive run of `crashread`.
package final class PipedRun {
  package let process = Process()
  private let input = Pipe()
  private let output = Pipe()
  private var received: [UInt8] = []

  package init(
    _ arguments: [String], environment: [String: String] = [:], at working: URL = Repository.root
  ) throws {
    process.executableURL = try builtProgram("crashread")
    process.arguments = arguments
    process.currentDirectoryURL = working
    process.environment = ProcessInfo.processInfo.environment.merging(
      ["SWIFT_BACKTRACE": "enable=no", "CRASHREAD_CACHE": "off"]
    ) { $1 }.merging(environment) { $1 }
    process.standardInput = input
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    // The program may have ended, and SIGPIPE must not end the tests.
    signal(SIGPIPE, SIG_IGN)
    try process.start()
  }

  package func write(_ text: String) { try? input.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

  package func closeInput() { try? input.fileHandleForWriting.close() }

  package func closeOutput() { try? output.fileHandleForReading.close() }

  /// The next line of output, without its end; nil when there is no further one.
  package func line() -> String? {
    while true {
      if let end = received.firstIndex(of: 0x0a) {
        defer { received.removeFirst(end + 1) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      let more = output.fileHandleForReading.availableData
      if more.isEmpty { return nil }
      received += more
    }
  }

  /// Waits for the end; the status, or the signal's number below zero.
  package func end() -> Int32 {
    process.waitUntilExit()
    return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// The processes that it has started and that still run.
  package var children: [Int32] {
    let id = process.processIdentifier
    let text = (try? String(contentsOfFile: "/proc/\(id)/task/\(id)/children", encoding: .utf8)) ?? ""
    return text.split(separator: " ").compactMap { Int32($0) }
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
}
