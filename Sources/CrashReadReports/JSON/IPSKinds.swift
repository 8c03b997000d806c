extension IPSReport {
  /// The reports in the two documents of an .ips file: one, except that a stackshot is about several processes.
  static func reports(header: JSONValue, body: JSONValue) -> [CrashReport] {
    let report = read(header: header, body: body)
    if let text = panicText(body) { return [panic(text, report)] }
    if !body["processes"].isNull || !body["largestProcess"].isNull {
      return [JetsamEvent(body).completing(report)]
    }
    return Stackshot(body)?.reports(completing: report) ?? [report]
  }

  /// The names differ by system.
  private static func panicText(_ body: JSONValue) -> String? {
    ["panicString", "macOSPanicString", "string"].lazy.compactMap { body[$0].string }
      .first { Bytes(Array($0.utf8)).firstRange(of: "panic(") != nil }
  }

  private static func panic(_ text: String, _ known: CrashReport) -> CrashReport {
    guard var report = PanicReport.reports(in: Bytes(Array(text.utf8)), firstLine: 1).first else {
      return known
    }
    let header = report.header
    report.header = known.header
    report.header.process = header.process ?? known.header.process
    report.header.pid = header.pid ?? known.header.pid
    report.header.osVersion = known.header.osVersion ?? header.osVersion
    report.header.hardwareModel = known.header.hardwareModel ?? header.hardwareModel
    // Lines were counted in the string, not in the file.
    report.forgetLines()
    return report
  }
}

extension CrashReport {
  fileprivate mutating func forgetLines() {
    for thread in threads.indices {
      for frame in threads[thread].frames.indices { threads[thread].frames[frame].line = nil }
    }
    for image in images.indices { images[image].line = nil }
    for note in notes.indices { notes[note].line = nil }
  }
}
