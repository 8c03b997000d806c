internal import CrashReadDebugInfo
package import CrashReadReports
internal import CrashReadSymbolication
public import CrashReadVerdict

/// The properties of a result by which crashes are grouped, as JSON on one line: the members of the result itself, and
/// its stack as text.
package func occurrenceJSON(_ analysis: ReportAnalysis) -> String {
  var writer = JSONWriter(isOneLine: true)
  writer.object { json in
    let diagnosis = analysis.diagnosis
    json.field("schemaVersion", 1)
    json.field("input", analysis.input)
    json.object("report") { writeHeader(diagnosis.symbolicated.report, to: &$0) }
    json.object("diagnosis") { json in
      json.field("rule", diagnosis.explanation.rule)
      json.field("title", diagnosis.explanation.title)
      if let blamed = diagnosis.blamed { json.object("blamed") { writeBlamed(blamed, diagnosis, to: &$0) } }
    }
    json.field("signature", diagnosis.signature)
    json.strings("stack", stackLines(of: analysis))
  }
  return writer.text
}

/// The maximum number of lines of a stack, which suffice to distinguish crashes.
private let maximumStackLines = 10

private func stackLines(of analysis: ReportAnalysis) -> [String] {
  var style = RenderingStyle()
  style.language = analysis.diagnosis.language
  return ReportView(analysis, style).stackLines(limit: maximumStackLines)
}

extension CrashOccurrence {
  /// Takes the properties from an analysis.
  public init(_ analysis: ReportAnalysis) {
    self.init(input: analysis.input, diagnosis: analysis.diagnosis)
    stack = stackLines(of: analysis)
  }

  /// Reads what `occurrenceJSON` writes, or any result of `--format ndjson` or `batch`; nil for an error record, or
  /// anything else.
  package init?(result: JSONValue) {
    guard let input = result["input"].string, let kind = result["report"]["kind"].string else { return nil }
    let (diagnosis, blamed) = (result["diagnosis"], result["diagnosis"]["blamed"])
    self.init(
      input: input, kind: kind, header: ReportHeader(result["report"]), signature: result["signature"].string,
      rule: diagnosis["rule"].string, title: diagnosis["title"].string ?? "",
      function: blamed["function"].string,
      location: blamed["file"].string.map { SourceLocation(file: $0, line: blamed["line"].integer) })
    stack = result["stack"].elements.compactMap(\.string)
    if stack.isEmpty { stack = Self.stack(ofResult: result) }
  }

  /// The stack of a result as `batch` prints it.
  private static func stack(ofResult result: JSONValue) -> [String] {
    var lines: [String] = []
    let frames = principalFrames(result)
    for (index, frame) in frames.prefix(maximumStackLines).enumerated() {
      let image = frame["image"].string ?? ""
      let locations = frame["locations"].elements.map { location in
        let source = location["file"].string.map { SourceLocation(file: $0, line: location["line"].integer) }
        let mark = source != nil && location["inlined"].isTrue ? " [inlined]" : ""
        let offset = location["symbolOffset"].integer.map { " + \($0)" } ?? ""
        return "\(location["function"].string ?? "???")\(offset)  \(source?.description ?? image)\(mark)"
      }
      let offset = frame["reportedSymbolOffset"].integer.map { " + \($0)" } ?? ""
      let name = frame["reportedSymbol"].string.map { $0 + offset } ?? frame["address"].string ?? "???"
      lines += (locations.isEmpty ? ["\(name)  \(image)"] : locations).map { "#\(index) \($0)" }
    }
    let isTruncated = lines.count > maximumStackLines || frames.count > maximumStackLines
    return lines.prefix(maximumStackLines) + (isTruncated ? ["…"] : [])
  }

  /// The frames of the backtrace with the blamed frame, else of the thread that crashed.
  private static func principalFrames(_ result: JSONValue) -> [JSONValue] {
    let blamed = result["diagnosis"]["blamed"]
    let threads = result["threads"].elements
    if let thread = blamed["thread"].integer {
      return threads.indices.contains(thread) ? threads[thread]["frames"].elements : []
    }
    if let index = blamed["applicationSpecificBacktrace"].integer {
      let backtraces = result["applicationSpecificBacktraces"].elements
      return backtraces.indices.contains(index) ? backtraces[index]["frames"].elements : []
    }
    if blamed.isObject { return result["lastExceptionBacktrace"]["frames"].elements }
    return threads.first { $0["crashed"].isTrue }?["frames"].elements ?? []
  }
}

extension ReportHeader {
  /// Reads back the members of a result's `report` that grouping needs.
  fileprivate init(_ json: JSONValue) {
    self.init()
    date = json["date"].string
    process = json["process"].string
    bundleID = json["bundleID"].string
    version = json["version"].string
    build = json["build"].string
    hardwareModel = json["hardwareModel"].string
    osVersion = json["osVersion"].string
  }
}
