// Shell completion scripts, generated from the tables. Each script takes the first word that names a verb, then offers
// that verb's options, the words of closed sets, and files where files are expected.

private let verbNames = Verb.named.map(\.rawValue)

extension OptionDefinition {
  /// The option's names with their dashes, the short one first.
  fileprivate var spellings: [String] { (short.map { ["-\($0)"] } ?? []) + ["--" + long] }
}

/// A text as one word of a POSIX shell.
private func quoted(_ text: String) -> String {
  "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
}

private func quoted(_ words: [String]) -> String { quoted(words.joined(separator: " ")) }

/// A text with a backslash before each of these characters.
private func escaped(_ text: String, _ characters: String) -> String {
  text.reduce(into: "") { $0 += characters.contains($1) ? "\\\($1)" : String($1) }
}

// MARK: - bash

/// The script for bash 4 or later; it needs nothing of the bash-completion package.
func bashCompletion() -> String {
  """
  # Completion for bash. Made by 'crashread --generate=bash'.
  _crashread() {
      local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} lead= verb=report word
      COMPREPLY=()
      # Readline takes --name=value apart at the sign, unless told not to.
      if [[ $cur == = ]]; then
          cur=
      elif [[ $prev == = && $COMP_CWORD -gt 2 ]]; then
          prev=${COMP_WORDS[COMP_CWORD-2]}
      elif [[ $cur == --*=* ]]; then
          prev=${cur%%=*} lead=${cur%%=*}= cur=${cur#*=}
      fi
      for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
          case $word in
              \(verbNames.joined(separator: "|"))) verb=$word; break ;;
          esac
      done
      case $verb:$prev in
  \(Verb.allCases.flatMap(bashValues).joined(separator: "\n"))
      esac
      if [[ $cur == -* ]]; then
          case $verb in
  \(Verb.allCases.map(bashOptions).joined(separator: "\n"))
          esac
      elif [[ $verb == help ]]; then
          compopt +o default +o bashdefault 2>/dev/null
          mapfile -t COMPREPLY < <(compgen -W \(quoted(verbNames)) -- "$cur")
      elif [[ $COMP_CWORD -eq 1 ]]; then
          compopt -o filenames 2>/dev/null
          mapfile -t COMPREPLY < <(compgen -W \(quoted(verbNames)) -- "$cur"; compgen -f -- "$cur")
      fi
      return 0
  }
  complete -o bashdefault -o default -F _crashread crashread

  """
}

private func bashOptions(_ verb: Verb) -> String {
  let words = quoted(verb.options.flatMap(\.spellings))
  return #"            \#(verb.rawValue)) mapfile -t COMPREPLY < <(compgen -W \#(words) -- "$cur") ;;"#
}

/// One case for each option that takes a value. An empty answer leaves the word to readline, which completes file
/// names.
private func bashValues(_ verb: Verb) -> [String] {
  verb.options.compactMap { option in
    option.value.map { value in
      let pattern = option.spellings.map { "\(verb.rawValue):\($0)" }.joined(separator: "|")
      let actions = bashActions(value, words: option.choices(for: verb).map(\.word)) + ["return 0"]
      return "        \(pattern)) \(actions.joined(separator: "; ")) ;;"
    }
  }
}

private func bashActions(_ value: OptionDefinition.ValueDefinition, words: [String]) -> [String] {
  let noFiles = "compopt +o default +o bashdefault 2>/dev/null"
  guard words.isEmpty else {
    return [noFiles, #"mapfile -t COMPREPLY < <(compgen -P "$lead" -W \#(quoted(words)) -- "$cur")"#]
  }
  return switch value.completes {
  case .files: []
  case .directories: ["compopt -o dirnames +o default +o bashdefault 2>/dev/null"]
  case .verbs, .nothing: [noFiles]
  }
}

// MARK: - zsh

/// The script for zsh, to be found by `compinit` as `_crashread` or to be sourced.
func zshCompletion() -> String {
  """
  #compdef crashread
  # Completion for zsh. Made by 'crashread --generate=zsh'.
  _crashread_first() {
    _alternative 'files:report:_files' \(quoted("commands:command:(" + verbNames.joined(separator: " ") + ")"))
  }
  _crashread() {
    local verb=report word
    for word in "${(@)words[2,CURRENT-1]}"; do
      case $word in
        (\(verbNames.joined(separator: "|"))) verb=$word; break ;;
      esac
    done
    case $verb in
  \(Verb.allCases.map(zshArguments).joined(separator: "\n"))
    esac
  }
  if [[ $funcstack[1] == _crashread ]]; then
    _crashread "$@"
  else
    compdef _crashread crashread
  fi

  """
}

private func zshArguments(_ verb: Verb) -> String {
  let specifications = verb.options.map { zshSpecification($0, verb) } + zshOperands(verb)
  let lines = specifications.map { "        " + $0 }.joined(separator: " \\\n")
  return "    (\(verb.rawValue))\n      _arguments -s -S : \\\n\(lines) ;;"
}

/// An option in the syntax of `_arguments`, such as `'*'{-o+,--output=}'[what it does]:FILE:_files'`.
private func zshSpecification(_ option: OptionDefinition, _ verb: Verb) -> String {
  let valued = option.value != nil
  var names: [String] = []
  if let short = option.short { names.append("-\(short)" + (valued ? "+" : "")) }
  names.append("--" + option.long + (valued ? "=" : ""))
  let repeats = option.isRepeatable ? "'*'" : quoted("(" + option.spellings.joined(separator: " ") + ")")
  let spelled = names.count > 1 ? "{" + names.joined(separator: ",") + "}" : names.joined()
  return repeats + spelled + quoted("[" + escaped(option.summary, "\\[]:") + "]" + zshValue(option, verb))
}

private func zshValue(_ option: OptionDefinition, _ verb: Verb) -> String {
  guard let value = option.value else { return "" }
  let words = option.choices(for: verb).map(\.word)
  let action =
    switch value.completes {
    case .files: "_files"
    case .directories: "_files -/"
    case .verbs, .nothing: words.isEmpty ? " " : "(" + words.joined(separator: " ") + ")"
    }
  return ":" + value.placeholder + ":" + action
}

/// The operands of each verb. For all but the main job, the verb itself is the first operand.
private func zshOperands(_ verb: Verb) -> [String] {
  let files = quoted("*:file:_files")
  if verb == .report { return [quoted("1:report:_crashread_first"), files] }
  let names = "(" + verbNames.joined(separator: " ") + ")"
  return [quoted("1: : "), verb.definition.completes == .verbs ? quoted("2:command:" + names) : files]
}

// MARK: - fish

/// The script for fish.
func fishCompletion() -> String {
  let operands = Verb.named.map { verb in
    fish(.report, ["-a", verb.rawValue, "-d", fishQuoted(verb.definition.summary)])
  }
  let options = Verb.allCases.flatMap { verb in
    fishOperands(verb) + verb.options.map { fishOption($0, verb) }
  }
  return """
    # Completion for fish. Made by 'crashread --generate=fish'.
    function __crashread_verb_is
        for word in (commandline -opc)
            if contains -- $word \(verbNames.joined(separator: " "))
                test $word = $argv[1]
                return
            end
        end
        test report = $argv[1]
    end
    \((operands + options).joined(separator: "\n"))

    """
}

private func fish(_ verb: Verb, _ words: [String]) -> String {
  "complete -c crashread -n '__crashread_verb_is \(verb.rawValue)' " + words.joined(separator: " ")
}

private func fishOperands(_ verb: Verb) -> [String] {
  guard verb.definition.completes == .verbs else { return [] }
  return [fish(verb, ["-f", "-a", fishQuoted(verbNames.joined(separator: " "))])]
}

private func fishOption(_ option: OptionDefinition, _ verb: Verb) -> String {
  let short = option.short.map { ["-s", String($0)] } ?? []
  let value = option.value.map { fishValue($0, words: option.choices(for: verb).map(\.word)) } ?? []
  return fish(verb, short + ["-l", option.long] + value + ["-d", fishQuoted(option.summary)])
}

private func fishValue(_ value: OptionDefinition.ValueDefinition, words: [String]) -> [String] {
  switch value.completes {
  case .files: ["-r", "-F"]
  case .directories: ["-x", "-a", "'(__fish_complete_directories)'"]
  case .verbs, .nothing: words.isEmpty ? ["-x"] : ["-x", "-a", fishQuoted(words.joined(separator: " "))]
  }
}

/// The only two characters that are special between single quotes in fish.
private func fishQuoted(_ text: String) -> String { "'" + escaped(text, "\\'") + "'" }
