public import CrashReadCore
public import CrashReadDebugInfo
public import CrashReadReports

/// A report with what debug files say about it. The report itself is kept whole.
public struct SymbolicatedReport: Sendable {
  /// The report as it was read.
  public var report: CrashReport
  /// Resolved frames of each thread of the report, innermost first.
  public var threads: [[ResolvedFrame]]
  /// Resolved frames of the exception backtrace, innermost first; empty when the report has none.
  public var lastExceptionBacktrace: [ResolvedFrame]
  /// Resolved frames of each application specific backtrace of the report, innermost first.
  public var applicationSpecificBacktraces: [[ResolvedFrame]]
  /// Resolved frames of who allocated the memory that the fault is blamed on, innermost first.
  public var allocated: [ResolvedFrame] = []
  /// Those of who freed it.
  public var deallocated: [ResolvedFrame] = []
  /// Resolved frames of each thread's call tree, in the tree's order; empty where a thread has none.
  public var callTrees: [[ResolvedFrame]]
  /// What was found for each image of the report.
  public var images: [ImageMatch]
  /// The code around frames of the crashed thread, by their positions, where a binary of the same identity holds it: the
  /// innermost frame's, and its caller's.
  package var code: [Int: ImageCode] = [:]
  /// The debug file used for each image of the report; empty when they weren't kept.
  var debugFiles: [DebugFile?] = []

  /// Puts a report beside what was found for it.
  package init(
    report: CrashReport, threads: [[ResolvedFrame]], lastExceptionBacktrace: [ResolvedFrame],
    applicationSpecificBacktraces: [[ResolvedFrame]] = [], callTrees: [[ResolvedFrame]] = [],
    images: [ImageMatch]
  ) {
    self.report = report
    self.threads = threads
    self.lastExceptionBacktrace = lastExceptionBacktrace
    self.applicationSpecificBacktraces = applicationSpecificBacktraces
    self.callTrees = callTrees.isEmpty ? report.threads.map { _ in [] } : callTrees
    self.images = images
  }
}

/// Where a frame's names come from; raw values are those of the JSON output.
public enum Resolution: String, Sendable, Hashable {
  /// DWARF covers the address.
  case debugInfo
  /// The nearest symbol before the address: a name without a line, and possibly another function's.
  case symbolTable
  /// Other reports of the same image name the function: a name without a line.
  case learned
  /// Only what the report itself says.
  case asReported
  /// Nobody knows.
  case unresolved
}

/// Why a frame isn't resolved through DWARF; raw values are those of the JSON output.
public enum UnresolvedReason: String, Sendable, Hashable {
  /// No debug file for the image was given or found.
  case noDebugFile
  /// A file for the image was given, but it is of another build.
  case identityMismatch
  /// The file has no DWARF, or DWARF that doesn't cover the address.
  case noDebugInfo
  /// The address lies in no image of the report.
  case notInImage
  /// The debug file is damaged there.
  case damaged
  /// The frame has no address.
  case noAddress
  /// The report calls it inlined, but the debug file knows another chain of calls: that of the next real frame.
  case superseded
}

/// Where a name comes from that other reports have brought.
public struct LearnedName: Sendable, Hashable {
  /// How many different sources say so.
  public var sightings: Int
  /// The first day on which one did, as `2026-11-21`; nil when unknown.
  public var since: String?

  /// Who says so and since when.
  package init(sightings: Int, since: String?) { (self.sightings, self.since) = (sightings, since) }
}

/// A frame of the report, and what debug files say about it.
public struct ResolvedFrame: Sendable, Hashable {
  /// The frame as the report has it.
  public var captured: Frame
  /// The image that holds the address, as an index into the report's `images`.
  public var image: Int?
  /// The address that was looked up in the debug file; nil when none was.
  public var lookup: LinkedAddress?
  /// Where the names come from.
  public var resolution: Resolution
  /// Why not from DWARF; nil when they do.
  public var reason: UnresolvedReason?
  /// Functions at the address: the innermost inlined one first, the real function last.
  public var locations: [SourceFrame]
  /// The distance of the frame's own address from the start of the function that isn't inlined; nil when unknown.
  public var functionOffset: UInt64?
  /// Whether the frame belongs to the app's own code, not to the system or a runtime.
  public var isInApp: Bool
  /// Whether the debug file was taken without an identity to prove it right.
  public var isGuess: Bool
  /// Whether the report's backtrace lacks this frame and it was put in from a register.
  public var isRecovered: Bool
  /// Where the name comes from, if other reports have brought it; nil for any other.
  public var learned: LearnedName?
  /// Whether the symbol that the report states is of the function behind the call, not of the caller: the call was its
  /// function's last instruction.
  package var symbolIsNeighbor = false
  /// Whether the symbol that the report states is only the nearest one left before the address.
  package var symbolIsFar = false

  /// A frame about which nothing is known beyond the report.
  package init(captured: Frame) {
    self.captured = captured
    image = captured.image
    resolution = captured.reportedSymbol == nil ? .unresolved : .asReported
    locations = []
    isInApp = false
    isGuess = false
    isRecovered = captured.isRecovered
  }
}

extension ResolvedFrame {
  /// The symbol that the report states for the frame's function; nil when it states none, or another function's.
  ///
  /// The linker folds functions of the same code into one, which symbolicators then call `<deduplicated_symbol>`.
  package var ownSymbol: String? { symbolIsNeighbor ? nil : shownSymbol }

  /// Whether the report names no function: it has no symbol, or one that stands for any function.
  package var isNameless: Bool {
    locations.isEmpty && (shownSymbol.map { SymbolSighting.keptName($0) == "" } ?? true)
  }

  /// The symbol that the report states, where it says anything of the frame's place.
  package var shownSymbol: String? {
    symbolIsFar || captured.reportedSymbol == "<deduplicated_symbol>" ? nil : captured.reportedSymbol
  }
}

/// Whether an image has its debug file; raw values are those of the JSON output.
public enum ImageStatus: String, Sendable, Hashable {
  /// A debug file was found and used.
  case matched
  /// No frame lies in the image, so nobody looked.
  case notSearched
  /// No file was given or found.
  case missing
  /// Only files of another build were given.
  case identityMismatch
  /// The right file, but it can't be read.
  case unusable
}

/// What was found for one image.
public struct ImageMatch: Sendable, Hashable {
  /// Whether the image has its debug file.
  public var status: ImageStatus
  /// The path of the file used; nil when none was.
  public var debugFile: String?
  /// Whether the file was taken without an identity to prove it right.
  public var isGuess: Bool
  /// Every file looked at for this image, in order.
  public var attempts: [SymbolAttempt]
  /// Whether the file used is of another build of the same program.
  package var isOtherBuild = false
  /// How many further files of other builds aren't among the attempts.
  package var otherBuildCount = 0

  /// An image nobody has looked for yet.
  package init(status: ImageStatus = .notSearched) {
    self.status = status
    isGuess = false
    attempts = []
  }
}

/// One file looked at for an image.
public struct SymbolAttempt: Sendable, Hashable {
  /// What came of it; raw values are those of the JSON output.
  public enum Outcome: String, Sendable, Hashable {
    case used, identityMismatch, unusable
    /// A further file that the one used relies on, a `.dwo` or dwz's, isn't there; or a server was asked in vain.
    case missing
  }

  /// The file's path.
  public var path: String
  /// The identity it has.
  public var id: ImageID?
  /// What came of it.
  public var outcome: Outcome
  /// Why it can't be used, in words; nil when it can.
  public var message: String?
  /// Whether it is a file of the same program, in another build.
  package var isOtherBuild = false

  /// Records an attempt.
  package init(path: String, id: ImageID?, outcome: Outcome, message: String? = nil) {
    self.path = path
    self.id = id
    self.outcome = outcome
    self.message = message
  }
}

extension SymbolicatedReport {
  /// How many frames of the app's own code have no line that a debug file could bring: those that the report itself gives
  /// a line have one.
  package var unresolvedAppFrames: Int {
    (threads.joined() + lastExceptionBacktrace + applicationSpecificBacktraces.joined()).count {
      $0.isInApp && $0.resolution != .debugInfo && $0.image != nil && $0.captured.reportedLine == nil
    }
  }

  /// Whether a debug file of another build was used, so that nothing it says is certain.
  package var usesOtherBuild: Bool { images.contains(where: \.isOtherBuild) }
}
