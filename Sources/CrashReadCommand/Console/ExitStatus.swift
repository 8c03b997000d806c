/// The exit statuses; help and the manual page print their descriptions.
enum ExitStatus: Equatable, Sendable {
  case success, failure, usage
  /// A new crash was found, with `--fail-on-new`.
  case newCrash
  /// The status of the command that `ci` ran.
  case command(Int32)

  /// The statuses that help and the manual page describe.
  static let documented: [ExitStatus] = [.success, .failure, .usage, .newCrash]

  /// The numeric exit status.
  var code: Int32 {
    switch self {
    case .success: 0
    case .failure: 1
    case .usage: 2
    case .newCrash: 3
    case .command(let code): code
    }
  }

  var meaning: String {
    switch self {
    case .success: "Everything was read. A frame that could not be resolved isn't an error."
    case .failure:
      """
      An input could not be read or used, or an output not be written; or, with --strict, a frame of the app stayed \
      unresolved; or a debug file is missing that symbols --for looked for. What could be read is still printed.
      """
    case .usage: "The command line was invalid. Nothing was read."
    case .newCrash: "With batch --fail-on-new: a group of crashes is new."
    case .command: "crashread ci: that of the command it ran."
    }
  }
}
