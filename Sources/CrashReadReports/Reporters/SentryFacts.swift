internal import CrashReadCore

/// Reads the context `crashread` that `--format=sentry` writes: statements for which Sentry has no field.
struct SentryFacts {
  private let facts: JSONValue
  private let frames: SentryFrames

  /// Nil for an event of another sender.
  init?(event: JSONValue, frames: SentryFrames) {
    facts = event["contexts"]["crashread"]
    self.frames = frames
    guard facts["report"].isObject else { return nil }
  }

  /// Adds everything to a report; its frames then state the kinds of their addresses.
  func complete(_ report: inout CrashReport) {
    readFormat(&report)
    readHeader(&report)
    report.exception = facts["exception"].isObject ? exception : nil
    report.termination = facts["termination"].isObject ? termination : nil
    let uncaught = facts["uncaughtException"]
    report.uncaughtException =
      uncaught.isObject
      ? UncaughtException(name: uncaught["name"].string, reason: uncaught["reason"].string) : nil
    report.vmRegionInfo = facts["vmRegionInfo"].string
    report.applicationSpecificInformation = texts("applicationSpecificInformation")
    for remark in facts["systemRemarks"].elements {
      if let heading = remark["heading"].string { report.addRemark(heading, remark["text"].string) }
    }
    report.lastExceptionBacktrace = backtrace(facts["lastExceptionBacktrace"])
    report.applicationSpecificBacktraces = facts["applicationSpecificBacktraces"].elements.map(backtrace)
    report.allocation = facts["allocation"].isObject ? allocation : nil
    for (index, thread) in facts["threads"].elements.enumerated() where report.threads.indices.contains(index)
    {
      read(thread, into: &report.threads[index])
    }
    for (index, image) in facts["images"].elements.enumerated() where report.images.indices.contains(index) {
      report.images[index].name = image["name"].string
      report.images[index].version = image["version"].string
      report.images[index].isMarkedAsApp = image["app"].isTrue
    }
  }

  /// Sets the format of a sanitizer's report, whose terms rules read only in such reports.
  private func readFormat(_ report: inout CrashReport) {
    if facts["report"]["format"].string == ReportFormat.sanitizer.rawValue { report.format = .sanitizer }
  }

  private func texts(_ name: String) -> [String] {
    facts[name].elements.compactMap(\.anyText)
  }

  private func readHeader(_ report: inout CrashReport) {
    let source = facts["report"]
    if let kind = source["kind"].string.flatMap(ReportKind.init(rawValue:)) { report.kind = kind }
    report.header.incident = source["incident"].string
    report.header.date = source["date"].string
    report.header.launchDate = source["launchDate"].string
    report.header.process = source["process"].string
    report.header.pid = source["pid"].integer
    report.header.path = source["path"].string
    report.header.bundleID = source["bundleID"].string
    report.header.version = source["version"].string
    report.header.build = source["build"].string
    report.header.codeType = source["codeType"].string
    report.header.hardwareModel = source["hardwareModel"].string
    report.header.osVersion = source["osVersion"].string
    report.header.parentProcess = source["parentProcess"].string
  }

  private var exception: ExceptionRecord {
    let source = facts["exception"]
    var record = ExceptionRecord()
    record.type = source["type"].string
    record.signal = source["signal"].string
    record.codes = source["codes"].elements.compactMap(\.bits)
    record.codesText = source["codesText"].string
    record.subtype = source["subtype"].string
    record.message = source["message"].string
    record.note = source["note"].string
    return record
  }

  private var termination: TerminationRecord {
    let source = facts["termination"]
    var record = TerminationRecord()
    record.namespace = source["namespace"].string
    record.code = source["code"].bits
    record.indicator = source["indicator"].string
    record.byProcess = source["byProcess"].string
    record.details = source["details"].elements.compactMap(\.string)
    return record
  }

  private var allocation: AllocationRecord {
    let source = facts["allocation"]
    var record = AllocationRecord()
    record.errorType = source["errorType"].string
    record.address = source["address"].bits
    record.size = source["size"].bits
    record.isFreed = source["isFreed"].bool
    record.confidence = source["confidence"].string
    record.allocated = backtrace(source["allocated"])
    record.deallocated = backtrace(source["deallocated"])
    return record
  }

  private func backtrace(_ source: JSONValue) -> [Frame] {
    var found = frames.backtrace(source).frames
    mark(&found, source)
    return found
  }

  private func read(_ source: JSONValue, into thread: inout ThreadRecord) {
    thread.id = source["id"].string
    thread.name = source["name"].string
    thread.queue = source["queue"].string
    thread.sampleCount = source["sampleCount"].integer
    thread.omittedFrameCount = source["omittedFrameCount"].integer
    mark(&thread.frames, source)
    if var state = thread.state {
      state.flavor = source["flavor"].string
      for index in state.registers.indices {
        let name = state.registers[index].name
        state.registers[index].meaning = source["registerMeanings"][name].string
        state.registers[index].freedClass = source["freedClasses"][name].string
      }
      thread.state = state
    }
    thread.code = CodeBytes(before: bytes(source["codeBefore"]), at: bytes(source["codeAt"]))
  }

  private func bytes(_ source: JSONValue) -> [UInt8] {
    let digits = (source.string ?? "").utf8.compactMap(\.hexDigitValue)
    return stride(from: 1, to: digits.count, by: 2).map { digits[$0 - 1] << 4 | digits[$0] }
  }

  private func mark(_ frames: inout [Frame], _ source: JSONValue) {
    for kind in [FrameKind.programCounter, .asyncResumePoint, .omitted, .truncated] {
      for index in positions(source[kind.rawValue], in: frames) { frames[index].kind = kind }
    }
    for index in positions(source["inlined"], in: frames) { frames[index].isInlined = true }
    for index in positions(source["managed"], in: frames) { frames[index].isManaged = true }
    // A line stated by a report is otherwise assumed to be the app's.
    for index in positions(source["systemLines"], in: frames) {
      (frames[index].reportedFile, frames[index].reportedLine) = (nil, nil)
    }
    for (name, value) in source["imageNames"].members {
      if let index = Int(name), frames.indices.contains(index) { frames[index].imageName = value.string }
    }
    for index in positions(source["recoveredCallers"], in: frames) { frames[index].isRecovered = true }
    let recovered = Set(positions(source["recovered"], in: frames))
    if !recovered.isEmpty { frames = frames.indices.filter { !recovered.contains($0) }.map { frames[$0] } }
  }

  private func positions(_ source: JSONValue, in frames: [Frame]) -> [Int] {
    source.elements.compactMap(\.integer).filter(frames.indices.contains)
  }
}
