internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Writes a self-contained page: no scripts, no other files, no network access.
struct HTMLRenderer: Renderer {
  private let style: RenderingStyle
  private var titles: [String] = []
  private var articles = ""

  /// A renderer in a style's language.
  init(style: RenderingStyle) { self.style = style }

  /// Keeps the report until the end: the page's head lists them all.
  mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    let view = ReportView(analysis, style)
    titles.append(view.headline)
    articles += HTMLArticle(view, number: titles.count).html
  }

  /// Writes the page.
  mutating func end(into output: inout String) {
    let labels = labels(in: style.language)
    output += htmlPage(
      title: titles.count == 1 ? titles[0] : labels.reports(titles.count), language: style.language,
      skip: (labels.skip, "stack-1"), body: (titles.count > 1 ? contents(labels) : "") + articles)
  }

  private func contents(_ labels: any Labels) -> String {
    let items = titles.enumerated().map {
      "<li><a href=\"#report-\($0.offset + 1)\">\(markup($0.element))</a></li>"
    }
    return "<nav aria-label=\"\(labels.reports(titles.count))\">\n<ol>\n" + items.joined(separator: "\n")
      + "\n</ol>\n</nav>\n"
  }
}

/// One report of the page.
struct HTMLArticle {
  let view: ReportView
  /// Its number on the page, 1-based.
  let number: Int
  var labels: any Labels { view.labels }

  init(_ view: ReportView, number: Int) {
    self.view = view
    self.number = number
  }

  var html: String {
    let parts = [header, blamedSource, explanation, backtraces, otherThreads, code, registers, images]
    return "<article aria-labelledby=\"report-\(number)\">\n" + parts.joined() + "</article>\n"
  }

  // MARK: - Verdict

  private var header: String {
    var rows: [(String, String)] = []
    if let function = view.blamedFunction { rows.append((labels.inFunction, function + view.blameMark)) }
    if let location = view.blamedLocationText { rows.append((labels.atLocation, location)) }
    let items = rows.map { "<dt>\($0.0)</dt><dd><code>\(markup($0.1))</code></dd>\n" }.joined()
    let facts = view.facts.map { "<span>\(markup($0))</span>" }.joined(separator: " · ")
    return """
      <header>
      <p class="event">\(markup(view.event))</p>
      <h1 id="report-\(number)">\(markup(view.explanation.title))</h1>
      \(items.isEmpty ? "" : "<dl class=\"where\">\n\(items)</dl>\n")\
      \(facts.isEmpty ? "" : "<p class=\"facts\">\(facts)</p>\n")\
      </header>

      """
  }

  private var blamedSource: String {
    guard let excerpt = view.analysis.excerpt else { return "" }
    let guess = excerpt.isGuess ? " <span class=\"remark\">(\(labels.byFileNameOnly))</span>" : ""
    return
      "<figure>\n<figcaption>\(markup(excerpt.relativePath ?? excerpt.path))\(guess)</figcaption>\n\(source(excerpt))</figure>\n"
  }

  func source(_ excerpt: SourceExcerpt) -> String {
    let lines = excerpt.numberedLines.map { number, text in
      let tag = number == excerpt.markedLine ? "mark" : "span"
      return "<\(tag) class=\"line\"><span class=\"no\">\(number)</span>\(markup(code: text))</\(tag)>"
    }
    // Wide lines scroll, so they must be focusable by keyboard.
    return
      "<pre tabindex=\"0\" role=\"group\" aria-label=\"\(markup(excerpt.relativePath ?? excerpt.path)):\(excerpt.markedLine)\">\(lines.joined())</pre>\n"
  }

  private var explanation: String {
    let evidence = view.evidence
    var rows = [(labels.why, view.explanation.text), (evidence.label, evidence.text)]
    for finding in view.also { rows.append((rows.last?.0 == labels.also ? "" : labels.also, finding)) }
    if let member = view.member { rows.append((labels.member, member)) }
    for advice in view.explanation.advice {
      rows.append((rows.last?.0 == labels.next ? "" : labels.next, advice))
    }
    if let blame = view.blame { rows.append((labels.changed, blame)) }
    let items = rows.filter { !$0.1.isEmpty }.map { label, text in
      (label.isEmpty ? "" : "<dt>\(label)</dt>") + "<dd>\(markup(text))</dd>\n"
    }
    return
      "<section>\n<h2>\(labels.explanation)</h2>\n<dl class=\"why\">\n\(items.joined())</dl>\n</section>\n"
  }
}
