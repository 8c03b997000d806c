internal import CrashRead
internal import CrashReadSystem

/// Why a worker ended, and whether its input can be the cause.
struct WorkerExit: Sendable {
  private let overrun: Worker.Overrun?
  private let end: ProcessEnd?
  private let limits: InputLimits

  init(of worker: Worker, end: ProcessEnd?, limits: InputLimits) {
    // The worker sends itself this signal when its processor time is used up.
    overrun = end == .signalled(CrashRecovery.outOfTime) ? .time : worker.overrun
    self.end = end
    self.limits = limits
  }

  /// Whether an earlier input may be the cause: by using up memory, or by corrupting it.
  var mayBeCausedByEarlierInputs: Bool { overrun == nil || overrun == .memory }
  /// Whether a limit was exceeded, which many debug files can cause as well as a bad one.
  var isOverrun: Bool { overrun != nil }
  /// Whether the signal came from outside the batch.
  var isFromOutside: Bool { overrun == nil && end == .terminated }

  /// The cause of the end, as the end of a sentence about the worker.
  var text: String {
    switch (overrun, end) {
    case (.time, _): "because it took more than \(limits.seconds) seconds (--timeout)"
    case (.stalled, _): "because it stalled (--timeout)"
    case (.memory, _): "because it needed more than \(limits.memory >> 20) MB of memory (--memory)"
    case (.result, _):
      "because the result has more than \(limits.resultSize >> 20) MB (--max-result-size)"
    case (nil, .signalled(let signal)): "by \(signalDescription(signal))"
    case (nil, .exited(let code)): "with status \(code)"
    case (nil, nil): "for an unknown reason"
    }
  }

  /// Why a debug file isn't used.
  var reason: String { "the worker process that read it ended \(text)" }

  /// Why no debug file is used.
  var reasonForAll: String { "skipped, because the worker process that read the report ended \(text)" }

  /// The result of the input when all attempts have failed.
  func result(of worker: Worker) -> BatchResult {
    let kind: UnreadInput.Kind =
      switch overrun {
      case .time, .stalled: .timedOut
      case .memory, .result: .tooLarge
      case nil: .workerDied
      }
    let file = worker.lastLookup.map { ", reading \($0.binary.path)" } ?? ""
    let unread = UnreadInput(
      input: worker.result.name, kind: kind, message: "the worker process ended \(text)\(file)")
    var result = BatchResult(unread)
    // Another attempt may succeed, with more memory or without the debug file.
    result.unresolved = Int(Int32.max)
    return result
  }
}

extension BatchResult {
  /// The error record of an input.
  init(_ unread: UnreadInput) {
    var renderer = JSONRenderer(.lines)
    var line = ""
    renderer.render(unread, into: &line)
    self.init(name: unread.input, lines: Array(line.utf8), outcome: .unread)
  }
}
