internal import CrashReadCore

/// Frames as Crashlytics shows and exports them, under `Fatal Exception: NAME` or `Crashed: QUEUE`.
///
/// The reason is between title and frames. Further threads follow, each headed by its queue or by `Thread`, and begin
/// with frame 0. The address column of all but old reports contains the offset from the image's start.
struct CrashlyticsSection: SectionReader {
  /// A title without the number that the text export puts before it: `#5. Crashed: com.apple.main-thread`.
  static func withoutNumber(_ text: Bytes) -> Bytes {
    guard let rest = text.after("#") else { return text }
    let digits = rest.prefix { $0.isDigit }
    return digits.isEmpty ? text : rest[digits.endIndex...].after(". ") ?? text
  }

  /// What the title says.
  enum Title {
    case exception(name: String)
    case crashed(queue: String)
  }

  private var owner: BacktraceSection.Owner
  private var hasFrames = false
  private var isException: Bool
  /// The heading of the next thread.
  private var next = ""

  /// No code of a 64-bit program is below this: the number is an offset.
  private static let lowestAddress: UInt64 = 0x1_0000_0000

  init(_ title: Title, in draft: inout TextDraft) {
    switch title {
    case .exception(let name):
      draft.report.take(.exception(name: name, reason: nil))
      owner = .exception
      isException = true
    case .crashed(let queue):
      // The title can occur twice: once above what was raised, once above the frames.
      if draft.report.threads.last?.isCrashed != true || draft.report.threads.last?.frames.isEmpty == false {
        let (name, said) = Self.split(queue)
        draft.addThread(name, isCrashed: true)
        if let said { draft.report.take(said) }
      }
      owner = .thread(draft.report.threads.count - 1)
      isException = false
    }
  }

  /// The page's columns run together when it is copied: `com.apple.main-threadEXC_BAD_ACCESS KERN_INVALID_ADDRESS 0x10`.
  private static func split(_ title: String) -> (queue: String, said: Statement?) {
    guard let mark = title.range(of: "EXC_"), mark.lowerBound > title.startIndex,
      let said = Statement(threadStop: Bytes(Array(title[mark.lowerBound...].utf8)))
    else { return (title, nil) }
    return (String(title[..<mark.lowerBound].trimmingSpaces), said)
  }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    guard !line.isBlank else { return }
    guard let first = line.text.first, first.isDigit, let loose = LooseFrame(line), loose.frame.number != nil
    else {
      return readText(line, into: &draft)
    }
    if hasFrames, loose.frame.number == 0 {
      draft.addThread(next, isCrashed: false)
      owner = .thread(draft.report.threads.count - 1)
    }
    hasFrames = true
    next = ""
    draft.append(Self.located(loose.frame), to: owner)
  }

  /// A reason is above the frames, the next thread's title below them.
  private mutating func readText(_ line: Line, into draft: inout TextDraft) {
    if hasFrames {
      next = Self.withoutNumber(line.text).string
      draft.takeStatement(line)
    } else if isException {
      let before = draft.report.uncaughtException?.reason.map { $0 + "\n" } ?? ""
      draft.report.uncaughtException?.reason = before + line.text.string
    } else {
      draft.takeStatement(line)
    }
  }

  mutating func finish(_ draft: inout TextDraft) {}

  private static func located(_ source: Frame) -> Frame {
    var frame = source
    if let number = frame.address?.rawValue, number < lowestAddress {
      frame.imageOffset = ImageOffset(number)
      frame.address = nil
    }
    return frame
  }

  /// Reads `# Version: 1.2 (3)` and the like, which precede the frames.
  static func readHeader(_ key: String, _ value: Bytes, into header: inout ReportHeader) {
    switch key {
    case "Application": header.bundleID = header.bundleID ?? value.nonEmptyString
    case "Version": header.version = header.version ?? value.nonEmptyString
    case "OS Version", "OS": header.osVersion = header.osVersion ?? value.nonEmptyString
    case "Device": header.hardwareModel = header.hardwareModel ?? value.nonEmptyString
    case "Date": header.date = header.date ?? value.nonEmptyString
    default: break
    }
  }
}

extension TextDraft {
  /// Begins a thread with only a name.
  fileprivate mutating func addThread(_ name: String, isCrashed: Bool) {
    var thread = ThreadRecord(index: report.threads.count)
    thread.isCrashed = isCrashed
    if !name.isEmpty, name != "Thread" { thread.queue = name }
    report.threads.append(thread)
  }
}
