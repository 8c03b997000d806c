internal import CrashReadCore

/// Reads the output of `leaks`: for each kind of leaked memory, the stack that allocated it.
struct LeaksReport {
  private enum Part { case header, stack, leaks, images }

  private var draft = TextDraft(format: .leaks)
  private var header = HeaderSection()
  private var images = ImageSection()
  private var part = Part.header

  /// The maximum number of leaks that are listed; there can be thousands.
  private static let maximumLines = 400

  static func reports(in bytes: Bytes, firstLine: Int) -> [CrashReport] {
    var reader = LeaksReport()
    for line in LineCursor(bytes, firstLine: firstLine) where !line.isBlank { reader.read(line) }
    return reader.finished()
  }

  /// Whether a line is the root of a tree of leaked memory: `91 (4.58K) ROOT CYCLE: <Moon 0x60> [160]` (leaks(1)).
  static func isRoot(_ line: Bytes) -> Bool {
    let rest = line.drop(while: \.isDigit)
    guard rest.startIndex > line.startIndex, let (_, text) = rest.after(" (")?.split(at: UInt8(ascii: ")"))
    else {
      return false
    }
    return [" ROOT LEAK: ", " ROOT CYCLE: ", " << TOTAL >>"].contains { text.hasPrefix($0) }
  }

  private mutating func read(_ line: Line) {
    // The tree can be copied without what stands above it.
    if part == .header, Self.isRoot(line.text) { part = .leaks }
    if let title = line.text.after("STACK OF ") {
      beginStack(title)
    } else if line.text.hasPrefix("Binary Images:") {
      part = .images
    } else if line.text.hasPrefix("====") || line.text.hasPrefix("leaks Report Version:") {
      part = .leaks
    } else {
      readRow(line)
    }
  }

  private mutating func readRow(_ line: Line) {
    switch part {
    case .header: header.read(line, into: &draft)
    case .stack: readFrame(line)
    case .leaks: readLeak(line)
    case .images: images.read(line, into: &draft)
    }
  }

  /// Reads `1 INSTANCE OF 'ROOT LEAK: <Node>':`; the quoted text becomes the thread's name.
  private mutating func beginStack(_ title: Bytes) {
    var thread = ThreadRecord(index: draft.report.threads.count)
    if let open = title.firstIndex(of: UInt8(ascii: "'")),
      let close = title.lastIndex(of: UInt8(ascii: "'")), open < close
    {
      thread.name = title[(open + 1)..<close].nonEmptyString
    }
    draft.report.threads.append(thread)
    part = .stack
  }

  /// Reads `31  Image  0x104 main + 63  AppDelegate.swift:22`; the outermost frame comes first.
  private mutating func readFrame(_ line: Line) {
    var text = line.text
    var source: SourceMark?
    if let gap = text.lastGap, let mark = SourceMark(text[gap...].trimmed) {
      source = mark
      text = text[..<gap].trimmedEnd
    }
    guard var frame = FrameLine(Line(number: line.number, raw: text))?.frame else { return }
    frame.reportedFile = source?.file ?? frame.reportedFile
    frame.reportedLine = source?.line ?? frame.reportedLine
    draft.report.threads[draft.report.threads.count - 1].frames.append(frame)
  }

  private mutating func readLeak(_ line: Line) {
    let isTotal = line.text.hasPrefix("Process ")
    guard isTotal || line.text.firstRange(of: "ROOT ") != nil,
      draft.report.applicationSpecificInformation.count < Self.maximumLines
    else { return }
    draft.report.applicationSpecificInformation.append(line.text.string)
  }

  private mutating func finished() -> [CrashReport] {
    images.finish(&draft)
    guard draft.isReport || !draft.report.applicationSpecificInformation.isEmpty else { return [] }
    draft.report.kind = .other
    for index in draft.report.threads.indices { draft.report.threads[index].frames.reverse() }
    // The allocator recorded return addresses only; no thread was executing at one of them.
    draft.report.locateFrames(statesKinds: true)
    return [draft.report]
  }
}

extension Bytes {
  /// The position of the last two consecutive blanks.
  fileprivate var lastGap: Int? {
    var index = endIndex - 2
    while index >= startIndex {
      if self[index] == 0x20, self[index + 1] == 0x20 { return index }
      index -= 1
    }
    return nil
  }
}
