internal import CrashReadCore

/// The text of `-h` and `--help`, generated from the tables.
struct Help {
  var verb: Verb
  /// `--help` is the long form; `-h` has one line per option.
  var isLong: Bool
  /// The width in columns.
  var width = 80

  var text: String {
    var parts = [heading, usage]
    if isLong { parts += verb.definition.details.map { wrap(plain($0), indent: 0) } }
    if verb == .report { parts.append(commands) }
    parts += OptionDefinition.Category.allCases.compactMap(section)
    if isLong, verb == .report { parts += [examples, environment, exitStatus] }
    if !isLong { parts.append("'\(verb.command) --help' says more.\n") }
    return parts.joined(separator: "\n")
  }

  private var heading: String {
    verb == .report
      ? "crashread \(Version.number): \(CrashReadCommand.summary)\n"
      : "\(verb.command): \(verb.definition.summary)\n"
  }

  private var usage: String {
    let verbs = verb == .report ? Verb.allCases : [verb]
    let lines = verbs.map { "\($0.command) [OPTION]... \($0.definition.operands)\n" }
    return "Usage: " + lines.joined(separator: "       ")
  }

  private var commands: String {
    "Commands:\n"
      + Verb.named.map { entry($0.rawValue, $0.definition.summary) }.joined()
      + wrap("A file that is named like a command is written ./NAME.", indent: 2)
  }

  private func section(_ category: OptionDefinition.Category) -> String? {
    let options = verb.options.filter { $0.category == category }
    guard !options.isEmpty else { return nil }
    let entries = isLong ? options.map(longEntry).joined(separator: "\n") : options.map(shortEntry).joined()
    return "\(category.rawValue):\n" + entries
  }

  private func shortEntry(_ option: OptionDefinition) -> String {
    let choices = option.choices(for: verb).map(\.word)
    return entry(
      names(option), option.summary + (choices.isEmpty ? "" : ": " + choices.joined(separator: ", ")))
  }

  private func longEntry(_ option: OptionDefinition) -> String {
    let repeatable = option.isRepeatable ? " Can be given several times." : ""
    let paragraphs = ([option.summary + "." + repeatable] + option.details).map { wrap(plain($0), indent: 8) }
    let choices = option.choices(for: verb).map { wrap("\($0.word): \($0.summary)", indent: 10, hanging: 2) }
    return "  " + names(option) + "\n" + paragraphs.joined() + choices.joined()
  }

  private func names(_ option: OptionDefinition) -> String {
    let short = option.short.map { "-\($0), " } ?? "    "
    return short + "--" + option.long
      + (option.value.map { $0.implied == nil ? "=\($0.placeholder)" : "[=\($0.placeholder)]" } ?? "")
  }

  private var examples: String {
    "Examples:\n" + Example.all.map { "  \($0.command)\n" + wrap($0.meaning, indent: 8) }.joined()
  }

  private var environment: String {
    "Environment:\n" + EnvironmentVariable.all.map { entry($0.name, $0.meaning) }.joined()
  }

  private var exitStatus: String {
    "Exit status:\n" + ExitStatus.documented.map { entry(String($0.code), $0.meaning) }.joined()
  }

  /// A term in the left column and its meaning in the right one, or on the next lines when the term is too long.
  private func entry(_ term: String, _ meaning: String) -> String {
    let column = 28
    let head = "  " + term
    let body = wrap(meaning, indent: column)
    guard head.count + 2 <= column else { return head + "\n" + body }
    return head + body.dropFirst(head.count)
  }

  private func wrap(_ text: String, indent: Int, hanging: Int = 0) -> String {
    let room = max(20, width - indent)
    let lines = wrapped(text, to: room - hanging, first: room)
    let margin = String(repeating: " ", count: indent)
    let next = margin + String(repeating: " ", count: hanging)
    return lines.enumerated().map { ($0.offset == 0 ? margin : next) + $0.element + "\n" }.joined()
  }
}

/// A text without its backquotes: help shows literal text as it is, and the manual page sets it in bold.
private func plain(_ text: String) -> String { text.filter { $0 != "`" } }

/// Breaks a text at spaces into lines of at most `width` columns; a longer word gets a line of its own.
func wrapped(_ text: String, to columns: Int, first: Int? = nil) -> [String] {
  var lines: [String] = []
  var line = ""
  for word in text.split(separator: " ") {
    let room = lines.isEmpty ? first ?? columns : columns
    if !line.isEmpty, line.count + 1 + word.count > room {
      lines.append(line)
      line = ""
    }
    line += line.isEmpty ? word : " " + word
  }
  return line.isEmpty ? lines : lines + [line]
}
