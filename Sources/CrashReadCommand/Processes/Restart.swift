internal import CrashReadSymbolication
internal import CrashReadSystem

extension CrashRecovery {
  /// The first argument of a restart; a signal's number and a debug file's path and identity follow.
  private static let argument = "--after-signal"
  /// The argument after those if standard input holds what `ci` had gathered.
  static let gatheredArgument = "--gathered"
  /// The number of restarts after which no debug file is used any more.
  private static let maximumRestarts = 8

  /// Installs handlers that restart this program in this process, with the same arguments and without the debug file
  /// that crashed it.
  ///
  /// - Parameters:
  ///   - memory: The limit of private memory in bytes.
  ///   - refusals: The files that earlier restarts have excluded.
  ///   - mark: A further argument for the restart, before those of this process.
  ///   - lastStatus: The exit status when a restart can't leave out anything more.
  static func installRestartHandler(
    memory: Int, after refusals: SymbolStore.Refusals, mark: String? = nil, lastStatus: ExitStatus = .failure
  ) {
    installRestartHandler(
      Restart(
        argument: argument, otherArguments: (mark.map { [$0] } ?? []) + CommandLine.arguments.dropFirst(),
        memory: memory, mayDropAllFiles: refusals.reasonForAll == nil, lastStatus: lastStatus.code,
        memoryMessage: { "crashread: needs more than \($0) MB of memory for the report (--memory)\n" },
        timeMessage: "crashread: needs more processor time than the system allows (ulimit -t)\n"))
  }

  /// Removes the arguments that a restart has added.
  /// - Returns: The debug files not to use.
  static func refusals(from arguments: inout [String]) -> SymbolStore.Refusals {
    var refusals = SymbolStore.Refusals()
    while arguments.count >= 4, arguments[0] == argument, let signal = Int32(arguments[1]) {
      let reason = "reading it " + outcome(of: signal)
      let name = BinaryName(path: arguments[2], id: arguments[3])
      if name.path.isEmpty {
        refusals.reasonForAll = "skipped, because reading the report " + outcome(of: signal)
      } else {
        refusals.reasons[name] = reason
      }
      if refusals.reasons.count >= maximumRestarts { refusals.reasonForAll = reason }
      arguments.removeFirst(4)
    }
    return refusals
  }

  private static func outcome(of signal: Int32) -> String {
    switch signal {
    case outOfTime: "took too long (--timeout)"
    case outOfMemory: "needed too much memory (--memory)"
    case 0: "ended crashread"
    default: "ended crashread by \(signalDescription(signal))"
    }
  }
}
