internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadVerdict

/// A report in a few unwrapped lines, for a reader that pays by the token.
func briefText(_ view: ReportView) -> String {
  BriefShape.fitting { BriefPage(brief: BriefReport(view, $0)).text }
}

/// The text form of a brief answer.
private struct BriefPage {
  let brief: BriefReport
  private var view: ReportView { brief.view }
  private var labels: any Labels { view.labels }

  var text: String {
    let lines = headline + brief.source.map(codeText) + explanation + frames + rest
    return lines.joined(separator: "\n") + "\n"
  }

  private var headline: [String] {
    let location = [
      view.blamedFunction.map { "\(labels.inFunction) \(brief.name($0))\(view.blameMark)" },
      view.blamedLocationText.map { "\(labels.atLocation) \(brief.path($0))" },
    ].compactMap(\.self)
    let facts = brief.name(view.facts.joined(separator: ", "))
    return [
      brief.text(view.event) + ": " + brief.text(view.explanation.title), location.joined(separator: " "),
      facts,
    ]
    .filter { !$0.isEmpty }.map(plainText)
  }

  private var explanation: [String] {
    let evidence = ([labels.confidence(view.explanation.confidence)] + brief.evidence).joined(separator: "; ")
    return paragraphs(labels.why, [brief.text(view.explanation.text)])
      + paragraphs(labels.evidence, [evidence])
      + paragraphs(labels.also, brief.findings) + paragraphs(labels.next, brief.advice)
  }

  private var frames: [String] {
    guard let principal = brief.principal, !principal.frames.isEmpty else { return [] }
    return [plainText(brief.name(principal.title)) + ":"]
      + brief.frames.map { frame in
        let location = [frame.row.name, view.locationText(frame.row)].filter { !$0.isEmpty }.map(brief.name)
        let head = (frame.isBlamed ? "> " : "  ") + "\(frame.number) \(plainText(brief.name(frame.image))) "
        return head + plainText(location.joined(separator: "  "))
      }
  }

  private var rest: [String] {
    paragraphs(labels.variables, [brief.variables.joined(separator: "; ")])
      + paragraphs(labels.missing, brief.missing)
      + paragraphs(labels.more, [brief.more.joined(separator: ", ")])
  }

  private func paragraphs(_ label: String, _ texts: [String]) -> [String] {
    texts.filter { !$0.isEmpty }.map { plainText("\(label): \($0)") }
  }
}
