internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Writes SARIF 2.1.0 (OASIS): one run, one result per report.
///
/// The stack is given twice: as `stacks`, which is the form intended for it, and as a code flow from the outermost call
/// to the crash, which is what viewers show. Fingerprints are derived from the crash's signature, so they are stable
/// across moved lines and new builds.
struct SARIFRenderer: Renderer {
  private let style: RenderingStyle
  private var analyses: [ReportAnalysis] = []
  /// The base of relative paths: the root of the checkout.
  private static let root = "SRCROOT"

  /// A renderer in a style's language.
  init(style: RenderingStyle) { self.style = style.forCheckouts }

  /// Keeps the report until the end.
  mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    analyses.append(analysis)
  }

  /// Writes the log.
  mutating func end(into output: inout String) {
    let views = analyses.map { ReportView($0, style) }
    var writer = JSONWriter()
    writer.object { json in
      json.field("$schema", "https://json.schemastore.org/sarif-2.1.0.json")
      json.field("version", "2.1.0")
      json.array("runs", [views]) { json, views in json.object { writeRun(views, to: &$0) } }
    }
    output += writer.text + "\n"
  }

  private func writeRun(_ views: [ReportView], to json: inout JSONWriter) {
    json.object("tool") { json in
      json.object("driver") { json in
        json.field("name", "crashread")
        json.array("rules", rules(views)) { json, view in json.object { writeRule(view, to: &$0) } }
      }
    }
    json.field("columnKind", "unicodeCodePoints")
    json.object("originalUriBaseIds") { json in
      json.object(key: Self.root) {
        $0.object("description") { $0.field("text", "The root of the checkout.") }
      }
    }
    json.array("results", views) { json, view in json.object { writeResult(view, to: &$0) } }
  }

  /// The first report of each rule.
  private func rules(_ views: [ReportView]) -> [ReportView] {
    var known: Set<String> = []
    return views.filter { known.insert(rule($0)).inserted }
  }

  private func rule(_ view: ReportView) -> String { view.explanation.rule ?? view.report.kind.rawValue }

  private func writeRule(_ view: ReportView, to json: inout JSONWriter) {
    json.field("id", rule(view))
    writeText("shortDescription", [view.explanation.title], to: &json)
    writeText("fullDescription", [view.explanation.text], to: &json)
    writeText(
      "help", view.explanation.advice.isEmpty ? [view.explanation.text] : view.explanation.advice, to: &json)
  }

  private func writeText(_ name: StaticString, _ lines: [String], to json: inout JSONWriter) {
    json.object(name) { $0.field("text", lines.map(plainText).joined(separator: "\n")) }
  }

  private func writeResult(_ view: ReportView, to json: inout JSONWriter) {
    json.field("ruleId", rule(view))
    json.field("level", level(view.report.kind))
    writeText("message", [view.event] + view.summaryLines, to: &json)
    if let location = view.diagnosis.blamedLocation {
      json.array("locations", [location]) { json, location in
        json.object { writeLocation(location, view.blamedFunction, view, to: &$0) }
      }
    }
    if let signature = view.diagnosis.signature {
      json.object("partialFingerprints") { $0.field("crashSignature/v1", plainText(signature)) }
    }
    let stack = functions(view)
    if !stack.isEmpty {
      json.array("stacks", [stack]) { json, stack in json.object { writeStack(stack, view, to: &$0) } }
    }
    writeCodeFlow(stack.reversed().filter { $0.row.location?.line != nil }, view, to: &json)
    if let blame = view.analysis.blame {
      json.object("properties") { $0.object("blame") { writeBlame(blame, to: &$0) } }
    }
  }

  private func level(_ kind: ReportKind) -> String {
    switch kind {
    case .crash, .panic: "error"
    case .hang, .resource, .jetsam: "warning"
    case .sample, .other: "note"
    }
  }
}

// MARK: - Stacks and locations

extension SARIFRenderer {
  private struct Function {
    var row: FunctionRow
    var frame: ResolvedFrame
  }

  /// The functions of the blamed stack, innermost first. Viewers accept only a few thousand.
  private func functions(_ view: ReportView) -> [Function] {
    view.diagnosis.principalFrames.prefix(500).flatMap { frame in
      view.rows(frame).map { Function(row: $0, frame: frame) }
    }
  }

  private func writeStack(_ stack: [Function], _ view: ReportView, to json: inout JSONWriter) {
    json.array("frames", stack) { json, function in
      json.object { json in
        json.object("location") { writeLocation(function.row.location, function.row.name, view, to: &$0) }
        json.field("module", plainText(view.imageName(function.frame)))
        if let learned = function.frame.learned {
          json.object("properties") {
            $0.field("sightings", learned.sightings)
            $0.field("since", learned.since)
          }
        }
      }
    }
  }

  private func writeCodeFlow(_ steps: [Function], _ view: ReportView, to json: inout JSONWriter) {
    guard !steps.isEmpty else { return }
    json.array("codeFlows", [steps]) { json, steps in
      json.object { json in
        json.array("threadFlows", [steps]) { json, steps in
          json.object { json in
            json.array("locations", steps) { json, step in
              json.object { json in
                json.object("location") { writeLocation(step.row.location, step.row.name, view, to: &$0) }
              }
            }
          }
        }
      }
    }
  }

  private func writeLocation(
    _ location: SourceLocation?, _ function: String?, _ view: ReportView, to json: inout JSONWriter
  ) {
    if let location, !location.isGenerated { writePhysical(location, view, to: &json) }
    guard let function else { return }
    json.array("logicalLocations", [function]) { json, name in
      json.object {
        $0.field("fullyQualifiedName", plainText(name))
        $0.field("kind", "function")
      }
    }
    writeText("message", [function], to: &json)
  }

  private func writePhysical(_ location: SourceLocation, _ view: ReportView, to json: inout JSONWriter) {
    json.object("physicalLocation") { json in
      json.object("artifactLocation") { json in
        if let path = view.analysis.excerpts[location]?.relativePath {
          json.field("uri", uriPath(path))
          json.field("uriBaseId", Self.root)
        } else {
          json.field("uri", (location.file.hasPrefix("/") ? "file://" : "") + uriPath(location.file))
        }
      }
      guard let line = location.line, line > 0 else { return }
      json.object("region") {
        $0.field("startLine", line)
        if let column = location.column, column > 0 { $0.field("startColumn", column) }
      }
    }
  }
}
