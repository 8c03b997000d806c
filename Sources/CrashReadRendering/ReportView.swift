internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadDiagnosis
internal import CrashReadReports
internal import CrashReadSymbolication

/// What formats for people say of a report: words in the reader's language, not yet escaped.
struct ReportView {
  let analysis: ReportAnalysis
  let style: RenderingStyle
  let labels: any Labels

  init(_ analysis: ReportAnalysis, _ style: RenderingStyle) {
    self.analysis = analysis
    self.style = style
    labels = CrashReadRendering.labels(in: style.language)
  }

  var diagnosis: Diagnosis { analysis.diagnosis }
  var symbolicated: SymbolicatedReport { diagnosis.symbolicated }
  var report: CrashReport { symbolicated.report }
  var explanation: Explanation { diagnosis.explanation }

  /// The process with version and build: `HogeApp 1.0 (1)`.
  ///
  /// A panic ends all of them, whichever was running.
  var process: String {
    if report.kind == .panic { return labels.wholeSystem }
    let version = report.header.version.map { " " + $0 } ?? ""
    let build = report.header.build.map { " (\($0))" } ?? ""
    return (report.header.process ?? labels.unknownProcess) + version + build
  }

  /// Who did what: `HogeApp 1.0 (1) crashed`.
  var event: String {
    let mark = symbolicated.usesOtherBuild ? " [\(labels.otherBuild)]" : ""
    let event = "\(process) \(labels.happened(report.kind))\(mark)"
    return analysis.test.map { labels.duringTest(event, $0.description) } ?? event
  }

  /// The event and what it was.
  var headline: String { "\(event): \(explanation.title)" }

  /// Device, system and time.
  var facts: [String] {
    [report.header.hardwareModel, report.header.osVersion, report.header.date, analysis.container?.path]
      .compactMap { $0 }.filter { !$0.isEmpty }
  }

  var evidenceText: EvidenceText { EvidenceText(diagnosis: diagnosis, labels: labels) }

  private func lines(_ evidence: [Evidence]) -> String {
    evidence.map(evidenceText.line).joined(separator: "; ")
  }

  /// How sure the explanation is, and what says so.
  var evidence: (label: String, text: String) {
    let sureness = labels.sureness(explanation.confidence)
    if explanation.evidence.isEmpty { return (labels.sure, sureness) }
    return (labels.evidence, sureness + ": " + lines(explanation.evidence))
  }

  /// What else the report tells, each statement with its confidence and its evidence.
  var findings: [String] {
    explanation.findings.map { finding in
      let grounds = [labels.sureness(finding.confidence), lines(finding.evidence)]
      return finding.text + " (\(grounds.filter { !$0.isEmpty }.joined(separator: ": ")))"
    }
  }

  /// The findings, and which other reports of the device are of about the same time.
  var also: [String] {
    findings
      + (analysis.container?.neighbours ?? []).map { labels.neighbour($0.path, $0.kind.rawValue, $0.seconds) }
  }

  /// Which member the fault address is, how sure that is, and what says so; nil when nothing does.
  var member: String? {
    diagnosis.faultStatement.map { statement in
      [labels.sureness(statement.confidence) + ": " + statement.text, lines(statement.evidence)]
        .joined(separator: "; ")
    }
  }

  /// The instructions that the report quotes, the one at the program counter marked; empty when it quotes none.
  var codeLines: [(text: String, isMarked: Bool)] {
    guard let statement = diagnosis.instruction else { return [] }
    let stop = "\(hexadecimal(statement.address)): \(statement.text)"
    return statement.before.map { ($0, false) } + [(stop, true)] + statement.after.map { ($0, false) }
  }

  /// The function to look at first; nil when there is no name for it.
  var blamedFunction: String? {
    guard let blamed = diagnosis.blamed, let frame = diagnosis.frame(blamed) else { return nil }
    return name(diagnosis.blamedFunction, frame)
  }

  /// The place to look at first, with the whole path or that in the checkout: `/src/Fuga.swift:17:31`.
  var blamedPlace: String? {
    diagnosis.blamedLocation.map { place in
      let file = style.usesRelativePaths ? analysis.excerpts[place]?.relativePath : nil
      let text = (file ?? place.shownFile) + place.shownLine
      return diagnosis.blamesFunctionStart ? "\(text) (\(labels.functionStart))" : text
    }
  }

  /// Who last changed the blamed line, or why that isn't known; nil unless asked for.
  var blame: String? {
    switch analysis.blame {
    case .change(let change): labels.lastChange(change)
    case .unknown(let reason): labels.noChange(reason)
    case nil: nil
    }
  }
}

// MARK: - Frames

/// One function of a frame: one inlined there, or the real one.
struct FunctionRow {
  var name: String
  var location: SourceLocation?
  var isInlined = false
  /// What the registers and the debug file say of its variables.
  var variables: [Variable] = []
}

extension ReportView {
  /// The functions of a frame, innermost first; of one that isn't resolved, what the report says. Never empty.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - variables: What is known of the variables of each of its functions.
  /// - Returns: A row a function.
  func rows(_ frame: ResolvedFrame, _ variables: [[Variable]] = []) -> [FunctionRow] {
    if frame.locations.isEmpty {
      return [
        FunctionRow(
          name: reportedText(frame), location: frame.reportedLocation, isInlined: frame.captured.isInlined)
      ]
    }
    return frame.locations.enumerated().map { index, location in
      let offset = location.symbolOffset.map { " + \($0)" } ?? ""
      return FunctionRow(
        name: (name(location, frame) ?? "???") + offset, location: location.location,
        isInlined: location.isInlined, variables: variables.indices.contains(index) ? variables[index] : [])
    }
  }

  /// The variables of a function, a line each.
  func variableLines(_ row: FunctionRow) -> [String] {
    CrashReadRendering.variableLines(row.variables, showsAll: style.showsAllVariables, labels)
  }

  /// The file's name and the line, as in `Fuga.swift:17`.
  func place(_ location: SourceLocation) -> String {
    if location.isGenerated { return String(location.fileName) }
    return location.fileName + (location.line.map { ":\($0)" } ?? " (\(labels.noLine))")
  }

  /// The row's place and what is to be said of it; empty when no place is known.
  func place(_ row: FunctionRow) -> String {
    let words = [row.location.map { place($0) }, row.isInlined ? "[\(labels.inlined)]" : nil]
    return words.compactMap { $0 }.joined(separator: " ")
  }

  /// What a reader must know before trusting a frame.
  func remarks(_ frame: ResolvedFrame) -> [String] {
    (frame.isRecovered ? [labels.recovered] : []) + doubts(frame)
  }

  /// Why the frame's names may be others.
  func doubts(_ frame: ResolvedFrame) -> [String] {
    (frame.isGuess ? [labels.guess] : []) + (frame.learned.map { [labels.learned($0)] } ?? [])
  }

  func imageName(_ frame: ResolvedFrame) -> String {
    let image = frame.image.map { report.images[$0] }
    let file = image?.path?.split(separator: "/").last.map(String.init)
    return frame.captured.imageName ?? file ?? image?.name ?? "???"
  }

  /// The frame's number; empty for one that the report doesn't list.
  func number(_ frame: ResolvedFrame, at index: Int) -> String {
    frame.isRecovered ? "" : String(frame.captured.number ?? index)
  }

  private func name(_ location: SourceFrame?, _ frame: ResolvedFrame) -> String? {
    guard let location else { return frame.shownSymbol.map { demangle($0) ?? $0 } }
    return style.showsLinkageNames ? location.linkageName ?? location.function : location.function
  }

  /// The distance from the image's start: the report's own, or that of a frame whose symbol says nothing.
  private func offset(_ frame: ResolvedFrame) -> ImageOffset? {
    if frame.captured.reportedSymbol == nil { return frame.captured.imageOffset }
    guard let image = frame.image, let address = frame.captured.address else { return nil }
    return address.offset(from: report.images[image].start)
  }

  /// What the report itself says of a frame that isn't resolved.
  private func reportedText(_ frame: ResolvedFrame) -> String {
    switch frame.captured.kind {
    case .omitted: return labels.omitted
    case .truncated: return labels.truncated
    case .programCounter, .returnAddress, .asyncResumePoint: break
    }
    guard let symbol = frame.shownSymbol else {
      let place = [frame.captured.address?.description, offset(frame).map { "(+ \($0.rawValue))" }]
      return place.compactMap { $0 }.joined(separator: " ")
    }
    let name = style.showsLinkageNames ? symbol : demangle(symbol) ?? symbol
    return name + (frame.captured.reportedSymbolOffset.map { " + \($0)" } ?? "")
  }
}

// MARK: - Backtraces

/// A backtrace with its heading.
struct Backtrace {
  var title: String
  var frames: [ResolvedFrame]
  /// The thread it is of, as an index into the report's threads; nil for one that stands by itself.
  var thread: Int?
  /// The blamed frame, as an index into `frames`; nil when it isn't among them.
  var blamed: Int?
  /// The blamed function in it, as an index into its rows.
  var blamedRow = 0
  /// Whether it is among those to read first.
  var isPrincipal = false

  /// Its frames, with the turns of a recursion folded.
  var rows: [RepeatedRows.Row] { RepeatedRows(frames, marked: blamed).rows }
}

extension ReportView {
  /// What to read first: where the exception was thrown, the thread that crashed, and the one that is blamed.
  var principalBacktraces: [Backtrace] {
    var result: [Backtrace] = []
    if !symbolicated.lastExceptionBacktrace.isEmpty {
      result.append(
        Backtrace(
          title: labels.exceptionBacktrace, frames: symbolicated.lastExceptionBacktrace,
          blamed: blamed(in: .lastException), blamedRow: diagnosis.blamed?.location ?? 0))
    }
    for (index, frames) in symbolicated.applicationSpecificBacktraces.enumerated() {
      result.append(
        Backtrace(
          title: labels.applicationBacktrace(index), frames: frames,
          blamed: blamed(in: .applicationSpecific(index)), blamedRow: diagnosis.blamed?.location ?? 0))
    }
    result += principalThreads.map(backtrace)
    let traces = [(labels.allocated, symbolicated.allocated), (labels.deallocated, symbolicated.deallocated)]
    result += traces.filter { !$0.1.isEmpty }.map { Backtrace(title: $0.0, frames: $0.1) }
    for index in result.indices { result[index].isPrincipal = true }
    return result
  }

  /// Indices of the threads shown in full, in report order.
  private var principalThreads: [Int] {
    Set([report.principalThread, diagnosis.blamed?.thread].compactMap { $0 })
      .filter { report.threads.indices.contains($0) }.sorted()
  }

  func backtrace(_ thread: Int) -> Backtrace {
    Backtrace(
      title: labels.thread(report.threads[thread], report.kind), frames: symbolicated.threads[thread],
      thread: thread, blamed: blamed(in: .thread(thread)), blamedRow: diagnosis.blamed?.location ?? 0)
  }

  private func blamed(in backtrace: BacktraceReference) -> Int? {
    diagnosis.blamed.flatMap { $0.backtrace == backtrace ? $0.frame : nil }
  }

  /// The other threads, those with the same stack together, in the order of their first.
  var otherThreads: [ThreadGroup] {
    let shown = Set(principalThreads)
    return groupedThreads(report, report.threads.indices.filter { !shown.contains($0) })
  }
}

extension ReportView {
  /// What a group is called: its one thread, or how many and which.
  func title(_ group: ThreadGroup) -> String {
    group.threads.count == 1
      ? labels.thread(report.threads[group.first], report.kind)
      : labels.alike(group.threads.count, numberList(group.threads.map { report.threads[$0].index }))
  }

  /// The innermost function of the app in which a group's threads are, else the innermost of all.
  func standsAt(_ group: ThreadGroup) -> String {
    let frames = symbolicated.threads[group.first]
    guard let frame = frames.first(where: \.isInApp) ?? frames.first, let row = rows(frame).first else {
      return labels.noFrames
    }
    return [row.name, place(row)].filter { !$0.isEmpty }.joined(separator: "  ")
  }
}
