internal import CrashReadCore

/// A device on which tests ran, or that ran them.
struct RunDevice {
  var identifier: String?
  var model: String?
  var system: String?
  private var name: String?

  init() {}

  /// Reads an `ActionDeviceRecord`.
  init(_ record: JSONValue) {
    identifier = record["identifier"].string
    model = record["modelCode"].string
    name = (record["name"].string ?? record["modelName"].string).map { String($0.prefix(256)) }
    let platform = record["platformRecord"]["userDescription"].string
    let version =
      record["operatingSystemVersionWithBuildNumber"].string ?? record["operatingSystemVersion"].string
    system = version.map { [platform, $0].compactMap(\.self).joined(separator: " ") }
  }

  /// `iPhone 17 Pro, iOS Simulator 27.0 (24A5370g)`.
  var description: String? {
    let parts = [name, system].compactMap(\.self)
    return parts.isEmpty ? nil : parts.joined(separator: ", ")
  }
}

/// A crash that Xcode recorded as a test failure, in words.
///
/// Forms seen in public results: `Crash: App (123) function. library: message`, with one message per line
/// (ably/ably-cocoa's notes on flaky tests); `Test crashed with signal abrt`; `com.example.App crashed in function`.
enum RecordedCrash {
  /// The report for a failure's message; nil when it isn't a crash.
  static func report(_ message: String, _ failure: JSONValue, on device: RunDevice) -> CrashReport? {
    var report = CrashReport(format: .xcresult)
    var function: String?
    if let rest = rest(of: message, after: "Crash: ") {
      function = readProcess(rest, into: &report)
    } else if let signal = word(in: message, after: "Test crashed with signal ") {
      report.exception = ExceptionRecord()
      report.exception?.type = "SIG" + signal.uppercased()
      report.applicationSpecificInformation = [message]
    } else if let parts = split(message, at: " crashed in "), !parts.0.contains(" ") {
      report.header.bundleID = parts.0
      report.header.process = parts.0.split(separator: ".").last.map(String.init)
      function = parts.1
    } else {
      return nil
    }
    report.header.date = failure["timestamp"].string
    report.header.hardwareModel = device.model
    report.header.osVersion = device.system
    addBacktrace(of: failure, function, to: &report)
    report.notes = [
      ReportNote(line: nil, message: "the bundle contains no report of this crash; Xcode's message was read")
    ]
    return report
  }

  /// Reads `xctest (87881) Tests.test(). libswiftCore.dylib: Fatal error: …`; returns the function.
  private static func readProcess(_ text: String, into report: inout CrashReport) -> String? {
    guard let (process, rest) = split(text, at: " ("), let (pid, words) = split(rest, at: ")"),
      let number = Int(pid)
    else {
      report.applicationSpecificInformation = [text]
      return nil
    }
    report.header.process = process
    report.header.pid = number
    let (function, message) = split(words, at: ". ") ?? (words, "")
    report.applicationSpecificInformation = message.split(separator: "\n").map {
      String(split(String($0), at: " (#CharacterRangeLen=")?.0 ?? String($0))
    }
    let name = function.split(separator: "\n").first.map { $0.drop { $0 == " " } } ?? ""
    return name.isEmpty ? nil : String(name)
  }

  /// Adds the frames of the failure; if there are none, the function in which it occurred and the marked line.
  private static func addBacktrace(
    of failure: JSONValue, _ function: String?, to report: inout CrashReport
  ) {
    let context = failure["sourceCodeContext"]
    var frames = context["callStack"].elements.map(frame)
    if !frames.contains(where: { $0.reportedSymbol != nil }) { frames = [] }
    if frames.isEmpty {
      let location = context["location"]
      var frame = Frame(kind: .programCounter, address: nil)
      frame.reportedSymbol = function
      frame.reportedFile = failure["fileName"].string ?? location["filePath"].string
      frame.reportedLine = line(failure["lineNumber"]) ?? line(location["lineNumber"])
      if frame.reportedFile?.hasPrefix("<") ?? false { frame.reportedFile = nil }
      guard frame.reportedSymbol != nil || frame.reportedFile != nil else { return }
      frames = [frame]
    }
    for index in frames.indices { frames[index].number = index }
    var thread = ThreadRecord(index: 0)
    thread.isCrashed = true
    thread.frames = frames
    report.threads = [thread]
    report.crashedThread = 0
  }

  /// Reads a `SourceCodeFrame`.
  private static func frame(_ source: JSONValue) -> Frame {
    let info = source["symbolInfo"]
    var frame = Frame(
      kind: .returnAddress, address: source["addressString"].bits.map { RuntimeAddress($0) })
    frame.imageName = info["imageName"].string
    frame.reportedSymbol = info["symbolName"].string
    frame.reportedFile = info["location"]["filePath"].string
    frame.reportedLine = line(info["location"]["lineNumber"])
    return frame
  }

  private static func line(_ number: JSONValue) -> Int? { number.integer.flatMap { $0 > 0 ? $0 : nil } }

  private static func rest(of text: String, after prefix: String) -> String? {
    text.hasPrefix(prefix) ? String(text.dropFirst(prefix.count)) : nil
  }

  private static func word(in text: String, after mark: StaticString) -> String? {
    split(text, at: mark).map { String($0.1.prefix { $0.isLetter || $0.isNumber }) }
  }

  /// The text before and after the first occurrence of a mark.
  private static func split(_ text: String, at mark: StaticString) -> (String, String)? {
    let bytes = Bytes(Array(text.utf8))
    guard let range = bytes.firstRange(of: mark) else { return nil }
    return (bytes[..<range.lowerBound].string, bytes[range.upperBound...].string)
  }
}
