internal import CrashReadReports
internal import CrashReadVerdict

/// Groups of crashes for a terminal: the largest first, a few lines each.
func summaryText(_ groups: CrashGroups, style: RenderingStyle) -> String {
  SummaryPage(groups, style).text
}

/// The text form of a summary.
private struct SummaryPage {
  let groups: CrashGroups
  let style: RenderingStyle
  private let labels: any Labels
  private let palette: Palette

  init(_ groups: CrashGroups, _ style: RenderingStyle) {
    self.groups = groups
    self.style = style
    labels = CrashReadRendering.labels(in: style.language)
    palette = Palette(isColored: style.isColored)
  }

  /// The minimum width of the numbers before groups, in columns; two blanks follow.
  private static let minimumDigits = 4
  /// The maximum number of versions, systems and devices shown: the most frequent ones.
  private static let maximumValues = 3

  /// The maximum number of groups shown as text; the other formats show all.
  private static let maximumGroups = 20

  var text: String {
    let ranked = groups.ranked
    let indent = max(Self.minimumDigits, String(ranked.first?.count ?? 0).count) + 2
    var lines = [palette.paint(labels.totals(groups, ranked.count), .heading)]
    for group in ranked.prefix(Self.maximumGroups) { lines += [""] + block(group, indent) }
    let rest = ranked.count - Self.maximumGroups
    if rest > 0 {
      lines += ["", palette.paint(labels.moreGroups(rest) + " (--summary=json, html)", .dimmed)]
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func block(_ group: CrashGroups.Group, _ indent: Int) -> [String] {
    let example = group.example
    let head = rightAligned(String(group.count), width: indent - 2) + "  "
    let name = plainText(group.name(labels))
    let width = style.width - indent
    let title = plainText(example.title)
    var lines = [palette.paint(head + name, .function)]
    if displayWidth(name) + 2 + displayWidth(title) <= width {
      lines[0] += "  " + palette.paint(title, .headline)
    } else {
      lines += wrapped(title, toWidth: width, breaksNames: true).map { indented($0, indent, .headline) }
    }
    lines += locationLines(example, indent)
    let counted = [group.versions, group.systems, group.devices].map(ranking).filter { !$0.isEmpty }
    lines += wrapped(counted.joined(separator: " · "), toWidth: width).map { indented($0, indent) }
    lines += [period(group), labels.example(plainText(example.input))].compactMap { $0 }.map {
      indented($0, indent)
    }
    let signature = plainText(group.key.signature ?? labels.noSignature)
    return lines
      + wrapped(signature, toWidth: width, breaksNames: true).map { indented($0, indent, .dimmed) }
  }

  /// The line and the function, one below the other where space is short.
  private func locationLines(_ example: CrashOccurrence, _ indent: Int) -> [String] {
    let location = example.location.map(plainText)
    let function = example.function.map(plainText)
    let parts = [location, function].compactMap { $0 }
    if parts.reduce(indent + 2, { $0 + displayWidth($1) }) <= style.width {
      let shown = [location.map { palette.paint($0, .location) }, function].compactMap { $0 }
      return shown.isEmpty ? [] : [indented(shown.joined(separator: "  "), indent)]
    }
    let lines = function.map { wrapped($0, toWidth: style.width - indent, breaksNames: true) } ?? []
    return (location.map { [indented($0, indent, .location)] } ?? []) + lines.map { indented($0, indent) }
  }

  private func indented(_ text: String, _ indent: Int, _ role: TextRole? = nil) -> String {
    String(repeating: " ", count: indent) + (role.map { palette.paint(text, $0) } ?? text)
  }

  private func ranking(_ tally: Tally) -> String {
    let ranked = tally.ranked
    let shown = ranked.prefix(Self.maximumValues).map { "\(plainText($0.text)) ×\($0.count)" }
    let rest = ranked.dropFirst(Self.maximumValues).reduce(tally.others) { $0 + $1.count }
    return (shown + (rest > 0 ? [labels.otherValues(rest)] : [])).joined(separator: ", ")
  }

  private func period(_ group: CrashGroups.Group) -> String? {
    group.period.map { labels.seen($0.first, $0.last) }
  }
}

extension CrashGroups.Group {
  /// The name of the app.
  func name(_ labels: any Labels) -> String { example.process ?? key.app ?? labels.unknownProcess }

  /// The first and the last day, in UTC; nil when no report has a date.
  var period: (first: String, last: String)? {
    times.map { (calendarDay($0.lowerBound / 86_400), calendarDay($0.upperBound / 86_400)) }
  }
}
