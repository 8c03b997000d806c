internal import CrashReadCore

// Paths: whose home folder it is, and the names of folders and files in it.
extension PersonalData {
  /// The length of the path separator at a position: `/`, `\/` as in JSON, `\`, `\\`; 0 for none.
  private func separator(at index: Int) -> Int {
    guard index < bytes.count else { return 0 }
    if bytes[index] == UInt8(ascii: "/") { return 1 }
    guard bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count else { return 0 }
    let next = bytes[index + 1]
    if next == UInt8(ascii: "/") || next == UInt8(ascii: "\\") { return 2 }
    // Windows: a drive letter precedes the first.
    return hasText("Users\\", at: index + 1) || isInWindowsPath(index) ? 1 : 0
  }

  private func isInWindowsPath(_ index: Int) -> Bool {
    let line = bytes[max(0, index - 200)..<index]
    return line.lastIndex(of: UInt8(ascii: ":")).map { colon in
      colon > line.startIndex && bytes[colon - 1].isLetterOrDigit && colon + 1 < bytes.count
        && bytes[colon + 1] == UInt8(ascii: "\\") && !bytes[colon..<index].contains { Self.endsPath($0) }
    } ?? false
  }

  private static func endsPath(_ byte: UInt8) -> Bool {
    byte < 0x20 || byte.isAny(of: "\"'<>|;,*?`")
  }

  mutating func findPath(at index: Int) {
    // The part after a home folder was processed with it.
    guard index >= endOfHome else { return }
    let length = separator(at: index)
    // The slash of `\/` isn't another separator.
    guard length > 0, !(length == 1 && index > 0 && bytes[index - 1] == UInt8(ascii: "\\")) else { return }
    let start = index + length
    for (folder, kind) in Self.homes where hasText(folder, at: start) {
      let after = start + folder.utf8CodeUnitCount
      let next = separator(at: after)
      if next > 0 { findHome(from: after + next, kind) }
    }
  }

  /// The names of folders that contain home folders and volumes.
  private static let homes: [(name: StaticString, kind: Pseudonyms.Kind)] = [
    ("Users", .user), ("home", .user), ("Volumes", .volume),
  ]

  /// Walks the components after `/Users`.
  private mutating func findHome(from start: Int, _ kind: Pseudonyms.Kind) {
    var component = start..<endOfComponent(from: start)
    guard !component.isEmpty, !Self.sharedNames.contains(text(component)) else { return }
    add(component, kind)
    defer { endOfHome = component.upperBound }
    var homeKind: Pseudonyms.Kind?
    while true {
      let length = separator(at: component.upperBound)
      guard length > 0 else { return }
      let start = component.upperBound + length
      component = start..<endOfComponent(from: start)
      if component.isEmpty { return }
      let isLast = separator(at: component.upperBound) == 0
      if let kind = homeKind, !Self.sharedNames.contains(text(component)) {
        add(component, kind)
      } else {
        findComponent(component, isLast: isLast)
      }
      // `/Volumes/Backup/Users/alice`
      homeKind = Self.homes.first { isWord($0.name, component) }?.kind
    }
  }

  private func isWord(_ word: StaticString, _ range: Range<Int>) -> Bool {
    range.count == word.utf8CodeUnitCount && hasText(word, at: range.lowerBound)
  }

  /// Names that aren't a person's; Apple itself writes `USER` and `VOLUME`.
  private static let sharedNames: Set = [
    "Shared", "USER", "VOLUME", "Guest", "Macintosh HD", "Recovery", "Preboot",
  ]

  private mutating func findComponent(_ component: Range<Int>, isLast: Bool) {
    // A line number, an offset or anything else after a frame's path isn't part of the name.
    var end = component.upperBound
    if isLast {
      end = component.first { bytes[$0].isAny(of: ":()[]{}") || hasText("+0x", at: $0) } ?? end
    }
    let name = text(component.lowerBound..<end)
    let suffix =
      name.split(separator: ".", omittingEmptySubsequences: false).count > 1
      ? name.split(separator: ".").last.map { $0.lowercased() } ?? "" : ""
    if names.files.contains(name) || ProgramNames.knownFolders.contains(name) || name.isEmpty { return }
    if ProgramNames.bundleSuffixes.contains(suffix) || isLast && ProgramNames.codeSuffixes.contains(suffix) {
      return
    }
    add(component.lowerBound..<end, isLast && !suffix.isEmpty && suffix.utf8.count <= 5 ? .file : .folder)
  }

  /// The end of a path component. It contains a blank if the path continues after the blank on the same line.
  private func endOfComponent(from start: Int) -> Int {
    var index = start
    while index < bytes.count, separator(at: index) == 0, !Self.endsPath(bytes[index]) {
      if bytes[index] == UInt8(ascii: " "), !pathContinues(after: index) { break }
      index += 1
    }
    return index
  }

  private func pathContinues(after blank: Int) -> Bool {
    var index = blank + 1
    while index < bytes.count, index - blank < 80, !Self.endsPath(bytes[index]) {
      if separator(at: index) > 0 {
        return bytes[index - 1] != UInt8(ascii: " ") && bytes[index - 1] != UInt8(ascii: ":")
      }
      index += 1
    }
    // A quoted path ends with its quotation mark.
    return index < bytes.count && bytes[index] == UInt8(ascii: "\"") && !isSentence(blank..<index)
  }

  /// Whether prose follows a path, rather than more of the path.
  private func isSentence(_ range: Range<Int>) -> Bool {
    bytes[range].filter { $0 == UInt8(ascii: " ") }.count > 2
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
}
