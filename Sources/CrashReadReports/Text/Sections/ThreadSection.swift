internal import CrashReadCore

/// Frames under a title: of a thread, or of an exception.
struct BacktraceSection: SectionReader {
  /// The owner of the frames.
  enum Owner {
    case thread(Int)
    case exception
    case application(Int)
  }

  let owner: Owner
  /// Whether an address list `(0x1 0x2 …)` is open and continues on the next line.
  private var isInList = false
  /// Whether the frames are numbered, so that a line without a number isn't one.
  private var hasNumbers = false
  /// Whether the frames have addresses, so that a line without one is truncated.
  private var hasAddresses = false
  /// Whether the reporter left frames of a recursion out before the next one.
  private var isAfterElision = false
  /// The last line that begins with a number, as far as it was read; a wrapped frame continues on the next line.
  private var last: WrappedLine?
  /// Whether the thread's title ended before the queue's name, which a page has put on the next line.
  private let awaitsQueue: Bool

  private struct WrappedLine {
    var line: Line
    var isFrame: Bool
    var count = 1
  }

  init(owner: Owner, awaitsQueue: Bool = false) {
    self.owner = owner
    self.awaitsQueue = awaitsQueue
  }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    if awaitsQueue, !hasNumbers, draft.takeQueue(line, of: owner) { return }
    if !isInList, let frame = FrameLine(line)?.frame {
      noteTruncatedFrame(in: &draft)
      hasNumbers = true
      hasAddresses = true
      last = WrappedLine(line: line, isFrame: true)
      if isAfterElision { draft.addOmittedFrames(before: frame, of: owner) }
      isAfterElision = false
      draft.append(frame, to: owner)
    } else if !isInList, unwrap(line, into: &draft) {
      return
    } else if isInList || line.text.first == UInt8(ascii: "(") {
      noteTruncatedFrame(in: &draft)
      readList(line, into: &draft)
    } else {
      noteTruncatedFrame(in: &draft)
      if line.text.hasPrefix("-------- ELIDED ") {
        isAfterElision = true
      } else if line.text.equals("...") {
        draft.note(line, "frames are missing here in this copy of the report")
      } else if let (word, _) = line.text.firstWord(), word.decimalValue ?? word.prefixedHexValue != nil {
        hasNumbers = true
        last = WrappedLine(line: line, isFrame: false)
      } else if !hasNumbers, let frame = LooseFrame(line), frame.isEvident {
        draft.append(frame.frame, to: owner)
      } else {
        draft.takeStatement(line)
      }
    }
  }

  /// Appends a line to the frame that it continues; false when it doesn't continue one.
  private mutating func unwrap(_ line: Line, into draft: inout TextDraft) -> Bool {
    // Breakpad prints registers under a frame.
    guard var wrapped = last, wrapped.count < 4, !line.isBlank, line.text.firstRange(of: " = 0x") == nil
    else {
      return false
    }
    let before = wrapped.line.text
    wrapped.line = wrapped.line.joined(with: line)
    guard var frame = FrameLine(wrapped.line)?.frame else { return false }
    if wrapped.isFrame, !Self.isOpen(before), !Self.isRest(line.text),
      !Self.endsWithAddress(before) || frame.reportedSymbolOffset ?? frame.imageOffset?.rawValue == nil
    {
      return false
    }
    wrapped.count += 1
    frame.lineCount = wrapped.count
    if wrapped.isFrame { _ = draft.removeLast(from: owner) }
    if wrapped.count == 2 {
      draft.note(wrapped.line, "the frame is broken into several lines, which were joined")
    }
    wrapped.isFrame = true
    last = wrapped
    draft.append(frame, to: owner)
    return true
  }

  /// Whether a frame's line ends inside its symbol.
  private static func isOpen(_ text: Bytes) -> Bool {
    var depth = 0
    for byte in text {
      if byte == UInt8(ascii: "(") || byte == UInt8(ascii: "[") { depth += 1 }
      if byte == UInt8(ascii: ")") || byte == UInt8(ascii: "]") { depth -= 1 }
    }
    return depth > 0 || text.hasSuffix(" +")
  }

  /// Whether a frame's line ends with its address; a name and an offset can be on the next line.
  private static func endsWithAddress(_ text: Bytes) -> Bool { text.lastWord()?.word.addressValue != nil }

  /// Whether a line can be the end of a frame: an offset, a source location, or the mark of an inlined call.
  private static func isRest(_ text: Bytes) -> Bool {
    if text.equals("[inlined]") { return true }
    if let (plus, rest) = text.firstWord(), plus.equals("+") {
      return rest.firstWord()?.word.numberValue != nil
    }
    guard text.first == UInt8(ascii: "("), text.last == UInt8(ascii: ")") else { return false }
    return text.lastIndex(of: UInt8(ascii: ":")).map { text[($0 + 1)...].dropLast().decimalValue != nil }
      ?? false
  }

  /// Notes a numbered line that no other line has completed. A copy can lack all addresses and keep the names.
  private mutating func noteTruncatedFrame(in draft: inout TextDraft) {
    if let last, !last.isFrame {
      if let loose = LooseFrame(last.line), loose.isEvident || !hasAddresses {
        draft.append(loose.frame, to: owner)
      } else {
        draft.note(last.line, "the frame has no address and was left out")
      }
    }
    last = nil
  }

  /// Reads `(0x1b14e2a48 0x1b1209fa4 …)`, which can continue on further lines.
  private mutating func readList(_ line: Line, into draft: inout TextDraft) {
    var words = line.text
    if words.first == UInt8(ascii: "(") { words = words.dropFirst() }
    isInList = words.last != UInt8(ascii: ")")
    if !isInList { words = words.dropLast() }
    while let (word, rest) = words.firstWord() {
      words = rest
      guard let address = word.addressValue else {
        isInList = false
        return
      }
      // Below numbered frames stands the same stack as the console prints it, or that of another run.
      if hasAddresses { continue }
      var frame = Frame(kind: .returnAddress, address: RuntimeAddress(address))
      frame.line = line.number
      draft.append(frame, to: owner)
    }
  }

  /// Ends the backtrace. An unclosed list may be truncated within its last number, so that is dropped.
  mutating func finish(_ draft: inout TextDraft) {
    noteTruncatedFrame(in: &draft)
    guard isInList, !hasAddresses, let last = draft.removeLast(from: owner) else { return }
    draft.report.notes.append(
      ReportNote(line: last.line, message: "the list of addresses is truncated; its last number was left out")
    )
  }
}

extension TextDraft {
  /// Begins a thread.
  ///
  /// A name from a preceding `Thread N name:` belongs to it.
  mutating func beginThread(_ title: ThreadTitle, awaitsQueue: Bool = false) -> BacktraceSection {
    var thread = ThreadRecord(index: title.index)
    thread.isCrashed = title.isCrashed
    let earlier = pendingName?.index == title.index ? pendingName : nil
    pendingName = nil
    thread.name = title.name ?? earlier?.name
    thread.queue = title.queue ?? earlier?.queue
    report.threads.append(thread)
    return BacktraceSection(owner: .thread(report.threads.count - 1), awaitsQueue: awaitsQueue)
  }

  /// Takes a line of one word for the name of a thread's queue.
  mutating func takeQueue(_ line: Line, of owner: BacktraceSection.Owner) -> Bool {
    guard case .thread(let index) = owner, report.threads[index].queue == nil, let first = line.text.first,
      first.isLetter, line.text.trimmed.allSatisfy({ !$0.isBlank })
    else { return false }
    report.threads[index].queue = line.text.trimmed.nonEmptyString
    return true
  }

  /// Begins one more application-specific backtrace.
  mutating func beginApplicationBacktrace() -> BacktraceSection {
    report.applicationSpecificBacktraces.append([])
    return BacktraceSection(owner: .application(report.applicationSpecificBacktraces.count - 1))
  }

  mutating func append(_ frame: Frame, to owner: BacktraceSection.Owner) {
    switch owner {
    case .thread(let index): report.threads[index].frames.append(frame)
    case .exception: report.lastExceptionBacktrace.append(frame)
    case .application(let index): report.applicationSpecificBacktraces[index].append(frame)
    }
  }

  /// Adds the number of frames that the reporter left out before a frame, as the gap in the numbers says at its mark:
  /// `-------- ELIDED 173818 LEVELS OF RECURSION THROUGH 0x185d96474`.
  mutating func addOmittedFrames(before frame: Frame, of owner: BacktraceSection.Owner) {
    guard case .thread(let index) = owner, let number = frame.number,
      let last = report.threads[index].frames.last?.number, number > last
    else { return }
    let (known, gap) = (report.threads[index].omittedFrameCount ?? 0, number - last - 1)
    let (sum, isTooLarge) = known.addingReportingOverflow(gap)
    if !isTooLarge { report.threads[index].omittedFrameCount = sum }
  }

  mutating func removeLast(from owner: BacktraceSection.Owner) -> Frame? {
    switch owner {
    case .thread(let index): report.threads[index].frames.popLast()
    case .exception: report.lastExceptionBacktrace.popLast()
    case .application(let index): report.applicationSpecificBacktraces[index].popLast()
    }
  }
}
