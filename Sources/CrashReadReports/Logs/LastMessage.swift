/// The last line of a log in which a runtime says why it stops the program, before it prints a stack.
struct LastMessage {
  private var line: Line?

  /// How many lines may stand between such a line and the stack.
  private static let reach = 8

  /// libc++abi's terminate handler (libcxxabi, src/cxa_default_handlers.cpp), libc's `assert`, and the fatal level of the
  /// logging libraries of Chromium, Abseil and glog.
  private static let marks = [
    "terminating due to uncaught exception", "terminating with uncaught exception",
    "terminate called after throwing", "Assertion failed: (", "Check failed: ", ":FATAL:",
  ]

  /// Looks at a line that belongs to no report.
  mutating func read(_ line: Line) {
    if Self.marks.contains(where: { line.text.firstRange(of: $0) != nil }) { self.line = line }
  }

  /// Puts the message to a report that begins in a line; without one it stays for the next report.
  mutating func complete(_ report: inout CrashReport, beginningIn number: Int) {
    guard let said = line.take(), number - said.number <= Self.reach else { return }
    report.applicationSpecificInformation.append(said.raw.string)
  }
}
