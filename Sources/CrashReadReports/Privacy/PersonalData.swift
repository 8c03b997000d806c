internal import CrashReadCore

/// Finds what identifies a person or a device in bytes of any text format: paths of home folders, keys, addresses.
struct PersonalData {
  /// A range of the bytes.
  struct Finding {
    var range: Range<Int>
    var kind: Pseudonyms.Kind
  }

  let bytes: [UInt8]
  let names: ProgramNames
  private(set) var findings: [Finding] = []
  /// The end of the last path in a home folder.
  var endOfHome = 0

  /// Searches the bytes of a report.
  init(_ bytes: [UInt8], _ names: ProgramNames) {
    (self.bytes, self.names) = (bytes, names)
    for index in bytes.indices { inspect(at: index) }
    findings += words(of: learnedNames)
    removeOverlaps()
  }

  private mutating func inspect(at index: Int) {
    switch bytes[index] {
    case UInt8(ascii: "/"), UInt8(ascii: "\\"): findPath(at: index)
    case UInt8(ascii: "-"):
      findUUID(around: index)
      findPhone(around: index)
    case UInt8(ascii: "@"): findMail(around: index)
    case UInt8(ascii: ":"):
      findCredentials(at: index)
      findField(at: index)
      findHardwareAddress(around: index)
    case UInt8(ascii: "+"): findPhone(after: index)
    case UInt8(ascii: "r"): findTitledName(after: index)
    case UInt8(ascii: "."):
      findHost(before: index)
      findAddress(around: index)
    case UInt8(ascii: "="):
      findQueryValue(after: index)
      findField(at: index)
    case UInt8(ascii: "s"): findOwner(before: index)
    case UInt8(ascii: "e"): findToken(at: index)
    default: break
    }
  }

  mutating func add(_ range: Range<Int>, _ kind: Pseudonyms.Kind) {
    if !range.isEmpty { findings.append(Finding(range: range, kind: kind)) }
  }

  /// Of overlapping findings, keeps the one that begins first, and of those the longest.
  private mutating func removeOverlaps() {
    findings.sort { ($0.range.lowerBound, $1.range.upperBound) < ($1.range.lowerBound, $0.range.upperBound) }
    var end = 0
    findings = findings.filter { finding in
      if finding.range.lowerBound < end { return false }
      end = finding.range.upperBound
      return true
    }
  }

  // MARK: Names learned from paths, fields and addresses

  /// People's names found where only names occur, in lower case, except for the program's own name and for words with
  /// which anybody's address begins.
  private var learnedNames: Set<String> {
    var names: Set<String> = []
    for finding in findings where [.user, .name, .mail].contains(finding.kind) {
      let text = String(decoding: bytes[finding.range], as: UTF8.self)
      if finding.kind == .user { names.insert(text.lowercased()) }
      let person = finding.kind == .mail ? text.prefix { $0 != "@" } : text[...]
      for word in person.split(whereSeparator: { !$0.isLetter }) where word.utf8.count >= 3 {
        if finding.kind != .user { names.insert(word.lowercased()) }
      }
    }
    let own = Set(self.names.words.map { $0.lowercased() })
    return names.filter { $0.utf8.count >= 3 && !own.contains($0) && !ProgramNames.commonWords.contains($0) }
  }

  /// The occurrences of these names as whole words, in any case. The program's own names are excluded, since they may
  /// be a function's.
  private func words(of learned: Set<String>) -> [Finding] {
    guard !learned.isEmpty else { return [] }
    let lengths = Set(learned.map(\.utf8.count))
    var result: [Finding] = []
    var start: Int?
    for index in 0...bytes.count {
      let isWord = index < bytes.count && bytes[index].isPartOfName
      if isWord, start == nil { start = index }
      guard !isWord, let begin = start else { continue }
      start = nil
      guard lengths.contains(index - begin), !isKey(endingAt: index) else { continue }
      if learned.contains(String(decoding: bytes[begin..<index], as: UTF8.self).lowercased()) {
        result.append(Finding(range: begin..<index, kind: .user))
      }
    }
    return result
  }
}

// MARK: - Byte ranges

extension PersonalData {
  /// Whether the name of a JSON member ends at a position: it belongs to the format, not to a person.
  private func isKey(endingAt end: Int) -> Bool {
    hasText("\":", at: end) || hasText("\" :", at: end) || hasText("\\\":", at: end)
  }

  /// The range of bytes around a position that satisfy a condition.
  func span(around index: Int, atMost length: Int = 4096, _ isPart: (UInt8) -> Bool) -> Range<Int> {
    var start = index
    while start > 0, index - start < min(length, 256), isPart(bytes[start - 1]) { start -= 1 }
    var end = index + 1
    while end < bytes.count, end - index < length, isPart(bytes[end]) { end += 1 }
    return start..<end
  }

  /// Whether a text occurs at a position.
  func hasText(_ text: StaticString, at index: Int) -> Bool {
    guard index >= 0, index < bytes.count else { return false }
    return bytes.span.extracting(droppingFirst: index).begins(with: text)
  }

  /// Whether one of some texts, in lower case, occurs shortly before a position.
  func isPreceded(_ index: Int, _ reach: Int, _ texts: [String]) -> Bool {
    let before = String(decoding: bytes[max(0, index - reach)..<index], as: UTF8.self).lowercased()
    return texts.contains { before.contains($0) }
  }
}

extension UInt8 {
  /// Letters of other scripts take several bytes.
  var isPartOfName: Bool { isLetterOrDigit || self == UInt8(ascii: "_") || self >= 0x80 }
}
