internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// A report as formats for people show it: words in the chosen language, not escaped yet.
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
  /// For a panic, the system: it ends all processes, whichever was running.
  var process: String {
    if report.kind == .panic { return labels.wholeSystem }
    let version = report.header.version.map { " " + $0 } ?? ""
    let build = report.header.build.map { " (\($0))" } ?? ""
    return (report.header.process ?? report.header.bundleID ?? labels.unknownProcess) + version + build
  }

  /// The subject and what happened: `HogeApp 1.0 (1) crashed`.
  var event: String {
    let mark = symbolicated.usesOtherBuild ? " [\(labels.otherBuild)]" : ""
    let event = "\(process) \(labels.event(report.kind))\(mark)"
    return analysis.test.map { labels.duringTest(event, $0.description) } ?? event
  }

  /// The event and its title.
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

  /// The confidence of the explanation, and the evidence.
  var evidence: (label: String, text: String) {
    let confidence = labels.confidence(explanation.confidence)
    if explanation.evidence.isEmpty { return (labels.confidenceHeading, confidence) }
    return (labels.evidence, confidence + ": " + lines(explanation.evidence))
  }

  /// The findings that say more than the evidence of the explanation, which quotes the report.
  var newFindings: [Finding] {
    explanation.findings.filter { finding in
      let quotes = finding.evidence.filter(explanation.evidence.contains)
      return quotes.count < finding.evidence.count
        || !quotes.contains { !$0.quote.isEmpty && finding.text.hasSuffix($0.quote) }
    }
  }

  /// Further findings, each with its confidence and evidence. Quotes that the explanation or the text already has
  /// aren't repeated.
  var findings: [String] {
    newFindings.map { finding in
      let new = finding.evidence.filter { !explanation.evidence.contains($0) }.map { evidence in
        finding.text.holds(evidence.quote)
          ? evidenceText.label(evidence.source) : evidenceText.line(evidence)
      }
      let grounds = [labels.confidence(finding.confidence), new.joined(separator: "; ")]
      return finding.text + " (\(grounds.filter { !$0.isEmpty }.joined(separator: ": ")))"
    }
  }

  /// The findings, and other reports of the same device from about the same time.
  var also: [String] {
    findings
      + (analysis.container?.neighbours ?? []).map { labels.neighbour($0.path, $0.kind.rawValue, $0.seconds) }
  }

  /// The statement about the member at the fault address, with confidence and evidence; nil when there is none.
  var member: String? {
    diagnosis.faultStatement.map { statement in
      [labels.confidence(statement.confidence) + ": " + statement.text, lines(statement.evidence)]
        .joined(separator: "; ")
    }
  }

  /// A line of code: a source location, or an instruction.
  struct CodeLine {
    var text: String
    var isLocation = false
    /// Whether it is the instruction at the program counter.
    var isMarked = false
  }

  /// The instructions around the program counter, preceded by their source locations; empty when none are known.
  var codeLines: [CodeLine] {
    guard let statement = diagnosis.instruction else { return [] }
    let stop = CodeLine(text: "\(hexadecimal(statement.address)): \(statement.text)", isMarked: true)
    let lines =
      statement.before.map { CodeLine(text: $0) } + [stop] + statement.after.map { CodeLine(text: $0) }
    let locations = diagnosis.symbolicated.sourceLocations(of: statement.addresses, thread: statement.thread)
      .map { location in
        location.map { [$0.shownFile, $0.line.map(String.init)].compactMap(\.self).joined(separator: ":") }
      }
    guard locations.count == lines.count else { return lines }
    return lines.indices.flatMap { index -> [CodeLine] in
      let isSame = index > 0 && locations[index] == locations[index - 1]
      return [isSame ? nil : locations[index].map { CodeLine(text: $0, isLocation: true) }, lines[index]]
        .compactMap(\.self)
    }
  }

  /// The blamed function, and the others that share its code; nil when it has no name.
  var blamedFunction: String? {
    guard let blamed = diagnosis.blamed, let frame = diagnosis.frame(blamed) else { return nil }
    let location = diagnosis.blamedFunction
    let name = location == nil ? frame.ownSymbol.map { demangle($0) ?? $0 } : name(location, frame)
    guard let name, !frame.foldedNames.isEmpty else { return name }
    return labels.function(name, foldedWith: frame.foldedNames.filter { $0 != name })
  }

  /// What follows the blamed function: a mark if it is only a guess that it is the app's own, otherwise nothing.
  var blameMark: String {
    guard diagnosis.blameConfidence == .hint, let blamed = diagnosis.blamed else { return "" }
    return diagnosis.frame(blamed)?.isInApp ?? false ? labels.perhapsLibrary : ""
  }

  /// The blamed location, with its full path or that relative to the checkout: `/src/Fuga.swift:17:31`.
  var blamedLocationText: String? {
    diagnosis.blamedLocation.map { location in
      let file = style.usesRelativePaths ? analysis.excerpts[location]?.relativePath : nil
      let text = (file ?? location.shownFile) + location.shownLine
      return diagnosis.blamesFunctionStart ? "\(text) (\(labels.functionStart))" : text
    }
  }

  /// Who last changed the blamed line, or why that is unknown; nil unless requested.
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
  /// Its variables, with values from the registers and the debug file.
  var variables: [Variable] = []
}

extension ReportView {
  /// The functions of a frame, innermost first; for an unresolved frame, the report's statements. Never empty.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - variables: The variables of each of its functions.
  /// - Returns: One row per function.
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

  /// The variables of a function, one per line.
  func variableLines(_ row: FunctionRow) -> [String] {
    CrashReadRendering.variableLines(row.variables, showsAll: style.showsAllVariables, labels)
  }

  /// The file's name and the line, as in `Fuga.swift:17`.
  func locationText(_ location: SourceLocation) -> String {
    if location.isGenerated { return String(location.fileName) }
    return location.fileName + (location.line.map { ":\($0)" } ?? " (\(labels.noLine))")
  }

  /// The row's location and remarks about it; empty when the location is unknown.
  func locationText(_ row: FunctionRow) -> String {
    let words = [row.location.map { locationText($0) }, row.isInlined ? "[\(labels.inlined)]" : nil]
    return words.compactMap { $0 }.joined(separator: " ")
  }

  /// Remarks about the frame that the reader needs to judge it.
  func remarks(_ frame: ResolvedFrame) -> [String] {
    (frame.isRecovered ? [labels.recovered] : []) + doubts(frame)
  }

  /// The reasons for which the frame's names may be wrong.
  func doubts(_ frame: ResolvedFrame) -> [String] {
    (frame.isGuess ? [labels.guess] : []) + (frame.learned.map { [labels.learned($0)] } ?? [])
      + (frame.foldedNames.isEmpty ? [] : [labels.folded(frame.foldedNames)])
  }

  func imageName(_ frame: ResolvedFrame) -> String {
    if let name = frame.captured.imageName { return name }
    guard let image = frame.image.map({ report.images[$0] }) else { return "???" }
    return image.path?.split(separator: "/").last.map(String.init) ?? image.name ?? "???"
  }

  /// The frame's number; empty for one that isn't in the report.
  func number(_ frame: ResolvedFrame, at index: Int) -> String {
    frame.isRecovered ? "" : String(frame.captured.number ?? index)
  }

  private func name(_ location: SourceFrame?, _ frame: ResolvedFrame) -> String? {
    guard let location else { return frame.shownSymbol.map { demangle($0) ?? $0 } }
    return style.showsLinkageNames ? location.linkageName ?? location.function : location.function
  }

  /// The offset from the image's start, stated by the report or computed for a frame whose symbol says nothing; nil
  /// when it isn't shown.
  private func offset(_ frame: ResolvedFrame) -> ImageOffset? {
    if frame.captured.reportedSymbol == nil { return frame.captured.imageOffset }
    guard let image = frame.image, let address = frame.captured.address else { return nil }
    return address.offset(from: report.images[image].start)
  }

  /// The report's statements about a frame that isn't resolved.
  private func reportedText(_ frame: ResolvedFrame) -> String {
    switch frame.captured.kind {
    case .omitted: return labels.omitted
    case .truncated: return labels.truncated
    case .programCounter, .returnAddress, .asyncResumePoint: break
    }
    guard let symbol = frame.shownSymbol else {
      let location = [frame.captured.address?.description, offset(frame).map { "(+ \($0.rawValue))" }]
      return location.compactMap { $0 }.joined(separator: " ")
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
  /// Its thread, as an index into the report's threads; nil for a backtrace that belongs to none.
  var thread: Int?
  /// The blamed frame, as an index into `frames`; nil when it isn't among them.
  var blamed: Int?
  /// The blamed function in it, as an index into its rows.
  var blamedRow = 0
  /// Whether it is one of the principal backtraces, which are to be read first.
  var isPrincipal = false

  /// Its frames, with omitted repetitions of recursions.
  var rows: [RepeatedRows.Row] { RepeatedRows(frames, marked: blamed).rows }
}

extension ReportView {
  /// The principal backtraces: that of the exception, that of the crashed thread, and the blamed one.
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

  /// The other threads grouped by equal stacks, in the order of each group's first thread.
  var otherThreads: [ThreadGroup] {
    let shown = Set(principalThreads)
    return groupedThreads(report, report.threads.indices.filter { !shown.contains($0) })
  }
}

extension ReportView {
  /// The label of a group: its only thread, or the number and numbers of its threads.
  func title(_ group: ThreadGroup) -> String {
    group.threads.count == 1
      ? labels.thread(report.threads[group.first], report.kind)
      : labels.similarThreads(group.threads.count, numberList(group.threads.map { report.threads[$0].index }))
  }

  /// The innermost function of the app on a group's stack, otherwise the innermost function.
  func topFunction(of group: ThreadGroup) -> String {
    let frames = symbolicated.threads[group.first]
    guard let frame = frames.first(where: \.isInApp) ?? frames.first, let row = rows(frame).first else {
      return labels.noFrames
    }
    return [row.name, locationText(row)].filter { !$0.isEmpty }.joined(separator: "  ")
  }
}

// Short texts for formats with little room, not escaped yet.
extension ReportView {
  /// What happened, where and why, and who changed the line.
  var summaryLines: [String] {
    let location = [
      blamedFunction.map { "\(labels.inFunction) \($0)\(blameMark)" },
      blamedLocationText.map { "\(labels.atLocation) \($0)" },
    ]
    let blame = blame.map { "\(labels.changed): \($0)" }
    let lines =
      [explanation.title, location.compactMap { $0 }.joined(separator: " "), explanation.text, blame ?? ""]
    return lines.filter { !$0.isEmpty }
  }

  /// The innermost functions of the blamed stack, one a line.
  func stackLines(limit: Int) -> [String] {
    var lines: [String] = []
    let frames = diagnosis.principalFrames
    // A frame has at least one line, so this many frames suffice.
    for (index, frame) in frames.prefix(limit).enumerated() {
      for row in rows(frame) {
        let location = row.location == nil ? imageName(frame) : locationText(row)
        lines.append(
          (["#\(index) \(row.name)", location] + doubts(frame).map { "(\($0))" }).joined(separator: "  "))
      }
    }
    if lines.count > limit || frames.count > limit { return lines.prefix(limit) + ["…"] }
    return lines
  }
}
