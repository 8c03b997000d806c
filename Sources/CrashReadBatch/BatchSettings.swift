internal import CrashRead
public import CrashReadCore
internal import CrashReadDebugInfo
public import CrashReadDiagnosis
package import CrashReadRendering
internal import CrashReadSymbolication
internal import CrashReadSystem

/// How a batch reads reports.
public struct BatchSettings: Sendable, Equatable {
  /// dSYM bundles, binaries, `.debug` files, or directories and archives that hold any of them.
  public var symbols: [String] = []
  /// More such places; one that can't be used is no complaint.
  public var optionalSymbols: [String] = []
  /// The directory with the caches of debug files, where archives are extracted, too; nil for no caches.
  public var caches: String?
  /// Whether the servers that `DEBUGINFOD_URLS` names are asked for debug files that aren't there.
  public var asksDebuginfod = false
  /// Servers that are asked, too, as `LAYOUT=URL`.
  public var symbolServers: [String] = []
  /// Where a program is looked at that lies where the report says, besides the directories among `symbols`.
  public var programFolders: [String] = []
  /// The names of the system's functions that reports have brought; nil for none.
  public var symbolMemory: String?
  /// How many sources must say the same for such a name to be used.
  public var quorum = 2
  /// Whether names are learnt from the reports, for `symbolMemory`.
  public var learns = false
  /// Whether a debug file of another build is used where the right one isn't at hand.
  public var allowsMismatch = false
  /// The language of the explanations.
  public var language = Language.english
  /// Whether results say how their verdict was reached.
  public var showsReasoning = false
  /// What reports and debug files may ask for.
  public var limits = Limits()
  /// What the reading of one input may cost.
  public var inputLimits = InputLimits()

  /// How many workers read; nil for one a processor.
  public var workers: Int?
  /// What a worker is.
  public var isolation = WorkerIsolation.threads
  /// A command, with its arguments, that makes caches of large debug files when the batch has ended, such as `crashread
  /// symbols --index`; it is given `--cache=` and the paths. Empty for none.
  public var cacheCommand: [String] = []

  /// The database that remembers what was read; nil for none.
  public var state: String?
  /// Whether reports that the state remembers are read again when they lacked debug files.
  public var retriesUnresolved = false
  /// The file that gets a line of JSON for each report; with a state, exactly once. nil for none.
  public var output: String?

  /// For whom a few lines are to do; nil for the whole result.
  package var brief: BriefAudience?
  /// Whether results have their lines of JSON.
  package var writesResults = true

  /// The defaults: no debug files, a thread a processor, and nothing remembered.
  public init() {}
}

/// What the reading of one input may cost a worker; beyond that the input, or a debug file, counts as damaged.
public struct InputLimits: Sendable, Equatable {
  /// Seconds of processor time. Only processes have this limit and the next.
  public var seconds = 60
  /// Bytes of memory that a worker may have for itself.
  public var memory = 2 << 30
  /// Bytes of the input's result.
  public var resultSize = 256 << 20

  /// The defaults.
  public init() {}
}

/// What the workers of a batch are.
public enum WorkerIsolation: Sendable, Equatable {
  /// Threads of this process, which share what they know of debug files. A debug file that ends one ends the process.
  case threads
  /// Processes that run a program which calls `BatchWorker.runIfRequested()` before anything else.
  case processes(WorkerProgram)
}

/// A program that is started as a worker.
public struct WorkerProgram: Sendable, Equatable {
  /// Its path, or its name in `PATH`.
  public var path: String
  /// Its arguments, before those of a worker.
  public var arguments: [String]

  /// A program.
  public init(path: String, arguments: [String] = []) { (self.path, self.arguments) = (path, arguments) }
}

extension BatchSettings {
  /// A reader as a worker has it: without source lines, for which results have no place.
  func reader() -> CrashReader {
    let store = SymbolStore(
      searching: symbols + optionalSymbols, caches: caches.map { CacheDirectory(path: $0) },
      asksDebuginfod: asksDebuginfod, servers: symbolServers.compactMap { SymbolServer(parsing: $0) },
      programFolders: programFolders, limits: limits)
    var reader = CrashReader(store: store, language: language, limits: limits)
    reader.reasons = showsReasoning
    reader.symbolicator.allowsMismatch = allowsMismatch
    reader.symbolicator.memory = symbolMemory.flatMap { try? SymbolMemory(path: $0, quorum: max(1, quorum)) }
    return reader
  }

  /// How many workers there are for so many inputs; nil for any number.
  func workerCount(for inputs: Int?) -> Int { max(1, min(maximumWorkers, inputs ?? maximumWorkers)) }

  /// How many workers there are at most.
  var maximumWorkers: Int { max(1, workers ?? processorCount) }
}
