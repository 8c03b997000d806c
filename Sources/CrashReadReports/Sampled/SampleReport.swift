internal import CrashReadCore

/// Reads the output of `sample`: one process, with the stacks of each thread as a call tree.
struct SampleReport {
  private enum Part { case header, callGraph, images, top, other }

  private var draft = TextDraft(format: .sample)
  private var header = HeaderSection()
  private var images = ImageSection()
  private var part = Part.header
  private var tree = CallTreeBuilder()
  private var reports: [CrashReport] = []
  /// The function that was innermost most often without waiting.
  private var top: String?

  static func reports(in bytes: Bytes, firstLine: Int, maximum: Int) -> [CrashReport] {
    var reader = SampleReport()
    for line in LineCursor(bytes, firstLine: firstLine) where !line.isBlank && reader.reports.count <= maximum
    {
      reader.read(line)
    }
    if reader.part == .callGraph { reader.endTree() }
    reader.endReport()
    return reader.reports
  }

  /// Ends the tree in which the text ends.
  private mutating func endTree() {
    guard !draft.report.threads.isEmpty else { return }
    draft.report.threads[draft.report.threads.count - 1].isTreeCut = tree.isCut
    tree.dropCutName()
  }

  /// Reads rows of a call tree without the first row, that of the thread, which was not copied; nil for anything else.
  static func fragment(in bytes: Bytes) -> CrashReport? {
    var reader = SampleReport()
    reader.draft.report.threads = [ThreadRecord(index: 0)]
    var count = 0
    var isWhole = true
    for line in LineCursor(bytes) where !line.isBlank {
      guard let row = CallTreeBuilder.Row(line.raw) else { return nil }
      // Only the last row can be truncated.
      guard isWhole else { return nil }
      isWhole = row.text.firstRange(of: "  (in ") != nil || row.text.firstRange(of: ") [0x") != nil
      reader.readTree(line)
      count += 1
    }
    if count < minimumRows { return nil }
    reader.endTree()
    reader.endReport()
    return reader.reports.first
  }

  /// The minimum number of rows; fewer could be anything.
  private static let minimumRows = 3

  private mutating func read(_ line: Line) {
    if let next = title(line.text) {
      endThread()
      part = next
      return
    }
    switch part {
    case .header: readHeader(line)
    case .callGraph: readTree(line)
    case .images: images.read(line, into: &draft)
    case .top: readTop(line.text)
    case .other: break
    }
  }

  private mutating func title(_ text: Bytes) -> Part? {
    guard let first = text.first, first.isLetter else { return nil }
    if text.hasPrefix("Analysis of sampling ") {
      if part != .header { endReport() }
      draft.report.applicationSpecificInformation.append(text.string)
      return .header
    }
    if text.hasPrefix("Call graph:") { return .callGraph }
    if text.hasPrefix("Binary Images:") { return .images }
    if text.hasPrefix("Sort by top of stack") { return .top }
    return text.hasPrefix("Total number in stack") ? .other : nil
  }

  /// Reads `rise  (in Tide)        581` of the list of innermost functions, which is sorted by their samples.
  private mutating func readTop(_ text: Bytes) {
    guard top == nil, let mark = text.firstRange(of: "  (in "),
      let (rest, count) = text.lastWord(), count.decimalValue != nil,
      case let image = text[mark.upperBound..<rest.endIndex].trimmed, image.last == UInt8(ascii: ")"),
      case let name = text[..<mark.lowerBound].trimmed.string, !TextDraft.waits.contains(name)
    else { return }
    top = "\(name) (in \(image.string): \(count.string)"
  }

  private mutating func readHeader(_ line: Line) { header.read(line, into: &draft) }

  private mutating func readTree(_ line: Line) {
    guard let row = CallTreeBuilder.Row(line.raw) else { return }
    if let title = row.text.after("Thread_") {
      endThread()
      draft.report.threads.append(thread(title, Int(exactly: row.count)))
    } else if row.text.isEmpty {
      draft.note(line, "the line of the call tree is truncated and was left out")
    } else if !draft.report.threads.isEmpty {
      tree.add(row, line: line.number)
    }
  }

  /// Reads `28139: name   DispatchQueue_1: label  (serial)`; all but the number may be absent.
  private func thread(_ title: Bytes, _ count: Int?) -> ThreadRecord {
    let id = title.prefix { !$0.isBlank && $0 != UInt8(ascii: ":") }
    var name = title[id.endIndex...].drop(atMost: 1, UInt8(ascii: ":"))
    var thread = ThreadRecord(index: draft.report.threads.count)
    thread.id = id.nonEmptyString
    thread.sampleCount = count
    if let mark = name.firstRange(of: "DispatchQueue_") {
      let label = name[mark.upperBound...].split(at: UInt8(ascii: ":"))?.after.trimmed
      let kind = label?.firstRange(of: "  (")
      thread.queue = label?[..<(kind?.lowerBound ?? label?.endIndex ?? 0)].nonEmptyString
      name = name[..<mark.lowerBound]
    }
    thread.name = name.trimmed.nonEmptyString
    return thread
  }

  private mutating func endThread() {
    if !draft.report.threads.isEmpty, !tree.entries.isEmpty {
      draft.report.threads[draft.report.threads.count - 1].callTree = tree.entries
    }
    tree = CallTreeBuilder()
  }

  private mutating func endReport() {
    endThread()
    images.finish(&draft)
    // Of the end alone, this is all that tells what the process did.
    let isEnd = !draft.hasBody && top != nil
    if isEnd, let top { draft.report.applicationSpecificInformation.append("Top of stack: " + top) }
    top = nil
    if draft.hasBody || draft.isReport || isEnd {
      draft.report.kind = .sample
      draft.report.locateFrames()
      reports.append(draft.report)
    }
    draft = TextDraft(format: .sample)
    header = HeaderSection()
    part = .header
  }
}
