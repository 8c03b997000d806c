internal import BinaryIdentity
internal import CrashDiagnosis
internal import CrashReports
internal import DebugInfo
internal import Symbolication

// How the verdict was reached, for `--why`.
extension TextPage {
  /// The rules that hold in part, and the frames before the blamed one; nothing unless it is asked for.
  var reasoning: [String] {
    guard view.style.showsReasoning else { return [] }
    let reasoning = view.diagnosis.reasoning
    let rejected = reasoning.rejected.map { "\($0.rule) (\($0.condition))" }
    let tried = rejected.isEmpty ? [] : [labels.rejected(rejected.joined(separator: ", "))]
    let lines = labelled(labels.rule, [labels.matched(view.explanation.rule)] + tried)
    guard !reasoning.skipped.isEmpty else { return lines }
    return lines + [palette.paint(labels.skippedFrames, .heading)] + reasoning.skipped.map(row)
  }

  private func row(_ skipped: SkippedFrame) -> String {
    let frame = view.diagnosis.frame(skipped.frame)
    let captured = frame?.captured
    let name = frame?.locations.first?.function ?? captured?.reportedSymbol ?? captured?.address?.description
    let place =
      if let thread = skipped.frame.thread {
        labels.frame(skipped.frame.frame, ofThread: thread)
      } else {
        labels.frame(skipped.frame.frame)
      }
    let text = "  \(place)  \(plainText(name ?? "???"))"
    return truncated(text, toWidth: width * 2 / 3) + ": " + labels.reason(skipped.reason)
  }
}
