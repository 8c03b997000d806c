internal import CrashRead
internal import CrashReadDiagnosis

/// `crashread explain`: the meaning of codes, names and messages, without a report.
struct ExplainJob {
  let options: Options

  private let language: Language

  init(_ options: Options, _ environment: Environment) {
    self.options = options
    language = options.language ?? environment.language
  }

  /// Looks up the queries in the order given.
  func run(on console: inout Console) -> ExitStatus {
    let knowledge = KnowledgeBase(language: language)
    if options.listsSubjects { return list(knowledge, to: &console) }
    var answers: [(query: String, explanations: [CodeExplanation])] = []
    var status = ExitStatus.success
    for query in asked(of: knowledge) {
      let found = knowledge.lookUp(query)
      if found.isEmpty {
        console.error(refusal(of: query, knowledge))
        status = .failure
      } else {
        answers.append((query, found))
      }
    }
    guard !answers.isEmpty else { return status }
    let isWritten = writeResult(to: &console, options) { format, surface, write in
      write(format == .report(.json) ? explanationJSON(answers) : text(answers, surface))
    }
    return isWritten ? status : .failure
  }

  private func list(_ knowledge: KnowledgeBase, to console: inout Console) -> ExitStatus {
    let subjects = knowledge.subjects
    let width = subjects.map(\.name.utf8.count).max() ?? 0
    let lines = subjects.map { subject in
      subject.name + String(repeating: " ", count: width + 2 - subject.name.utf8.count) + subject.title + "\n"
    }
    let isWritten = writeResult(to: &console, options) { _, _, write in write(lines.joined()) }
    return isWritten ? .success : .failure
  }

  /// The queries: each operand, or all operands together if they are the words of one unquoted sentence.
  private func asked(of knowledge: KnowledgeBase) -> [String] {
    let sentence = options.operands.joined(separator: " ")
    let isSentence =
      queries.count > 1 && queries.contains { knowledge.lookUp($0).isEmpty } && knowledge.isSentence(sentence)
    return isSentence ? [sentence] : queries
  }

  /// The operands, with a number joined to the name before it, so that `esr 0x92000047` needs no quotes.
  private var queries: [String] {
    var queries: [String] = []
    var isName = false
    for operand in options.operands {
      let isNumber = operand.first?.isNumber == true
      if isNumber, isName {
        queries[queries.count - 1] += " " + operand
      } else {
        queries.append(operand)
      }
      isName = !isNumber && !operand.contains(" ")
    }
    return queries
  }

  private func refusal(of query: String, _ knowledge: KnowledgeBase) -> String {
    let spellings = Dictionary(knowledge.names.map { ($0.uppercased(), $0) }) { first, _ in first }
    let words = query.split { " :,()=".contains($0) }.filter { $0.first?.isLetter == true }
    let near = ([query] + words.map(String.init)).flatMap { word in
      nearMatches(to: word.uppercased(), among: spellings.keys.sorted()).prefix(3).compactMap {
        spellings[$0]
      }
    }
    var shown: [String] = []
    for name in near where !shown.contains(name) && shown.count < 3 { shown.append(name) }
    let suggestion = shown.isEmpty ? "" : "; similar names: " + shown.joined(separator: ", ")
    return "nothing is known about '\(query)'\(suggestion)"
  }

  private func text(
    _ answers: [(query: String, explanations: [CodeExplanation])], _ surface: Surface
  ) -> String {
    let writer = ExplanationText(
      isColored: surface.isColored, width: surface.textWidth, language: language)
    return answers.map { writer.text($0.query, $0.explanations) }.joined(separator: "\n")
  }
}
