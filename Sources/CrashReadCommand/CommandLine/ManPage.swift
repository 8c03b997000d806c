internal import CrashReadCore

/// The manual page crashread(1), generated from the tables with the `man` macros of roff.
struct ManPage {
  var text: String {
    let sections = [
      header, synopsis, description, commands, options, exitStatus, environment, examples, seeAlso,
    ]
    return sections.joined().joined(separator: "\n") + "\n"
  }

  private var header: [String] {
    [
      ".\\\" Made by 'crashread --generate=man'. Change the option table instead.",
      ".TH CRASHREAD 1 \(Version.date) \"crashread \(Version.number)\" \"User Commands\"",
      ".SH NAME",
      "crashread \\- " + roff(CrashReadCommand.summary),
    ]
  }

  private var synopsis: [String] {
    [".SH SYNOPSIS", ".nf"]
      + Verb.allCases.map { bold($0.command) + " [" + italic("OPTION") + "]... " + operands(of: $0) }
      + [".fi"]
  }

  private var description: [String] {
    [".SH DESCRIPTION"] + paragraphs(Verb.report.definition.details, with: ".PP")
  }

  private var commands: [String] {
    let entries = Verb.named.flatMap { verb in
      [".TP", bold(verb.rawValue) + " " + operands(of: verb)]
        + paragraphs(verb.definition.details, with: ".IP")
    }
    return [
      ".SH COMMANDS",
      "The first word that isn't an option can name one of these.",
      "A file that is named like a command is written " + bold("./NAME") + ".",
    ] + entries
  }

  private var options: [String] {
    let introduction = [
      """
      A value follows its option as `--name=value` or as the next word; after a letter also at once: `-oFILE`. \
      Letters can stand together: `-ah`. After `--` every word is an operand.
      """,
      """
      Of an option that can't be given several times the last one counts. An option belongs to the main job alone \
      unless it names commands.
      """,
    ]
    return [".SH OPTIONS"] + paragraphs(introduction, with: ".PP")
      + OptionDefinition.Category.allCases.flatMap(section)
  }

  private func section(_ category: OptionDefinition.Category) -> [String] {
    let entries = optionTable.filter { $0.category == category }.flatMap(entry)
    return [".SS " + roff(category.rawValue)] + entries
  }

  private func entry(_ option: OptionDefinition) -> [String] {
    let repeatable = option.isRepeatable ? " Can be given several times." : ""
    let texts = [option.summary + "." + repeatable] + option.details + users(of: option)
    return [".TP", names(option)] + paragraphs(texts, with: ".IP") + choices(of: option)
  }

  private func names(_ option: OptionDefinition) -> String {
    let short = option.short.map { bold("-\($0)") + ", " } ?? ""
    let name = short + bold("--" + option.long)
    guard let value = option.value else { return name }
    return name
      + (value.implied == nil ? "=" + italic(value.placeholder) : "[=" + italic(value.placeholder) + "]")
  }

  /// A sentence that names the commands that take the option; empty if only the main job does.
  private func users(of option: OptionDefinition) -> [String] {
    if option.verbs == Set(Verb.allCases) { return ["Every command takes it."] }
    let others = commandList(option.verbs.subtracting([.report]))
    if others.isEmpty { return [] }
    return [option.verbs.contains(.report) ? "Also with \(others)." : "Only with \(others)."]
  }

  private func choices(of option: OptionDefinition) -> [String] {
    guard let choices = option.value?.choices, !choices.isEmpty else { return [] }
    let entries = choices.flatMap { choice in
      let limited = option.verbs.isSubset(of: choice.verbs) ? "" : " (only with \(commandList(choice.verbs)))"
      return [".TP", bold(choice.word)] + marked(choice.summary + limited)
    }
    return [".RS"] + entries + [".RE"]
  }

  private func commandList(_ verbs: Set<Verb>) -> String {
    Verb.allCases.filter { verbs.contains($0) }.map { "`\($0.command)`" }.joined(separator: " and ")
  }

  private var exitStatus: [String] {
    [".SH EXIT STATUS"] + terms(ExitStatus.documented.map { (String($0.code), $0.meaning) })
      + [".PP", "A reader that closes the pipe early, as " + bold("head") + " does, isn't an error."]
  }

  private var environment: [String] {
    [".SH ENVIRONMENT"] + terms(EnvironmentVariable.all.map { ($0.name, $0.meaning) })
  }

  private var examples: [String] {
    [".SH EXAMPLES"] + terms(Example.all.map { ($0.command, $0.meaning) })
  }

  private var seeAlso: [String] {
    [".SH SEE ALSO"] + [
      bold("crashread-json") + "(5), " + bold("addr2line") + "(1), " + bold("dwarfdump") + "(1)"
    ]
  }

  private func terms(_ entries: [(String, String)]) -> [String] {
    entries.flatMap { [".TP", bold($0.0)] + marked($0.1) }
  }

  /// The operands' names in italics; brackets, bars and dots between them upright.
  private func operands(of verb: Verb) -> String {
    var text = ""
    var name = ""
    for character in verb.definition.operands + " " {
      if character.isLetter {
        name.append(character)
      } else {
        text += (name.isEmpty ? "" : italic(name)) + String(character)
        name = ""
      }
    }
    return String(text.dropLast())
  }
}

/// Paragraphs separated by a macro: `.PP` at the margin, `.IP` at the indentation of a tagged entry.
private func paragraphs(_ texts: [String], with macro: String) -> [String] {
  Array(texts.map(marked).joined(separator: [macro]))
}

/// The lines of a text; text in backquotes is set in bold.
private func marked(_ text: String) -> [String] {
  let parts = text.split(separator: "`", omittingEmptySubsequences: false)
  let set = parts.enumerated().map {
    $0.offset % 2 == 0 ? roff(String($0.element)) : bold(String($0.element))
  }
  // A period at the start of a line would make it a request.
  return wrapped(set.joined(), to: 78).map { $0.hasPrefix(".") ? "\\&" + $0 : $0 }
}

private func bold(_ text: String) -> String { "\\fB" + roff(text) + "\\fR" }
private func italic(_ text: String) -> String { "\\fI" + roff(text) + "\\fR" }

/// A text escaped for roff. Dashes are escaped so that they can be copied as such.
private func roff(_ text: String) -> String {
  var result = ""
  for character in text {
    switch character {
    case "\\": result += "\\e"
    case "-": result += "\\-"
    case "'": result += "\\(aq"
    case "~": result += "\\(ti"
    default: result.append(character)
    }
  }
  return result
}
