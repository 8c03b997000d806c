internal import CrashReadCore

/// What a statement rests on: a place in the report or in a debug file, and what stands there.
///
/// A label in a language and a JSON pointer are made of the place where it is shown; nothing reads them back.
public struct Evidence: Sendable, Hashable {
  /// Where it stands.
  public var source: EvidenceSource
  /// What stands there, in the report's own words; long texts are cut.
  public var quote: String
  /// What a quoted number says, in the explanation's language; nil for what speaks for itself.
  public var meaning: String?

  /// Quotes a place.
  package init(_ source: EvidenceSource, _ quote: String, meaning: String? = nil) {
    self.source = source
    self.quote = Template.shortened(quote)
    self.meaning = meaning
  }

  /// Quotes a number, in hexadecimal.
  init(_ source: EvidenceSource, _ number: UInt64) { self.init(source, hexadecimal(number)) }
}

/// A place in the report or in what debug files say of it.
public enum EvidenceSource: Sendable, Hashable {
  /// A field of the report.
  case field(ReportField)
  /// A frame: the function it is in, or its address.
  case frame(FrameReference)
  /// A register of a thread, which is given as an index into the report's threads.
  case register(thread: Int, name: String)
  /// The code that a thread stopped in, which is given as an index into the report's threads.
  case code(thread: Int)
  /// An image, as an index into the report's images.
  case image(Int)
  /// A variable that a debug file names: one of those of the diagnosis, by frame, location and position there.
  case variable(FrameReference, location: Int, index: Int)
  /// How far inside its type a member lies, by a debug file: an index into the members of the fault statement.
  case memberOffset(Int)

  /// A frame of a thread, both as indices.
  static func frame(_ frame: Int, ofThread thread: Int) -> EvidenceSource {
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
  /// "Exception Codes" as the report words them, where these aren't numbers alone.
  case exceptionCodesText
  /// "Exception Subtype".
  case exceptionSubtype
  /// "Exception Message".
  case exceptionMessage
  /// "Exception Note".
  case exceptionNote
  /// The NSException nobody caught.
  case uncaughtException
  /// "Termination Reason": namespace, code and indicator.
  case termination
  /// A further line of it, counted from 0.
  case terminationDetail(Int)
  /// An entry of "Application Specific Information", counted from 0.
  case applicationSpecificInformation(Int)
  /// "VM Region Info".
  case vmRegionInfo
  /// What the system noted beside the crash, counted from 0.
  case systemRemark(Int)
  /// The memory that the fault is blamed on.
  case allocation
  /// How many threads the report lists.
  case threadCount
  /// A thread's name, or that of its queue; an index into the report's threads.
  case queue(thread: Int)
  /// How many frames the "Last Exception Backtrace" has.
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
  /// Its position there, as an index into the resolved frames.
  public var frame: Int

  /// Points at a frame.
  package init(_ backtrace: BacktraceReference, _ frame: Int) {
    self.backtrace = backtrace
    self.frame = frame
  }
}
