internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

// MARK: - Backtraces

extension HTMLArticle {
  /// The crashed thread and the other principal backtraces. The page's skip link leads to the first of them.
  var backtraces: String {
    let backtraces = view.principalBacktraces
    if backtraces.isEmpty {
      return "<section id=\"stack-\(number)\">\n<h2>\(labels.noCrashedThread)</h2>\n</section>\n"
    }
    return backtraces.enumerated().map { index, backtrace in
      let id = index == 0 ? " id=\"stack-\(number)\"" : ""
      return "<section\(id)>\n<h2>\(markup(backtrace.title))</h2>\n\(frames(backtrace))</section>\n"
    }.joined()
  }

  /// All other threads, folded; those with equal stacks share an entry.
  var otherThreads: String {
    let groups = view.otherThreads
    guard !groups.isEmpty else { return "" }
    let entries = groups.map { group in
      """
      <details class="folded">
      <summary>\(markup(view.title(group))) <span class="stands"><code>\(markup(view.topFunction(of: group)))</code></span></summary>
      \(frames(view.backtrace(group.first)))</details>

      """
    }
    return "<section>\n<h2>\(labels.otherThreads(groups.threadCount))</h2>\n\(entries.joined())</section>\n"
  }

  private func frames(_ backtrace: Backtrace) -> String {
    if backtrace.frames.isEmpty { return "<p>\(labels.noFrames)</p>\n" }
    let variables = view.diagnosis.variables(ofThread: backtrace.thread)
    let items = backtrace.rows.map { row in
      guard case .frame(let index) = row else {
        return "<li><span class=\"n\"></span>\n<div class=\"functions\">\(labels.text(row))</div></li>\n"
      }
      let frame = backtrace.frames[index]
      let isBlamed = index == backtrace.blamed
      let classes = (frame.isInApp ? ["app"] : []) + (isBlamed ? ["blamed"] : [])
      let mark = classes.isEmpty ? "" : " class=\"\(classes.joined(separator: " "))\""
      let current = isBlamed ? " aria-current=\"true\"" : ""
      return """
        <li\(mark)\(current)><span class="n">\(view.number(frame, at: index))</span>
        <div class="functions">
        \(functions(frame, variables[index] ?? [], backtrace, blamed: isBlamed ? backtrace.blamedRow : nil))</div>
        <span class="image">\(markup(view.imageName(frame)))</span></li>

        """
    }
    // Some browsers don't treat a list without bullets as a list unless it has this role.
    return "<ol class=\"frames\" role=\"list\">\n\(items.joined())</ol>\n"
  }

  private func functions(
    _ frame: ResolvedFrame, _ variables: [[Variable]], _ backtrace: Backtrace, blamed: Int?
  ) -> String {
    let rows = view.rows(frame, variables).enumerated().map { index, row in
      let inlined = row.isInlined ? " <span class=\"tag\">\(labels.inlined)</span>" : ""
      let name = "<code\(index == blamed ? " class=\"here\"" : "")>\(markup(row.name))</code>\(inlined)"
      return line(name, row, backtrace)
        + view.variableLines(row).map { "<p class=\"variable\"><code>\(markup($0))</code></p>\n" }.joined()
    }
    return rows.joined() + view.remarks(frame).map { "<p class=\"remark\">\(markup($0))</p>\n" }.joined()
  }

  /// A function and its location, with the source in a folded element where it is available.
  private func line(_ name: String, _ row: FunctionRow, _ backtrace: Backtrace) -> String {
    guard let location = row.location else { return "<p>\(name)</p>\n" }
    let shown = "<span class=\"place\">\(markup(view.locationText(location)))</span>"
    guard backtrace.isPrincipal, let excerpt = view.analysis.excerpts[location] else {
      return "<p>\(name) \(shown)</p>\n"
    }
    return "<p>\(name)</p>\n<details><summary>\(shown)</summary>\n\(source(excerpt))</details>\n"
  }
}

// MARK: - Tables

extension HTMLArticle {
  var registers: String {
    guard let registers = view.report.crashedThreadState?.registers, !registers.isEmpty else { return "" }
    let rows = registers.map { register in
      "<tr><th scope=\"row\" class=\"mono\">\(markup(register.name))</th><td class=\"mono\">\(hexadecimal(register.value))"
        + "</td><td>\(markup(register.meaning ?? ""))</td></tr>"
    }
    return table(labels.registers, labels.registerColumns, rows)
  }

  var code: String {
    let lines = view.codeLines.map { line in
      let tag = line.isMarked ? "mark" : "span"
      return "<\(tag) class=\"line\">\(markup(code: line.text))</\(tag)>"
    }
    guard !lines.isEmpty else { return "" }
    return """
      <section>
      <details>
      <summary><h2>\(labels.code)</h2></summary>
      <pre tabindex="0" role="group" aria-label="\(labels.code)">\(lines.joined())</pre>
      </details>
      </section>

      """
  }

  var images: String {
    let rows = zip(view.report.images, view.symbolicated.images).map { image, match in
      let end = image.end.map { " – \($0)" } ?? ""
      let id = [image.id?.description, image.architecture?.rawValue].compactMap { $0 }.joined(separator: " ")
      return
        "<tr><th scope=\"row\">\(markup(image.name ?? image.path ?? "???"))</th><td class=\"mono\">\(image.start)\(end)</td>"
        + "<td class=\"mono\">\(markup(id))</td><td>\(markup(debugFile(match)))</td></tr>"
    }
    return rows.isEmpty ? "" : table(labels.images(rows.count), labels.imageColumns, rows)
  }

  private func debugFile(_ match: ImageMatch) -> String {
    match.debugFile ?? labels.status(match.status)
  }

  private func table(_ title: String, _ columns: [String], _ rows: [String]) -> String {
    let heads = columns.map { "<th scope=\"col\">\($0)</th>" }.joined()
    return """
      <section>
      <details>
      <summary><h2>\(title)</h2></summary>
      <div class="table" tabindex="0" role="group" aria-label="\(title)">
      <table>
      <thead><tr>\(heads)</tr></thead>
      <tbody>
      \(rows.joined(separator: "\n"))
      </tbody>
      </table>
      </div>
      </details>
      </section>

      """
  }
}
