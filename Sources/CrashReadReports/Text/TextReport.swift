internal import CrashReadCore

/// A part of a text report that reads its own lines.
protocol SectionReader {
  /// Whether the section's lines can be anything, even the text of a title.
  var isFreeText: Bool { get }
  /// Whether it is the header's section.
  var isHeader: Bool { get }
  /// Takes a line, or ignores it when it isn't one of this section's.
  mutating func read(_ line: Line, into draft: inout TextDraft)
  /// Called once, when another section begins or the report ends.
  mutating func finish(_ draft: inout TextDraft)
}

extension SectionReader {
  var isFreeText: Bool { false }
  var isHeader: Bool { false }
}

/// Reads the lines of Apple's text reports, and passes each to the reader of its section.
struct TextReport {
  private let format: ReportFormat
  private var draft: TextDraft
  private var section: any SectionReader = HeaderSection()
  private var reports: [CrashReport] = []
  /// The last character of the previous line; nil when that was blank.
  private var previousEnd: UInt8?
  /// Whether the report has blank lines. Free text ends with one; some copies have lost them all.
  private var hasBlankLines = false

  /// Reads all reports in a stretch of the input; empty when there is none.
  static func reports(
    in bytes: Bytes, firstLine: Int, format: ReportFormat, maximum: Int
  ) -> [CrashReport] {
    var walker = TextReport(format: format)
    for line in LineCursor(bytes, firstLine: firstLine) where walker.reports.count <= maximum {
      walker.read(line)
    }
    walker.endReport()
    return walker.reports
  }

  private init(format: ReportFormat) {
    self.format = format
    draft = TextDraft(format: format)
  }

  private mutating func read(_ line: Line) {
    defer {
      previousEnd = line.raw.last
      if line.isBlank { hasBlankLines = true }
    }
    if !line.isBlank, !section.isFreeText || endsFreeText(before: line) {
      if startsReport(line) { endReport() }
      if let title = SectionTitle(line.text) { return begin(title, line) }
      if !draft.hasBody ? returnsToHeader(line) : beginsException(line) { begin(HeaderSection()) }
      // An excerpt can begin with registers, without the title that names their thread.
      if section.isHeader, RegisterSection.isRow(line.text) {
        begin(RegisterSection(thread: nil, flavor: ""))
      }
    }
    section.read(line, into: &draft)
  }

  /// Whether a title may begin in a line after free text: after a blank line, or, for the crashed thread, after a heading
  /// that somebody wrote above it. Pages lose blank lines between some sections; two titles stand for nothing else.
  private func endsFreeText(before line: Line) -> Bool {
    guard hasBlankLines, let previousEnd else { return true }
    if line.text.equals("Binary Images:") || line.text.equals("Dyld Error Message:") { return true }
    // The frame of dashes around a report's title, in a text with several.
    if previousEnd == UInt8(ascii: "-"), line.text.hasPrefix("Process:") { return true }
    guard case .thread(let title) = SectionTitle(line.text), title.isCrashed else { return false }
    return previousEnd == UInt8(ascii: ":") || line.text.hasSuffix(" Crashed:")
  }

  /// Whether a line begins another report: a second header, or a second exception in excerpts, after threads or images.
  private func startsReport(_ line: Line) -> Bool {
    guard draft.hasBody || isHeadComplete else { return false }
    if line.text.hasPrefix("Exception Type:") {
      return draft.report.exception?.type != nil && draft.report.threads.contains { !$0.frames.isEmpty }
    }
    if line.text.hasPrefix("Incident Identifier:") { return true }
    // The kernel's name among those of the processes, which some copies have in a line of its own.
    return line.text.after("Process:").map { !$0.trimmed.hasPrefix("exc handler") } ?? false
  }

  /// Whether the report names process and exception: dyld's have no more than that.
  private var isHeadComplete: Bool {
    draft.report.header.process != nil && draft.report.exception?.type != nil
  }

  /// Whether a line belongs to the header although its first part is over: exception lines can follow the sections that
  /// precede the threads.
  ///
  /// In free text, any other key may be part of the text.
  private func returnsToHeader(_ line: Line) -> Bool {
    if section.isHeader { return false }
    guard section.isFreeText else { return HeaderSection.hasKey(line) }
    return ExceptionSection.hasKey(line) || line.text.hasPrefix("Triggered by Thread:")
  }

  /// Whether a line begins the exception of an excerpt that has it below its frames.
  private func beginsException(_ line: Line) -> Bool {
    draft.report.exception == nil && line.text.hasPrefix("Exception Type:")
  }

  private mutating func endReport() {
    section.finish(&draft)
    draft.takeStatedFault()
    draft.takeMachException()
    let name = draft.pendingName
    if draft.isReport { reports.append(draft.finished()) }
    draft = TextDraft(format: format)
    draft.pendingName = name
    section = HeaderSection()
  }

  private mutating func begin(_ next: any SectionReader) {
    section.finish(&draft)
    section = next
  }

  private mutating func begin(_ title: SectionTitle, _ line: Line) {
    switch title {
    case .thread(let title):
      if title.isCrashed, draft.holdsCrashedThread(title.index) { endReport() }
      let awaitsQueue = title.queue == nil && line.text.trimmed.hasSuffix("Dispatch queue:")
      begin(draft.beginThread(title, awaitsQueue: awaitsQueue))
    case .triggeredThread:
      guard var title = draft.trigger else { return }
      title.isCrashed = true
      begin(draft.beginThread(title))
    case .threadName(let title):
      begin(ThreadNameSection(title))
      draft.pendingName = title
    case .registers(let thread, let flavor): begin(RegisterSection(thread: thread, flavor: flavor))
    case .code(let thread): begin(CodeSection(thread: thread))
    case .exceptionBacktrace: begin(BacktraceSection(owner: .exception))
    case .applicationBacktrace: begin(draft.beginApplicationBacktrace())
    case .applicationInformation(let text):
      begin(FreeTextSection(.applicationInformation))
      if let text = text.trimmed.nonEmptyString { draft.report.applicationSpecificInformation.append(text) }
    case .reporterText:
      begin(FreeTextSection(.applicationInformation))
      section.read(line, into: &draft)
    case .crashlytics(let title): beginCrashlytics(title)
    case .dyldMessage: begin(FreeTextSection(.terminationDetails))
    case .vmRegions(let text): begin(VMRegionSection(first: text))
    case .remarks(let heading): begin(RemarkSection(heading: heading))
    case .images: begin(ImageSection())
    case .other: begin(IgnoredSection())
    }
  }
}

extension TextReport {
  /// A second exception belongs to another report.
  private mutating func beginCrashlytics(_ title: CrashlyticsSection.Title) {
    section.finish(&draft)
    if case .exception = title, !draft.report.lastExceptionBacktrace.isEmpty { endReport() }
    section = CrashlyticsSection(title, in: &draft)
  }
}

/// Lines of a section that the model doesn't cover.
struct IgnoredSection: SectionReader {
  mutating func read(_ line: Line, into draft: inout TextDraft) {}
  mutating func finish(_ draft: inout TextDraft) {}
}

/// The lines below `Thread 0 name: worker`: the thread's own title, except in Sentry's text, whose frames follow at once.
private struct ThreadNameSection: SectionReader {
  private let title: ThreadTitle
  private var frames: BacktraceSection?

  init(_ title: ThreadTitle) { self.title = title }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    if frames == nil, FrameLine(line)?.frame.number == 0 { frames = draft.beginThread(title) }
    frames?.read(line, into: &draft)
  }

  mutating func finish(_ draft: inout TextDraft) { frames?.finish(&draft) }
}

/// Lines that can be anything, even the text of a title; the section ends with a title after a blank line.
struct FreeTextSection: SectionReader {
  enum Target {
    case applicationInformation, terminationDetails
  }

  private let target: Target
  /// The last line, and the message that it belongs to.
  private var last: (line: Line, message: Line)?
  /// Whether a heading of the text around the report has followed.
  private var isOver = false
  var isFreeText: Bool { true }

  init(_ target: Target) { self.target = target }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    if line.isBlank { return }
    if line.text.hasPrefix("##"), line.text.drop(while: { $0 == UInt8(ascii: "#") }).first == 0x20 {
      isOver = true
    }
    if isOver { return }
    switch target {
    case .applicationInformation: takeInformation(line, &draft.report.applicationSpecificInformation)
    case .terminationDetails: draft.termination { $0.details.append(line.raw.string) }
    }
  }

  private mutating func takeInformation(_ line: Line, _ lines: inout [String]) {
    if let last,
      let whole = Self.joinedTitle(last.message, line)
        ?? WrappedMessage.joinedAtWidth(last.message, last: last.line, line)
    {
      lines[lines.count - 1] = whole.text.string
      self.last = (line, whole)
    } else {
      lines.append(line.raw.string)
      last = (line, line)
    }
  }

  /// Sentry's title of a Mach exception, whose second part stands on the next line: `Exception 1, Code 1, Subcode 16 >`,
  /// `KERN_INVALID_ADDRESS at 0x10.`
  private static func joinedTitle(_ begun: Line, _ next: Line) -> Line? {
    guard begun.text.hasPrefix("Exception "), begun.text.hasSuffix(" >"), next.text.hasPrefix("KERN_") else {
      return nil
    }
    return begun.with(text: Bytes(Array(begun.text) + [0x20] + Array(next.text)))
  }

  mutating func finish(_ draft: inout TextDraft) {}
}

/// "VM Region Info" and the table under it, which ends with a blank line.
struct VMRegionSection: SectionReader {
  private var lines: [String]
  private var isOver = false

  init(first: Bytes) { lines = [first.string] }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    if line.isBlank { isOver = true }
    if !isOver { lines.append(line.raw.string) }
  }

  mutating func finish(_ draft: inout TextDraft) {
    draft.report.vmRegionInfo = draft.report.vmRegionInfo ?? lines.joined(separator: "\n")
  }
}

/// A section of the system's notes, one per line; a blank line ends it.
private struct RemarkSection: SectionReader {
  private let heading: String
  /// Whether lines are relevant: in "External Modification Summary", only what others did to this process is.
  private var isRelevant: Bool
  private var isOver = false

  init(heading: String) {
    self.heading = heading
    isRelevant = heading != SystemRemark.externalModification
  }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    if line.isBlank { isOver = true }
    if isOver { return }
    if line.text.hasPrefix("Calls made by ") {
      isRelevant = line.text.hasPrefix("Calls made by other processes targeting this process")
    } else if isRelevant, line.keyAndValue?.value.equals("0") != true {
      draft.report.addRemark(heading, line.text.string)
    }
  }

  mutating func finish(_ draft: inout TextDraft) {}
}
