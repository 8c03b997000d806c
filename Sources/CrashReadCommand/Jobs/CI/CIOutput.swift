internal import CrashRead
internal import CrashReadSystem

/// Writes results in the form a CI system expects: annotations, a folded report, the summary of the step.
struct CIOutput {
  private let setting: ReportSetting
  private let ciEnvironment: CIEnvironment
  private let output: ReportOutput
  private static let title = "crashread"
  /// The maximum size of a summary that GitHub accepts: 1 MiB.
  private static let summaryLimit = 1 << 20

  init(_ setting: ReportSetting, _ ciEnvironment: CIEnvironment) {
    self.setting = setting
    self.ciEnvironment = ciEnvironment
    output = ReportOutput(setting)
  }

  /// Writes to the targets in the formats given by the options, or as the CI system expects it.
  ///
  /// - Returns: Whether everything could be written.
  func write(_ analyses: [ReportAnalysis], to console: inout Console) -> Bool {
    let results = analyses.map { InputResult.analysis($0) }
    guard setting.options.format == nil, setting.options.outputs.isEmpty else {
      return output.write(results, to: &console)
    }
    switch ciEnvironment.system {
    case .github: return results.isEmpty || writeForGitHub(results, &console)
    case .gitlab: return writeForGitLab(results, &console)
    case .other: return output.write(results, to: &console)
    }
  }

  /// Writes annotations and the report. The report may contain lines that the runner would take for commands, so these
  /// are disabled while it is written.
  private func writeForGitHub(_ results: [InputResult], _ console: inout Console) -> Bool {
    let token = String(UInt64.random(in: .min ... .max), radix: 16)
    console.write("::group::\(Self.title)\n::stop-commands::\(token)\n")
    console.write(output.text(of: results, as: .text, on: Surface()))
    console.write("::\(token)::\n::endgroup::\n")
    console.write(output.text(of: results, as: .github, on: Surface()))
    guard let summary = ciEnvironment.stepSummary else { return true }
    let text = output.text(of: results, as: .markdown, on: Surface())
    return save(shortened(text), to: summary, appends: true, checkouts: [], &console)
  }

  /// Sections: docs.gitlab.com, "Job logs", "Custom collapsible sections".
  private func writeForGitLab(_ results: [InputResult], _ console: inout Console) -> Bool {
    if !results.isEmpty { writeSection(results, &console) }
    // Without the file, the job's artifact would be missing, and GitLab would keep showing the findings of an earlier
    // run.
    let path = ciEnvironment.projectFolder + "/gl-code-quality-report.json"
    let text = output.text(of: results, as: .gitlab, on: Surface())
    return save(text, to: path, appends: false, checkouts: [ciEnvironment.projectFolder], &console)
  }

  private func writeSection(_ results: [InputResult], _ console: inout Console) {
    let time = FileTime.now.nanoseconds / 1_000_000_000
    console.write("\u{1b}[0Ksection_start:\(time):crashread\r\u{1b}[0K\(Self.title)\n")
    console.write(output.text(of: results, as: .text, on: Surface()))
    console.write("\u{1b}[0Ksection_end:\(time):crashread\r\u{1b}[0K\n")
  }

  private func shortened(_ text: String) -> String {
    guard text.utf8.count > Self.summaryLimit else { return text }
    // As many whole lines as fit into the limit.
    let head = text.utf8.prefix(Self.summaryLimit - 1)
    let end = head.lastIndex(of: UInt8(ascii: "\n")) ?? head.startIndex
    return String(decoding: head[..<end], as: UTF8.self) + "\n"
  }

  private func save(
    _ text: String, to path: String, appends: Bool, checkouts: [String], _ console: inout Console
  ) -> Bool {
    do throws(SystemError) {
      var file = try openOutput(path, appends: appends, checkouts: checkouts)
      file.write(text)
      try file.close()
      return true
    } catch {
      console.error("cannot write: \(error.reason)", file: path)
      return false
    }
  }
}
