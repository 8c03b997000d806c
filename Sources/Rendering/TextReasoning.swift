internal import BinaryIdentity
internal import CrashDiagnosis
internal import CrashReports
internal import DebugInfo
internal import Symbolication

extension TextRenderer {
  /// What else the report tells, each statement with its confidence and its evidence.
  func findings(_ explanation: Explanation) -> [String] {
    labelled(
      labels.also,
      explanation.findings.map { finding in
        let evidence = finding.evidence.joined(separator: "; ")
        return finding.text + " ("
          + ([labels.sureness(finding.confidence), evidence].filter { !$0.isEmpty }).joined(separator: ": ")
          + ")"
      })
  }

  /// How the verdict was reached: the rules that hold in part, and the frames before the blamed one.
  func reasoning(_ diagnosis: Diagnosis) -> [String] {
    guard style.showsReasoning else { return [] }
    let rejected = diagnosis.reasoning.rejected.map { "\($0.rule) (\($0.condition))" }
    let rule = labels.matched(diagnosis.explanation.rule)
    let tried = rejected.isEmpty ? [] : [labels.rejected(rejected.joined(separator: ", "))]
    let lines = labelled(labels.rule, [rule] + tried)
    let skipped = diagnosis.reasoning.skipped
    guard !skipped.isEmpty else { return lines }
    return lines + [palette.paint(labels.skippedFrames, .heading)] + skipped.map { skippedRow($0, diagnosis) }
  }

  private func skippedRow(_ skipped: SkippedFrame, _ diagnosis: Diagnosis) -> String {
    let frame = diagnosis.frame(skipped.frame)
    let name =
      frame?.locations.first?.function ?? frame?.captured.reportedSymbol
      ?? frame?.captured.address?.description
    let place =
      if let thread = skipped.frame.thread { labels.frame(skipped.frame.frame, ofThread: thread) } else {
        labels.frame(skipped.frame.frame)
      }
    let text = "  \(place)  \(terminalText(name ?? "???"))"
    return truncated(text, toWidth: style.width * 2 / 3) + ": " + labels.reason(skipped.reason)
  }
}
