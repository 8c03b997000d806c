internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// A function of a backtrace, as trackers list them: one inlined into a frame, or the frame's own.
struct BacktraceRow {
  let frame: ResolvedFrame
  /// The function in the debug file; nil without one.
  let function: SourceFrame?
  let isInlined: Bool

  /// The functions of a backtrace, innermost first. Inlined calls stated by the report are ignored where a debug file
  /// has the actual ones.
  static func rows(_ frames: [ResolvedFrame]) -> [BacktraceRow] {
    frames.flatMap { frame -> [BacktraceRow] in
      if frame.reason == .superseded { return [] }
      guard !frame.locations.isEmpty else {
        return [BacktraceRow(frame: frame, function: nil, isInlined: frame.captured.isInlined)]
      }
      return frame.locations.enumerated().map { index, function in
        let isLast = index == frame.locations.count - 1
        return BacktraceRow(
          frame: frame, function: function, isInlined: !isLast || frame.captured.isInlined)
      }
    }
  }

  /// The function's name, from the debug file or else from the report.
  var name: String? { function.map { $0.function ?? $0.linkageName } ?? frame.captured.reportedSymbol }

  /// The location, from the debug file or else from the report.
  var location: SourceLocation? { function == nil ? frame.reportedLocation : function?.location }

  /// The start of the function in the process; nil when unknown, and for an inlined function.
  var symbolAddress: RuntimeAddress? {
    guard let address = frame.captured.address, let offset = symbolOffset, address.rawValue >= offset else {
      return nil
    }
    return RuntimeAddress(address.rawValue - offset)
  }

  private var symbolOffset: UInt64? {
    guard let function else { return frame.captured.reportedSymbolOffset }
    return function.isInlined ? nil : frame.functionOffset
  }
}
