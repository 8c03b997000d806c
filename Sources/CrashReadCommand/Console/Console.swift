internal import CrashReadDiagnosis
internal import CrashReadRendering
internal import CrashReadSymbolication
internal import CrashReadSystem
internal import CrashReadVerdict

/// The streams for results and messages, and the properties of the terminal.
struct Console: TextOutputStream {
  private var output: OutputStream
  private let messages: Int32
  /// The environment variables that the program reads.
  let environment: Environment
  private var hasProgress = false

  /// The console on the process's own streams.
  ///
  /// Ignores SIGPIPE, so that writing to a closed pipe fails instead of terminating the process.
  init() {
    ignoreClosedPipes()
    self.init(output: standardOutput, messages: standardError, environment: .current)
  }

  init(output: Int32, messages: Int32, environment: Environment) {
    self.output = OutputStream(descriptor: output)
    self.messages = messages
    self.environment = environment
  }

  /// Writes the buffered result.
  mutating func flush() { output.flush() }

  /// Appends to the result on standard output.
  mutating func write(_ text: String) { output.write(text) }

  /// Appends whole lines to the result on standard output, and flushes it.
  /// - Returns: Whether standard output is still open.
  mutating func write(lines: [UInt8]) -> Bool {
    output.write(bytes: lines)
    output.flush()
    return output.failure == nil
  }

  /// Whether messages are written to a terminal.
  var showsProgress: Bool { OutputStream(descriptor: messages).isTerminal }

  /// Shows a text on the current line of the terminal; the next message replaces it.
  mutating func showProgress(_ text: String) {
    var stream = OutputStream(descriptor: messages)
    stream.write("\r\u{1b}[K" + text)
    stream.flush()
    hasProgress = !text.isEmpty
  }

  /// Whether the reader of standard output interprets control sequences or commands: a terminal, or a CI system's
  /// runner.
  var interpretsCommands: Bool { output.isTerminal || environment.ciEnvironment.system != .other }

  /// The width of the terminal; nil when standard output isn't one and `COLUMNS` isn't set.
  var width: Int? { environment.columns ?? output.terminalColumns }

  /// Standard output, as the target of a result.
  func surface(_ options: Options) -> Surface {
    Surface(
      isColored: environment.usesColor(options.color, onTerminal: output.isTerminal),
      linkHost: environment.usesLinks(options.hyperlinks, onTerminal: output.isTerminal) ? hostName() : nil,
      width: width)
  }

  /// Prints a note on standard error: part of an input could not be used, and the rest was.
  mutating func note(_ text: String, file: String? = nil, line: Int? = nil) {
    report("note: " + text, file: file, line: line)
  }

  /// Prints an error on standard error: an input can't be used, or the program ends.
  mutating func error(_ text: String, file: String? = nil, line: Int? = nil) {
    report(text, file: file, line: line)
  }

  /// Lists files that a debug file depends on and that can't be used. A large program may lack hundreds, so only a few
  /// are named.
  mutating func noteMissing(_ parts: [(path: String, message: String)], of debugFile: String) {
    for part in parts.prefix(3) { note(part.message, file: part.path) }
    if parts.count > 3 { note("depends on \(parts.count - 3) more such files", file: debugFile) }
  }

  /// Lists the paths that can't be used for debug files.
  ///
  /// - Parameters:
  ///   - store: The store that searched them.
  ///   - optional: Paths for which that is no error: they were meant for other reports, too.
  /// - Returns: Whether one of them is an error.
  mutating func reportProblems(of store: SymbolStore, optional: [String]) -> Bool {
    var isFailed = false
    for problem in store.problems where !optional.contains(problem.path) {
      if problem.isNote {
        note(problem.message, file: problem.path)
      } else {
        error(problem.message, file: problem.path)
        isFailed = true
      }
    }
    return isFailed
  }

  private mutating func report(_ text: String, file: String?, line: Int?) {
    output.flush()  // keeps the order of both streams when they share a terminal
    if hasProgress { showProgress("") }
    var head = "crashread: "
    if let file { head += file + ":" + (line.map { "\($0):" } ?? "") + " " }
    var stream = OutputStream(descriptor: messages)
    stream.write(plainText(head + text) + "\n")
    stream.flush()
  }

  /// Flushes the output and returns the exit status.
  ///
  /// A reader that closes the pipe early isn't an error.
  mutating func finish(_ status: ExitStatus) -> ExitStatus {
    output.flush()
    switch output.failure {
    case nil: return status
    case .brokenPipe: return .success
    case .some(let failure):
      error("cannot write: \(failure.reason)", file: "standard output")
      return .failure
    }
  }
}

/// The environment variables that the program reads, read once.
struct Environment: Equatable, Sendable {
  var noColor: String?
  var terminal: String?
  var columnsText: String?
  /// The paths in `CRASHREAD_SYMBOL_PATH`.
  var symbolPath: [String] = []
  /// `CRASHREAD_CACHE`.
  var cache: String?
  /// `CRASHREAD_SYMBOL_MEMORY`.
  var symbolMemory: String?
  var cacheHome: String?
  /// Whether `DEBUGINFOD_URLS` names servers.
  var asksDebuginfod = false
  /// The servers in `CRASHREAD_SYMBOL_SERVERS`, unparsed.
  var symbolServers: [String] = []
  var home: String?
  /// The locale of messages, such as `ja_JP.UTF-8`.
  var locale: String?
  /// The variables from which support for hyperlinks is recognised.
  var terminalVariables = TerminalVariables()
  /// The checkout of a CI job; nil outside of one.
  var checkout: String?
  /// The CI system's variables.
  var ciEnvironment = CIEnvironment { _ in nil }

  static var current: Environment {
    Environment(
      noColor: variable("NO_COLOR"), terminal: variable("TERM"), columnsText: variable("COLUMNS"),
      symbolPath: (variable("CRASHREAD_SYMBOL_PATH") ?? "").split(separator: ":").map(String.init),
      cache: variable("CRASHREAD_CACHE"),
      symbolMemory: variable("CRASHREAD_SYMBOL_MEMORY").flatMap { $0.isEmpty ? nil : $0 },
      cacheHome: variable("XDG_CACHE_HOME"),
      asksDebuginfod: variable("DEBUGINFOD_URLS")?.isEmpty == false,
      symbolServers: (variable("CRASHREAD_SYMBOL_SERVERS") ?? "").split(separator: " ").map(String.init),
      home: variable("HOME"),
      locale: locale(among: ["LC_ALL", "LC_MESSAGES", "LANG"].map(variable)),
      terminalVariables: TerminalVariables(
        values: Dictionary(
          uniqueKeysWithValues: TerminalVariables.names.compactMap { name in
            variable(name).map { (name, $0) }
          })),
      checkout: ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].lazy.compactMap(variable).first { !$0.isEmpty },
      ciEnvironment: CIEnvironment(variable))
  }

  /// `COLUMNS`, when it is a usable width.
  var columns: Int? {
    columnsText.flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil }
  }

  /// The first set variable in the order of POSIX; an empty one counts as unset.
  static func locale(among values: [String?]) -> String? {
    values.lazy.compactMap(\.self).first { !$0.isEmpty }
  }

  /// The locale's language when it is supported, otherwise English.
  var language: Language {
    let name = locale?.prefix { $0 != "_" && $0 != "." && $0 != "@" } ?? ""
    return Language(rawValue: String(name)) ?? .english
  }

  /// The rule of no-color.org; `--color` has priority.
  func usesColor(_ choice: ColorChoice, onTerminal: Bool) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto: onTerminal && (noColor ?? "").isEmpty && terminal != "dumb"
    }
  }
}
