internal import BinaryIdentity
public import CrashDiagnosis
internal import CrashReports
internal import DebugInfo
internal import Symbolication

/// Writes a report for a person: what happened and where, the crashed thread, what is missing and what to do about it.
public struct TextRenderer: Renderer {
  /// How the text is to look.
  public struct Style: Sendable {
    /// Whether ANSI colours are used.
    public var isColored = false
    /// Columns to fill; longer lines are continued on the next.
    public var width = 100
    /// Whether all threads are shown, not the crashed one alone.
    public var showsAllThreads = false
    /// Whether names are shown as the linker sees them.
    public var showsLinkageNames = false

    /// The language of the words around what the report says.
    public var language = Language.english

    /// Plain English text of 100 columns.
    public init() {}
  }

  private let style: Style
  private let palette: Palette
  private let labels: any Labels
  private var count = 0

  /// A renderer with a look.
  public init(style: Style = Style()) {
    self.style = style
    palette = Palette(isColored: style.isColored)
    labels = Rendering.labels(in: style.language)
  }

  /// Writes one report, with a rule between it and the one before.
  public mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    if count > 0 { output += "\n" + String(repeating: "─", count: style.width) + "\n\n" }
    count += 1
    let blocks = [
      headline(analysis), excerpt(analysis.excerpt), explanation(analysis.diagnosis.explanation),
      backtraces(analysis.diagnosis), missing(analysis.diagnosis.symbolicated),
    ]
    output +=
      blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }
}

// MARK: - What happened and where

extension TextRenderer {
  private func headline(_ analysis: ReportAnalysis) -> [String] {
    let report = analysis.diagnosis.symbolicated.report
    let header = report.header
    let version = header.version.map { " " + $0 } ?? ""
    let build = header.build.map { " (\($0))" } ?? ""
    let process = terminalText((header.process ?? labels.unknownProcess) + version + build)
    let title = terminalText(analysis.diagnosis.explanation.title)
    var lines = [palette.paint("\(process) \(labels.happened(report.kind)): \(title)", .headline)]
    lines += place(analysis.diagnosis)
    let facts = [header.hardwareModel, header.osVersion, header.date].compactMap { $0 }.filter { !$0.isEmpty }
    if !facts.isEmpty {
      lines.append(palette.paint("  " + terminalText(facts.joined(separator: ", ")), .dimmed))
    }
    return lines
  }

  /// The blamed function, and its file and line with the whole path.
  private func place(_ diagnosis: Diagnosis) -> [String] {
    guard let blamed = diagnosis.blamed, let frame = diagnosis.frame(blamed) else { return [] }
    let location = blamed.location.flatMap {
      frame.locations.indices.contains($0) ? frame.locations[$0] : nil
    }
    var lines: [String] = []
    if let function = name(location, frame) {
      lines.append("  \(labels.inFunction) " + palette.paint(terminalText(function), .function))
    }
    if let source = location?.location {
      let place = [source.shownFile, source.line.map(String.init), source.column.map(String.init)]
      lines.append(
        "  \(labels.atPlace) "
          + palette.paint(terminalText(place.compactMap { $0 }.joined(separator: ":")), .place))
    } else if let file = frame.captured.reportedFile {
      let line = frame.captured.reportedLine.map { ":\($0)" } ?? ""
      lines.append("  \(labels.atPlace) " + palette.paint(terminalText(file + line), .place))
    }
    return lines
  }

  private func excerpt(_ excerpt: SourceExcerpt?) -> [String] {
    guard let excerpt else { return [] }
    let width = String(excerpt.firstLine + excerpt.lines.count).utf8.count
    var lines: [String] = []
    if excerpt.isGuess {
      lines.append(palette.paint("  \(terminalText(excerpt.path)): \(labels.byFileNameOnly)", .warning))
    }
    for (index, line) in excerpt.lines.enumerated() {
      let number = excerpt.firstLine + index
      let isMarked = number == excerpt.markedLine
      let digits = String(number)
      let gutter = (isMarked ? "  > " : "    ") + String(repeating: " ", count: width - digits.utf8.count)
      let text = "\(gutter)\(digits) | \(truncated(terminalText(line), toWidth: style.width - width - 7))"
      lines.append(isMarked ? palette.paint(text, .marked) : text)
    }
    return lines
  }

  private func explanation(_ explanation: Explanation) -> [String] {
    var lines = labelled(labels.why, [explanation.text])
    let evidence = explanation.evidence.joined(separator: "; ")
    let confidence = labels.sureness(explanation.confidence)
    lines +=
      evidence.isEmpty
      ? labelled(labels.sure, [confidence]) : labelled(labels.evidence, [confidence + ": " + evidence])
    return lines + labelled(labels.next, explanation.advice)
  }

  /// A heading in a column of its own, and paragraphs beside it.
  private func labelled(_ label: String, _ paragraphs: [String]) -> [String] {
    let indent = 10
    var lines: [String] = []
    for paragraph in paragraphs where !paragraph.isEmpty {
      for line in wrapped(terminalText(paragraph), toWidth: style.width - indent) {
        let head = lines.isEmpty ? padded(label, toWidth: indent) : String(repeating: " ", count: indent)
        lines.append(palette.paint(head, .heading) + line)
      }
    }
    return lines
  }
}

// MARK: - Backtraces

extension TextRenderer {
  private func backtraces(_ diagnosis: Diagnosis) -> [String] {
    let symbolicated = diagnosis.symbolicated
    let report = symbolicated.report
    var blocks: [[String]] = []
    if !symbolicated.lastExceptionBacktrace.isEmpty {
      blocks.append(
        backtrace(
          labels.exceptionBacktrace, symbolicated.lastExceptionBacktrace, report, blamed(diagnosis, nil)))
    }
    let shown = report.threads.indices.filter { style.showsAllThreads || isShown($0, diagnosis) }
    for index in shown {
      blocks.append(
        backtrace(
          labels.thread(report.threads[index], report.kind), symbolicated.threads[index], report,
          blamed(diagnosis, index))
          + callTree(index, symbolicated))
    }
    if shown.isEmpty, blocks.isEmpty, report.kind == .crash || !report.threads.isEmpty {
      blocks.append([labels.noCrashedThread])
    }
    let hidden = report.threads.count - shown.count
    if hidden > 0 { blocks.append([palette.paint(labels.otherThreads(hidden), .dimmed)]) }
    return blocks.isEmpty ? [] : [blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n")]
  }

  private func isShown(_ thread: Int, _ diagnosis: Diagnosis) -> Bool {
    thread == diagnosis.symbolicated.report.principalThread || thread == diagnosis.blamed?.thread
  }

  /// All samples of a thread; without `--all-threads` its heaviest path has to do.
  private func callTree(_ thread: Int, _ symbolicated: SymbolicatedReport) -> [String] {
    let entries = symbolicated.report.threads[thread].callTree
    guard !entries.isEmpty else { return [] }
    let frames = symbolicated.callTrees[thread]
    let tree = FoldedTree(entries, total: symbolicated.report.threads[thread].sampleCount)
    let lines =
      style.showsAllThreads
      ? tree.rows.flatMap { treeRow($0, entries, frames, symbolicated.report) }
      : []
    return lines.isEmpty ? [] : ["  " + palette.paint(labels.callTree, .heading)] + lines
  }

  private func treeRow(
    _ row: FoldedTree.Row, _ entries: [CallTreeEntry], _ frames: [ResolvedFrame], _ report: CrashReport
  ) -> [String] {
    // Deep trees keep their order, though not their indentation.
    let indent = String(repeating: " ", count: 4 + min(2 * row.depth, style.width / 2))
    switch row.content {
    case .folded(let count): return [indent + palette.paint(labels.folded(count), .dimmed)]
    case .node(let index):
      let count = entries[index].sampleCount.map { padded(String($0), toWidth: 4) + "  " } ?? ""
      let state = entries[index].state.map { " (\($0))" } ?? ""
      let frame = frames[index]
      var text = frame.locations.first.flatMap { name($0, frame) } ?? reportedText(frame)
      text += "  [\(imageName(frame, report))]\(state)"
      let source = frame.locations.first.map { place($0) } ?? reportedPlace(frame)
      return self.row(indent + count, text, source, frame, false)
    }
  }

  private func blamed(_ diagnosis: Diagnosis, _ thread: Int?) -> Int? {
    diagnosis.blamed.flatMap { $0.thread == thread ? $0.frame : nil }
  }

  private func backtrace(
    _ title: String, _ frames: [ResolvedFrame], _ report: CrashReport, _ blamed: Int?
  ) -> [String] {
    let images = frames.map { imageName($0, report) }
    let column = min(24, images.map { displayWidth($0) }.max() ?? 0)
    var lines = [palette.paint(terminalText(title), .heading)]
    if frames.isEmpty { lines.append("  " + labels.noFrames) }
    for (index, frame) in frames.enumerated() {
      let number = frame.isRecovered ? "" : String(frame.captured.number ?? index)
      let head =
        (index == blamed ? "> " : "  ") + String(repeating: " ", count: max(0, 3 - number.utf8.count))
        + number
        + "  " + padded(truncated(images[index], toWidth: column), toWidth: column) + "  "
      lines += rows(frame, head: head, isBlamed: index == blamed)
    }
    return lines
  }

  /// One row a function: those inlined here first, then the real one.
  private func rows(_ frame: ResolvedFrame, head: String, isBlamed: Bool) -> [String] {
    var rows: [String] = []
    let blank = String(repeating: " ", count: displayWidth(head))
    for location in frame.locations {
      let inlined = location.isInlined ? " [\(labels.inlined)]" : ""
      let offset = location.symbolOffset.map { " + \($0)" } ?? ""
      rows += row(
        rows.isEmpty ? head : blank, (name(location, frame) ?? "???") + offset, place(location) + inlined,
        frame, isBlamed)
    }
    if rows.isEmpty { rows = row(head, reportedText(frame), reportedPlace(frame), frame, isBlamed) }
    if frame.isRecovered { rows.append(blank + palette.paint("(\(labels.recovered))", .warning)) }
    if frame.isGuess { rows.append(blank + palette.paint("(\(labels.guess))", .warning)) }
    return rows
  }

  private func row(
    _ head: String, _ function: String, _ place: String, _ frame: ResolvedFrame, _ isBlamed: Bool
  ) -> [String] {
    let function = terminalText(function)
    let place = terminalText(place)
    let role: TextRole? = isBlamed ? .marked : frame.isInApp ? .function : .dimmed
    let painted = role.map { palette.paint(function, $0) } ?? function
    if place.isEmpty { return [head + painted] }
    let fits = displayWidth(head) + displayWidth(function) + 2 + displayWidth(place) <= style.width
    if fits { return [head + painted + "  " + palette.paint(place, .place)] }
    let indent = String(repeating: " ", count: displayWidth(head) + 2)
    return [head + painted, indent + palette.paint(place, .place)]
  }

  private func place(_ location: SourceFrame) -> String {
    guard let source = location.location else { return "" }
    return source.fileName + (source.line.map { ":\($0)" } ?? " (\(labels.noLine))")
  }

  private func name(_ location: SourceFrame?, _ frame: ResolvedFrame) -> String? {
    guard let location else { return frame.captured.reportedSymbol.map { demangle($0) ?? $0 } }
    return style.showsLinkageNames ? location.linkageName ?? location.function : location.function
  }

  /// What the report itself says of a frame that isn't resolved.
  private func reportedText(_ frame: ResolvedFrame) -> String {
    switch frame.captured.kind {
    case .omitted: return labels.omitted
    case .truncated: return labels.truncated
    case .programCounter, .returnAddress, .asyncResumePoint: break
    }
    guard let symbol = frame.captured.reportedSymbol else {
      let place = [
        frame.captured.address?.description, frame.captured.imageOffset.map { "(+ \($0.rawValue))" },
      ]
      return place.compactMap { $0 }.joined(separator: " ")
    }
    let name = style.showsLinkageNames ? symbol : demangle(symbol) ?? symbol
    return name + (frame.captured.reportedSymbolOffset.map { " + \($0)" } ?? "")
  }

  private func reportedPlace(_ frame: ResolvedFrame) -> String {
    guard let file = frame.captured.reportedFile, frame.reason != .superseded else { return "" }
    return file + (frame.captured.reportedLine.map { ":\($0)" } ?? "")
  }

  private func imageName(_ frame: ResolvedFrame, _ report: CrashReport) -> String {
    let image = frame.image.map { report.images[$0] }
    let file = image?.path?.split(separator: "/").last.map(String.init)
    return terminalText(frame.captured.imageName ?? file ?? image?.name ?? "???")
  }
}

// MARK: - What is missing

extension TextRenderer {
  private func missing(_ symbolicated: SymbolicatedReport) -> [String] {
    let frames = shownFrames(symbolicated)
    let unnamed = frames.filter { $0.resolution == .unresolved && $0.image != nil }
    let wanting = Set(frames.filter { $0.isInApp && $0.locations.isEmpty }.compactMap(\.image)).sorted()
    var lines: [String] = []
    for image in wanting where symbolicated.images[image].status != .matched {
      lines += missing(symbolicated.report.images[image], symbolicated.images[image])
    }
    if !lines.isEmpty { lines.insert(palette.paint(labels.missing, .heading), at: 0) }
    let system = unnamed.filter { !$0.isInApp }.count
    if system > 0 {
      lines += wrapped(labels.systemFrames(system), toWidth: style.width).map { palette.paint($0, .dimmed) }
    }
    return lines
  }

  private func shownFrames(_ symbolicated: SymbolicatedReport) -> [ResolvedFrame] {
    let report = symbolicated.report
    if style.showsAllThreads { return symbolicated.threads.joined() + symbolicated.lastExceptionBacktrace }
    let thread = report.principalThread.flatMap {
      symbolicated.threads.indices.contains($0) ? symbolicated.threads[$0] : nil
    }
    return (thread ?? []) + symbolicated.lastExceptionBacktrace
  }

  private func missing(_ image: BinaryImage, _ match: ImageMatch) -> [String] {
    var lines = ["  " + palette.paint(terminalText(image.name ?? image.path ?? "???"), .function)]
    if let id = image.id {
      lines.append("    " + labels.wanted(id.description, image.architecture?.rawValue))
    }
    for attempt in match.attempts {
      let text = attempt.message.map { labels.unusable(attempt.path, $0) }
      lines.append("    " + terminalText(text ?? labels.given(attempt.path, attempt.id?.description)))
    }
    let advice = labels.advice(match.status, hasIdentity: image.id != nil)
    return lines + wrapped(advice, toWidth: style.width - 4).map { "    " + $0 }
  }
}
