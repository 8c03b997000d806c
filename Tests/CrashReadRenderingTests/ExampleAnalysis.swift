import CrashRead
import CrashReadCore
import CrashReadDebugInfo
import CrashReadDiagnosis
import CrashReadReports
import CrashReadSymbolication
import CrashReadVerdict

/// A report in which every text that a sender controls is this one.
func exampleAnalysis(_ text: String) -> ReportAnalysis {
  var report = exampleReport(text)
  var frame = Frame(kind: .programCounter, address: RuntimeAddress(0x1010))
  frame.imageName = text
  frame.reportedSymbol = text
  frame.reportedFile = text
  var thread = ThreadRecord(index: 0)
  (thread.name, thread.queue, thread.isCrashed, thread.frames) = (text, text, true, [frame, frame])
  thread.state = ThreadState(registers: [Register(name: text, value: 1, meaning: text)])
  report.threads = [thread]
  report.crashedThread = 0

  var resolved = ResolvedFrame(captured: frame)
  resolved.isInApp = true
  var named = resolved
  named.resolution = .debugInfo
  let place = SourceLocation(file: text, line: 1, column: 1)
  named.locations = [SourceFrame(function: text, linkageName: text, location: place)]
  var match = ImageMatch(status: .identityMismatch)
  match.attempts = [.init(path: text, id: nil, outcome: .identityMismatch, message: text)]
  let symbolicated = SymbolicatedReport(
    report: report, threads: [[named, resolved]], lastExceptionBacktrace: [], images: [match])
  let evidence = [
    Evidence(.register(thread: 0, name: text), text, meaning: text), Evidence(.image(0), text),
    Evidence(.frame(FrameReference(.thread(0), 1)), text),
  ]
  let explanation = Explanation(
    rule: nil, title: text, text: text, confidence: .hint, evidence: evidence, advice: [text])
  let diagnosis = Diagnosis(
    symbolicated: symbolicated, explanation: explanation,
    blamed: BlamedFrame(.thread(0), frame: 0, location: 0), signature: text)
  let excerpt = SourceExcerpt(
    path: text, relativePath: text, firstLine: 1, lines: [text], markedLine: 1, markedColumn: 1, isGuess: true
  )
  var analysis = ReportAnalysis(input: text, diagnosis: diagnosis, excerpts: [place: excerpt])
  analysis.blame = .change(
    LineChange(
      commit: String(repeating: "a", count: 40), author: text, date: "2025-01-01T00:00:00+00:00",
      summary: text))
  return analysis
}

private func exampleReport(_ text: String) -> CrashReport {
  var report = CrashReport(format: .appleText)
  report.header.process = text
  report.header.version = text
  report.header.osVersion = text
  report.header.date = text
  report.applicationSpecificInformation = [text]
  report.notes = [ReportNote(line: 1, message: text)]
  var image = BinaryImage(start: RuntimeAddress(0x1000))
  image.name = text
  image.path = text
  report.images = [image]
  return report
}

/// Reports as one form of output.
func rendered(
  _ analyses: [ReportAnalysis], as format: OutputFormat, _ change: (inout RenderingStyle) -> Void = { _ in }
) -> String {
  var style = RenderingStyle()
  change(&style)
  var renderer = format.renderer(style: style, count: analyses.count)
  var output = ""
  renderer.begin(into: &output)
  for analysis in analyses { renderer.render(analysis, into: &output) }
  renderer.end(into: &output)
  return output
}
