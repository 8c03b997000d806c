package import Foundation

/// One run of a program in its own directory, and the results.
package struct CommandRun {
  /// How the program ended.
  package enum Outcome: Equatable, Sendable {
    case exited(Int32), signalled(Int32)
    /// It was still running at its timeout, and was killed.
    case timedOut
  }

  /// No run that ends takes longer, however busy the machine is.
  package static let usualLimit: Duration = .seconds(600)

  package let outcome: Outcome
  package let output: String
  package let errors: String

  /// Runs `crashread`, as it was built along with the tests.
  ///
  /// Variables that change the output are removed from the environment before the given ones are set.
  package static func crashread(
    _ arguments: [String], input: String = "", environment: [String: String] = [:],
    in directory: TemporaryDirectory? = nil, limit: Duration = CommandRun.usualLimit
  ) throws -> CommandRun {
    try CommandRun(
      program: builtProgram("crashread"), arguments, input: input, environment: environment, in: directory,
      limit: limit)
  }

  /// Runs `crashread` at the repository's root, so that samples have paths that are the same everywhere.
  package static func crashread(
    atRoot arguments: [String], input: String = "", environment: [String: String] = [:],
    limit: Duration = CommandRun.usualLimit
  ) throws -> CommandRun {
    try CommandRun(
      program: builtProgram("crashread"), arguments, input: input, environment: environment,
      at: Repository.root, limit: limit)
  }

  /// Runs a program by its path, and kills it if it takes longer than `limit`.
  package init(
    program: URL, _ arguments: [String], input: String = "", environment: [String: String] = [:],
    in directory: TemporaryDirectory? = nil, limit: Duration = CommandRun.usualLimit
  ) throws {
    let working = try directory ?? TemporaryDirectory()
    try self.init(
      program: program, arguments, input: input, environment: environment, at: working.url, limit: limit)
    withExtendedLifetime(working) {}
  }

  private init(
    program: URL, _ arguments: [String], input: String, environment: [String: String] = [:], at working: URL,
    limit: Duration
  ) throws {
    // Files instead of pipes: nothing has to read while the program runs, and it can't block on a full pipe.
    let streams = try TemporaryDirectory()
    try streams.write(input, to: "input")
    try streams.write("", to: "output")
    try streams.write("", to: "errors")

    let process = Process()
    process.executableURL = program
    process.arguments = arguments
    process.currentDirectoryURL = working
    process.environment = Self.environment(with: environment)
    let standardInput = try FileHandle(forReadingFrom: streams.url.appending(path: "input"))
    let standardOutput = try FileHandle(forWritingTo: streams.url.appending(path: "output"))
    let standardError = try FileHandle(forWritingTo: streams.url.appending(path: "errors"))
    process.standardInput = standardInput
    process.standardOutput = standardOutput
    process.standardError = standardError
    try process.start()
    // A process that isn't waited for by `waitUntilExit` keeps them open forever, and with 1,300 open descriptors
    // `Process.run` reads past the end of its list of them (Swift 6.3), which sometimes ends the tests by SIGSEGV.
    for handle in [standardInput, standardOutput, standardError] { try handle.close() }
    outcome = Self.wait(for: process, limit: limit)
    output = try streams.read("output")
    errors = try streams.read("errors")
  }

  private static func wait(for process: Process, limit: Duration) -> Outcome {
    let end = ContinuousClock.now + limit
    while process.isRunning {
      if ContinuousClock.now > end {
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        return .timedOut
      }
      Thread.sleep(forTimeInterval: 0.002)
    }
    let status = process.terminationStatus
    return process.terminationReason == .exit ? .exited(status) : .signalled(status)
  }

  private static func environment(with variables: [String: String]) -> [String: String] {
    var result = ProcessInfo.processInfo.environment
    let names = [
      "NO_COLOR", "COLUMNS", "TERM", "LANG", "LC_ALL", "LC_MESSAGES", "GITHUB_WORKSPACE", "CI_PROJECT_DIR",
      "CRASHREAD_SYMBOL_PATH", "DEBUGINFOD_URLS",
    ]
    for name in names { result[name] = nil }
    result["SWIFT_BACKTRACE"] = "enable=no"
    // Tests leave nothing in the user's directories.
    result["CRASHREAD_CACHE"] = "off"
    return result.merging(variables) { $1 }
  }
}

extension Process {
  /// Runs it as a shell would, with no signal blocked.
  ///
  /// Those a thread of the tests has blocked would be inherited, and gdb waits forever if SIGCHLD is. The C function
  /// is `pthread_sigmask`.
  package func start() throws {
    var none = sigset_t()
    var previous = sigset_t()
    unsafe sigemptyset(&none)
    unsafe pthread_sigmask(SIG_SETMASK, &none, &previous)
    defer { unsafe pthread_sigmask(SIG_SETMASK, &previous, nil) }
    try run()
  }
}

/// A program that was built along with the tests, or the one in the folder that CRASHREAD_PROGRAMS names: the tests start
/// `crashread` hundreds of times, and the optimized one takes an eighth of the time.
package func builtProgram(_ name: String) throws -> URL {
  if let folder = ProcessInfo.processInfo.environment["CRASHREAD_PROGRAMS"] {
    let program = Repository.root.appending(path: folder).appending(path: name)
    if FileManager.default.isExecutableFile(atPath: program.path) { return program }
  }
  let tests = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
  return URL(filePath: tests).deletingLastPathComponent().appending(path: name)
}

/// A program on this machine; nil when it isn't installed.
package func installedProgram(_ name: String) -> URL? {
  let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
  let candidates = path.split(separator: ":").map { URL(filePath: String($0)).appending(path: name) }
  return candidates.first { FileManager.default.isExecutableFile(atPath: $0.path) }
}

/// A directory that exists as long as this object does.
package final class TemporaryDirectory: Sendable {
  package let url: URL

  package init() throws {
    url = FileManager.default.temporaryDirectory.appending(path: "crashread-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  /// A copy of a folder of `Samples`, which a test may change.
  package convenience init(copyOf sample: String) throws {
    try self.init()
    let source = Samples.directory.appending(path: sample)
    for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
      try FileManager.default.copyItem(at: source.appending(path: name), to: url.appending(path: name))
    }
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  package func write(_ text: String, to name: String) throws {
    try Data(text.utf8).write(to: url.appending(path: name))
  }

  package func write(_ bytes: [UInt8], to name: String) throws {
    try Data(bytes).write(to: url.appending(path: name))
  }

  /// Makes a directory, and those it lies in.
  package func makeDirectory(_ name: String) throws {
    try FileManager.default.createDirectory(
      at: url.appending(path: name), withIntermediateDirectories: true)
  }

  /// Makes a symbolic link.
  package func link(_ name: String, to target: String) throws {
    try FileManager.default.createSymbolicLink(atPath: path(name), withDestinationPath: target)
  }

  /// Makes a pipe with a name. The C function is `mkfifo`.
  package func makePipe(_ name: String) throws {
    let isMade = unsafe mkfifo(path(name), 0o600) == 0
    if !isMade { throw CocoaError(.fileWriteUnknown) }
  }

  /// The whole path of a name in here.
  package func path(_ name: String) -> String { url.appending(path: name).path }

  package func bytes(_ name: String) throws -> [UInt8] {
    Array(try Data(contentsOf: url.appending(path: name)))
  }

  package func read(_ name: String) throws -> String {
    String(decoding: try Data(contentsOf: url.appending(path: name)), as: UTF8.self)
  }
}
