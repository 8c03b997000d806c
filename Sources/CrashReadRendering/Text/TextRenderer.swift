internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Writes a report for a person: what happened and where, the crashed thread, the others folded, which debug files are
/// missing and how to provide them.
package struct TextRenderer: Renderer {
  private let style: RenderingStyle
  private var count = 0

  /// A renderer with a style.
  package init(style: RenderingStyle = RenderingStyle()) { self.style = style }

  /// Writes one report, separated from the one before by a rule.
  package mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    if style.brief != nil {
      output += (count > 0 ? "\n" : "") + briefText(ReportView(analysis, style))
      count += 1
      return
    }
    if count > 0 { output += "\n" + String(repeating: "─", count: style.width) + "\n\n" }
    count += 1
    output += TextPage(ReportView(analysis, style)).text
  }
}

/// One report as text.
struct TextPage {
  let view: ReportView
  let palette: Palette
  var width: Int { view.style.width }
  var labels: any Labels { view.labels }

  init(_ view: ReportView) {
    self.view = view
    palette = Palette(isColored: view.style.isColored, linkHost: view.style.linkHost)
  }

  /// Blocks separated by blank lines.
  var text: String {
    if !view.style.threads.isEmpty { return view.style.threads.map(thread).joined(separator: "\n") }
    let blocks =
      [headline, excerpt, explanation, code, reasoning] + backtraces + [registers, otherThreads, missing]
    return blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }
}

// MARK: - Event and location

extension TextPage {
  private var headline: [String] {
    let headline = plainText(view.headline)
    var lines =
      displayWidth(headline) <= width
      ? [palette.paint(headline, .headline)]
      : hanging(plainText(view.event) + ":", "", .headline)
        + hanging(plainText(view.explanation.title), "", .headline, indent: 2)
    if let function = view.blamedFunction {
      lines += hanging(plainText(function) + view.blameMark, labels.inFunction + " ", .function)
    }
    if let location = view.blamedLocationText {
      let text = palette.paint(plainText(location), .location)
      lines.append("  \(labels.atLocation) " + palette.link(text, to: view.analysis.excerpt))
    }
    let facts = view.facts.map(plainText).joined(separator: ", ")
    return facts.isEmpty ? lines : lines + hanging(facts, "", .dimmed, indent: 2)
  }

  /// A text whose continuation lines are indented by two columns; the word before it isn't coloured.
  private func hanging(_ text: String, _ word: String, _ role: TextRole, indent: Int? = nil) -> [String] {
    let indent = indent ?? (word.isEmpty ? 0 : 2)
    let margin = indent + displayWidth(word)
    let rest = String(repeating: " ", count: max(margin, 2))
    return wrapped(text, toWidth: max(20, width - rest.utf8.count)).enumerated().map { index, line in
      (index == 0 ? String(repeating: " ", count: indent) + word : rest) + palette.paint(line, role)
    }
  }

  private var excerpt: [String] {
    guard let excerpt = view.analysis.excerpt else { return [] }
    var lines: [String] = []
    if excerpt.isGuess {
      lines += hanging("\(plainText(excerpt.path)): \(labels.byFileNameOnly)", "", .warning, indent: 2)
    }
    let digits = String(excerpt.firstLine + excerpt.lines.count).utf8.count
    for (number, line) in excerpt.numberedLines {
      let isMarked = number == excerpt.markedLine
      let gutter = (isMarked ? "  > " : "    ") + rightAligned(String(number), width: digits) + " │ "
      let text = gutter + truncated(codeText(line), toWidth: width - digits - 7)
      lines.append(isMarked ? palette.paint(text, .marked) : text)
      if isMarked, let column = caretColumn(excerpt, line), column < width - digits - 8 {
        let margin = String(repeating: " ", count: 4 + digits) + " │ " + String(repeating: " ", count: column)
        lines.append(palette.paint(margin + "^", .marked))
      }
    }
    return lines
  }

  /// The number of columns before the marked one; compilers count bytes. Nil when unknown.
  private func caretColumn(_ excerpt: SourceExcerpt, _ line: String) -> Int? {
    guard let column = excerpt.markedColumn, column >= 1, column <= line.utf8.count else { return nil }
    return displayWidth(codeText(String(decoding: line.utf8.prefix(column - 1), as: UTF8.self)))
  }

  private var explanation: [String] {
    let evidence = view.evidence
    return labelled(labels.why, [view.explanation.text]) + labelled(evidence.label, [evidence.text])
      + labelled(labels.also, view.also)
      + labelled(labels.member, [view.member].compactMap { $0 })
      + labelled(labels.next, view.explanation.advice)
      + labelled(labels.changed, [view.blame].compactMap { $0 })
  }

  /// The instructions around the program counter, if requested.
  private var code: [String] {
    guard view.style.showsCode, case let lines = view.codeLines, !lines.isEmpty else { return [] }
    return [palette.paint(labels.code, .heading)]
      + lines.map { line in
        let indent = line.isLocation ? "  " : line.isMarked ? "  > " : "    "
        let text = truncated(indent + plainText(line.text), toWidth: width)
        return line.isMarked ? palette.paint(text, .marked) : text
      }
  }

  /// The registers of the crashed thread and the exception codes, with all threads.
  private var registers: [String] {
    guard view.style.showsAllThreads else { return [] }
    let registers = view.report.crashedThreadState?.registers ?? []
    let codes = view.report.exception.map { labels.codes + ": " + exceptionCodes($0) }
    if registers.isEmpty, view.report.exception?.codes.isEmpty ?? true { return [] }
    let column = registers.map { displayWidth(plainText($0.name)) }.max() ?? 0
    let cells = registers.map { register in
      let value = String(register.value, radix: 16)
      return rightAligned(plainText(register.name), width: column) + " 0x"
        + String(repeating: "0", count: max(0, 16 - value.utf8.count)) + value
    }
    let perLine = max(1, (width - 2) / (column + 21))
    let rows = stride(from: 0, to: cells.count, by: perLine).map {
      "  " + cells[$0..<min($0 + perLine, cells.count)].joined(separator: "  ")
    }
    let meanings = registers.compactMap { register in
      register.meaning.map { "\(plainText(register.name)): \(plainText($0))" }
    }
    let texts = (meanings + [codes].compactMap(\.self)).flatMap { wrapped($0, toWidth: width - 2) }
    return [palette.paint(labels.registers, .heading)] + rows + texts.map { "  " + $0 }
  }

  private func exceptionCodes(_ exception: ExceptionRecord) -> String {
    plainText(exception.codesText ?? exception.codes.map(hexadecimal).joined(separator: ", "))
  }

  /// A heading in a column of its own, and paragraphs beside it.
  func labelled(_ label: String, _ paragraphs: [String]) -> [String] {
    palette.labelled(label, paragraphs, width: width)
  }
}

// MARK: - Missing debug files

extension TextPage {
  private var missing: [String] {
    let frames = view.style.showsAllThreads ? allFrames : view.principalBacktraces.flatMap(\.frames)
    let images = view.symbolicated.images
    let wanting = Set(frames.filter { $0.isInApp && $0.locations.isEmpty }.compactMap(\.image)).sorted()
    var lines = wanting.filter { images[$0].status != .matched }.flatMap { missing($0) }
    if !lines.isEmpty { lines.insert(palette.paint(labels.missing, .heading), at: 0) }
    let system = frames.count { $0.resolution == .unresolved && $0.image != nil && !$0.isInApp }
    if system > 0 {
      lines += wrapped(labels.systemFrames(system), toWidth: width).map { palette.paint($0, .dimmed) }
    }
    return lines
  }

  private var allFrames: [ResolvedFrame] {
    view.symbolicated.threads.joined() + view.symbolicated.lastExceptionBacktrace
      + view.symbolicated.applicationSpecificBacktraces.joined()
  }

  /// The maximum number of attempts that are listed; there may be hundreds of other builds.
  private static let maximumAttempts = 5

  private func missing(_ index: Int) -> [String] {
    let image = view.report.images[index]
    let match = view.symbolicated.images[index]
    var lines = ["  " + palette.paint(plainText(image.name ?? image.path ?? "???"), .function)]
    if let id = image.id {
      lines.append("    " + plainText(labels.wanted(id.description, image.architecture?.rawValue)))
    }
    for attempt in match.attempts.prefix(Self.maximumAttempts) {
      let text = attempt.message.map {
        attempt.outcome == .missing ? labels.asked(attempt.path, $0) : labels.unusable(attempt.path, $0)
      }
      lines.append("    " + plainText(text ?? labels.given(attempt.path, attempt.id?.description)))
    }
    let left = match.attempts.count - Self.maximumAttempts + match.otherBuildCount
    if left > 0 { lines.append("    " + labels.andMore(left)) }
    let advice = labels.advice(match.status, hasIdentity: image.id != nil)
    return lines + wrapped(advice, toWidth: width - 4).map { "    " + $0 }
  }
}

// The reasoning behind the verdict, for `--why`.
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
