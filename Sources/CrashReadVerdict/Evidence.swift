internal import CrashReadCore

/// What a statement is based on: a location in the report or in a debug file, and its contents.
///
/// A label in a language and a JSON pointer are derived from it when it is shown; they are never parsed.
public struct Evidence: Sendable, Hashable {
  /// The location.
  public var source: EvidenceSource
  /// The quoted text, in the report's own words; long texts are truncated.
  public var quote: String
  /// The meaning of a quoted number in the explanation's language; nil for what needs none.
  public var meaning: String?

  /// Quotes a location.
  package init(_ source: EvidenceSource, _ quote: String, meaning: String? = nil) {
    self.source = source
    self.quote = Self.shortened(quote)
    self.meaning = meaning
  }

  /// Quotes a number, in hexadecimal.
  package init(_ source: EvidenceSource, _ number: UInt64) { self.init(source, hexadecimal(number)) }

  /// The maximum length of a quoted value: a report can have megabytes where a name is expected.
  private static let maximumLength = 400

  /// A value truncated to the maximum length.
  package static func shortened(_ value: String) -> String { value.truncated(toScalars: maximumLength) }
}

/// A location in the report, or in the results from debug files.
public enum EvidenceSource: Sendable, Hashable {
  /// A field of the report.
  case field(ReportField)
  /// A frame: its function, or its address.
  case frame(FrameReference)
  /// A register of a thread, which is given as an index into the report's threads.
  case register(thread: Int, name: String)
  /// The code at which a thread stopped, which is given as an index into the report's threads.
  case code(thread: Int)
  /// An image, as an index into the report's images.
  case image(Int)
  /// A variable in a debug file: one of the diagnosis's, by frame, location and index there.
  case variable(FrameReference, location: Int, index: Int)
  /// The offset of a member in its type, from a debug file: an index into the members of the fault statement.
  case memberOffset(Int)

  /// A frame of a thread, both as indices.
  package static func frame(_ frame: Int, ofThread thread: Int) -> EvidenceSource {
    .frame(FrameReference(.thread(thread), frame))
  }
}

/// A field of a report.
public enum ReportField: Sendable, Hashable {
  /// What the report is about.
  case kind
  /// "Code Type".
  case codeType
  /// "Exception Type": the exception and its signal.
  case exceptionType
  /// "Exception Codes".
  case exceptionCodes
  /// "Exception Codes" as the report words them, if they aren't only numbers.
  case exceptionCodesText
  /// "Exception Subtype".
  case exceptionSubtype
  /// "Exception Message".
  case exceptionMessage
  /// "Exception Note".
  case exceptionNote
  /// The uncaught NSException.
  case uncaughtException
  /// "Termination Reason": namespace, code and indicator.
  case termination
  /// A further line of "Termination Reason", counted from 0.
  case terminationDetail(Int)
  /// An entry of "Application Specific Information", counted from 0.
  case applicationSpecificInformation(Int)
  /// "VM Region Info".
  case vmRegionInfo
  /// A note of the system besides the crash, counted from 0.
  case systemRemark(Int)
  /// The memory that the fault is blamed on.
  case allocation
  /// The number of threads in the report.
  case threadCount
  /// A thread's name, or that of its queue; an index into the report's threads.
  case queue(thread: Int)
  /// The number of frames in "Last Exception Backtrace".
  case lastExceptionBacktraceCount
}

/// A backtrace of a report.
public enum BacktraceReference: Sendable, Hashable {
  /// A thread's, as an index into the report's threads.
  case thread(Int)
  /// "Last Exception Backtrace".
  case lastException
  /// "Application Specific Backtrace", as an index into the report's.
  case applicationSpecific(Int)
}

/// A frame of a report.
public struct FrameReference: Sendable, Hashable {
  /// The backtrace it is in.
  public var backtrace: BacktraceReference
  /// Its index in the resolved frames.
  public var frame: Int

  /// Points at a frame.
  package init(_ backtrace: BacktraceReference, _ frame: Int) {
    self.backtrace = backtrace
    self.frame = frame
  }
}
