import BinaryIdentity
import CrashDiagnosis
import CrashRead
import CrashReports
import DebugInfo
import Symbolication
import Testing

@Suite("The text output")
struct TextRendererTests {
  /// A report in which every text that a stranger can choose is hostile.
  private func analysis(_ evil: String) -> ReportAnalysis {
    var report = CrashReport(format: .appleText)
    report.header.process = evil
    report.header.version = evil
    report.header.osVersion = evil
    var image = BinaryImage(start: RuntimeAddress(0x1000))
    image.name = evil
    report.images = [image]
    var frame = Frame(kind: .programCounter, address: RuntimeAddress(0x1010))
    frame.imageName = evil
    frame.reportedSymbol = evil
    frame.reportedFile = evil
    var thread = ThreadRecord(index: 0)
    (thread.name, thread.queue, thread.isCrashed, thread.frames) = (evil, evil, true, [frame])
    report.threads = [thread]
    report.crashedThread = 0

    var resolved = ResolvedFrame(captured: frame)
    resolved.isInApp = true
    var named = resolved
    named.resolution = .debugInfo
    named.locations = [
      SourceFrame(function: evil, linkageName: evil, location: SourceLocation(file: evil, line: 1))
    ]
    var match = ImageMatch(status: .identityMismatch)
    match.attempts = [.init(path: evil, id: nil, outcome: .identityMismatch, message: evil)]
    let symbolicated = SymbolicatedReport(
      report: report, threads: [[named, resolved]], lastExceptionBacktrace: [], images: [match])
    let explanation = Explanation(
      rule: nil, title: evil, text: evil, confidence: .hint, evidence: [evil], advice: [evil])
    let diagnosis = Diagnosis(
      symbolicated: symbolicated, explanation: explanation,
      blamed: BlamedFrame(thread: 0, frame: 0, location: 0), signature: evil)
    let excerpt = SourceExcerpt(
      path: evil, firstLine: 1, lines: [evil], markedLine: 1, markedColumn: nil, isGuess: true)
    return ReportAnalysis(input: evil, diagnosis: diagnosis, excerpt: excerpt)
  }

  private func text(
    _ analysis: ReportAnalysis, _ change: (inout TextRenderer.Style) -> Void = { _ in }
  ) -> String {
    var style = TextRenderer.Style()
    change(&style)
    var renderer = TextRenderer(style: style)
    var output = ""
    renderer.render(analysis, into: &output)
    return output
  }

  @Test(
    "lets no text act on the terminal",
    arguments: ["\u{1b}[2J", "\u{9b}2J", "a\rb", "x\u{202e}y", "b\u{8}", "a\u{7}"])
  func hostileTexts(_ evil: String) {
    let output = text(analysis(evil))
    let harmful = output.unicodeScalars.filter {
      $0 != "\n" && ($0.properties.generalCategory == .control || $0 == "\u{202e}")
    }
    #expect(harmful.isEmpty)
    #expect(output.contains("\\u{"))
  }

  @Test func aTextWithLinesForgesNone() {
    let output = text(analysis("calm\nThread 9 crashed"))
    #expect(!output.split(separator: "\n").contains { $0.hasPrefix("Thread 9 crashed") })
  }

  @Test func coloursComeOnlyWhenAsked() {
    let plain = text(analysis("calm"))
    let coloured = text(analysis("calm")) { $0.isColored = true }
    #expect(!plain.contains("\u{1b}"))
    #expect(coloured.contains("\u{1b}["))
    #expect(coloured.replacing(/\u{1b}\[[0-9;]*m/, with: "") == plain)
  }

  @Test func hiddenThreadsAreCounted() {
    var example = analysis("calm")
    example.diagnosis.symbolicated.report.threads += [ThreadRecord(index: 1), ThreadRecord(index: 2)]
    example.diagnosis.symbolicated.threads += [[], []]
    #expect(text(example).contains("2 other threads are not shown"))
    #expect(!text(example) { $0.showsAllThreads = true }.contains("not shown"))
    #expect(text(example) { $0.showsAllThreads = true }.contains("Thread 2"))
  }

  @Test func linkageNamesAreShownWhenAsked() {
    var example = analysis("calm")
    example.diagnosis.symbolicated.threads[0][0].locations[0].linkageName = "_Z4calmv"
    #expect(!text(example).contains("_Z4calmv"))
    #expect(text(example) { $0.showsLinkageNames = true }.contains("_Z4calmv"))
  }

  @Test func aGuessIsMarked() {
    var example = analysis("calm")
    #expect(!text(example).contains("a guess"))
    example.diagnosis.symbolicated.threads[0][0].isGuess = true
    #expect(text(example).contains("a guess: the debug file's identity is not proven"))
  }
}
