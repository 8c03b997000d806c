internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

// The backtraces of the text output.
extension TextPage {
  /// The backtraces shown in full, each with its heading.
  var backtraces: [[String]] {
    var blocks = view.principalBacktraces.map(block)
    if view.style.showsAllThreads {
      blocks += view.otherThreads.map { group in
        var backtrace = view.backtrace(group.first)
        backtrace.title = view.title(group)
        return block(backtrace)
      }
    }
    let report = view.report
    if blocks.isEmpty, report.kind == .crash || !report.threads.isEmpty { return [[labels.noCrashedThread]] }
    return blocks
  }

  /// The backtrace of the thread with a number.
  func thread(_ number: Int) -> String {
    let threads = view.report.threads
    guard let index = threads.firstIndex(where: { $0.index == number }) else {
      return labels.noThread(number, threads.map(\.index)) + "\n"
    }
    return block(view.backtrace(index)).joined(separator: "\n") + "\n"
  }

  /// The threads not shown in full, one line each, those with equal stacks together.
  var otherThreads: [String] {
    guard !view.style.showsAllThreads else { return [] }
    let maximumRows = 12
    let groups = view.otherThreads
    guard !groups.isEmpty else { return [] }
    // The line with the number of omitted threads takes a row as well.
    let shown = groups.prefix(groups.count > maximumRows ? maximumRows - 1 : maximumRows)
    let titles = shown.map { truncated(plainText(view.title($0)), toWidth: width * 2 / 5) }
    let column = titles.map { displayWidth($0) }.max() ?? 0
    var lines = [
      palette.paint(labels.otherThreads(groups.threadCount), .heading)
        + palette.paint(" (\(labels.allThreadsHint))", .dimmed)
    ]
    for (group, title) in zip(shown, titles) {
      let location = truncated(plainText(view.topFunction(of: group)), toWidth: width - column - 4)
      lines.append("  " + padded(title, toWidth: column) + "  " + palette.paint(location, .dimmed))
    }
    let left = groups.dropFirst(shown.count).threadCount
    return left > 0 ? lines + ["  " + palette.paint(labels.moreThreads(left), .dimmed)] : lines
  }

  private func block(_ backtrace: Backtrace) -> [String] {
    let frames = backtrace.frames
    let images = frames.map { plainText(view.imageName($0)) }
    let column = min(width < 100 ? width / 6 : 24, images.map { displayWidth($0) }.max() ?? 0)
    var lines = wrapped(plainText(backtrace.title), toWidth: width).map { palette.paint($0, .heading) }
    if frames.isEmpty { lines.append("  " + labels.noFrames) }
    let variables = view.diagnosis.variables(ofThread: backtrace.thread)
    let counts = sampleCounts(frames)
    for row in backtrace.rows {
      guard case .frame(let index) = row else {
        lines.append("       " + palette.paint(labels.text(row), .dimmed))
        continue
      }
      let frame = frames[index]
      let isBlamed = index == backtrace.blamed
      let head =
        (isBlamed ? "> " : "  ") + rightAligned(view.number(frame, at: index), width: 3) + "  "
        + (counts.isEmpty ? "" : counts[index] + "  ")
        + padded(truncated(images[index], toWidth: column), toWidth: column) + "  "
      let functions = view.rows(frame, variables[index] ?? [])
      lines += rows(functions, of: frame, head: head, blamed: isBlamed ? backtrace.blamedRow : nil)
    }
    return lines + (backtrace.thread.map(callTree) ?? [])
  }

  /// For each frame, the number of samples in which it was on the stack; empty for a thread that wasn't sampled.
  private func sampleCounts(_ frames: [ResolvedFrame]) -> [String] {
    let counts = frames.map { $0.captured.sampleCount.map(String.init) ?? "" }
    let column = counts.map(\.count).max() ?? 0
    return column == 0 ? [] : counts.map { rightAligned($0, width: column) }
  }

  /// A row per function, its variables below it, and any remarks about the frame.
  private func rows(
    _ functions: [FunctionRow], of frame: ResolvedFrame, head: String, blamed: Int?
  ) -> [String] {
    let blank = String(repeating: " ", count: displayWidth(head))
    let rows = functions.enumerated().flatMap { index, function in
      row(function, head: index == 0 ? head : blank, frame, index == blamed)
        + variables(function, indent: blank + "  ")
    }
    return rows
      + view.remarks(frame).flatMap { wrapped("(\($0))", toWidth: max(20, width - blank.utf8.count)) }
      .map { blank + palette.paint($0, .warning) }
  }

  private func variables(_ function: FunctionRow, indent: String) -> [String] {
    view.variableLines(function).map {
      indent + palette.paint(truncated(plainText($0), toWidth: max(20, width - indent.utf8.count)), .dimmed)
    }
  }

  /// The function followed by its location, or with the location below when space is short.
  private func row(_ row: FunctionRow, head: String, _ frame: ResolvedFrame, _ isBlamed: Bool) -> [String] {
    let function = plainText(row.name)
    let role: TextRole? = isBlamed ? .marked : frame.isInApp ? .function : .dimmed
    func paint(_ text: String) -> String { role.map { palette.paint(text, $0) } ?? text }
    let location = plainText(view.locationText(row))
    let excerpt = row.location.flatMap { view.analysis.excerpts[$0] }
    let shown = palette.link(palette.paint(location, .location), to: excerpt)
    let indent = displayWidth(head)
    if indent + displayWidth(function) + 2 + displayWidth(location) <= width {
      return [head + paint(function) + (location.isEmpty ? "" : "  " + shown)]
    }
    let below = location.isEmpty ? [] : [String(repeating: " ", count: indent + 2) + shown]
    return hangingIndent(function, on: head, paint) + below
  }

  /// A name after a prefix; continuation lines are indented by two columns.
  ///
  /// A name with a word that is too long for that starts on a line of its own, near the margin.
  private func hangingIndent(_ name: String, on head: String, _ paint: (String) -> String) -> [String] {
    let indent = displayWidth(head)
    let lines = wrapped(name, toWidth: max(20, width - indent - 2))
    if lines.allSatisfy({ indent + displayWidth($0) <= width }) {
      let blank = String(repeating: " ", count: indent + 2)
      return lines.enumerated().map { ($0.offset == 0 ? head : blank) + paint($0.element) }
    }
    let blank = String(repeating: " ", count: 7)
    return [head] + wrapped(name, toWidth: width - 7, breaksNames: true).map { blank + paint($0) }
  }
}

// MARK: - Call trees

extension TextPage {
  /// All samples of a thread; without `--all-threads` only its heaviest path.
  private func callTree(_ thread: Int) -> [String] {
    let entries = view.report.threads[thread].callTree
    guard !entries.isEmpty, view.style.showsAllThreads else { return [] }
    let tree = FoldedTree(entries, total: view.report.threads[thread].sampleCount)
    let frames = view.symbolicated.callTrees[thread]
    return ["  " + palette.paint(labels.callTree, .heading)]
      + tree.rows.flatMap { treeRow($0, entries, frames) }
  }

  private func treeRow(
    _ row: FoldedTree.Row, _ entries: [CallTreeEntry], _ frames: [ResolvedFrame]
  ) -> [String] {
    // The indentation is limited, so deep trees keep only their order.
    let indent = String(repeating: " ", count: 4 + min(2 * row.depth, width / 2))
    switch row.content {
    case .folded(let count): return [indent + palette.paint(labels.folded(count), .dimmed)]
    case .node(let index):
      let count = entries[index].sampleCount.map { padded(String($0), toWidth: 4) + "  " } ?? ""
      let state = entries[index].state.map { " (\($0))" } ?? ""
      let frame = frames[index]
      guard var function = view.rows(frame).first else { return [] }
      function.name += "  [\(view.imageName(frame))]\(state)"
      return self.row(function, head: indent + count, frame, false)
    }
  }
}
