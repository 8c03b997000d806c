internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Writes the machine-readable output described by crashread-json(5), one document per report.
package struct JSONRenderer: Renderer {
  /// How documents are separated.
  package enum Layout: Sendable {
    /// There is only one document.
    case single
    /// They are elements of an array.
    case array
    /// Each is on its own line, as are errors for inputs that can't be read.
    case lines
  }

  private let layout: Layout
  private let style: RenderingStyle
  private var count = 0

  /// A renderer with a layout and a style.
  package init(_ layout: Layout, style: RenderingStyle = RenderingStyle()) {
    (self.layout, self.style) = (layout, style)
  }

  /// Opens the array.
  package mutating func begin(into output: inout String) {
    if layout == .array { output += "[" }
  }

  /// Writes one document.
  package mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    if style.brief != nil {
      write(briefJSON(ReportView(analysis, style)), into: &output)
    } else {
      let showsReasoning = style.showsReasoning
      write(into: &output) { writeDocument(analysis, showsReasoning: showsReasoning, to: &$0) }
    }
  }

  /// Writes a line about an input without a report.
  package mutating func render(_ input: UnreadInput, into output: inout String) {
    if layout == .lines { write(into: &output) { writeError(input, to: &$0) } }
  }

  private mutating func write(into output: inout String, _ body: (inout JSONWriter) -> Void) {
    var writer = JSONWriter(isOneLine: layout == .lines)
    writer.object(nil, body)
    write(writer.text, into: &output)
  }

  /// A document as a line of UTF-8 that ends with a line feed.
  package func line(_ analysis: ReportAnalysis) -> [UInt8] {
    if style.brief != nil { return Array((briefJSON(ReportView(analysis, style)) + "\n").utf8) }
    return line { writeDocument(analysis, showsReasoning: style.showsReasoning, to: &$0) }
  }

  /// An error for an input without a report, as a line of UTF-8 that ends with a line feed.
  package func line(_ input: UnreadInput) -> [UInt8] { line { writeError(input, to: &$0) } }

  private func line(_ body: (inout JSONWriter) -> Void) -> [UInt8] {
    var writer = JSONWriter(isOneLine: true)
    writer.object(nil, body)
    return writer.line()
  }

  private mutating func write(_ document: String, into output: inout String) {
    if layout == .array { output += count == 0 ? "\n" : ",\n" }
    output += document
    if layout != .array { output += "\n" }
    count += 1
  }

  /// Closes the array.
  package mutating func end(into output: inout String) {
    if layout == .array { output += count == 0 ? "]\n" : "\n]\n" }
  }
}

private func writeError(_ input: UnreadInput, to json: inout JSONWriter) {
  json.field("schemaVersion", 1)
  json.field("input", input.input)
  json.object("error") {
    $0.field("kind", input.kind.rawValue)
    $0.field("message", input.message)
  }
}

private func writeContainer(_ location: ContainerLocation, to json: inout JSONWriter) {
  json.field("kind", location.kind.rawValue)
  json.field("path", location.path)
  json.field("test", location.test)
  json.field("device", location.device)
  json.field("configuration", location.configuration)
  if let isDuringRun = location.isDuringRun { json.field("duringRun", isDuringRun) }
  if !location.neighbours.isEmpty {
    json.array("neighbours", location.neighbours) { json, neighbour in
      json.object { json in
        json.field("path", neighbour.path)
        json.field("kind", neighbour.kind.rawValue)
        json.field("seconds", neighbour.seconds)
      }
    }
  }
}

/// Writes the report's statements about the process's end other than the exception.
func writeEnd(of report: CrashReport, to json: inout JSONWriter) {
  if let termination = report.termination {
    json.object("termination") { writeTermination(termination, to: &$0) }
  }
  if let exception = report.uncaughtException {
    json.object("uncaughtException") { json in
      json.field("name", exception.name)
      json.field("reason", exception.reason)
    }
  }
  json.field("vmRegionInfo", report.vmRegionInfo)
}

/// Writes what the system noted besides the crash.
func writeRemarks(of report: CrashReport, to json: inout JSONWriter) {
  json.array("systemRemarks", report.systemRemarks) { json, remark in
    json.object { json in
      json.field("heading", remark.heading)
      json.field("text", remark.text)
    }
  }
}

private func writeDocument(
  _ analysis: ReportAnalysis, showsReasoning: Bool, to json: inout JSONWriter
) {
  let symbolicated = analysis.diagnosis.symbolicated
  let report = symbolicated.report
  json.field("schemaVersion", 1)
  json.field("input", analysis.input)
  if let location = analysis.container { json.object("container") { writeContainer(location, to: &$0) } }
  json.object("report") { writeHeader(report, to: &$0) }
  if let exception = report.exception { json.object("exception") { writeException(exception, to: &$0) } }
  writeEnd(of: report, to: &json)
  if !report.applicationSpecificInformation.isEmpty {
    json.strings("applicationSpecificInformation", report.applicationSpecificInformation)
  }
  if !report.systemRemarks.isEmpty { writeRemarks(of: report, to: &json) }
  json.object("diagnosis") { json in
    writeDiagnosis(analysis.diagnosis, to: &json)
    if showsReasoning { writeReasoning(analysis.diagnosis.reasoning, to: &json) }
  }
  if let blame = analysis.blame { json.object("blame") { writeBlame(blame, to: &$0) } }
  json.field("signature", analysis.diagnosis.signature)
  writeBacktraces(analysis.diagnosis, to: &json)
  if let state = report.crashedThreadState, !state.registers.isEmpty {
    json.object("registers") { json in
      for register in state.registers { json.field(key: register.name, hexadecimal: register.value) }
    }
  }
  json.array("images", zip(report.images, symbolicated.images).enumerated()) { json, image in
    json.object { writeImage(image.element.0, image.element.1, index: image.offset, to: &$0) }
  }
  if !report.notes.isEmpty {
    json.array("notes", report.notes) { json, note in
      json.object {
        $0.field("line", note.line)
        $0.field("message", note.message)
      }
    }
  }
}

/// Writes the threads, and the backtraces that belong to none.
private func writeBacktraces(_ diagnosis: Diagnosis, to json: inout JSONWriter) {
  let symbolicated = diagnosis.symbolicated
  let report = symbolicated.report
  json.array("threads", report.threads.indices) { json, index in
    json.object { json in
      writeThread(
        report.threads[index], symbolicated.threads[index], report, diagnosis.variables(ofThread: index),
        to: &json)
      if let statement = diagnosis.instruction, statement.thread == index {
        json.object("instruction") { writeInstruction(statement, to: &$0) }
      }
      writeCallTree(report.threads[index].callTree, symbolicated.callTrees[index], report, to: &json)
    }
  }
  if !symbolicated.lastExceptionBacktrace.isEmpty {
    json.object("lastExceptionBacktrace") {
      writeFrames(symbolicated.lastExceptionBacktrace, report, diagnosis.variables(ofThread: nil), to: &$0)
    }
  }
  if !symbolicated.applicationSpecificBacktraces.isEmpty {
    json.array("applicationSpecificBacktraces", symbolicated.applicationSpecificBacktraces) { json, frames in
      json.object { writeFrames(frames, report, [:], to: &$0) }
    }
  }
}

func writeHeader(_ report: CrashReport, to json: inout JSONWriter) {
  let header = report.header
  json.field("format", report.format.rawValue)
  json.field("kind", report.kind.rawValue)
  json.field("incident", header.incident)
  json.field("date", header.date)
  json.field("launchDate", header.launchDate)
  json.field("process", header.process)
  json.field("pid", header.pid)
  json.field("path", header.path)
  json.field("bundleID", header.bundleID)
  json.field("version", header.version)
  json.field("build", header.build)
  json.field("codeType", header.codeType)
  json.field("hardwareModel", header.hardwareModel)
  json.field("osVersion", header.osVersion)
  json.field("parentProcess", header.parentProcess)
}

func writeException(_ exception: ExceptionRecord, to json: inout JSONWriter) {
  json.field("type", exception.type)
  json.field("signal", exception.signal)
  if !exception.codes.isEmpty { json.strings("codes", exception.codes.map(hexadecimal)) }
  json.field("codesText", exception.codesDescription)
  json.field("subtype", exception.subtype)
  json.field("message", exception.message)
  json.field("note", exception.note)
}

func writeTermination(_ termination: TerminationRecord, to json: inout JSONWriter) {
  json.field("namespace", termination.namespace)
  json.field("code", termination.code.map(hexadecimal))
  json.field("indicator", termination.indicator)
  json.field("byProcess", termination.byProcess)
  if !termination.details.isEmpty { json.strings("details", termination.details) }
}

private func writeDiagnosis(_ diagnosis: Diagnosis, to json: inout JSONWriter) {
  let explanation = diagnosis.explanation
  if let rule = explanation.rule { json.field("rule", rule) } else { json.null("rule") }
  json.field("title", explanation.title)
  json.field("explanation", explanation.text)
  json.field("confidence", explanation.confidence.rawValue)
  writeEvidence(explanation.evidence, diagnosis, to: &json)
  json.strings("advice", explanation.advice)
  if !explanation.findings.isEmpty {
    json.array("findings", explanation.findings) { json, finding in
      json.object { json in
        json.field("rule", finding.rule)
        json.field("text", finding.text)
        json.field("confidence", finding.confidence.rawValue)
        writeEvidence(finding.evidence, diagnosis, to: &json)
      }
    }
  }
  if let statement = diagnosis.faultStatement {
    json.object("member") { writeFaultStatement(statement, diagnosis, to: &$0) }
  }
  if let record = diagnosis.symbolicated.report.allocation {
    json.object("allocation") { writeAllocation(record, diagnosis.symbolicated, to: &$0) }
  }
  if !diagnosis.decoded.isEmpty {
    json.array("decoded", diagnosis.decoded) { json, code in json.object { writeDecoded(code, to: &$0) } }
  }
  json.field("contract", diagnosis.contract)
  if let raisedBy = diagnosis.raisedBy {
    json.object("raisedBy") { writeLocation(BlamedFrame(raisedBy), to: &$0) }
  }
  if let caller = diagnosis.calledFrom { json.object("calledFrom") { writeLocation(caller, to: &$0) } }
  if let blamed = diagnosis.blamed { json.object("blamed") { writeBlamed(blamed, diagnosis, to: &$0) } }
}

/// Writes evidence: quotes, each with its location in this document.
private func writeEvidence(_ evidence: [Evidence], _ diagnosis: Diagnosis, to json: inout JSONWriter) {
  let text = EvidenceText(diagnosis: diagnosis, labels: labels(in: diagnosis.language))
  json.array("evidence", evidence) { json, evidence in
    json.object { json in
      json.field("source", evidence.source.pointer(in: diagnosis.symbolicated.report))
      json.field("label", text.label(evidence.source))
      json.field("quote", evidence.quote)
      json.field("meaning", evidence.meaning)
    }
  }
}

/// Writes the blamed frame with its function and line, so that readers needn't resolve the indices.
func writeBlamed(_ blamed: BlamedFrame, _ diagnosis: Diagnosis, to json: inout JSONWriter) {
  writeLocation(blamed, to: &json)
  json.field("function", diagnosis.blamedName)
  if let names = diagnosis.frame(blamed)?.foldedNames, !names.isEmpty { json.strings("foldedNames", names) }
  json.field("file", diagnosis.blamedLocation?.file)
  json.field("line", diagnosis.blamedLocation?.line)
  json.field("confidence", diagnosis.blameConfidence?.rawValue)
}

private func writeLocation(_ frame: BlamedFrame, to json: inout JSONWriter) {
  if let thread = frame.thread { json.field("thread", thread) } else { json.null("thread") }
  if case .applicationSpecific(let index) = frame.backtrace {
    json.field("applicationSpecificBacktrace", index)
  }
  json.field("frame", frame.frame)
  json.field("location", frame.location)
}

/// Writes the allocation that the fault is attributed to.
private func writeAllocation(
  _ record: AllocationRecord, _ symbolicated: SymbolicatedReport, to json: inout JSONWriter
) {
  json.field("errorType", record.errorType)
  json.field("address", record.address.map(hexadecimal))
  json.field("size", record.size)
  if let isFreed = record.isFreed { json.field("isFreed", isFreed) }
  json.field("confidence", record.confidence)
  let stacks: [(StaticString, [ResolvedFrame])] = [
    ("allocated", symbolicated.allocated), ("deallocated", symbolicated.deallocated),
  ]
  for (name, frames) in stacks {
    json.array(name, frames.enumerated()) { json, frame in
      json.object { writeFrame(frame.element, index: frame.offset, symbolicated.report, to: &$0) }
    }
  }
}

private func writeReasoning(_ reasoning: Reasoning, to json: inout JSONWriter) {
  if !reasoning.skipped.isEmpty {
    json.array("skipped", reasoning.skipped) { json, skipped in
      json.object { json in
        writeLocation(skipped.frame, to: &json)
        json.field("reason", skipped.reason.rawValue)
      }
    }
  }
  if !reasoning.rejected.isEmpty {
    json.array("rejected", reasoning.rejected) { json, rejected in
      json.object { json in
        json.field("rule", rejected.rule)
        json.field("condition", rejected.condition)
      }
    }
  }
  if !reasoning.signature.isEmpty {
    json.array("signatureFrames", reasoning.signature) { json, frame in
      json.object { json in
        writeLocation(frame.frame, to: &json)
        json.field("function", frame.function)
        json.field("use", frame.use.rawValue)
      }
    }
  }
}

private func writeFaultStatement(
  _ statement: FaultStatement, _ diagnosis: Diagnosis, to json: inout JSONWriter
) {
  json.field("text", statement.text)
  json.field("confidence", statement.confidence.rawValue)
  writeEvidence(statement.evidence, diagnosis, to: &json)
  json.array("candidates", statement.members) { json, member in
    json.object {
      $0.field("expression", member.expression)
      $0.field("offset", member.offset)
      $0.field("type", member.type)
    }
  }
}

func writeDecoded(_ code: DecodedCode, to json: inout JSONWriter) {
  json.field("kind", code.kind)
  json.field("title", code.title)
  json.field("value", code.value.map(hexadecimal))
  json.field("name", code.name)
  json.field("meaning", code.meaning)
  if !code.parts.isEmpty {
    json.array("parts", code.parts) { json, part in
      json.object {
        $0.field("field", part.field)
        $0.field("label", part.label)
        $0.field("value", part.value.map(hexadecimal))
        $0.field("text", part.text)
        $0.field("meaning", part.meaning)
      }
    }
  }
}

func writeBlame(_ blame: LineHistory, to json: inout JSONWriter) {
  switch blame {
  case .unknown(let reason): json.field("reason", reason.rawValue)
  case .change(let change):
    json.field("commit", change.commit)
    json.field("author", change.author)
    json.field("date", change.date)
    json.field("summary", change.summary)
    if change.isOldest { json.field("oldest", true) }
  }
}

private func writeThread(
  _ thread: ThreadRecord, _ frames: [ResolvedFrame], _ report: CrashReport,
  _ variables: [Int: [[Variable]]], to json: inout JSONWriter
) {
  json.field("index", thread.index)
  json.field("id", thread.id)
  json.field("name", thread.name)
  json.field("queue", thread.queue)
  json.field("crashed", thread.isCrashed)
  json.field("sampleCount", thread.sampleCount)
  writeFrames(frames, report, variables, to: &json)
}

private func writeFrames(
  _ frames: [ResolvedFrame], _ report: CrashReport, _ variables: [Int: [[Variable]]],
  to json: inout JSONWriter
) {
  json.array("frames", frames.enumerated()) { json, frame in
    json.object {
      writeFrame(frame.element, index: frame.offset, report, variables[frame.offset] ?? [], to: &$0)
    }
  }
}

/// Writes the nodes in pre-order, each a frame with its depth in the tree.
private func writeCallTree(
  _ entries: [CallTreeEntry], _ frames: [ResolvedFrame], _ report: CrashReport, to json: inout JSONWriter
) {
  guard !entries.isEmpty else { return }
  json.array("callTree", zip(entries, frames).enumerated()) { json, node in
    let (entry, frame) = node.element
    json.object { json in
      json.field("depth", entry.depth)
      json.field("sampleCount", entry.sampleCount)
      json.field("state", entry.state)
      writeFrame(frame, index: node.offset, report, to: &json)
    }
  }
}

private func writeFrame(
  _ frame: ResolvedFrame, index: Int, _ report: CrashReport, _ variables: [[Variable]] = [],
  to json: inout JSONWriter
) {
  let captured = frame.captured
  json.field("index", index)
  json.field("kind", captured.kind.rawValue)
  json.field("address", hexadecimal: captured.address?.rawValue)
  json.field("image", captured.imageName ?? frame.image.flatMap { report.images[$0].name })
  json.field("imageIndex", frame.image)
  json.field("imageOffset", captured.imageOffset?.rawValue)
  json.field("reportedSymbol", captured.reportedSymbol)
  json.field("reportedSymbolOffset", captured.reportedSymbolOffset)
  json.field("reportedFile", captured.reportedFile)
  json.field("reportedLine", captured.reportedLine)
  if captured.isInlined { json.field("reportedInlined", true) }
  json.field("sampleCount", captured.sampleCount)
  json.field("resolution", frame.resolution.rawValue)
  if let reason = frame.reason { json.field("reason", reason.rawValue) } else { json.null("reason") }
  json.field("inApp", frame.isInApp)
  json.field("guess", frame.isGuess)
  if frame.isRecovered { json.field("recovered", true) }
  json.field("sightings", frame.learned?.sightings)
  json.field("since", frame.learned?.since)
  if !frame.foldedNames.isEmpty { json.strings("foldedNames", frame.foldedNames) }
  json.array("locations", frame.locations.enumerated()) { json, location in
    json.object { json in
      writeLocation(location.element, to: &json)
      if variables.indices.contains(location.offset) {
        writeVariables(variables[location.offset], to: &json)
      }
    }
  }
}

func writeLocation(_ frame: SourceFrame, to json: inout JSONWriter) {
  json.field("function", frame.function)
  json.field("linkageName", frame.linkageName)
  json.field("file", frame.location?.shownFile)
  json.field("line", frame.location?.line)
  json.field("column", frame.location?.column)
  json.field("inlined", frame.isInlined)
  json.field("symbolOffset", frame.symbolOffset)
}

private func writeImage(_ image: BinaryImage, _ match: ImageMatch, index: Int, to json: inout JSONWriter) {
  json.field("index", index)
  json.field("name", image.name)
  json.field("path", image.path)
  json.field("id", image.id)
  json.field("arch", image.architecture?.rawValue)
  json.field("start", hexadecimal: image.start.rawValue)
  json.field("end", hexadecimal: image.end?.rawValue)
  if let file = match.debugFile { json.field("debugFile", file) } else { json.null("debugFile") }
  json.field("status", match.status.rawValue)
  if match.isGuess { json.field("guess", true) }
  json.array("attempts", match.attempts) { json, attempt in
    json.object {
      $0.field("path", attempt.path)
      $0.field("id", attempt.id)
      $0.field("outcome", attempt.outcome.rawValue)
      $0.field("message", attempt.message)
    }
  }
}

/// The instruction at which a thread stopped: `threads[n].instruction` of crashread-json(5).
func writeInstruction(_ statement: InstructionStatement, to json: inout JSONWriter) {
  json.field("address", hexadecimal: statement.address)
  json.field("bytes", hexDigits(statement.bytes))
  json.field("text", statement.text)
  if let operand = statement.operand {
    json.object("operand") { json in
      json.field("text", operand.text)
      json.field("address", operand.address.map(hexadecimal))
      json.field("size", operand.size)
      json.field("access", operand.access)
      if let matches = operand.matchesFault { json.field("matchesFault", matches) }
    }
  }
  if let origin = statement.origin {
    json.object("origin") { json in
      json.field("kind", origin.kind.rawValue)
      json.field("text", origin.text)
      json.field("variable", origin.variable)
    }
  }
  if !statement.before.isEmpty { json.strings("before", statement.before) }
  if !statement.after.isEmpty { json.strings("after", statement.after) }
}
