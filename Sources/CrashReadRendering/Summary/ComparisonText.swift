internal import CrashReadVerdict

/// A comparison for a terminal: new crashes first, a few lines per group.
func comparisonText(_ comparison: CrashComparison, style: RenderingStyle) -> String {
  let labels = labels(in: style.language)
  let palette = Palette(isColored: style.isColored)
  var lines = [palette.paint(labels.comparison(comparison), .heading)]
  for change in CrashComparison.Change.allCases {
    let rows = comparison.rows.filter { $0.change == change }
    if rows.isEmpty { continue }
    lines += ["", palette.paint(labels.change(change), .heading)]
    for row in rows {
      let head = "  \(row.before) → \(row.now)  "
      let name = plainText(row.group.name(labels)) + "  "
      let title = truncated(
        plainText(row.group.example.title), toWidth: max(20, style.width - displayWidth(head + name)))
      lines.append(head + palette.paint(name, .function) + palette.paint(title, .headline))
      let location = [row.location, row.firstVersion.map { labels.firstIn(plainText($0)) }].compactMap(\.self)
      if !location.isEmpty { lines.append("         " + location.joined(separator: " · ")) }
    }
  }
  for (title, rates) in comparison.rates(labels) {
    lines += ["", palette.paint(title, .heading)] + rates.map { "  " + plainText(labels.rate($0)) }
  }
  return lines.joined(separator: "\n") + "\n"
}

extension CrashComparison.Row {
  /// The line and the function of the crash, for a terminal.
  fileprivate var location: String? {
    let words = [group.example.location, group.example.function].compactMap(\.self).map(plainText)
    return words.isEmpty ? nil : words.joined(separator: "  ")
  }
}

extension CrashComparison {
  /// The rates with their headings; empty when no sessions are known.
  func rates(_ labels: any Labels) -> [(title: String, rates: [CrashRate])] {
    [(labels.versionRates, versionRates), (labels.systemRates, systemRates)].filter { !$0.1.isEmpty }
  }
}

// MARK: - Markdown

/// Groups for release notes, the largest first.
func summaryMarkdown(_ groups: CrashGroups, style: RenderingStyle) -> String {
  let labels = labels(in: style.language)
  let ranked = groups.ranked
  let rows = ranked.map { ["\($0.count)"] + markdownCells($0, labels) }
  return "## \(markdown(labels.totals(groups, ranked.count)))\n\n"
    + markdownTable(Array(labels.groupColumns.prefix(4)), rows)
}

/// A comparison for release notes: a table per kind of change.
func comparisonMarkdown(_ comparison: CrashComparison, style: RenderingStyle) -> String {
  let labels = labels(in: style.language)
  var blocks = ["## \(markdown(labels.comparison(comparison)))"]
  for change in CrashComparison.Change.allCases {
    let rows = comparison.rows.filter { $0.change == change }
    if rows.isEmpty { continue }
    let cells = rows.map {
      ["\($0.before) → \($0.now)"] + markdownCells($0.group, labels) + [markdown($0.firstVersion ?? "")]
    }
    let heads = Array(labels.groupColumns.prefix(4)) + [labels.firstVersion]
    blocks.append("### \(labels.change(change))\n\n" + markdownTable(heads, cells))
  }
  for (title, rates) in comparison.rates(labels) {
    blocks.append("### \(title)\n\n" + rates.map { "- " + markdown(labels.rate($0)) }.joined(separator: "\n"))
  }
  return blocks.joined(separator: "\n\n") + "\n"
}

private func markdownCells(_ group: CrashGroups.Group, _ labels: any Labels) -> [String] {
  let location = [group.example.location, group.example.function].compactMap(\.self).joined(separator: " ")
  return [
    markdown(group.example.title), markdown(group.name(labels)),
    location.isEmpty ? "" : markdownCode(location),
  ]
}

private func markdownTable(_ heads: [String], _ rows: [[String]]) -> String {
  ([heads, heads.map { _ in "---" }] + rows).map { "| " + $0.joined(separator: " | ") + " |" }.joined(
    separator: "\n")
}

// MARK: - HTML

/// A comparison as one page: a table per kind of change, then the rates.
func comparisonHTML(_ comparison: CrashComparison, style: RenderingStyle) -> String {
  let labels = labels(in: style.language)
  let title = labels.comparison(comparison)
  let tables = CrashComparison.Change.allCases.map { change in
    let rows = comparison.rows.filter { $0.change == change }
    return rows.isEmpty ? "" : section(change, rows, labels)
  }
  let rates = comparison.rates(labels).map { title, rates in
    "<h2>\(title)</h2>\n<ul>\n\(rates.map { "<li>\(markup(labels.rate($0)))</li>\n" }.joined())</ul>\n"
  }
  let body = """
    <header>
    <h1 class="plain">\(markup(title))</h1>
    </header>
    <div id="changes">
    \(tables.joined())\(rates.joined())</div>

    """
  return htmlPage(title: title, language: style.language, skip: (labels.skipToGroups, "changes"), body: body)
}

private func section(
  _ change: CrashComparison.Change, _ rows: [CrashComparison.Row], _ labels: any Labels
) -> String {
  let heads = (Array(labels.groupColumns.prefix(4)) + [labels.firstVersion]).map {
    "<th scope=\"col\">\($0)</th>"
  }
  let cells = rows.map { row in
    let example = row.group.example
    let location = (example.location ?? example.function).map { "<span class=\"place\">\(markup($0))</span>" }
    return
      "<tr><td class=\"number\">\(row.before) → \(row.now)</td><td>\(markup(example.title))</td><td>\(markup(row.group.name(labels)))</td><td>\(location ?? "")</td><td>\(markup(row.firstVersion ?? ""))</td></tr>\n"
  }
  return """
    <h2>\(labels.change(change))</h2>
    <div class="table" tabindex="0" role="group" aria-label="\(labels.change(change))">
    <table>
    <thead><tr>\(heads.joined())</tr></thead>
    <tbody>
    \(cells.joined())</tbody>
    </table>
    </div>

    """
}
