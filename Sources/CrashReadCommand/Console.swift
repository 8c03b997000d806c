internal import CrashDiagnosis
private import Glibc

/// Where results and messages go, and what is known of the terminal there.
///
/// All of the command's C calls are in this file.
struct Console: TextOutputStream {
  private var output: OutputStream
  private let messages: Int32
  /// The variables the program looks at.
  let environment: Environment

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

  /// Columns of the terminal that standard output is; nil when it is none and `COLUMNS` doesn't say.
  var width: Int? { environment.columns ?? output.terminalColumns }

  /// Whether the result on standard output is to be coloured.
  func usesColor(_ choice: ColorChoice) -> Bool {
    environment.usesColor(choice, onTerminal: output.isTerminal)
  }

  /// Prints a remark on standard error: something of an input could not be used, and the rest was.
  mutating func note(_ text: String, file: String? = nil, line: Int? = nil) {
    report("note: " + text, file: file, line: line)
  }

  /// Prints on standard error why an input could not be used or why the run ends.
  mutating func error(_ text: String, file: String? = nil, line: Int? = nil) {
    report(text, file: file, line: line)
  }

  private mutating func report(_ text: String, file: String?, line: Int?) {
    output.flush()  // so that both streams, on one terminal, keep their order
    var place = "crashread: "
    if let file { place += file + ":" + (line.map { "\($0):" } ?? "") + " " }
    var stream = OutputStream(descriptor: messages)
    stream.write(printable(place + text) + "\n")
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
  /// `CRASHREAD_CACHE`.
  var cache: String?
  var cacheHome: String?
  var home: String?
  /// The locale that messages are to follow, such as `ja_JP.UTF-8`.
  var locale: String?

  static var current: Environment {
    Environment(
      noColor: variable("NO_COLOR"), terminal: variable("TERM"), columnsText: variable("COLUMNS"),
      cache: variable("CRASHREAD_CACHE"), cacheHome: variable("XDG_CACHE_HOME"), home: variable("HOME"),
      locale: locale(among: ["LC_ALL", "LC_MESSAGES", "LANG"].map(variable)))
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
  private var pending: [UInt8] = []
  private(set) var failure: SystemError?

  /// Bytes held back before they are written.
  private static let limit = 1 << 16

  init(descriptor: Int32) { self.descriptor = descriptor }

  /// Creates or empties a file.
  ///
  /// The C function is `open`.
  init(path: String) throws(SystemError) {
    descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    if descriptor < 0 { throw .last }
  }

  mutating func write(_ text: String) {
    guard failure == nil else { return }
    pending.append(contentsOf: text.utf8)
    if pending.count >= Self.limit { flush() }
  }

  /// Writes what is held back.
  ///
  /// The C function is `write`.
  mutating func flush() {
    guard failure == nil else { return }
    var rest = pending[...]
    while !rest.isEmpty {
      let count = unsafe rest.withUnsafeBytes { unsafe Glibc.write(descriptor, $0.baseAddress, $0.count) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        failure = .last
        break
      }
    }
    pending.removeAll(keepingCapacity: true)
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
private func variable(_ name: String) -> String? {
  unsafe getenv(name).map { unsafe String(cString: $0) }
}

/// Ends the process.
///
/// The C function is `exit`.
func exitProcess(_ status: ExitStatus) -> Never { exit(status.rawValue) }

/// A text for a message, made harmless: names and file contents come from strangers.
///
/// What would move the cursor, start an escape sequence, break the line or turn the reading direction is shown as its
/// number.
func printable(_ text: String) -> String {
  // Nearly all texts are plain ASCII, and asking Unicode about each character takes a hundred times as long.
  if text.utf8.allSatisfy({ 0x20..<0x7f ~= $0 }) { return text }
  var result = ""
  for scalar in text.unicodeScalars {
    if isInvisible(scalar) {
      result += "\\u{" + String(scalar.value, radix: 16) + "}"
    } else {
      result.unicodeScalars.append(scalar)
    }
  }
  return result
}

private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.properties.generalCategory {
  case .control, .lineSeparator, .paragraphSeparator: true
  // The joiners are part of how Persian, Hindi and emoji are spelled.
  case .format: scalar != "\u{200c}" && scalar != "\u{200d}"
  default: false
  }
}
