public import CrashReadCore

/// One crash report, exactly as it states things: nothing is resolved, corrected or guessed here.
///
/// Every field the report doesn't state is nil or empty.
public struct CrashReport: Sendable, Hashable {
  /// The format it was read from.
  public var format: ReportFormat
  /// What the report is about.
  public var kind: ReportKind
  /// Process, system and time.
  public var header: ReportHeader
  /// The Mach exception or signal.
  public var exception: ExceptionRecord?
  /// The uncaught NSException, if the report states it separately.
  public var uncaughtException: UncaughtException?
  /// Who ended the process, and why.
  public var termination: TerminationRecord?
  /// Lines of "Application Specific Information" (`asi` in .ips), in report order, without the heading.
  public var applicationSpecificInformation: [String]
  /// The system's notes besides the crash: how the kernel served the process, which processes modified it, whether the
  /// device was locked.
  public var systemRemarks: [SystemRemark]
  /// The region that contains the fault address, or its neighbours: the text of "VM Region Info".
  public var vmRegionInfo: String?
  /// All threads in report order.
  public var threads: [ThreadRecord]
  /// The crashed thread, as an index into `threads`.
  public var crashedThread: Int?
  /// Frames of "Last Exception Backtrace", innermost first: where an uncaught NSException was thrown.
  public var lastExceptionBacktrace: [Frame]
  /// Frames of "Application Specific Backtrace N", innermost first, in report order.
  public var applicationSpecificBacktraces: [[Frame]]
  /// The memory to which the fault is attributed; nil if the report has no record of it.
  public var allocation: AllocationRecord?
  /// Loaded images, in the report's own order.
  public var images: [BinaryImage]
  /// What was repaired, or could not be used.
  public var notes: [ReportNote]
  /// The offset of the report's JSON document in the text it was read from, in bytes; nil for text reports.
  package var documentPosition: Int?

  /// An empty report.
  package init(format: ReportFormat, kind: ReportKind = .crash) {
    self.format = format
    self.kind = kind
    header = ReportHeader()
    applicationSpecificInformation = []
    systemRemarks = []
    threads = []
    lastExceptionBacktrace = []
    applicationSpecificBacktraces = []
    images = []
    notes = []
  }
}

extension CrashReport {
  /// The frames of every backtrace and call tree. To visit them, `forEachFrame` is cheaper.
  package var allFrames: [Frame] {
    var frames: [Frame] = []
    forEachFrame { frames.append($0) }
    return frames
  }

  /// Visits the frames of every backtrace and call tree. Frames are large, so none is copied.
  package func forEachFrame(_ body: (Frame) -> Void) {
    func visit(_ frames: [Frame]) { for index in frames.indices { body(frames[index]) } }
    for index in threads.indices { visit(threads[index].frames) }
    visit(lastExceptionBacktrace)
    applicationSpecificBacktraces.forEach(visit)
    visit(allocation?.allocated ?? [])
    visit(allocation?.deallocated ?? [])
    for index in threads.indices {
      for entry in threads[index].callTree.indices { body(threads[index].callTree[entry].frame) }
    }
  }

  /// Adds for how long the main thread did not respond.
  mutating func addHangDuration(nanoseconds: Int) {
    let tenths = nanoseconds / 100_000_000
    applicationSpecificInformation.append("Hang duration: \(tenths / 10).\(tenths % 10) s")
  }

  /// The prefix of an error that the program reported and survived.
  static let reportedErrorMark = "Error reported by the app: "

  /// The registers of the crashed thread; nil when the report has none.
  public var crashedThreadState: ThreadState? {
    crashedThread.flatMap { threads.indices.contains($0) ? threads[$0].state : nil }
  }

  /// The thread to examine first, as an index into `threads`: the crashed one; nil when there is no thread with a
  /// backtrace.
  ///
  /// In a report about anything but a crash, it is the main thread, otherwise the first thread with a backtrace.
  public var principalThread: Int? {
    if let crashedThread { return crashedThread }
    guard kind != .crash else { return nil }
    let main = threads.firstIndex { $0.queue == "com.apple.main-thread" }
    return main ?? threads.firstIndex { !$0.frames.isEmpty }
  }

  /// The process's CPU: from `Code Type`, otherwise from the first image that states one.
  public var architecture: Architecture? {
    header.codeType.flatMap { Architecture(codeType: $0) } ?? images.lazy.compactMap(\.architecture).first
  }
}

/// The subject of a report; raw values are those of the JSON output.
public enum ReportKind: String, Sendable, Hashable, CaseIterable {
  case crash, hang, resource, jetsam, panic, sample, other
}

/// A line that was repaired, or could not be used.
public struct ReportNote: Sendable, Hashable {
  /// The line in the input, 1-based; nil when the note is about the whole report.
  public var line: Int?
  /// What was found and what was done about it, as one English sentence without a full stop.
  public var message: String

  /// Makes a note.
  package init(line: Int?, message: String) {
    self.line = line
    self.message = message
  }
}

/// Process, system and time, as strings of the report.
public struct ReportHeader: Sendable, Hashable {
  /// "Incident Identifier".
  public var incident: String?
  /// "Date/Time" or `captureTime`, as written.
  public var date: String?
  /// "Launch Time" or `procLaunch`, as written.
  public var launchDate: String?
  /// The process's name, without its pid.
  public var process: String?
  /// The process's id.
  public var pid: Int?
  /// The executable's path.
  public var path: String?
  /// "Identifier".
  public var bundleID: String?
  /// The marketing version: `1.2` of `1.2 (34)`.
  public var version: String?
  /// The build number: `34` of `1.2 (34)`.
  public var build: String?
  /// "Code Type", such as `ARM-64 (Native)`.
  public var codeType: String?
  /// "Hardware Model", such as `iPhone12,1`.
  public var hardwareModel: String?
  /// "OS Version", with the build in parentheses.
  public var osVersion: String?
  /// "Parent Process", with its pid in brackets where stated.
  public var parentProcess: String?
  /// "CrashReporter Key": the same for all reports of a device, and anonymous.
  package var deviceKey: String?

  /// An empty header.
  package init() {}
}
