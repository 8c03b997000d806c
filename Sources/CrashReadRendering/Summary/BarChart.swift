/// Bars as inline SVG without scripts or styles, and a list of the same numbers for screen readers.
struct BarChart {
  /// What the bars count.
  var title: String
  /// The label of each bar, and its length.
  var bars: [(label: String, count: Int)]
  /// The label of the axis's end, for vertical bars; nil for that of the last bar.
  var end: String?

  /// A thin vertical bar per value, for days. The first, the middle and the last day are labelled below.
  var upright: String {
    guard let maximum = bars.map(\.count).max(), maximum > 0 else { return "" }
    let (width, height) = (600.0, 60.0)
    let step = width / Double(bars.count)
    let rects = bars.enumerated().filter { $0.element.count > 0 }.map { index, bar in
      let length = max(2, height * Double(bar.count) / Double(maximum))
      return
        "<rect x=\"\(rounded(Double(index) * step))\" y=\"\(rounded(height - length))\" width=\"\(rounded(max(1, step - 1)))\" height=\"\(rounded(length))\"><title>\(name(bar))</title></rect>"
    }
    let ends = [bars[0].label, bars[bars.count / 2].label, end ?? bars[bars.count - 1].label]
    return figure(
      maximum,
      "<svg class=\"upright\" viewBox=\"0 0 \(rounded(width)) \(rounded(height))\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"\(markup(summary))\">\(rects.joined())</svg>\n<p class=\"ends\">"
        + ends.map { "<span>\(markup($0))</span>" }.joined() + "</p>\n")
  }

  /// A horizontal bar per value with its name and number beside it, for versions, systems and devices.
  var level: String {
    guard let maximum = bars.map(\.count).max(), maximum > 0 else { return "" }
    let rows = bars.map { bar in
      "<tr><th scope=\"row\">\(markup(bar.label))</th><td>\(bar.count)</td><td><svg viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\"><rect width=\"\(rounded(max(1, 100 * Double(bar.count) / Double(maximum))))\" height=\"10\"/></svg></td></tr>\n"
    }
    return
      "<table class=\"bars\">\n<caption>\(markup(title))</caption>\n<tbody>\n\(rows.joined())</tbody>\n</table>\n"
  }

  private func figure(_ maximum: Int, _ body: String) -> String {
    "<figure class=\"chart\">\n<figcaption>\(markup(title)) (0–\(maximum))</figcaption>\n\(body)</figure>\n"
  }

  private var summary: String {
    title + ": "
      + bars.filter { $0.count > 0 }.prefix(40).map { "\($0.label) \($0.count)" }.joined(separator: ", ")
  }

  private func name(_ bar: (label: String, count: Int)) -> String { markup("\(bar.label): \(bar.count)") }

  /// A number rounded to one decimal, which is finer than a pixel.
  private func rounded(_ value: Double) -> String {
    let tenths = Int((value * 10).rounded())
    return tenths % 10 == 0 ? String(tenths / 10) : "\(tenths / 10).\(tenths % 10)"
  }
}
