internal import CrashReadDiagnosis
internal import CrashReadRendering
internal import CrashReadSymbolication
internal import CrashReadSystem

/// Where results and messages go, and what is known of the terminal there.
struct Console: TextOutputStream {
  private var output: OutputStream
  private let messages: Int32
  /// The variables the program looks at.
  let environment: Environment
  private var hasProgress = false

  /// The process's own streams.
  ///
  /// From here on a closed pipe is an error of `write` and no longer ends the process.
  init() {
    ignoreClosedPipes()
    self.init(output: standardOutput, messages: standardError, environment: .current)
  }

  init(output: Int32, messages: Int32, environment: Environment) {
    self.output = OutputStream(descriptor: output)
    self.messages = messages
    self.environment = environment
  }

  /// Writes what was held back of the result.
  mutating func flush() { output.flush() }

  /// Appends to the result on standard output.
  mutating func write(_ text: String) { output.write(text) }

  /// Appends whole lines to the result on standard output, and hands them on at once.
  /// - Returns: Whether standard output is still open.
  mutating func write(lines: [UInt8]) -> Bool {
    output.write(bytes: lines)
    output.flush()
    return output.failure == nil
  }

  /// Whether messages go to a terminal.
  var showsProgress: Bool { OutputStream(descriptor: messages).isTerminal }

  /// Puts a text in the place of the line that the terminal's cursor is in; the next message takes its place.
  mutating func showProgress(_ text: String) {
    var stream = OutputStream(descriptor: messages)
    stream.write("\r\u{1b}[K" + text)
    stream.flush()
    hasProgress = !text.isEmpty
  }

  /// Whether what is written to standard output is read by something that obeys it: a terminal, or a CI system's runner.
  var isObeyed: Bool { output.isTerminal || environment.ciEnvironment.system != .other }

  /// Columns of the terminal that standard output is; nil when it is none and `COLUMNS` doesn't say.
  var width: Int? { environment.columns ?? output.terminalColumns }

  /// Standard output, as a result is to be written on it.
  func surface(_ options: Options) -> Surface {
    Surface(
      isColored: environment.usesColor(options.color, onTerminal: output.isTerminal),
      linkHost: environment.usesLinks(options.hyperlinks, onTerminal: output.isTerminal) ? hostName() : nil,
      width: width)
  }

  /// Prints a remark on standard error: something of an input could not be used, and the rest was.
  mutating func note(_ text: String, file: String? = nil, line: Int? = nil) {
    report("note: " + text, file: file, line: line)
  }

  /// Prints on standard error why an input could not be used or why the run ends.
  mutating func error(_ text: String, file: String? = nil, line: Int? = nil) {
    report(text, file: file, line: line)
  }

  /// Names files that a debug file relies on and that can't be used; a few stand for the hundreds of a big program.
  mutating func noteMissing(_ parts: [(path: String, message: String)], of debugFile: String) {
    for part in parts.prefix(3) { note(part.message, file: part.path) }
    if parts.count > 3 { note("relies on \(parts.count - 3) more such files", file: debugFile) }
  }

  /// Names the places that can't be used.
  ///
  /// - Parameters:
  ///   - store: What searched them.
  ///   - optional: Those for which that is no error: they were meant for other reports too.
  /// - Returns: Whether there was an error among them.
  mutating func tellProblems(of store: SymbolStore, optional: [String]) -> Bool {
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
    output.flush()  // so that both streams, on one terminal, keep their order
    if hasProgress { showProgress("") }
    var place = "crashread: "
    if let file { place += file + ":" + (line.map { "\($0):" } ?? "") + " " }
    var stream = OutputStream(descriptor: messages)
    stream.write(plainText(place + text) + "\n")
    stream.flush()
  }

  /// Prints what is still held back, and returns the status to exit with.
  ///
  /// A reader that closed the pipe has what it wanted: that run was a success.
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

/// The variables the program looks at, read once.
struct Environment: Equatable, Sendable {
  var noColor: String?
  var terminal: String?
  var columnsText: String?
  /// The places in `CRASHREAD_SYMBOL_PATH`.
  var symbolPath: [String] = []
  /// `CRASHREAD_CACHE`.
  var cache: String?
  /// `CRASHREAD_SYMBOL_MEMORY`.
  var symbolMemory: String?
  var cacheHome: String?
  /// Whether `DEBUGINFOD_URLS` names servers.
  var asksDebuginfod = false
  /// The servers in `CRASHREAD_SYMBOL_SERVERS`, as they stand there.
  var symbolServers: [String] = []
  var home: String?
  /// The locale that messages are to follow, such as `ja_JP.UTF-8`.
  var locale: String?
  /// What is known of links on the terminal.
  var signs = TerminalSigns()
  /// The top of the sources that a CI system has checked out.
  var checkout: String?
  /// What is known of the CI system.
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
      signs: TerminalSigns(
        values: Dictionary(
          uniqueKeysWithValues: TerminalSigns.names.compactMap { name in
            variable(name).map { (name, $0) }
          })),
      checkout: ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"].lazy.compactMap(variable).first { !$0.isEmpty },
      ciEnvironment: CIEnvironment(variable))
  }

  /// `COLUMNS` when it holds a width that makes sense.
  var columns: Int? {
    columnsText.flatMap { Int($0) }.flatMap { (1...10_000).contains($0) ? $0 : nil }
  }

  /// The variable that counts, of those that POSIX gives in this order: an empty one is like one that isn't set.
  static func locale(among values: [String?]) -> String? {
    values.lazy.compactMap(\.self).first { !$0.isEmpty }
  }

  /// The locale's language when there are texts in it, else English.
  var language: Language {
    let name = locale?.prefix { $0 != "_" && $0 != "." && $0 != "@" } ?? ""
    return Language(rawValue: String(name)) ?? .english
  }

  /// The rule of no-color.org, with `--color` above it.
  func usesColor(_ choice: ColorChoice, onTerminal: Bool) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto: onTerminal && (noColor ?? "").isEmpty && terminal != "dumb"
    }
  }
}
