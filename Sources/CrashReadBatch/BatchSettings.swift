internal import CrashRead
public import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadDiagnosis
package import CrashReadRendering
internal import CrashReadSymbolication
internal import CrashReadSystem
public import CrashReadVerdict

/// How a batch reads reports.
public struct BatchSettings: Sendable, Equatable {
  /// dSYM bundles, binaries, `.debug` files, or directories and archives that hold any of them.
  public var symbols: [String] = []
  /// Further paths; one that can't be used isn't reported.
  public var optionalSymbols: [String] = []
  /// The directory of the caches of debug files, where archives are extracted, too; nil for no caches.
  public var caches: String?
  /// Whether missing debug files are requested from the servers in `DEBUGINFOD_URLS`.
  public var asksDebuginfod = false
  /// Further servers, as `LAYOUT=URL`.
  public var symbolServers: [String] = []
  /// Folders in which programs are opened at the paths that reports give, besides those among `symbols`.
  public var programFolders: [String] = []
  /// The names of system functions learned from reports; nil for none.
  public var symbolMemory: String?
  /// How many sources must agree on such a name before it is used.
  public var quorum = 2
  /// Whether names are learned from the reports, for `symbolMemory`.
  public var learns = false
  /// Whether the reports in one folder are one source, instead of those of the device that they state.
  public var learnsByFolder = false
  /// Whether the debug file of another build is used when the right one is missing.
  public var allowsMismatch = false
  /// The language of the explanations.
  public var language = Language.english
  /// Whether results include the reasoning behind the verdict.
  public var showsReasoning = false
  /// The limits for reports and debug files.
  public var limits = Limits()
  /// The limits for reading one input.
  public var inputLimits = InputLimits()

  /// The number of workers; nil for one per processor.
  public var workers: Int?
  /// How workers are isolated.
  public var isolation = WorkerIsolation.threads
  /// A command, with its arguments, that caches large debug files after the batch, such as `crashread symbols --index`;
  /// `--cache=` and the paths are appended. Empty for none.
  public var cacheCommand: [String] = []

  /// The database that records which inputs were read; nil for none.
  public var state: String?
  /// Whether reports that lacked debug files are read again.
  public var retriesUnresolved = false
  /// The file that receives a line of JSON for each report, exactly once when there is a state; nil for none.
  public var output: String?

  /// The audience of short results; nil for complete results.
  package var brief: BriefAudience?
  /// Whether results include their lines of JSON.
  package var writesResults = true

  /// The defaults: no debug files, a thread per processor, and no state.
  public init() {}
}

/// Limits for reading one input in a worker; beyond them the input, or a debug file, counts as damaged.
public struct InputLimits: Sendable, Equatable {
  /// Seconds of processor time. This limit and the next apply to processes only.
  public var seconds = 60
  /// Bytes of private memory of a worker.
  public var memory = 2 << 30
  /// Bytes of the result of an input.
  public var resultSize = 256 << 20

  /// The defaults.
  public init() {}
}

/// How the workers of a batch are isolated.
public enum WorkerIsolation: Sendable, Equatable {
  /// Threads of this process, which share open debug files. A debug file that crashes one ends the process.
  case threads
  /// Processes running a program that calls `BatchWorker.runIfRequested()` before anything else.
  case processes(WorkerProgram)
}

/// The program of a worker process.
public struct WorkerProgram: Sendable, Equatable {
  /// Its path, or its name in `PATH`.
  public var path: String
  /// Its arguments, before those of the worker.
  public var arguments: [String]

  /// A program.
  public init(path: String, arguments: [String] = []) { (self.path, self.arguments) = (path, arguments) }
}

extension BatchSettings {
  /// The reader that a worker uses. It has no source lines, which results don't include.
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

  /// The number of workers for a number of inputs; nil for an unknown number.
  func workerCount(for inputs: Int?) -> Int { max(1, min(maximumWorkers, inputs ?? maximumWorkers)) }

  /// The maximum number of workers.
  var maximumWorkers: Int { max(1, workers ?? processorCount) }
}
