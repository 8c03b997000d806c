internal import CrashReadDebugInfo
internal import CrashReadVerdict

/// A report as a small JSON object on one line; crashread-json(5) describes its members.
func briefJSON(_ view: ReportView) -> String {
  BriefShape.fitting { shape in
    var writer = JSONWriter(isOneLine: true)
    writer.object { BriefReport(view, shape).write(to: &$0) }
    return writer.text
  }
}

extension BriefReport {
  fileprivate func write(to json: inout JSONWriter) {
    let explanation = view.explanation
    json.field("schemaVersion", 1)
    json.field("input", path(view.analysis.input))
    json.field("event", text(view.event))
    json.field("title", text(explanation.title))
    json.field("rule", explanation.rule)
    json.field("why", text(explanation.text))
    json.field("confidence", explanation.confidence.rawValue)
    strings("evidence", evidence, to: &json)
    strings("also", findings, to: &json)
    strings("advice", advice, to: &json)
    json.object("blamed") { writeBlamed(to: &$0) }
    if let principal { json.field("backtrace", name(principal.title)) }
    json.array("frames", frames) { json, frame in json.object { write(frame, to: &$0) } }
    strings("variables", variables, to: &json)
    strings("missing", missing, to: &json)
    json.field("signature", view.diagnosis.signature.map(name))
    strings("more", more, to: &json)
  }

  private func strings(_ name: StaticString, _ texts: [String], to json: inout JSONWriter) {
    if !texts.isEmpty { json.strings(name, texts) }
  }

  private func writeBlamed(to json: inout JSONWriter) {
    json.field("function", view.blamedFunction.map(name))
    json.field("file", view.diagnosis.blamedLocation.map { path($0.shownFile) })
    json.field("line", view.diagnosis.blamedLocation?.line)
    json.field("confidence", view.diagnosis.blameConfidence?.rawValue)
    strings("source", source, to: &json)
  }

  private func write(_ frame: BriefFrame, to json: inout JSONWriter) {
    json.field("index", Int(frame.number))
    json.field("image", name(frame.image))
    json.field("function", name(frame.row.name))
    json.field("place", frame.row.location.map { path(view.locationText($0)) })
    if frame.row.isInlined { json.field("inlined", true) }
    if frame.isBlamed { json.field("blamed", true) }
  }
}
