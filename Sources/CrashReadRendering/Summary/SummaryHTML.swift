internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadVerdict

/// Groups of crashes as one page: filters, then the groups, each of which unfolds to its stack and charts.
func summaryHTML(_ groups: CrashGroups, style: RenderingStyle) -> String {
  let labels = labels(in: style.language)
  let ranked = groups.ranked
  let page = SummaryHTML(groups: Array(ranked.prefix(maximumGroups)), labels: labels)
  let total = labels.totals(groups, ranked.count)
  let rest = ranked.count - maximumGroups
  let body = """
    <header>
    <h1 class="plain">\(markup(total))</h1>
    </header>
    \(page.overview)\(rest > 0 ? "<p>\(markup(labels.moreGroups(rest)))</p>\n" : "")\
    <div id="groups">
    \(page.list)</div>

    """
  return htmlPage(title: total, language: style.language, skip: (labels.skipToGroups, "groups"), body: body)
}

/// The maximum number of groups; a page with more is unreadable.
private let maximumGroups = 500
private let maximumBars = 8
/// The maximum number of days that a chart shows one by one; beyond it, each bar is for several days.
private let maximumDays = 120
/// The minimum number of days of a chart's axis.
private let minimumDays = 30

private struct SummaryHTML {
  let groups: [CrashGroups.Group]
  let labels: any Labels
  /// The axis that all charts share, so that groups can be compared; nil when no report has a date.
  private let axis: ClosedRange<Int64>?
  private let filters: [SummaryFilter]

  init(groups: [CrashGroups.Group], labels: any Labels) {
    (self.groups, self.labels) = (groups, labels)
    let days = groups.flatMap(\.days.keys)
    axis = days.max().map { last in min(days.min() ?? last, last - Int64(minimumDays) + 1)...last }
    filters = [
      SummaryFilter(name: "kind", title: labels.kind, groups) { [$0.example.kind] },
      SummaryFilter(name: "app", title: labels.app, groups) { [$0.name(labels)] },
      SummaryFilter(name: "version", title: labels.versions, groups) { $0.versions.ranked.map(\.text) },
    ].filter { $0.values.count > 1 }
  }

  var overview: String {
    if groups.isEmpty { return "" }
    let days = groups.reduce(into: [Int64: Int]()) { $0.merge($1.days) { $0 + $1 } }
    return timeline(days) + filters.map { $0.html(labels.all) }.joined() + newest
  }

  /// The groups in the order of their last day, as links: a page without scripts can't be sorted.
  private var newest: String {
    let dated = groups.enumerated().filter { $0.element.times != nil }
      .sorted { ($1.element.lastTime, $0.offset) < ($0.element.lastTime, $1.offset) }
    guard dated.count > 1 else { return "" }
    let items = dated.map { index, group in
      "<li><span class=\"day\">\(group.period?.last ?? "")</span> <a href=\"#group-\(index + 1)\">\(markup(group.example.title))</a></li>\n"
    }
    return
      "<details class=\"folded\">\n<summary>\(labels.newestFirst)</summary>\n<ol class=\"newest\">\n\(items.joined())</ol>\n</details>\n"
  }

  var list: String { groups.enumerated().map { section($0.element, number: $0.offset + 1) }.joined() }

  /// A group. The heading is inside the folded element, so that following a link to it unfolds the group.
  private func section(_ group: CrashGroups.Group, number: Int) -> String {
    let example = group.example
    let classes = ["group"] + filters.flatMap { $0.classes(of: group) }
    let location = (example.location ?? example.function).map {
      "<span class=\"place\">\(markup($0))</span> "
    }
    let day = (group.period?.last).map { "<span class=\"day\">\($0)</span>" }
    return """
      <details class="\(classes.joined(separator: " "))">
      <summary><span class="number">\(group.count)</span> <span class="crash"><b>\(markup(example.title))</b> \
      <span class="of"><span>\(markup(group.name(labels)))</span> \(location ?? "")\
      \(day ?? "")</span></span></summary>
      <article aria-labelledby="group-\(number)">
      <h2 id="group-\(number)">\(markup(example.title))</h2>
      <dl class="where">
      \(rows(group))</dl>
      \(stack(example.stack))\(timeline(group.days))<div class="charts">
      \(chart(labels.versions, group.versions))\(chart(labels.systems, group.systems))\
      \(chart(labels.devices, group.devices))</div>
      </article>
      </details>

      """
  }

  private func rows(_ group: CrashGroups.Group) -> String {
    let example = group.example
    var rows: [(String, String)] = []
    if let function = example.function { rows.append((labels.inFunction, code(function))) }
    if let location = example.location { rows.append((labels.atLocation, code(location))) }
    if let period = group.period {
      rows.append((labels.period, markup(labels.seen(period.first, period.last))))
    }
    rows.append((labels.exampleLabel, code(example.input)))
    rows.append((labels.examplePage, code("crashread -o example.html \(shellWord(example.input))")))
    rows.append((labels.signature, group.key.signature.map(code) ?? markup(labels.noSignature)))
    return rows.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>\n" }.joined()
  }

  private func code(_ text: String) -> String { "<code>\(markup(text))</code>" }

  /// A stack. Wide lines scroll, so they must be focusable by keyboard.
  private func stack(_ lines: [String]) -> String {
    if lines.isEmpty { return "" }
    let items = lines.map { "<span class=\"line\">\(markup(code: $0))</span>" }
    return
      "<h3>\(labels.stack)</h3>\n<pre tabindex=\"0\" role=\"group\" aria-label=\"\(labels.stack)\" class=\"stack\">\(items.joined())</pre>\n"
  }

  private func chart(_ title: String, _ tally: Tally) -> String {
    let ranked = tally.ranked
    let rest = ranked.dropFirst(maximumBars).reduce(tally.others) { $0 + $1.count }
    let others = rest > 0 ? [(label: labels.otherLabel, count: rest)] : []
    return BarChart(
      title: title, bars: ranked.prefix(maximumBars).map { (label: $0.text, count: $0.count) } + others
    ).level
  }

  /// A chart with one bar per day of the page's axis, or per several days if there are too many.
  private func timeline(_ days: [Int64: Int]) -> String {
    guard let axis, !days.isEmpty else { return "" }
    let length = axis.upperBound - axis.lowerBound + 1
    let step = length > Int64(maximumDays) ? max(7, length / Int64(maximumDays) + 1) : 1
    // The last bar ends with the last day, so that no bar includes days in the future.
    let count = Int((length + step - 1) / step)
    var counts = [Int](repeating: 0, count: count)
    for (day, reports) in days { counts[count - 1 - Int((axis.upperBound - day) / step)] += reports }
    let bars = counts.enumerated().map { index, reports in
      (label: calendarDay(axis.upperBound - Int64(count - index) * step + 1), count: reports)
    }
    return BarChart(
      title: step > 1 ? labels.perDays(Int(step)) : labels.perDay, bars: bars,
      end: calendarDay(axis.upperBound)
    ).upright
  }
}

extension CrashGroups.Group {
  fileprivate var lastTime: Int64 { times?.upperBound ?? 0 }
}

/// A filter of groups: while one of its buttons is checked, the style sheet hides the other groups by their classes.
private struct SummaryFilter {
  /// The prefix of classes and buttons.
  let name: String
  let title: String
  /// Its values: the most frequent ones.
  let values: [String]
  private let valuesOf: (CrashGroups.Group) -> [String]

  /// The maximum number of values, for which the style sheet has rules.
  private static let maximumCount = 8

  init(
    name: String, title: String, _ groups: [CrashGroups.Group],
    valuesOf: @escaping (CrashGroups.Group) -> [String]
  ) {
    (self.name, self.title, self.valuesOf) = (name, title, valuesOf)
    var counts: [String: Int] = [:]
    for group in groups { for value in valuesOf(group) { counts[value, default: 0] += group.count } }
    values = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.prefix(Self.maximumCount).map(\.key)
  }

  func classes(of group: CrashGroups.Group) -> [String] {
    let own = Set(valuesOf(group))
    return values.indices.filter { own.contains(values[$0]) }.map { "\(name)-\($0 + 1)" }
  }

  func html(_ all: String) -> String {
    let choices = [(0, all)] + values.enumerated().map { ($0 + 1, $1) }
    let buttons = choices.map { number, text in
      "<label><input type=\"radio\" name=\"\(name)\" id=\"\(name)-\(number)\"\(number == 0 ? " checked" : "")> \(markup(text))</label>\n"
    }
    return "<fieldset class=\"filter\">\n<legend>\(title)</legend>\n\(buttons.joined())</fieldset>\n"
  }
}

/// A word that a shell passes on unchanged.
private func shellWord(_ text: String) -> String {
  let isPlain = text.utf8.allSatisfy { $0 >= 0x80 || $0.isLetterOrDigit || "/._-+,:@%=".utf8.contains($0) }
  return isPlain && !text.isEmpty ? text : "'" + text.replacing("'", with: "'\\''") + "'"
}
