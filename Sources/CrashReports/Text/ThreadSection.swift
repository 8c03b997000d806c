internal import BinaryIdentity

/// Frames under a title: of a thread, or of an exception.
struct BacktraceSection: SectionReader {
  /// Whose frames they are.
  enum Owner {
    case thread(Int)
    case exception
    case application(Int)
  }

  let owner: Owner
  /// An address list `(0x1 0x2 …)` is open and goes on in the next line.
  private var isInList = false

  init(owner: Owner) { self.owner = owner }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    if isInList || line.text.first == UInt8(ascii: "(") {
      readList(line, into: &draft)
    } else if let frame = FrameLine(line)?.frame {
      draft.append(frame, to: owner)
    } else if line.text.equals("...") {
      draft.note(line, "frames were left out here by whoever copied the report")
    } else if let first = line.text.first, first.isDigit {
      draft.note(line, "the frame has no address and was left out")
    }
  }

  /// Reads `(0x1b14e2a48 0x1b1209fa4 …)`, which can go on in further lines.
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
      var frame = Frame(kind: .returnAddress, address: RuntimeAddress(address))
      frame.line = line.number
      draft.append(frame, to: owner)
    }
  }

  /// A list that nothing closes may be cut inside its last number, so that is left out.
  mutating func finish(_ draft: inout TextDraft) {
    guard isInList, let last = draft.removeLast(from: owner) else { return }
    draft.report.notes.append(
      ReportNote(line: last.line, message: "the list of addresses is cut off; its last number was left out"))
  }
}

extension TextDraft {
  /// Begins a thread.
  ///
  /// What `Thread N name:` said before belongs to it.
  mutating func beginThread(_ title: ThreadTitle) -> BacktraceSection {
    var thread = ThreadRecord(index: title.index)
    thread.isCrashed = title.isCrashed
    let earlier = pendingName?.index == title.index ? pendingName : nil
    pendingName = nil
    thread.name = title.name ?? earlier?.name
    thread.queue = title.queue ?? earlier?.queue
    report.threads.append(thread)
    return BacktraceSection(owner: .thread(report.threads.count - 1))
  }

  /// Begins one more application-specific backtrace.
  mutating func beginApplicationBacktrace() -> BacktraceSection {
    report.applicationSpecificBacktraces.append([])
    return BacktraceSection(owner: .application(report.applicationSpecificBacktraces.count - 1))
  }

  fileprivate mutating func append(_ frame: Frame, to owner: BacktraceSection.Owner) {
    switch owner {
    case .thread(let index): report.threads[index].frames.append(frame)
    case .exception: report.lastExceptionBacktrace.append(frame)
    case .application(let index): report.applicationSpecificBacktraces[index].append(frame)
    }
  }

  fileprivate mutating func removeLast(from owner: BacktraceSection.Owner) -> Frame? {
    switch owner {
    case .thread(let index): report.threads[index].frames.popLast()
    case .exception: report.lastExceptionBacktrace.popLast()
    case .application(let index): report.applicationSpecificBacktraces[index].popLast()
    }
  }
}
