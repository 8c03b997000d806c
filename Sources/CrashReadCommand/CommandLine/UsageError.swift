/// What can be wrong with a command line; each ends the run with status 2.
enum UsageError: Error, Equatable {
  /// An option nobody knows, and the one it may be meant for.
  case unknownOption(String, nearest: String?)
  case missingValue(option: String, placeholder: String)
  case unexpectedValue(option: String, value: String)
  case malformedValue(option: String, value: String, expected: String)
  /// A value outside the closed set; `takenBy` are other verbs with which it could be used.
  case wrongChoice(option: String, value: String, choices: [String], takenBy: [Verb])
  case wrongVerb(option: String, verb: Verb, takenBy: [Verb])
  case operand(OperandProblem, of: Verb)
  /// No output has the form asked for: their names say others.
  case unusedFormat(String, of: Verb)
}

extension UsageError {
  /// What is printed, without the program's name.
  var message: String {
    switch self {
    case .unknownOption(let option, let nearest):
      "unknown option '\(option)'" + Self.suggestion(nearest)
    case .missingValue(let option, let placeholder):
      "option '\(option)' needs a value: \(placeholder)"
    case .unexpectedValue(let option, let value):
      "option '\(option)' takes no value, but '\(value)' was given"
    case .malformedValue(let option, let value, let expected):
      "option '\(option)': '\(value)' is not \(expected)"
    case .wrongChoice(let option, let value, let choices, let verbs):
      "option '\(option)': '\(value)' is not one of \(choices.joined(separator: ", "))" + Self.belongs(verbs)
    case .wrongVerb(let option, let verb, let verbs):
      "option '\(option)' can't be used with '\(verb.command)'" + Self.belongs(verbs)
    case .operand(let problem, let verb):
      problem.message(for: verb)
    case .unusedFormat(let format, _):
      "option '--format': no output is written as \(format), since the files' names say other forms; "
        + "write --output=\(format)=FILE, or --output=- for standard output"
    }
  }

  /// Where to read more.
  var hint: String {
    switch self {
    case .wrongVerb(_, let verb, _) where verb != .report, .operand(_, let verb) where verb != .report,
      .unusedFormat(_, let verb) where verb != .report:
      "Try '\(verb.command) --help'."
    default:
      "Try 'crashread --help'."
    }
  }

  fileprivate static func suggestion(_ nearest: String?) -> String {
    nearest.map { "; did you mean '\($0)'?" } ?? ""
  }

  private static func belongs(_ verbs: [Verb]) -> String {
    verbs.isEmpty ? "" : "; it belongs to " + verbs.map { "'\($0.command)'" }.joined(separator: " and ")
  }
}

extension OperandProblem {
  fileprivate func message(for verb: Verb) -> String {
    switch self {
    case .missing(let what):
      "no \(what) given; usage: \(verb.command) [OPTION]... \(verb.definition.operands)"
    case .malformed(let word, let expected):
      "\(verb.prefix)'\(word)' is not \(expected)"
    case .unknownVerb(let word):
      "\(verb.prefix)there is no command '\(word)'"
        + UsageError.suggestion(nearest(to: word, among: Verb.named.map(\.rawValue)))
    case .unexpected(let word):
      "\(verb.prefix)unexpected operand '\(word)'"
    }
  }
}

extension Verb {
  fileprivate var prefix: String { self == .report ? "" : rawValue + ": " }
}
