internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Statements of a report for which Sentry has no field: the event's context `crashread`, which `SentryFacts` reads.
struct SentryFactsWriter {
  private let report: CrashReport
  private let stacks: SentryStacks
  private let crash: TrackedCrash
  private let symbolicated: SymbolicatedReport

  init(_ diagnosis: Diagnosis, _ stacks: SentryStacks) {
    (symbolicated, report) = (diagnosis.symbolicated, diagnosis.symbolicated.report)
    (crash, self.stacks) = (TrackedCrash(diagnosis), stacks)
  }

  func write(to json: inout JSONWriter) {
    json.object("report") { writeHeader(report, to: &$0) }
    if let exception = report.exception {
      json.object("exception") { json in
        writeException(exception, to: &json)
        json.field("codesText", exception.codesText)
      }
    }
    writeEnd(of: report, to: &json)
    json.strings("applicationSpecificInformation", report.applicationSpecificInformation)
    writeRemarks(of: report, to: &json)
    writeStack("lastExceptionBacktrace", symbolicated.lastExceptionBacktrace, to: &json)
    json.array("applicationSpecificBacktraces", symbolicated.applicationSpecificBacktraces) { json, frames in
      json.object { writeStack(frames, to: &$0) }
    }
    if let record = report.allocation { json.object("allocation") { write(record, to: &$0) } }
    json.array("threads", report.threads.indices) { json, index in json.object { writeThread(index, to: &$0) }
    }
    json.array("images", report.images) { json, image in
      json.object { json in
        json.field("name", image.name)
        json.field("version", image.version)
        if image.isMarkedAsApp { json.field("app", true) }
      }
    }
  }

  private func writeThread(_ index: Int, to json: inout JSONWriter) {
    let thread = report.threads[index]
    json.field("id", thread.id)
    json.field("name", thread.name)
    json.field("queue", thread.queue)
    json.field("sampleCount", thread.sampleCount)
    json.field("omittedFrameCount", thread.omittedFrameCount)
    writeMarks(symbolicated.threads[index], to: &json)
    if let state = thread.state {
      json.field("flavor", state.flavor)
      json.object("registerMeanings") { json in
        for register in state.registers { json.field(key: register.name, register.meaning) }
      }
      json.object("freedClasses") { json in
        for register in state.registers { json.field(key: register.name, register.freedClass) }
      }
    }
    if let code = thread.code {
      json.field("codeBefore", hexDigits(code.bytes.prefix(code.countBefore)))
      json.field("codeAt", hexDigits(code.bytes.dropFirst(code.countBefore)))
    }
  }

  private func write(_ record: AllocationRecord, to json: inout JSONWriter) {
    json.field("errorType", record.errorType)
    json.field("address", record.address.map { hexadecimal($0) })
    json.field("size", record.size)
    if let isFreed = record.isFreed { json.field("isFreed", isFreed) }
    json.field("confidence", record.confidence)
    writeStack("allocated", symbolicated.allocated, to: &json)
    writeStack("deallocated", symbolicated.deallocated, to: &json)
  }

  private func writeStack(_ name: StaticString, _ frames: [ResolvedFrame], to json: inout JSONWriter) {
    if !frames.isEmpty { json.object(name) { writeStack(frames, to: &$0) } }
  }

  private func writeStack(_ frames: [ResolvedFrame], to json: inout JSONWriter) {
    stacks.write(frames, to: &json)
    writeMarks(frames, to: &json)
  }

  /// Writes properties for which Sentry's frames have no field: the positions, innermost first, of frames that aren't
  /// return addresses, that are inlined, or that run in a virtual machine.
  private func writeMarks(_ frames: [ResolvedFrame], to json: inout JSONWriter) {
    let rows = BacktraceRow.rows(frames)
    func positions(_ name: StaticString, _ holds: (BacktraceRow) -> Bool) {
      let found = rows.indices.filter { holds(rows[$0]) }
      if !found.isEmpty { json.array(name, found) { $0.value(String($1)) } }
    }
    positions("programCounter") { $0.frame.captured.kind == .programCounter }
    positions("asyncResumePoint") { $0.frame.captured.kind == .asyncResumePoint }
    positions("omitted") { $0.frame.captured.kind == .omitted }
    positions("truncated") { $0.frame.captured.kind == .truncated }
    positions("inlined", \.isInlined)
    positions("managed", \.frame.captured.isManaged)
    positions("systemLines") { $0.function != nil && !$0.frame.isInApp }
    let named = rows.indices.filter {
      rows[$0].frame.captured.imageName != crash.imageName(of: rows[$0].frame)
    }
    if !named.isEmpty {
      json.object("imageNames") { json in
        for index in named { json.field(key: String(index), rows[index].frame.captured.imageName ?? "") }
      }
    }
    // Without a name, the frame is recovered again when the event is read.
    positions("recovered") { $0.frame.isRecovered && $0.function == nil }
    // With a name, it is kept, and isn't part of the signature.
    positions("recoveredCallers") { $0.frame.isRecovered && $0.function != nil }
  }
}
