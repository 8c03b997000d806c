internal import CrashReadCore

/// Reads the output of `spindump`, and the reports about hangs, CPU time, wakeups and disk writes in the same format.
///
/// A head is followed by blocks, one per process, each with its threads and its own images. Each becomes a report;
/// that of the process named in the head comes first.
struct SpindumpReport {
  private enum Part { case head, heaviestStack, process, images, other }

  /// The head; if it names a process, that is the target.
  private var head = TextDraft(format: .spindump)
  private var heaviest = CallTreeBuilder()
  private var heaviestName = ThreadRecord.heaviestStack
  private var images = ImageSection()
  private var part = Part.head
  /// The process whose block is being read; empty before the first block.
  private var process = TextDraft(format: .spindump)
  private var isInProcess = false
  private var tree = CallTreeBuilder()
  private var reports: [CrashReport] = []
  private var target: Int?
  private var nodeCount = 0
  /// Whether the text has ended inside the tree that was read last.
  private var isCut = false
  /// Whether the preceding line of the head describes the event.
  private var isAfterEvent = false

  /// The maximum number of nodes: more than in any real file, it protects against memory exhaustion.
  private static let maximumNodes = 1_000_000
  private static let maximumProcesses = 10_000

  static func reports(in bytes: Bytes, firstLine: Int) -> [CrashReport] {
    var reader = SpindumpReport()
    for line in LineCursor(bytes, firstLine: firstLine) where !line.isBlank { reader.read(line) }
    if reader.part == .process { reader.isCut = reader.tree.isCut }
    if reader.part == .heaviestStack { reader.isCut = reader.heaviest.isCut }
    reader.tree.dropCutName()
    reader.heaviest.dropCutName()
    return reader.finished()
  }

  private mutating func read(_ line: Line) {
    if line.text.hasPrefix("Thread 0x") {
      beginThread(line.text)
    } else if line.raw.first?.isLetter == true {
      readKey(line)
    } else if line.text.hasPrefix("Binary Images:") {
      endThread()
      part = isInProcess ? .images : .other
    } else {
      readRow(line)
    }
  }

  private mutating func readRow(_ line: Line) {
    switch part {
    case .heaviestStack:
      if var row = CallTreeBuilder.Row(line.raw) {
        // The list is one path, printed without indentation.
        row.column = heaviest.entries.count
        heaviest.add(row, line: line.number)
      }
    case .process: readTree(line)
    case .images: images.read(line, into: &process)
    case .head where CallTreeBuilder.Row(line.raw) != nil:
      // A path whose title was not copied.
      part = .heaviestStack
      readRow(line)
    case .head: continueEvent(line)
    case .other: break
    }
  }
}

// MARK: - Keys

extension SpindumpReport {
  /// Reads a line without indentation: a key of the head or of a process, or a title.
  private mutating func readKey(_ line: Line) {
    if let name = line.text.after("Process:") ?? line.text.after("Powerstats for:") {
      return beginProcess(name.trimmed)
    }
    // The heaviest stack of the target process, or of its main thread.
    if line.text.hasPrefix("Heaviest stack for the ") {
      part = .heaviestStack
      if line.text.hasPrefix("Heaviest stack for the main thread") {
        heaviestName = ThreadRecord.mainHeaviestStack
      }
      return
    }
    if part == .heaviestStack { part = .head }
    switch part {
    case .head: readHead(line)
    case .process where process.report.threads.isEmpty && tree.entries.isEmpty: readProcessKey(line)
    case .process, .images, .heaviestStack, .other:
      endThread()
      part = .other
    }
  }

  /// The keys of the head that describe the event.
  private static let eventKeys = [
    "Event", "Reason", "Action taken", "CPU", "Writes", "Wakeups", "Duration", "On Behalf Of",
  ]
  /// The events that a head can state.
  static let events: [StaticString] = ["cpu usage", "wakeups", "disk writes", "hang"]

  private mutating func readHead(_ line: Line) {
    isAfterEvent = false
    _ = HeaderSection.readField(line, into: &head)
    guard let (key, value) = line.keyAndValue else {
      readPowerFailure(line.text)
      return
    }
    switch key {
    case "Hardware model": head.report.header.hardwareModel = value.nonEmptyString
    case "Advisory levels": readAdvisories(value)
    case "Architecture": head.report.header.codeType = value.nonEmptyString
    case "Stackshot Reason": readPowerFailure(value)
    case "Duration Sampled" where value.firstRange(of: "unresponsive for ") != nil: noteWholeDuration()
    case _ where Self.eventKeys.contains(key):
      head.report.applicationSpecificInformation.append("\(key): \(value.string)")
      isAfterEvent = true
      if key == "Duration" { readUnresponsive(value) }
    default: break
    }
  }

  /// Reads the sentence above the stackshot of a Mac that hung while going to sleep or waking, and was restarted
  /// (iokit/Kernel/IOPMrootDomain.cpp). The processes in the stackshot are not the subject.
  private mutating func readPowerFailure(_ text: Bytes) {
    if text.hasPrefix("Power button pressed during ") {
      head.report.kind = .other
      head.report.applicationSpecificInformation.append(text.string)
    }
    guard text.hasPrefix("Sleep Wake failure") || text.firstRange(of: " transition timed out after ") != nil
    else { return }
    head.report.kind = .panic
    var exception = ExceptionRecord()
    exception.message = text.string
    head.report.exception = exception
  }

  /// Reads `1.20s (process was unresponsive for 15 seconds before sampling)`: newer systems state the whole duration first,
  /// older ones that of the sampling.
  private mutating func readUnresponsive(_ value: Bytes) {
    guard let mark = value.firstRange(of: "unresponsive for "),
      let end = value[mark.upperBound...].firstRange(of: " before sampling")
    else { return }
    let before = value[mark.upperBound..<end.lowerBound]
    let whole = value.firstWord()?.word ?? []
    let isWhole =
      Double(whole.dropLast().string) ?? 0 > before.firstWord().flatMap { Double($0.word.string) } ?? 0
      && whole.last == UInt8(ascii: "s")
    let duration = (isWhole ? whole : before).string
    head.report.applicationSpecificInformation.append("Hang duration: \(duration)")
  }

  /// Takes the duration stated before as that of the hang: where the sampled part has a line of its own, it is the whole.
  private mutating func noteWholeDuration() {
    let stated = head.report.applicationSpecificInformation.lazy.compactMap {
      Bytes(Array($0.utf8)).after("Duration: ")
    }.first
    guard let stated, let duration = stated.firstWord()?.word else { return }
    head.report.applicationSpecificInformation.append("Hang duration: \(duration.string)")
  }

  /// Reads the continuation of a line of the head that a mail program has wrapped, by one blank or up to the values.
  private mutating func continueEvent(_ line: Line) {
    guard isAfterEvent, line.raw.first == 0x20, line.text.first?.isLetter ?? false, line.keyAndValue == nil,
      let last = head.report.applicationSpecificInformation.indices.last
    else { return }
    head.report.applicationSpecificInformation[last] += " " + line.text.string
  }

  /// Reads `Battery -> 3, User -> 2, ThermalPressure -> 0, Combined -> 2`.
  private mutating func readAdvisories(_ value: Bytes) {
    for level in value.split(separator: UInt8(ascii: ",")).map(\.trimmed) {
      guard let pressure = level.after("ThermalPressure -> "), !pressure.equals("0") else { continue }
      head.report.addRemark(SystemRemark.thermalPressure, pressure.string)
    }
  }

  private mutating func readProcessKey(_ line: Line) {
    _ = HeaderSection.readField(line, into: &process)
    guard let (key, value) = line.keyAndValue else { return }
    if key == "Architecture" { process.report.header.codeType = value.nonEmptyString }
    guard key == "Note", value.hasPrefix("Unresponsive") else { return }
    process.report.kind = .hang
    guard let rest = value.after("Unresponsive for "), let duration = rest.before(" before sampling")
    else { return }
    process.report.applicationSpecificInformation.append("Hang duration: \(duration.string)")
  }

  private mutating func beginProcess(_ name: Bytes) {
    endProcess()
    isInProcess = true
    part = .process
    let known = head.report.header
    process.report.header.date = known.date
    process.report.header.osVersion = known.osVersion
    process.report.header.incident = known.incident
    process.report.header.hardwareModel = known.hardwareModel
    process.report.header.codeType = known.codeType
    // Newer systems add a number that stays unique when that of the process is used again.
    let name = name.firstRange(of: " [unique pid ").map { name[..<$0.lowerBound] } ?? name
    HeaderSection.readProcess(name, into: &process.report.header)
  }
}

// MARK: - Threads

extension SpindumpReport {
  /// Reads `Thread 0xeac    DispatchQueue "label"(1)    Thread name "name"    101 samples (1-101)    priority 31`.
  private mutating func beginThread(_ title: Bytes) {
    endThread()
    // Threads can be copied without the process that they belong to.
    if !isInProcess {
      guard reports.isEmpty else { return }
      beginProcess([])
    }
    part = .process
    var thread = ThreadRecord(index: process.report.threads.count)
    var fields = title.dropFirst("Thread ".utf8.count)
    while !fields.isEmpty {
      let end = fields.firstRange(of: "    ")
      readField(fields[..<(end?.lowerBound ?? fields.endIndex)].trimmed, into: &thread)
      fields = fields[(end?.upperBound ?? fields.endIndex)...]
    }
    process.report.threads.append(thread)
  }

  private func readField(_ field: Bytes, into thread: inout ThreadRecord) {
    if field.hasPrefix("0x"), thread.id == nil {
      thread.id = field.string
    } else if let label = field.after("DispatchQueue \"") {
      thread.queue = Self.quoted(label)
    } else if let number = field.after("DispatchQueue "), number.trimmed.equals("1") {
      // Older systems print only the queue's number; 1 is the main queue's (libdispatch, src/queue_internal.h).
      thread.queue = thread.queue ?? "com.apple.main-thread"
    } else if let name = field.after("Thread name \"") {
      thread.name = Self.quoted(name)
    } else if let (number, unit) = field.firstWord(), unit.trimmed.hasPrefix("sample") {
      thread.sampleCount = number.decimalValue.flatMap { Int(exactly: $0) }
    } else if field.hasPrefix("last ran "), field.hasSuffix(" ago") {
      thread.didNotRun = true
    } else if let time = field.after("cpu time ")?.prefix(while: { $0.isDigit || $0 == UInt8(ascii: ".") }),
      let seconds = Double(time.string), let count = thread.sampleCount
    {
      // Samples are at least a millisecond apart.
      thread.didNotRun = thread.didNotRun || seconds * 1000 < Double(count)
    }
  }

  /// The text up to the last quotation mark, since names may contain quotation marks; nil when there is none.
  private static func quoted(_ text: Bytes) -> String? {
    text[..<(text.lastIndex(of: UInt8(ascii: "\"")) ?? text.endIndex)].nonEmptyString
  }

  private mutating func readTree(_ line: Line) {
    guard let row = CallTreeBuilder.Row(line.raw) else { return }
    guard !row.text.isEmpty else {
      return process.note(line, "the line of the call tree is truncated and was left out")
    }
    nodeCount += 1
    guard nodeCount <= Self.maximumNodes else {
      if nodeCount == Self.maximumNodes + 1 {
        process.note(line, "call trees were read up to here, \(Self.maximumNodes) functions in total")
      }
      return
    }
    tree.add(row, line: line.number)
  }

  /// Ends a thread. Reports from the battery's statistics have no threads, but one tree for the process.
  private mutating func endThread() {
    defer { tree = CallTreeBuilder() }
    guard !tree.entries.isEmpty else { return }
    if process.report.threads.last?.callTree.isEmpty != true {
      process.report.threads.append(ThreadRecord(index: process.report.threads.count))
    }
    let last = process.report.threads.count - 1
    process.report.threads[last].callTree = tree.entries
    process.report.threads[last].isTreeCut = isCut
    process.report.threads[last].sampleCount = process.report.threads[last].sampleCount ?? tree.sampleCount
  }
}

// MARK: - Reports

extension SpindumpReport {
  private mutating func endProcess() {
    endThread()
    images.finish(&process)
    defer {
      process = TextDraft(format: .spindump)
      isInProcess = false
    }
    guard isInProcess, process.hasBody || isTarget else { return }
    guard reports.count < Self.maximumProcesses else { return noteLimit() }
    if target == nil, isTarget {
      target = reports.count
      completeTarget()
    } else if process.report.kind != .hang {
      process.report.kind = .sample
    }
    if head.report.header.process == nil {
      process.report.applicationSpecificInformation += head.report.applicationSpecificInformation
      process.report.systemRemarks = head.report.systemRemarks
    }
    process.report.locateFrames()
    reports.append(process.report)
  }

  private mutating func noteLimit() {
    let message = "only the first \(Self.maximumProcesses) processes were read"
    if reports[0].notes.last?.message != message {
      reports[0].notes.append(ReportNote(line: nil, message: message))
    }
  }

  /// Whether the block is about the process named in the head.
  private var isTarget: Bool {
    let wanted = head.report.header
    let found = process.report.header
    guard let name = wanted.process, name == found.process else { return false }
    return wanted.pid == nil || found.pid == nil || wanted.pid == found.pid
  }

  /// Adds the head's statements about the target and the event.
  private mutating func completeTarget() {
    let known = head.report
    let isUnresponsive = process.report.kind == .hang
    let isStated = [.panic, .other].contains(known.kind)
    let kind = isStated ? known.kind : Self.kind(known.applicationSpecificInformation)
    process.report.kind = isUnresponsive && kind == .sample ? .hang : kind
    // A process's note has only the part before the sampling.
    let isTimed = known.applicationSpecificInformation.contains { $0.hasPrefix("Hang duration: ") }
    process.report.applicationSpecificInformation =
      known.applicationSpecificInformation
      + (isUnresponsive && !isTimed ? process.report.applicationSpecificInformation : [])
    process.report.systemRemarks = known.systemRemarks
    process.report.header.pid = process.report.header.pid ?? known.header.pid
    process.report.header.path = process.report.header.path ?? known.header.path
    process.report.header.version = process.report.header.version ?? known.header.version
    process.report.header.build = process.report.header.build ?? known.header.build
    process.report.header.bundleID = process.report.header.bundleID ?? known.header.bundleID
    process.report.header.parentProcess = process.report.header.parentProcess ?? known.header.parentProcess
    if process.report.threads.isEmpty, !heaviest.entries.isEmpty {
      var thread = ThreadRecord(index: 0)
      thread.name = heaviestName
      thread.callTree = heaviest.entries
      thread.isTreeCut = isCut
      thread.sampleCount = heaviest.sampleCount
      process.report.threads = [thread]
    }
  }

  /// The kind of report, by the event named in the head.
  private static func kind(_ information: [String]) -> ReportKind {
    let event = information.lazy.compactMap { Bytes(Array($0.utf8)).after("Event: ") }.first
    guard let event else { return information.contains { $0.hasPrefix("Hang duration: ") } ? .hang : .sample }
    if event.equals("hang") || event.equals("slow HID response") { return .hang }
    let limits: [StaticString] = ["cpu usage", "wakeups", "disk writes"]
    return limits.contains { event.hasPrefix($0) } ? .resource : .sample
  }

  /// Whether the head states an event, although the lines that name the process were not copied.
  private var statesEvent: Bool {
    head.report.applicationSpecificInformation.contains { $0.hasPrefix("Event: ") }
  }

  private mutating func finished() -> [CrashReport] {
    endProcess()
    if target == nil,
      head.report.header.process != nil || [.panic, .other].contains(head.report.kind)
        || reports.isEmpty && (statesEvent || !heaviest.entries.isEmpty)
    {
      process = head
      completeTarget()
      process.report.locateFrames()
      // Of a failed transition, the stackshot shows what waited for it.
      if head.report.kind == .panic { return [process.report] }
      reports.insert(process.report, at: 0)
    } else if let target, target > 0 {
      reports.insert(reports.remove(at: target), at: 0)
    }
    return reports
  }
}
