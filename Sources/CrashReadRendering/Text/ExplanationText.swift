internal import CrashReadCore
package import CrashReadVerdict

/// Writes the meanings of codes and names, for a person.
package struct ExplanationText: Sendable {
  private let palette: Palette
  private let width: Int
  private let labels: any Labels

  /// The maximum number of meanings explained in full; further ones have one line each.
  private static let maximumInFull = 3

  /// Creates a writer.
  /// - Parameters:
  ///   - isColored: Whether ANSI colours are used.
  ///   - width: The width in columns.
  ///   - language: The language of the labels.
  package init(isColored: Bool, width: Int, language: Language) {
    labels = CrashReadRendering.labels(in: language)
    palette = Palette(isColored: isColored)
    self.width = width
  }

  /// All meanings of a query; ends with a line feed.
  package func text(_ query: String, _ explanations: [CodeExplanation]) -> String {
    if explanations.count > Self.maximumInFull { return list(query, explanations) }
    return explanations.map { full($0).map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  private func list(_ query: String, _ explanations: [CodeExplanation]) -> String {
    let heads = explanations.map { head($0) }
    let lines = zip(explanations, heads).flatMap { explanation, head in
      ["  " + palette.paint(plainText(head), .function)]
        + wrapped(explanation.meaning ?? "", toWidth: width - 6).map { "      " + $0 }
    }
    return ([plainText(labels.meanings(query, explanations.count))] + lines).map { $0 + "\n" }.joined()
  }

  private func full(_ entry: CodeExplanation) -> [String] {
    var lines = wrapped(plainText(head(entry)), toWidth: width).map { palette.paint($0, .function) }
    lines += labelled(labels.means, [entry.code?.meaning ?? ""])
    lines += entry.code.map(parts) ?? []
    lines += labelled(labels.why, [entry.ownText ?? ""])
    // Some rules share a sentence.
    lines += labelled(labels.limits, [entry.limits.flatMap { statesLimits($0, entry) ? nil : $0 } ?? ""])
    lines += labelled(labels.next, entry.advice)
    if entry.code != nil { lines += labelled(labels.rule, [entry.explanation?.rule ?? ""]) }
    return lines + labelled(labels.sources, entry.sources)
  }

  private func statesLimits(_ limits: String, _ entry: CodeExplanation) -> Bool {
    entry.ownText?.hasSuffix(limits) ?? false
  }

  /// A headline: `SIGTRAP (5): Signal`, or a rule's title.
  private func head(_ entry: CodeExplanation) -> String {
    guard let code = entry.code else {
      guard let explanation = entry.explanation else { return entry.title }
      return "\(explanation.rule ?? ""): \(explanation.title)"
    }
    let numbers = code.value.map(numbers) ?? []
    guard let name = code.name else {
      return ([numbers.joined(separator: " = ")] + [entry.title]).filter { !$0.isEmpty }.joined(
        separator: ": ")
    }
    let others = numbers.filter { $0 != name }
    return name + (others.isEmpty ? "" : " (\(others.joined(separator: ", ")))") + ": " + entry.title
  }

  /// The number in hexadecimal and decimal; once, if both are equal.
  private func numbers(_ value: UInt64) -> [String] {
    value < 10 ? [String(value)] : [hexadecimal(value), String(value)]
  }

  private func parts(_ code: DecodedCode) -> [String] {
    labelled(
      labels.means,
      code.parts.map { "\($0.label): \($0.text)" + ($0.meaning.map { " (\($0))" } ?? "") })
  }

  private func labelled(_ label: String, _ paragraphs: [String]) -> [String] {
    palette.labelled(label, paragraphs, width: width)
  }
}

/// The meanings of codes and names, as a JSON array: one object per query, with `query` and `meanings` of
/// crashread-json(5).
package func explanationJSON(_ answers: [(query: String, explanations: [CodeExplanation])]) -> String {
  var writer = JSONWriter()
  writer.array(nil, answers) { json, answer in
    json.object { json in
      json.field("query", answer.query)
      json.array("meanings", answer.explanations) { json, entry in
        json.object { write(entry, to: &$0) }
      }
    }
  }
  return writer.text + "\n"
}

private func write(_ entry: CodeExplanation, to json: inout JSONWriter) {
  if let code = entry.code {
    writeDecoded(code, to: &json)
  } else {
    json.field("kind", "rule")
    json.field("title", entry.title)
  }
  json.field("limits", entry.limits)
  if let explanation = entry.explanation {
    json.field("rule", explanation.rule)
    json.field("headline", explanation.title)
    json.field("explanation", explanation.text)
    json.field("confidence", explanation.confidence.rawValue)
  }
  json.strings("advice", entry.advice)
  json.strings("sources", entry.sources)
}

extension CodeExplanation {
  /// The most informative sentence.
  fileprivate var meaning: String? { code?.meaning ?? explanation?.text }

  /// What a rule adds to the code's own meaning; nil for nothing.
  fileprivate var ownText: String? {
    guard let text = explanation?.text else { return nil }
    return code?.meaning.map { text.hasPrefix($0) } == true ? nil : text
  }

  /// The code's links, then the rule's, without duplicates.
  fileprivate var sources: [String] {
    let own = code?.sources ?? []
    return own + (explanation?.sources ?? []).filter { !own.contains($0) }
  }
}
