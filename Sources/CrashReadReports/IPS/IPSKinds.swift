extension IPSReport {
  /// The reports in the two documents of an .ips file: one, except that a stackshot covers several processes.
  static func reports(header: JSONValue, body: JSONValue) -> [CrashReport] {
    let report = read(header: header, body: body)
    if let text = panicText(body, report.kind) {
      return [panic(text, report, causedBy: header["caused_by"].string ?? body["caused_by"].string)]
    }
    if !body["processes"].isNull || !body["largestProcess"].isNull {
      return [JetsamEvent(body).completing(report)]
    }
    if let reset = gpuReset(body, report) { return [reset] }
    return Stackshot(body)?.reports(completing: report) ?? [report]
  }

  /// A GPU event of Apple silicon (`gpuEvent-NAME-….ips`), in the words of the reports that Intel Macs write of a reset.
  private static func gpuReset(_ body: JSONValue, _ known: CrashReport) -> CrashReport? {
    guard let reason = body["analysis"]["restart_reason_desc"].string ?? body["restart_reason_desc"].string
    else {
      return nil
    }
    var report = known
    report.kind = .other
    report.header.process = report.header.process ?? body["process_name"].string
    report.applicationSpecificInformation += ["Event: GPU Reset", "Signature: " + reason]
    return report
  }

  /// The text of a panic, in one of several members, whose names differ by system.
  ///
  /// A Mac with a T2 chip states the texts of both processors; the chip's says only that the other one doesn't respond.
  /// Firmware records a panic as a message without the kernel's line.
  private static func panicText(_ body: JSONValue, _ kind: ReportKind) -> String? {
    let texts = ["macOSPanicString", "panicString", "string"].compactMap { body[$0].string }
    let full = texts.first { Bytes(Array($0.utf8)).firstRange(of: "panic(") != nil }
    return full ?? (kind == .panic ? body["panicString"].string : nil)
  }

  private static func panic(_ text: String, _ known: CrashReport, causedBy: String?) -> CrashReport {
    guard var report = PanicReport.report(inField: Bytes(Array(text.utf8))) else { return known }
    if let causedBy { report.applicationSpecificInformation.append("Caused by: " + causedBy) }
    let header = report.header
    report.header = known.header
    report.header.process = header.process ?? known.header.process
    report.header.pid = header.pid ?? known.header.pid
    report.header.osVersion = known.header.osVersion ?? header.osVersion
    report.header.hardwareModel = known.header.hardwareModel ?? header.hardwareModel
    // The lines were counted in the string, not in the file.
    report.clearLineNumbers()
    return report
  }
}

extension CrashReport {
  fileprivate mutating func clearLineNumbers() {
    for thread in threads.indices {
      for frame in threads[thread].frames.indices { threads[thread].frames[frame].line = nil }
    }
    for image in images.indices { images[image].line = nil }
    for note in notes.indices { notes[note].line = nil }
  }
}
