internal import CrashReadDiagnosis
internal import CrashReadReports

/// Groups of crashes as one page: a table to choose from, then each group with its charts.
func summaryHTML(_ groups: CrashGroups, style: RenderingStyle) -> String {
  let labels = labels(in: style.language)
  let ranked = groups.ranked
  let shown = ranked.prefix(mostGroups)
  let total = labels.totals(groups, ranked.count)
  let rest = ranked.count - shown.count
  let body = """
    <header>
    <h1 class="plain">\(markup(total))</h1>
    </header>
    \(overview(shown, labels))\(rest > 0 ? "<p>\(markup(labels.moreGroups(rest)))</p>\n" : "")\
    \(shown.enumerated().map { section($0.element, number: $0.offset + 1, labels) }.joined())
    """
  return htmlPage(title: total, language: style.language, skip: (labels.skipToGroups, "group-1"), body: body)
}

/// More are nobody's to read on one page.
private let mostGroups = 500
private let mostBars = 8
/// A chart of more days than this counts weeks.
private let mostDays = 120

private func overview(_ groups: ArraySlice<CrashGroups.Group>, _ labels: any Labels) -> String {
  if groups.isEmpty { return "" }
  let days = groups.reduce(into: [Int64: Int]()) { $0.merge($1.days) { $0 + $1 } }
  let rows = groups.enumerated().map { index, group in
    let last = group.period?.last ?? ""
    return
      "<tr><td class=\"number\">\(group.count)</td><td><a href=\"#group-\(index + 1)\">\(markup(group.example.title))</a></td><td>\(markup(group.name(labels)))</td><td><span class=\"place\">\(markup(group.example.location ?? ""))</span></td><td class=\"day\">\(last)</td></tr>\n"
  }
  let heads = labels.groupColumns.map { "<th scope=\"col\">\($0)</th>" }.joined()
  return timeline(days, labels) + """
    <div class="table" tabindex="0" role="group" aria-label="\(labels.groups)">
    <table>
    <thead><tr>\(heads)</tr></thead>
    <tbody>
    \(rows.joined())</tbody>
    </table>
    </div>

    """
}

private func section(_ group: CrashGroups.Group, number: Int, _ labels: any Labels) -> String {
  let example = group.example
  var rows: [(String, String)] = []
  if let function = example.function { rows.append((labels.inFunction, code(function))) }
  if let place = example.location { rows.append((labels.atPlace, code(place))) }
  if let period = group.period {
    rows.append((labels.period, markup(labels.seen(period.first, period.last))))
  }
  rows.append((labels.exampleLabel, code(example.input)))
  rows.append((labels.signature, group.key.signature.map(code) ?? markup(labels.noSignature)))
  let items = rows.map { "<dt>\($0.0)</dt><dd>\($0.1)</dd>\n" }.joined()
  let charts = [
    chart(labels.versions, group.versions, labels), chart(labels.systems, group.systems, labels),
    chart(labels.devices, group.devices, labels),
  ]
  return """
    <article aria-labelledby="group-\(number)">
    <p class="event">\(markup(group.name(labels))) · \(markup(labels.times(group.count)))</p>
    <h2 id="group-\(number)">\(markup(example.title))</h2>
    <dl class="where">
    \(items)</dl>
    \(timeline(group.days, labels))<div class="charts">
    \(charts.joined())</div>
    </article>

    """
}

private func code(_ text: String) -> String { "<code>\(markup(text))</code>" }

private func chart(_ title: String, _ tally: Tally, _ labels: any Labels) -> String {
  let ranked = tally.ranked
  let rest = ranked.dropFirst(mostBars).reduce(tally.others) { $0 + $1.count }
  let others = rest > 0 ? [(label: labels.otherLabel, count: rest)] : []
  return BarChart(
    title: title, bars: ranked.prefix(mostBars).map { (label: $0.text, count: $0.count) } + others
  ).level
}

/// One bar a day from the first to the last, or a week where there are many days.
private func timeline(_ days: [Int64: Int], _ labels: any Labels) -> String {
  guard let first = days.keys.min(), let last = days.keys.max() else { return "" }
  let isLong = last - first >= Int64(mostDays)
  let step: Int64 = isLong ? max(7, (last - first) / Int64(mostDays) + 1) : 1
  var counts = [Int](repeating: 0, count: Int((last - first) / step) + 1)
  for (day, count) in days { counts[Int((day - first) / step)] += count }
  let bars = counts.enumerated().map {
    (label: calendarDay(first + Int64($0.offset) * step), count: $0.element)
  }
  return BarChart(title: isLong ? labels.perDays(Int(step)) : labels.perDay, bars: bars).upright
}
