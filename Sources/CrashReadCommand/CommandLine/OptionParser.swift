/// Parses the arguments as GNU programs do, without any other effect.
///
/// `--name=value`, `--name value`, `-o FILE`, `-oFILE`, combined flags (`-ah`), `--` before operands that begin with a
/// dash. Options may appear anywhere, also before the verb, so only at the end is it known whether the verb takes them.
func parseArguments(_ arguments: [String]) throws(UsageError) -> Options {
  var scanner = ArgumentScanner(arguments)
  try scanner.scan()

  var options = Options()
  options.verb = scanner.verb ?? .report
  for occurrence in scanner.occurrences {
    try occurrence.apply(to: &options)
  }
  guard options.printout == nil else { return options }
  try takeOperands(scanner.operands, into: &options)
  if let format = options.format, options.hasUnusedFormat {
    throw .unusedFormat(format.rawValue, of: options.verb)
  }
  return options
}

private func takeOperands(_ operands: [String], into options: inout Options) throws(UsageError) {
  let verb = options.verb
  do throws(OperandProblem) {
    try verb.definition.take(operands, &options)
  } catch {
    throw .operand(error, of: verb)
  }
}

/// An option as it was typed.
private struct Occurrence {
  var option: OptionDefinition
  /// The name that was used, with its dashes: messages show what the user typed.
  var spelling: String
  var value: String?

  func apply(to options: inout Options) throws(UsageError) {
    guard option.verbs.contains(options.verb) else {
      throw .wrongVerb(option: spelling, verb: options.verb, takenBy: option.acceptingVerbs)
    }
    switch (option.argument, value) {
    case (.value(let definition), let value?): try store(value, definition, in: &options)
    case (.value(let definition), nil):
      throw .missingValue(option: spelling, placeholder: definition.placeholder)
    case (.none, let value?): throw .unexpectedValue(option: spelling, value: value)
    case (.none(let set), nil):
      set(&options)
      // The one option whose two names differ in meaning: `-h` prints the short help.
      if options.printout == .longHelp, spelling == "-h" { options.printout = .shortHelp }
    }
  }

  private func store(
    _ value: String, _ definition: OptionDefinition.ValueDefinition, in options: inout Options
  ) throws(UsageError) {
    if !definition.choices.isEmpty {
      let choices = option.choices(for: options.verb).map(\.word)
      guard choices.contains(value) else {
        let elsewhere = definition.choices.first { $0.word == value }?.verbs ?? []
        throw .wrongChoice(
          option: spelling, value: value, choices: choices,
          takenBy: Verb.allCases.filter { elsewhere.contains($0) })
      }
    }
    do throws(OptionDefinition.ValueProblem) {
      try definition.store(value, &options)
    } catch {
      switch error {
      case .malformed(let expected): throw .malformedValue(option: spelling, value: value, expected: expected)
      }
    }
  }
}

extension OptionDefinition {
  /// The verbs that take the option, in the order of the help.
  fileprivate var acceptingVerbs: [Verb] { Verb.allCases.filter { verbs.contains($0) } }
}

/// Splits arguments into options and operands. Whether an option takes a value doesn't depend on the verb.
private struct ArgumentScanner {
  private var remaining: ArraySlice<String>
  private(set) var verb: Verb?
  private(set) var occurrences: [Occurrence] = []
  private(set) var operands: [String] = []

  init(_ arguments: [String]) { remaining = arguments[...] }

  mutating func scan() throws(UsageError) {
    while let word = remaining.popFirst() {
      if word == "--" {
        operands += remaining
        return
      } else if word.hasPrefix("--") {
        try takeLong(word.dropFirst(2))
      } else if word.hasPrefix("-"), word != "-", !word.hasPrefix("-[") {
        try takeLetters(word.dropFirst())
      } else {
        takeOperand(word)
        // The words after the command's name belong to the command, as with env(1).
        if verb == .ci, !operands.isEmpty {
          operands += remaining
          return
        }
      }
    }
  }

  private mutating func takeOperand(_ word: String) {
    if verb == nil, operands.isEmpty, let verb = Verb(typed: word) {
      self.verb = verb
    } else {
      operands.append(word)
    }
  }

  private mutating func takeLong(_ text: Substring) throws(UsageError) {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    let name = String(parts.first ?? "")
    guard let option = optionTable.first(where: { $0.long == name }) else {
      throw .unknownOption("--" + name, nearest: nearestOption(to: name))
    }
    var value = parts.count > 1 ? String(parts[1]) : nil
    if value == nil, let definition = option.value { value = definition.implied ?? remaining.popFirst() }
    occurrences.append(Occurrence(option: option, spelling: "--" + name, value: value))
  }

  /// The letters after a dash: flags, and possibly one option whose value is the rest of the word or the next word.
  private mutating func takeLetters(_ letters: Substring) throws(UsageError) {
    if letters.count > 1, let meant = foreignOptions[String(letters)] {
      throw .unknownOption("-" + letters, nearest: meant)
    }
    var rest = letters
    while let letter = rest.popFirst() {
      guard let option = optionTable.first(where: { $0.short == letter }) else {
        throw .unknownOption("-\(letter)", nearest: nearestOption(to: String(letters)))
      }
      var value: String?
      if option.value != nil {
        value = rest.isEmpty ? remaining.popFirst() : String(rest)
        rest = ""
      }
      occurrences.append(Occurrence(option: option, spelling: "-\(letter)", value: value))
    }
  }
}

/// Options of atos, addr2line, symbolicatecrash and dwarfdump, and the equivalent options of this program.
private let foreignOptions: [String: String] = [
  "json": "--format=json", "html": "--format=html", "markdown": "--format=markdown",
  "sarif": "--format=sarif",
  "junit": "--format=junit", "text": "--format=text", "dsym": "--symbols", "dSYM": "--symbols",
  "d": "--symbols",
  "dsyms": "--symbols", "debug-file": "--symbols", "arch": "--arch", "load": "--load-address",
  "fullPath": "--format=atos", "fip": "--format=addr2line", "fie": "--format=addr2line",
  "Cfie": "--format=addr2line",
  "Cfip": "--format=addr2line", "i": "crashread lookup, which always prints inlined calls",
  "e": "crashread lookup FILE ADDRESS", "C": "crashread lookup, which demangles unless --mangled is given",
  "v": "--why", "j": "--jobs", "s": "--symbols", "uuid": "--uuid",
  "demangle": "crashread, which demangles by itself",
  "verbose": "--why", "threads": "--all-threads", "out": "--output",
  "language": "--lang",
]

/// The option a mistyped name most likely means, with its dashes.
private func nearestOption(to name: String) -> String? {
  if let meant = foreignOptions[name] { return meant }
  // A single letter is within a small edit distance of everything.
  guard name.count > 1 else { return nil }
  return nearest(to: name, among: optionTable.map(\.long)).map { "--" + $0 }
}
