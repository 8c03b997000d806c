internal import CrashReadCore

/// Restores the line breaks of a text report, or of a thread in Crashlytics' form, that a web page or a chat has turned
/// into one paragraph, or a log into the escapes of a string.
struct JoinedLines {
  private var text: [UInt8] = []
  /// The number of the list's next frame; nil before a list begins.
  private var nextFrame: Int?

  /// The minimum length of a joined line in bytes; shorter lines, and lines with few headings, are left unchanged.
  static let minimumLength = 240
  private static let minimumHeadings = 3
  /// The number of `\n` on a line below which they aren't taken for its breaks.
  private static let minimumEscapes = 8
  /// The number of frames on a line below which it isn't taken for a list of them.
  private static let minimumFrames = 3

  /// The number of bytes within which an address follows a frame's number.
  private static let longestImageName = 96

  /// The beginnings of the header's lines, and of titles of lists.
  private static let headings: [StaticString] = [
    "Incident Identifier:", "CrashReporter Key:", "Hardware Model:", "Process:", "Path:", "Identifier:",
    "Version:",
    "Code Type:", "Role:", "Parent Process:", "Coalition:", "Date/Time:", "Launch Time:", "OS Version:",
    "Release Type:", "Report Version:", "Exception Type:", "Exception Subtype:", "Exception Codes:",
    "Exception Message:", "Exception Note:", "VM Region Info:", "Termination Signal:", "Termination Reason:",
    "Terminating Process:", "Triggered by Thread:", "Crashed Thread:", "Application Specific Information:",
    "Last Exception Backtrace:", "Logical CPU:", "Error Code:", "Trap Number:", "Binary Images:",
  ]

  /// The text with its line breaks restored; nil when no line consists of several.
  static func separated(_ bytes: [UInt8]) -> [UInt8]? {
    // A document is read as such, with the report in it.
    let isJSON = bytes[...].trimmedStart.first.map { $0.isAny(of: "{[") } ?? false
    let isSplit = { (line: Bytes) in isJoined(line) || !isJSON && isEscaped(line) }
    guard LineRanges(bytes[...]).contains(where: { isSplit(bytes[$0]) }) else { return nil }
    var joined = JoinedLines()
    var lines = LineRanges(bytes[...])
    while let range = lines.next() {
      let line = bytes[range]
      if !isJSON, isEscaped(line) {
        joined.text += withoutEscapes(line)
      } else if isJoined(line) {
        joined.nextFrame = beginsThread(line) ? 0 : nil
        joined.separate(line)
      } else {
        joined.text += line
      }
      joined.text += bytes[range.upperBound..<lines.position]
    }
    return joined.text
  }

  private static func isJoined(_ line: Bytes) -> Bool {
    guard line.count >= minimumLength else { return false }
    if beginsThread(line) { return holdsFrames(line) }
    // A sentence can precede it, in a table or a summary.
    if let title = line.firstRange(of: " Fatal Exception: ") { return holdsFrames(line[title.lowerBound...]) }
    guard line.firstRange(of: "Exception Type:") != nil,
      // Values of a JSON document can contain a whole report.
      let first = line.trimmedStart.first, !first.isAny(of: "{[\"")
    else { return false }
    return holdsHeadings(line)
  }

  private static func holdsHeadings(_ line: Bytes) -> Bool {
    var count = 0
    for heading in headings where line.firstRange(of: heading) != nil {
      count += 1
      if count == minimumHeadings { return true }
    }
    return false
  }

  /// Whether it is a list of frames in one string: `\n16  SwiftUI  0x1a2b3c4d5 …`.
  private static func holdsEscapedFrames(_ line: Bytes) -> Bool {
    var (rest, count) = (line, 0)
    while count < minimumFrames, let escape = rest.firstRange(of: "\\n") {
      rest = rest[escape.upperBound...]
      let blanks = rest.drop(while: \.isDigit)
      if blanks.startIndex > rest.startIndex, blanks.hasPrefix("  "),
        blanks.prefix(longestImageName).firstRange(of: " 0x") != nil
      {
        count += 1
      }
    }
    return count == minimumFrames
  }

  /// Whether it is a report in one string, with its line breaks as `\n`.
  private static func isEscaped(_ line: Bytes) -> Bool {
    guard line.count >= minimumLength else { return false }
    var (rest, count) = (line, 0)
    while count < minimumEscapes, let escape = rest.firstRange(of: "\\n") {
      rest = rest[escape.upperBound...]
      count += 1
    }
    return count == minimumEscapes && holdsHeadings(line) || holdsEscapedFrames(line)
  }

  /// The contents of a string, without the name and the quotation mark before it and the mark after it.
  private static func withoutEscapes(_ line: Bytes) -> [UInt8] {
    let escape = line.firstPosition(of: UInt8(ascii: "\\")) ?? line.endIndex
    let start = line[..<escape].lastIndex(of: UInt8(ascii: "\"")).map { $0 + 1 } ?? line.startIndex
    let end = line[start...].trimmedEnd.lastIndex { $0 != UInt8(ascii: ",") && $0 != UInt8(ascii: "\"") }
    return JSONReader.withoutEscapes(line[start...(end ?? line.endIndex - 1)])
  }

  /// Whether it begins with the title of the crashed thread, or of Crashlytics' exception.
  private static func beginsThread(_ line: Bytes) -> Bool {
    let text = line.trimmedStart
    if CrashlyticsSection.isTitle(text) { return true }
    return isThreadTitle(text)
      && text.drop { $0 != 0x20 }.dropFirst().drop(while: \.isDigit).hasPrefix(" Crashed:")
  }

  private static func holdsFrames(_ line: Bytes) -> Bool {
    var joined = JoinedLines()
    joined.nextFrame = 0
    joined.separate(line)
    return joined.nextFrame.map { $0 >= minimumFrames } ?? false
  }

  private mutating func separate(_ line: Bytes) {
    var word = line.startIndex
    while word < line.endIndex {
      let rest = line[word...]
      if word > line.startIndex, begins(rest) { text.append(UInt8(ascii: "\n")) }
      // A heading of two words, `Parent Process:`, contains another one.
      let length = Self.headings.first(where: rest.hasPrefix)?.utf8CodeUnitCount ?? 0
      let blank = rest.dropFirst(length).firstPosition(of: 0x20) ?? line.endIndex
      let next = line[blank...].firstIndex { $0 != 0x20 } ?? line.endIndex
      text += line[word..<next]
      word = next
    }
  }

  /// Whether a line begins at this position.
  private mutating func begins(_ rest: Bytes) -> Bool {
    if Self.headings.contains(where: rest.hasPrefix) {
      nextFrame = rest.hasPrefix("Last Exception Backtrace:") ? 0 : nil
      return true
    }
    if Self.isThreadTitle(rest) || rest.hasPrefix("Fatal Exception: ") {
      nextFrame = 0
      return true
    }
    // What follows the block within a sentence.
    if nextFrame ?? 0 > 0, rest.hasPrefix("```") { return true }
    return beginsFrame(rest) || Self.beginsImage(rest) || Self.firstRegisters.contains(where: rest.hasPrefix)
  }

  /// `Thread 0 Crashed:`, `Thread 0 name:`, `Thread 12:`, `Thread 0 crashed with …`.
  private static func isThreadTitle(_ rest: Bytes) -> Bool {
    guard let number = rest.after("Thread "), case let tail = number.drop(while: \.isDigit),
      tail.startIndex > number.startIndex
    else { return false }
    return [":", " Crashed:", " crashed with ", " name:"].contains { tail.hasPrefix($0) }
  }

  /// `3 UIKitCore 0x1bf38bdd0 …`, with the next number.
  private mutating func beginsFrame(_ rest: Bytes) -> Bool {
    guard let wanted = nextFrame, let (word, tail) = rest.firstWord(), word.decimalValue == UInt64(wanted),
      let address = tail.prefix(Self.maximumImageNameLength).firstRange(of: "0x"),
      tail[address.lowerBound - 1].isBlank, case let image = tail[..<address.lowerBound].trimmed,
      !image.isEmpty, !image.contains(UInt8(ascii: ":"))
    else { return false }
    nextFrame = wanted + 1
    return true
  }

  private static let maximumImageNameLength = 96
  private static let firstRegisters: [StaticString] = ["x0: 0x", "r0: 0x", "rax: 0x", "eax: 0x"]

  /// `0x1000 - 0x1fff …`.
  private static func beginsImage(_ rest: Bytes) -> Bool {
    guard let (start, tail) = rest.firstWord(), start.prefixedHexValue != nil,
      let (word, _) = tail.trimmedStart.after("- ")?.firstWord()
    else { return false }
    return word.prefixedHexValue != nil
  }
}
