internal import CrashReadCore

// What a text states about a crash, and what it adds to a report that stands in it.

extension CrashReport {
  /// Adds what a report lacks from the text around it.
  fileprivate mutating func complete(fromPasted other: CrashReport) {
    let lacksExplanation = hasNoExplanation || hasNoDetails && hasNoFrames
    // A list printed by the runtime has offsets; one made by a reporter may lack them, and was then read only in part.
    // So can one that was read of a list of names, of which reports have none.
    let isNamed =
      lastExceptionBacktrace.isEmpty
      && threads.allSatisfy { $0.frames.allSatisfy { $0.address == nil && $0.number == nil } }
    let isPart = (format == .callStackSymbols || isNamed) && frameCount < other.frameCount
    if hasNoFrames && !other.hasNoFrames || isPart {
      threads = other.threads
      lastExceptionBacktrace = other.lastExceptionBacktrace
      if applicationSpecificBacktraces.isEmpty {
        applicationSpecificBacktraces = other.applicationSpecificBacktraces
      }
      images += images.isEmpty ? other.images : []
      crashedThread = other.crashedThread
    }
    if lacksExplanation || lacksReason {
      for remark in other.systemRemarks { addRemark(remark.heading, remark.text) }
    }
    exception = exception ?? other.exception
    termination = termination ?? other.termination
    uncaughtException = uncaughtException ?? other.uncaughtException
    if applicationSpecificInformation.isEmpty {
      applicationSpecificInformation = other.applicationSpecificInformation
    }
  }

  /// Whether an exception is named whose reason may stand in the text around it.
  var lacksReason: Bool {
    uncaughtException.map { $0.name != nil && $0.reason == nil } ?? false
      && applicationSpecificInformation.isEmpty
  }

  private var frameCount: Int { threads.reduce(0) { $0 + $1.frames.count } }

  fileprivate var hasNoFrames: Bool {
    lastExceptionBacktrace.isEmpty && applicationSpecificBacktraces.isEmpty
      && threads.allSatisfy(\.frames.isEmpty)
  }

  fileprivate var hasNoExplanation: Bool { exception == nil && hasNoDetails }

  /// Whether it states only a type or a signal.
  var hasNoDetails: Bool {
    termination == nil && uncaughtException == nil && applicationSpecificInformation.isEmpty
  }
}

extension CrashReport {
  /// Whether a debugger stopped the process to look at it: nothing else sends this signal and lets LLDB see it.
  fileprivate var isDebuggerStop: Bool {
    kind == .crash && exception == nil && termination == nil && uncaughtException == nil
      && systemRemarks.contains { $0.text.utf8.span.firstOffset(of: "stop reason = signal SIGSTOP") != nil }
  }

  /// Makes it a record of what the threads did, of which none failed.
  fileprivate mutating func becomeSnapshot() {
    kind = .sample
    for index in threads.indices { threads[index].isCrashed = false }
  }
}

extension CrashReport {
  /// The report with the managed stack that .NET writes above the native one (dotnet/macios, src/ObjCRuntime/ObjCException.cs).
  fileprivate func withManagedFrames(aboveNativeIn bytes: Bytes) -> CrashReport {
    // Only a list that a program printed can be one.
    guard [.callStackSymbols, .nsException].contains(format), applicationSpecificBacktraces.isEmpty,
      let heading = bytes.firstRange(of: "\nNative stack trace:")
    else {
      return self
    }
    var report = self
    report.applicationSpecificBacktraces = ManagedStack.backtraces(in: bytes[..<heading.lowerBound].string)
    return report
  }
}

extension [CrashReport] {
  /// The reports, or, if there are none, what the input states about a crash. A single report is completed from the
  /// text around it.
  func completed(from bytes: Bytes) -> [CrashReport] {
    guard count < 2 else { return self }
    return completedFromText(bytes).map { $0.withManagedFrames(aboveNativeIn: bytes) }
  }

  private func completedFromText(_ bytes: Bytes) -> [CrashReport] {
    guard
      first.map({ $0.kind == .crash && ($0.hasNoFrames || $0.hasNoExplanation || $0.lacksReason) }) ?? true
    else {
      return self
    }
    if isEmpty, let tree = SampleReport.fragment(in: bytes) { return [tree] }
    let pasted = PastedText.report(in: bytes, around: first != nil)
    let found = [IPSFragment.report(in: bytes), pasted].compactMap(\.self)
    guard var report = first ?? found.first else { return self }
    for other in found { report.complete(fromPasted: other) }
    if report.isWarning { report.kind = .other }
    if report.isDebuggerStop { report.becomeSnapshot() }
    return [report]
  }
}
