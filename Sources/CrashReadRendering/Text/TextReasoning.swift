internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

// How the verdict was reached, for `--why`.
extension TextPage {
  /// The rules that hold in part, and the frames skipped before the blamed one; empty unless requested.
  var reasoning: [String] {
    guard view.style.showsReasoning else { return [] }
    let reasoning = view.diagnosis.reasoning
    let rejected = reasoning.rejected.map { "\($0.rule) (\($0.condition))" }
    let tried = rejected.isEmpty ? [] : [labels.rejected(rejected.joined(separator: ", "))]
    let lines = labelled(labels.rule, [labels.matched(view.explanation.rule)] + tried)
    return lines + table(labels.skippedFrames, reasoning.skipped.map(row))
      + table(labels.signatureFrames, reasoning.signature.map(row))
  }

  private func table(_ heading: String, _ rows: [String]) -> [String] {
    rows.isEmpty ? [] : [palette.paint(heading, .heading)] + rows
  }

  private func row(_ skipped: SkippedFrame) -> String {
    let frame = view.diagnosis.frame(skipped.frame)
    let captured = frame?.captured
    let name = frame?.locations.first?.function ?? frame?.shownSymbol ?? captured?.address?.description
    return row(skipped.frame, name, labels.reason(skipped.reason))
  }

  private func row(_ frame: SignatureFrame) -> String {
    row(frame.frame, frame.function, labels.use(frame.use))
  }

  private func row(_ frame: BlamedFrame, _ name: String?, _ remark: String) -> String {
    let location = view.evidenceText.label(FrameReference(frame.backtrace, frame.frame))
    let text = "  \(location)  \(plainText(name ?? "???"))"
    return truncated(text, toWidth: width * 2 / 3) + ": " + remark
  }
}
