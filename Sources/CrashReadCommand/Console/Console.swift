internal import CrashReadDiagnosis
internal import CrashReadRendering
internal import CrashReadSymbolication
private import Glibc

/// Where results and messages go, and what is known of the terminal there.
///
/// All of the command's C calls are in this file.
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
    signal(SIGPIPE, SIG_IGN)
    self.init(output: STDOUT_FILENO, messages: STDERR_FILENO, environment: .current)
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
  /// - Returns: Whether there is still somebody who reads them.
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
  var isObeyed: Bool { output.isTerminal || environment.surroundings.system != .other }

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
      error("cannot write: \(failure)", file: "standard output")
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
  var surroundings = CISurroundings { _ in nil }

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
      surroundings: CISurroundings(variable))
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

/// A failed call, as `errno` tells it.
struct SystemError: Error, Equatable, CustomStringConvertible {
  var code: Int32

  static var last: SystemError { SystemError(code: errno) }
  static var brokenPipe: SystemError { SystemError(code: EPIPE) }

  /// The C function is `strerror`.
  var description: String {
    unsafe strerror(code).map { unsafe String(cString: $0) } ?? "error \(code)"
  }
}

/// Text on its way to a file descriptor, written in large pieces.
///
/// The first failure is kept and ends all writing.
struct OutputStream: TextOutputStream {
  private let descriptor: Int32
  private(set) var pending: [UInt8] = []
  private(set) var failure: SystemError?

  /// Bytes held back before they are written.
  private static let limit = 1 << 16

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Creates a file, or empties it unless more is to be appended.
  ///
  /// The C function is `open`.
  init(path: String, appends: Bool = false) throws(SystemError) {
    let start = appends ? O_APPEND : O_TRUNC
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | start | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw .last }
  }

  mutating func write(_ text: String) { write(bytes: text.utf8) }

  mutating func write(bytes: some Collection<UInt8>) {
    guard failure == nil else { return }
    pending.append(contentsOf: bytes)
    if pending.count >= Self.limit { flush() }
  }

  /// Writes what is held back.
  ///
  /// The C function is `write`.
  mutating func flush() {
    guard failure == nil else { return }
    var written = 0
    // No slice: while one is there, `removeAll` makes a new buffer, a page larger each time.
    while written < pending.count {
      let count = unsafe pending.withUnsafeBytes {
        let rest = unsafe UnsafeRawBufferPointer(rebasing: $0[written...])
        return unsafe Glibc.write(descriptor, rest.baseAddress, rest.count)
      }
      if count >= 0 {
        written += count
      } else if errno != EINTR {
        failure = .last
        break
      }
    }
    // What one large result needed isn't kept.
    pending.removeAll(keepingCapacity: pending.count <= 16 * Self.limit)
  }

  /// Writes what is held back and closes the descriptor.
  ///
  /// The C function is `close`.
  mutating func close() throws(SystemError) {
    flush()
    if Glibc.close(descriptor) != 0, failure == nil { failure = .last }
    if let failure { throw failure }
  }

  /// The C function is `isatty`.
  var isTerminal: Bool { isatty(descriptor) == 1 }

  /// The C function is `ioctl` with `TIOCGWINSZ`.
  var terminalColumns: Int? {
    var size = winsize()
    guard unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
    return Int(size.ws_col)
  }
}

/// The value of an environment variable; nil when it isn't set.
///
/// The C function is `getenv`.
func variable(_ name: String) -> String? {
  unsafe getenv(name).map { unsafe String(cString: $0) }
}

/// This machine's name; empty when it has none. The C function is `gethostname`.
func hostName() -> String {
  var name = [CChar](repeating: 0, count: 256)
  guard unsafe gethostname(&name, name.count - 1) == 0 else { return "" }
  return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
}

/// Ends the process.
///
/// The C function is `exit`.
func exitProcess(_ status: ExitStatus) -> Never { exit(status.code) }

/// Whether standard input is a pipe, or a file with something in it. The C function is `fstat`.
func hasPipedInput() -> Bool {
  var status = stat()
  guard unsafe fstat(STDIN_FILENO, &status) == 0 else { return false }
  switch status.st_mode & S_IFMT {
  case S_IFIFO, S_IFSOCK: return true
  case S_IFREG: return status.st_size > 0
  default: return false
  }
}

/// Whether standard input has a byte within a second; a service's pipe can be empty, or never closed. The C function is
/// `poll`.
func hasWaitingInput() -> Bool {
  var waiting = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
  return unsafe poll(&waiting, 1, 1000) == 1 && waiting.revents & Int16(POLLIN) != 0
}

/// What standard input has now, waiting for the first byte; empty at its end. The C function is `read`.
func readSomeInput() -> [UInt8] {
  var chunk = [UInt8](repeating: 0, count: 1 << 16)
  while true {
    let count = unsafe read(STDIN_FILENO, &chunk, chunk.count)
    if count < 0, errno == EINTR { continue }
    return Array(chunk.prefix(max(0, count)))
  }
}
