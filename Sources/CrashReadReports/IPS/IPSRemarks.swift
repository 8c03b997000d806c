internal import CrashReadCore

/// What the system notes in separate members of an .ips body, under the headings of text reports.
struct IPSRemarks {
  let body: JSONValue

  /// Adds all of them to a report.
  func add(to report: inout CrashReport) {
    for line in (body["ktriageinfo"].string ?? "").lines {
      report.addRemark(SystemRemark.kernelTriage, String(line))
    }
    addModifications(to: &report)
    for line in body["asiSignatures"].elements.compactMap(\.string) {
      report.addRemark(SystemRemark.signatures, line)
    }
    report.addRemark(SystemRemark.role, body["procRole"].string)
    report.addRemark(SystemRemark.dataProtection, lockState)
    report.addRemark(SystemRemark.thermalPressure, body["thermalPressureLevel"].text)
    if !body["os_fault"].isNull {
      report.addRemark(SystemRemark.fault, body["os_fault"]["process"].string ?? "unknown process")
    }
  }

  /// What other processes did to this one: `targeted` counts the calls by kind.
  private func addModifications(to report: inout CrashReport) {
    for call in ["task_for_pid", "thread_create", "thread_set_state"] {
      guard let count = body["extMods"]["targeted"][call].integer, count > 0 else { continue }
      report.addRemark(SystemRemark.externalModification, "\(call): \(count)")
    }
  }

  /// Whether files with data protection could be read.
  private var lockState: String? {
    if body["wasUnlockedSinceBoot"].integer == 0 { return "not unlocked since boot" }
    return body["isLocked"].isTrue ? "locked" : nil
  }
}
