internal import CrashRead

/// Asks the history of the checkout who last changed the blamed line.
func lineHistory(of analysis: ReportAnalysis) -> LineHistory {
  guard let excerpt = analysis.excerpt else { return .unknown(.noSource) }
  // The path comes from debug info, which a stranger may have written: only below a source root is it asked about.
  guard excerpt.relativePath != nil else { return .unknown(.notInCheckout) }
  let path = canonicalPath(excerpt.path)
  guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/") else { return .unknown(.notInCheckout) }
  let folder = String(path[...slash])
  let name = String(path[path.index(after: slash)...])
  let lines = "\(excerpt.markedLine),\(excerpt.markedLine)"
  switch git(in: folder, ["blame", "--no-textconv", "--porcelain", "-L", lines, "--", name]) {
  case .exited(0, let output):
    let history = history(porcelain: String(decoding: output, as: UTF8.self))
    guard case .change(var change) = history, change.isOldest else { return history }
    change.isOldest = isShallow(folder)
    return .change(change)
  // The shell's way to say that there is no such program; some systems start a process before they know.
  case .exited(127, _), .failed: return .unknown(.noGit)
  case .exited, .signalled: return .unknown(.untracked)
  case .stopped: return .unknown(.timedOut)
  }
}

/// Runs Git so that nothing of the repository's own configuration runs a program or uses the network.
private func git(in folder: String, _ arguments: [String]) -> ChildOutcome {
  let always = [
    "git", "--literal-pathspecs", "--no-optional-locks", "-c", "core.fsmonitor=false", "-c",
    "protocol.allow=never",
    "-C", folder,
  ]
  return runProgram(always + arguments, seconds: 10, limit: 1 << 20)
}

/// Whether the repository lacks its older commits. Git calls the very first commit a boundary, too.
private func isShallow(_ folder: String) -> Bool {
  git(in: folder, ["rev-parse", "--is-shallow-repository"]) == .exited(0, output: Array("true\n".utf8))
}

/// Reads the first entry of `git blame --porcelain` (git-blame(1), "THE PORCELAIN FORMAT").
func history(porcelain text: String) -> LineHistory {
  let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
  // The source line, which begins with a tab, ends the entry.
  let fields = lines.prefix { !$0.hasPrefix("\t") }
  guard let commit = fields.first?.split(separator: " ").first, commit.count >= 40,
    commit.allSatisfy(\.isHexDigit)
  else { return .unknown(.untracked) }
  if commit.allSatisfy({ $0 == "0" }) { return .unknown(.notCommitted) }
  func value(_ key: String) -> String? {
    fields.first { $0.hasPrefix(key + " ") }.map { String($0.dropFirst(key.count + 1)) }
  }
  return .change(
    LineChange(
      commit: String(commit), author: value("author") ?? "",
      date: isoDate(seconds: value("author-time") ?? "", zone: value("author-tz") ?? ""),
      summary: value("summary") ?? "", isOldest: fields.contains("boundary")))
}

/// Seconds since 1970 and an offset like `+0900` as `2025-01-01T09:00:12+09:00`; empty when they aren't that.
private func isoDate(seconds: String, zone: String) -> String {
  guard let seconds = Int(seconds), let offset = Int(zone), zone.utf8.count == 5 else { return "" }
  let (local, isTooBig) = seconds.addingReportingOverflow((offset / 100 * 60 + offset % 100) * 60)
  guard !isTooBig, let date = UInt64(exactly: local).flatMap(utcDate) else { return "" }
  return date.dropLast() + zone.prefix(3) + ":" + zone.suffix(2)
}
