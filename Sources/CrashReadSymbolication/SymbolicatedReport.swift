public import CrashReadCore
public import CrashReadDebugInfo
public import CrashReadReports

/// A report with the results from debug files. The report itself is kept unchanged.
public struct SymbolicatedReport: Sendable {
  /// The original report.
  public var report: CrashReport
  /// Resolved frames of each thread of the report, innermost first.
  public var threads: [[ResolvedFrame]]
  /// Resolved frames of the exception backtrace, innermost first; empty when the report has none.
  public var lastExceptionBacktrace: [ResolvedFrame]
  /// Resolved frames of each application specific backtrace of the report, innermost first.
  public var applicationSpecificBacktraces: [[ResolvedFrame]]
  /// Resolved frames of the allocation of the memory that the fault is attributed to, innermost first.
  public var allocated: [ResolvedFrame] = []
  /// Resolved frames of its deallocation, innermost first.
  public var deallocated: [ResolvedFrame] = []
  /// Resolved frames of each thread's call tree, in the tree's order; empty where a thread has none.
  public var callTrees: [[ResolvedFrame]]
  /// The debug file status of each image of the report.
  public var images: [ImageMatch]
  /// The code around frames of the crashed thread, by frame index, from a binary with the right identity: for the
  /// innermost frame and its caller.
  package var code: [Int: ImageCode] = [:]
  /// The debug file used for each image of the report; empty when they weren't kept.
  var debugFiles: [DebugFile?] = []

  /// Combines a report with what was found for it.
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
  /// Only the report names the function.
  case asReported
  /// Nothing names the function.
  case unresolved
}

/// Why a frame isn't resolved through DWARF; raw values are those of the JSON output.
public enum UnresolvedReason: String, Sendable, Hashable {
  /// No debug file for the image was given or found.
  case noDebugFile
  /// A file for the image was given, but it belongs to another build.
  case identityMismatch
  /// The file has no DWARF, or DWARF that doesn't cover the address.
  case noDebugInfo
  /// The address is in no image of the report.
  case notInImage
  /// The debug file is damaged at this address.
  case damaged
  /// The frame has no address.
  case noAddress
  /// The report calls it inlined, but the debug file has another inline chain, that of the next frame that isn't
  /// inlined.
  case superseded
}

/// The origin of a name learned from other reports.
public struct LearnedName: Sendable, Hashable {
  /// How many different sources state it.
  public var sightings: Int
  /// The day of the earliest report that states it, as `2026-11-21`; nil when unknown.
  public var since: String?

  /// The number of sources, and the day of the earliest report.
  package init(sightings: Int, since: String?) { (self.sightings, self.since) = (sightings, since) }
}

/// A frame of the report, and the results from debug files.
public struct ResolvedFrame: Sendable, Hashable {
  /// The frame as the report states it.
  public var captured: Frame
  /// The image that contains the address, as an index into the report's `images`.
  public var image: Int?
  /// The address that was looked up in the debug file; nil if none was.
  public var lookup: LinkedAddress?
  /// Where the names come from.
  public var resolution: Resolution
  /// Why they don't come from DWARF; nil if they do.
  public var reason: UnresolvedReason?
  /// The functions at the address: the innermost inlined one first, the function that contains them last.
  public var locations: [SourceFrame]
  /// The names of all functions that share the code of the one that isn't inlined, in alphabetical order; empty unless
  /// the linker has folded several functions with identical code, so that any of them may have been called.
  public var foldedNames: [String] = []
  /// The offset of the frame's own address from the start of the function that isn't inlined; nil when unknown.
  public var functionOffset: UInt64?
  /// Whether the frame belongs to the app's own code, rather than the system or a runtime.
  public var isInApp: Bool
  /// Whether the debug file was used without an identity to prove it right.
  public var isGuess: Bool
  /// Whether the frame is missing in the report's backtrace and was recovered from a register.
  public var isRecovered: Bool
  /// The origin of a name learned from other reports; nil for any other.
  public var learned: LearnedName?
  /// Whether the report's symbol names the function after the call instead of the caller: the call was the last
  /// instruction of its function.
  package var symbolIsNeighbor = false
  /// Whether the report's symbol is only the nearest one before the address.
  var symbolIsFar = false

  /// A frame with only what the report states.
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
  /// The report's symbol of the frame's function; nil when it has none, or another function's.
  ///
  /// The linker folds functions with identical code, which symbolicators then call `<deduplicated_symbol>`.
  package var ownSymbol: String? {
    guard !symbolIsNeighbor, let symbol = shownSymbol, !symbol.isHiddenName else { return nil }
    return symbol
  }

  /// Whether the report doesn't name the function: it has no symbol, or a placeholder.
  var isNameless: Bool {
    locations.isEmpty && (shownSymbol?.isPlaceholder ?? true)
  }

  /// The report's symbol, if it says anything about the frame's location.
  package var shownSymbol: String? {
    symbolIsFar || captured.reportedSymbol == SymbolSighting.foldedName ? nil : captured.reportedSymbol
  }
}

/// The debug file status of an image; raw values are those of the JSON output.
public enum ImageStatus: String, Sendable, Hashable {
  /// A debug file was found and used.
  case matched
  /// No frame is in the image, so no file was searched for.
  case notSearched
  /// No file was given or found.
  case missing
  /// Only files of other builds were given.
  case identityMismatch
  /// The right file can't be read.
  case unusable
}

/// The debug file of an image.
public struct ImageMatch: Sendable, Hashable {
  /// Whether the image has its debug file.
  public var status: ImageStatus
  /// The path of the file used; nil if there is none.
  public var debugFile: String?
  /// Whether the file was used without an identity to prove it right.
  public var isGuess: Bool
  /// Every file examined for this image, in order.
  public var attempts: [SymbolAttempt]
  /// Whether the file used belongs to another build of the same program.
  var isOtherBuild = false
  /// How many further files of other builds aren't among the attempts.
  package var otherBuildCount = 0

  /// An image that wasn't searched yet.
  package init(status: ImageStatus = .notSearched) {
    self.status = status
    isGuess = false
    attempts = []
  }
}

/// A file examined for an image.
public struct SymbolAttempt: Sendable, Hashable {
  /// The result; raw values are those of the JSON output.
  public enum Outcome: String, Sendable, Hashable {
    case used, identityMismatch, unusable
    /// A file that the one in use depends on, such as a `.dwo`, is missing; or a server doesn't have the file.
    case missing
  }

  /// The file's path.
  public var path: String
  /// Its identity.
  public var id: ImageID?
  /// The result.
  public var outcome: Outcome
  /// Why it can't be used, in words; nil when it can.
  public var message: String?
  /// Whether it is a file of the same program in another build.
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
  /// The number of the app's frames that lack a line that a debug file could give; those with a line in the report
  /// aren't counted.
  package var unresolvedAppFrames: Int {
    var count = 0
    for frames in threads + [lastExceptionBacktrace] + applicationSpecificBacktraces {
      for frame in frames where frame.isInApp && frame.resolution != .debugInfo {
        if frame.image != nil, frame.captured.reportedLine == nil { count += 1 }
      }
    }
    return count
  }

  /// Whether a debug file of another build was used, so that nothing it says is certain.
  package var usesOtherBuild: Bool { images.contains(where: \.isOtherBuild) }
}
