/// An error in the command line, which ends the program with status 2.
enum UsageError: Error, Equatable {
  /// An unknown option, and the most similar known one.
  case unknownOption(String, nearest: String?)
  case missingValue(option: String, placeholder: String)
  case unexpectedValue(option: String, value: String)
  case malformedValue(option: String, value: String, expected: String)
  /// A value outside the closed set; `takenBy` lists other verbs that accept it.
  case wrongChoice(option: String, value: String, choices: [String], takenBy: [Verb])
  case wrongVerb(option: String, verb: Verb, takenBy: [Verb])
  case operand(OperandProblem, of: Verb)
  /// No output has the requested format: the names of all outputs imply others.
  case unusedFormat(String, of: Verb)
}

extension UsageError {
  /// The message, without the program's name.
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
      "option '--format': no output is written as \(format), since the names given with --output choose other formats; "
        + "write --output=\(format)=FILE, or --output=- for standard output"
    }
  }

  /// A hint where to read more.
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

/// The candidate that a mistyped word most likely means; nil when none is similar.
func nearest(to word: String, among candidates: [String]) -> String? {
  nearMatches(to: word, among: candidates).first
}

/// The candidates that a mistyped word may mean, the most similar first; empty when there is none.
///
/// Candidates that start with the word precede those within a few edits; otherwise the order is kept.
func nearMatches(to word: String, among candidates: [String]) -> [String] {
  // Longer words are similar to no candidate, and comparing them takes long.
  guard (1...40).contains(word.utf8.count) else { return [] }
  let ranked = candidates.enumerated().map { index, candidate in
    (candidate: candidate, rank: (candidate.hasPrefix(word) ? 0 : editDistance(word, candidate), index))
  }
  return ranked.filter { $0.rank.0 <= max(1, $0.candidate.count / 3) }.sorted { $0.rank < $1.rank }
    .map(\.candidate)
}

/// The edit distance between two words, counting insertions, deletions, replacements and swaps of neighbours.
private func editDistance(_ from: String, _ to: String) -> Int {
  let from = Array(from.utf8)
  let to = Array(to.utf8)
  var beforeLast: [Int] = []
  var last = Array(0...to.count)
  for (row, byte) in from.enumerated() {
    var current = [row + 1]
    for (column, other) in to.enumerated() {
      var cost = min(last[column] + (byte == other ? 0 : 1), last[column + 1] + 1, current[column] + 1)
      if row > 0, column > 0, byte == to[column - 1], from[row - 1] == other {
        cost = min(cost, beforeLast[column - 1] + 1)
      }
      current.append(cost)
    }
    beforeLast = last
    last = current
  }
  return last[to.count]
}
