internal import CrashRead
internal import CrashReadSystem

/// Asks Git who last changed the blamed line.
///
/// Only the commit that is checked out is examined, never the working files: for those, Git would run programs named in
/// the repository's own configuration and attributes.
func lineHistory(of analysis: ReportAnalysis, _ ciEnvironment: CIEnvironment) -> LineHistory {
  guard let excerpt = analysis.excerpt else { return .unknown(.noSource) }
  // The path comes from debug info, which isn't trusted: only files below a source root are looked up.
  guard let relativePath = excerpt.relativePath else { return .unknown(.notInCheckout) }
  let path = canonicalPath(excerpt.path)
  guard path.hasSuffix("/" + relativePath) else { return .unknown(.notInCheckout) }
  guard let repository = GitRepository(holding: String(path.dropLast(relativePath.utf8.count + 1))),
    let name = repository.top.remainder(of: path)
  else { return .unknown(.untracked) }
  do throws(SystemError) {
    let git = try ConfinedGit(repository, below: ciEnvironment.temporaryFolder)
    return git.blame(name, line: excerpt.markedLine, in: repository.top)
  } catch {
    return .unknown(.noGit)
  }
}

extension ConfinedGit {
  private static let maximumBytes = 16 << 20

  fileprivate func blame(_ name: String, line: Int, in folder: ConfinedFolder) -> LineHistory {
    guard
      case .exited(0, let committed) = run(["cat-file", "blob", "HEAD:" + name], limit: Self.maximumBytes),
      let present = try? folder.readFile(name, limit: Self.maximumBytes)
    else { return .unknown(.untracked) }
    guard let line = lineNumber(line, of: present, in: committed) else { return .unknown(.notCommitted) }
    switch run(
      ["blame", "--no-textconv", "--porcelain", "-L", "\(line),\(line)", "HEAD", "--", name], limit: 1 << 20)
    {
    case .exited(0, let output):
      let history = history(porcelain: String(decoding: output, as: UTF8.self))
      guard case .change(var change) = history, change.isOldest else { return history }
      // Git also calls a repository's first commit a boundary.
      change.isOldest = isShallow
      return .change(change)
    case .failed: return .unknown(.noGit)
    case .exited, .signalled: return .unknown(.untracked)
    case .stopped: return .unknown(.timedOut)
    }
  }
}

/// The number of a line in an older version of a text; nil when the line may have changed.
///
/// Only common prefixes and suffixes count as equal. Line ends are ignored, since Git may have converted them.
func lineNumber(_ line: Int, of present: [UInt8], in committed: [UInt8]) -> Int? {
  if present == committed { return line }
  let (new, old) = (lines(present), lines(committed))
  let same = zip(new, old).prefix { $0.elementsEqual($1) }.count
  if line <= same { return line }
  let sameEnd = zip(new.dropFirst(same).reversed(), old.dropFirst(same).reversed())
    .prefix { $0.elementsEqual($1) }.count
  return line > new.count - sameEnd ? line - new.count + old.count : nil
}

private func lines(_ text: [UInt8]) -> [ArraySlice<UInt8>] {
  text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map {
    $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0
  }
}

/// Parses the first entry of `git blame --porcelain` (git-blame(1), "THE PORCELAIN FORMAT").
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

/// Seconds since 1970 and an offset like `+0900` as `2025-01-01T09:00:12+09:00`; empty for anything else.
private func isoDate(seconds: String, zone: String) -> String {
  guard let seconds = Int(seconds), let offset = Int(zone), zone.utf8.count == 5 else { return "" }
  let (local, isTooBig) = seconds.addingReportingOverflow((offset / 100 * 60 + offset % 100) * 60)
  guard !isTooBig, let date = UInt64(exactly: local).flatMap(utcDate) else { return "" }
  return date.dropLast() + zone.prefix(3) + ":" + zone.suffix(2)
}
