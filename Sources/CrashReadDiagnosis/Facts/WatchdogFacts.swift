internal import CrashReadVerdict

extension CrashFacts {
  private static let applicationTime = TextPattern(
    "Elapsed application CPU time (seconds): {seconds}, {percent}% CPU")
  private static let totalTime = TextPattern("Elapsed total CPU time (seconds): {seconds} (user")
  private static let allowances = [
    TextPattern("time allowance of {seconds} seconds"),
    TextPattern("Failed to terminate gracefully after {seconds}s"),
  ]

  /// Adds the CPU time used until the watchdog killed the process, as it states.
  mutating func addWatchdogTimes() {
    guard let (used, evidence) = seconds(by: Self.applicationTime) else { return }
    set(.applicationTime, used, evidence)
    if let (total, evidence) = seconds(by: Self.totalTime) { set(.totalTime, total, evidence) }
    let allowance = Self.allowances.compactMap { seconds(by: $0) }.first
    guard let allowed = allowance.flatMap({ Double($0.text) }), allowed > 0, let used = Double(used),
      let share = UInt64(exactly: (used / allowed * 100).rounded())
    else { return }
    numbers[.busyShare] = Fact(share, evidence)
  }

  private func seconds(by pattern: TextPattern?) -> (text: String, evidence: Evidence)? {
    for line in texts[.text] ?? [] {
      if let text = pattern?.match(line.bytes)?["seconds"] { return (text, line.evidence) }
    }
    return nil
  }
}
