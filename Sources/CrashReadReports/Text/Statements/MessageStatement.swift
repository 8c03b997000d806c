internal import CrashReadCore

// Reasons of terminations, dyld's lines, and messages that only a program's end causes.

extension Statement {
  /// Whether a line is the place of a Rust panic, `thread 'main' panicked at src/cart.rs:12:5:`, below which the default
  /// hook prints the message since 1.73 (library/std/src/panicking.rs).
  static func isPanicLocation(_ text: Bytes) -> Bool {
    text.last == UInt8(ascii: ":") && text.firstRange(of: " panicked at ") != nil
  }

  /// Reads `FRONTBOARD domain:10 code:0x8BADF00D` and `RUNNINGBOARD 0xdead10cc`, the reason without its heading.
  static func ended(_ text: Bytes) -> Statement? {
    if let named = namedEnd(text) { return named }
    guard let (name, rest) = text.firstWord(), terminators.contains(where: { name.equals($0) }),
      let mark = rest.firstRange(of: "0x")
    else { return nil }
    let digits = rest[mark.lowerBound...].prefix { $0.isHexDigit || $0 == UInt8(ascii: "x") }
    return digits.prefixedHexValue.map { .ended(by: name.string, code: $0) }
  }

  /// Reads `Termination Reason: Namespace SPRINGBOARD, Code 0x8badf00d`, and the members of an .ips file's `termination`
  /// written as a sentence: `termination: namespace MTE_FAIL, code 262`.
  private static func namedEnd(_ text: Bytes) -> Statement? {
    // As people shorten it: `termination: MTE_FAIL (code 262)`.
    if let rest = text.after("termination:")?.trimmed, let (name, tail) = rest.firstWord(),
      name.allSatisfy(isCode), let digits = tail.trimmed.after("(code ")?.prefix(while: \.isDigit),
      let number = digits.decimalValue
    {
      return .ended(by: name.string, code: number)
    }
    guard
      let rest = (text.after("Termination Reason:") ?? text.after("termination:"))?.trimmed,
      let (name, tail) = (rest.after("Namespace ") ?? rest.after("namespace "))?.split(at: UInt8(ascii: ",")),
      let code = tail.trimmed.after("Code ") ?? tail.trimmed.after("code "),
      let number = code.prefix(while: { $0.isHexDigit || $0 == UInt8(ascii: "x") }).numberValue
    else { return nil }
    return .ended(by: name.string, code: number)
  }

  private static let terminators: [StaticString] = ["FRONTBOARD", "SPRINGBOARD", "RUNNINGBOARD"]
}

extension Statement {
  /// Reads dyld's lines, also after `dyld:`, `dyld[123]:` and the path of a program.
  static func linker(_ text: Bytes) -> Statement? {
    let named = text.hasPrefix("dyld") ? text.split(at: UInt8(ascii: ":"))?.after.trimmed ?? text : text
    let tail = named.after("Dyld Error Message: ") ?? named
    for mark in linkerMarks where tail.hasPrefix(mark) { return .linker(tail.string) }
    // The list below `Did find:` of older systems, a file per line.
    if text.first == UInt8(ascii: "/"), let end = text.firstRange(of: ": "),
      imageFaults.contains(where: { text[end.upperBound...].hasPrefix($0) })
    {
      return .linker(text.string)
    }
    guard let late = tail.after("lazy symbol binding failed: ") else { return nil }
    return .linker(late.string)
  }

  private static let imageFaults: [StaticString] = [
    "mach-o, but", "no matching architecture", "code signature", "required code signature",
    "unknown file type",
    "file too short", "mmap() error", "open() failed", "stat() failed", "not a dylib",
  ]

  private static let linkerMarks: [StaticString] = [
    "Library not loaded: ", "Symbol not found: ", "Symbol missing: ", "Referenced from: ", "Expected in: ",
    "Reason: tried: ", "Reason: image not found", "Reason: no suitable image found", "missing symbol called",
    "Reason: mapping process and mapped file", "Reason: mapped file has no ",
    "missing LC_UUID load command",
  ]

  /// Prefixes of messages that only a crash causes.
  static let messageMarks: [StaticString] = [
    "Fatal error", "fatal error", "Precondition failed", "Assertion failed", "Assertion failure in ",
    "App Hang", "Fatal App Hang", "App hanging ", "*** Assertion failure in ", "Fatal Python error: ",
    "A fatal error has been detected by the Java Runtime", "Native stacktrace:", "Debug check failed: ",
    "fatal runtime error: ", "fatal: morestack on g", "Deno has panicked. ", "A panic occurred in Deno.",
    "Fatal JavaScript invalid size error", "thread panicked while processing panic",
    "BUG IN CLIENT OF ", "BUG IN LIB", "*** -[", "*** +[", "*** error for object", "libc++abi",
    "terminating due to",
    "terminating with", "terminate called", "Could not cast value of type", "SWIFT TASK CONTINUATION MISUSE",
    "Simultaneous accesses to ", "Fatal access conflict", "Previous access (a ", "Invalid update: ",
    "This app has crashed because it attempted to access privacy-sensitive data", "Unhandled Exception",
    "Unhandled exception", "Uncaught Kotlin exception", "panic: ", "signal arrived during cgo execution",
    "Invariant Violation", "Completion handler passed to ", "objc[",
    "AttributeGraph precondition failure", "Killing app because ", "FATAL ERROR: ", "Check failed: ",
    "Modifications to the layout engine must not be performed", "Application tried to ",
    "Please submit a bug report (https://swift.org", "PLEASE submit a bug report to https://github.com/llvm",
    "Fatal process out of memory: ", "# Fatal process out of memory: ", "rosetta error: ",
    "dyld: warning: ", "Process is terminated due to StackOverflowException", "Stack overflow.",
    "Pushing the same view controller instance", "WatchdogEvent: ", "CoreData: error: ", "CoreData: fault: ",
    "*** multi-threaded process forked", "crashed on child side of fork pre-exec",
  ]

  /// The parts of a message that follow a file's location, a name or an object.
  static let infixes: [StaticString] = [
    ": Fatal error: ", ": Fatal error", " > Fatal error: ", ": Precondition failed", ": Assertion failed",
    "malloc: *** error for object", ") malloc: Heap corruption detected", ") malloc: double free for ptr",
    ") malloc: Incorrect checksum",
    " panicked at ", "killed by jetsam reason ", "exceeded mem limit: ", ":FATAL:", "[FATAL:",
    // Without a line break after what the program had printed.
    "Fatal Python error: ", "* Assertion at ", "Driver stopped due to error: \"signal: ",
    ": App hanging for ", ": App hanging between ", "): Library not loaded: ", "): Symbol not found: ",
    "` on a `None` value", "` on an `Err` value",
    "equired condition is false: ", "' has overflowed its stack",
    "Illegal attempt to ", "Failed to marshal the Objective-C object",
    "The process was terminated for exceeding jetsam memory limits", ": failed assertion `",
    "_ASSERT(", "Incorrect actor executor assumption", "unrecognized selector sent to ",
    "message sent to deallocated instance ", " deallocated with retain count ",
    " deallocated with non-zero retain count ", "Modifying properties of a view's layer off the main thread",
    "was mutated while being enumerated", " has active assertions beyond permitted time",
    " permittedBackgroundDuration: ",
    "Failed to load AOT module '",
    "BUG IN CLIENT OF LIB", ": application requires container but none set",
    "Main Thread Checker: UI API called on a background thread", "must be used from main thread only",
    "this class is not key value coding-compliant",
    "] Fatal error: ", "] Precondition failed", "] Assertion failed", ".swift, line ",
  ]
}
