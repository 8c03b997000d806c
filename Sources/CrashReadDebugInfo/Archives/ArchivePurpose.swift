/// What an archive is opened for, which tells the files that are taken out of it.
package enum ArchivePurpose: Sendable {
  case symbols, reports

  /// Whether a file is taken out, by its name and its first bytes.
  func wants(_ name: String, _ head: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .symbols: isForSymbols(name, head)
    case .reports: isForReports(name, head)
    }
  }
}

/// Binaries, what belongs into a dSYM, and the names that Apple's bitcode compiler hid.
private func isForSymbols(_ name: String, _ head: ArraySlice<UInt8>) -> Bool {
  isBinary(head) || name.hasSuffix(".bcsymbolmap") || name.hasSuffix(".plist") && name.contains(".dSYM/")
}

/// A result bundle's objects, text, and PLCrashReporter's files. Of what a whole device tells, only what it calls reports:
/// the rest is thousands of lists.
private func isForReports(_ name: String, _ head: ArraySlice<UInt8>) -> Bool {
  let parts = name.split(separator: "/")
  guard let last = parts.last, !parts.contains(where: { $0.hasPrefix("._") || $0 == "__MACOSX" }) else {
    return false
  }
  if parts.dropLast().last == "Data", last.hasPrefix("data.") || last.hasPrefix("refs.") { return true }
  if parts.contains(where: { $0.hasPrefix("sysdiagnose_") }) {
    return parts.contains { ["crashes_and_spins", "Panics"].contains($0) } && isText(head)
  }
  if parts.contains(where: { $0.hasSuffix(".logarchive") || $0.hasSuffix(".dSYM") }) { return false }
  return head.starts(with: "plcrash".utf8) || isText(head)
}

/// Whether bytes can begin a text: no NUL among the first, or the mark of UTF-16 before it.
private func isText(_ head: ArraySlice<UInt8>) -> Bool {
  guard !head.starts(with: "bplist".utf8) else { return false }
  return !head.prefix(512).contains(0) || head.starts(with: [0xff, 0xfe]) || head.starts(with: [0xfe, 0xff])
}
