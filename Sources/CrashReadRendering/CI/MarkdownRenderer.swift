internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Writes GitHub-flavoured Markdown, for an issue or the summary page of a CI run.
struct MarkdownRenderer: Renderer {
  private let style: RenderingStyle
  private var count = 0

  /// A renderer in a style's language.
  init(style: RenderingStyle) { self.style = style.forCheckouts }

  /// Writes one report, separated from the one before by a rule.
  mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    if count > 0 { output += "\n---\n\n" }
    count += 1
    let view = ReportView(analysis, style)
    let blocks =
      [headline(view), excerpt(analysis.excerpt), explanation(view)] + backtraces(view)
      + [otherThreads(view), registers(view)]
    output +=
      blocks.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
  }
}

extension MarkdownRenderer {
  private func headline(_ view: ReportView) -> [String] {
    var lines = ["## " + markdown(view.headline), ""]
    if let function = view.blamedFunction {
      lines.append("\(view.labels.inFunction) \(markdownCode(function))\(view.blameMark)  ")
    }
    if let location = view.blamedLocationText {
      lines.append("\(view.labels.atLocation) \(markdownCode(location))  ")
    }
    let facts = markdownLine(view.facts.joined(separator: ", "))
    return facts.isEmpty ? lines : lines + [facts]
  }

  private func excerpt(_ excerpt: SourceExcerpt?) -> [String] {
    guard let excerpt else { return [] }
    let digits = String(excerpt.firstLine + excerpt.lines.count).utf8.count
    return markdownBlock(
      excerpt.numberedLines.map { number, line in
        (number == excerpt.markedLine ? "> " : "  ") + rightAligned(String(number), width: digits) + " │ "
          + line
      })
  }

  private func explanation(_ view: ReportView) -> [String] {
    let evidence = view.evidence
    var rows = [(view.labels.why, view.explanation.text), (evidence.label, evidence.text)]
    rows += view.also.map { (view.labels.also, $0) }
    if let member = view.member { rows.append((view.labels.member, member)) }
    rows += view.explanation.advice.map { (view.labels.next, $0) }
    if let blame = view.blame { rows.append((view.labels.changed, blame)) }
    return rows.filter { !$0.1.isEmpty }.map { "- **\($0.0)**: \(markdown($0.1))" }
  }

  private func backtraces(_ view: ReportView) -> [[String]] {
    view.principalBacktraces.map { backtrace in
      ["### " + markdown(backtrace.title), ""] + stack(backtrace, view)
    }
  }

  private func stack(_ backtrace: Backtrace, _ view: ReportView) -> [String] {
    let variables = view.diagnosis.variables(ofThread: backtrace.thread)
    var lines: [String] = []
    for row in backtrace.rows {
      guard case .frame(let index) = row else {
        lines.append("       " + view.labels.text(row))
        continue
      }
      let frame = backtrace.frames[index]
      let mark = index == backtrace.blamed ? "> " : "  "
      for (row, function) in view.rows(frame, variables[index] ?? []).enumerated() {
        let head =
          row == 0 ? mark + rightAligned(view.number(frame, at: index), width: 3) + "  " : "       "
        let words = [row == 0 ? view.imageName(frame) : "", function.name, view.locationText(function)].map(
          plainText)
        lines.append(head + words.filter { !$0.isEmpty }.joined(separator: "  "))
        lines += view.variableLines(function).map { "         " + plainText($0) }
      }
      lines += view.remarks(frame).map { "       (\($0))" }
    }
    return markdownBlock(lines.isEmpty ? [view.labels.noFrames] : lines)
  }

  /// The other threads, folded; those with equal stacks are shown once. GitHub limits the summary page to one megabyte.
  private func otherThreads(_ view: ReportView) -> [String] {
    let maximumGroups = 50
    let groups = view.otherThreads
    var lines: [String] = []
    for group in groups.prefix(maximumGroups) {
      lines += details(markdown(view.title(group)), stack(view.backtrace(group.first), view)) + [""]
    }
    let left = groups.dropFirst(maximumGroups).threadCount
    return left > 0 ? lines + [view.labels.moreThreads(left)] : lines
  }

  private func registers(_ view: ReportView) -> [String] {
    guard let registers = view.report.crashedThreadState?.registers, !registers.isEmpty else { return [] }
    var rows = [view.labels.registerColumns, ["---", "---", "---"]]
    for register in registers {
      rows.append([
        markdown(register.name), markdownCode(hexadecimal(register.value)), markdown(register.meaning ?? ""),
      ])
    }
    return details(view.labels.registers, rows.map { "| " + $0.joined(separator: " | ") + " |" })
  }

  private func details(_ summary: String, _ lines: [String]) -> [String] {
    ["<details><summary>\(summary)</summary>", ""] + lines + ["", "</details>"]
  }
}
