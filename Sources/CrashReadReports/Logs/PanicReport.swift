internal import CrashReadCore

/// Reads the text of a kernel panic: the message, the panicked thread's return addresses, and its kernel extensions.
package struct PanicReport {
  /// What stands before the name of a listed extension whose address range the text lacks, in the report's information.
  package static let extensionPrefix = "Kernel Extension in backtrace: "

  /// What stands before the names of loaded extensions that aren't Apple's.
  package static let loadedPrefix = "Loaded extensions of other makers: "

  private enum Part { case head, message, backtrace, extensions, loaded, other }

  private var report = CrashReport(format: .panic, kind: .panic)
  private var part = Part.head
  private var previous: Bytes?
  private var kernel = BinaryImage(start: RuntimeAddress(0))
  private var hasOwnTextSlide = false
  private var hasPanic = false
  /// Whether a line was read that the kernel prints only below a panic's message.
  private var hasPanicLog = false
  /// Whether a CPU's account of its errors was found.
  private var hasMachineCheck = false
  private var loaded: [String] = []
  /// The dependencies of the last listed extension.
  private var dependencies: [String] = []

  /// The part of the message read so far, while its source file may still follow in another line.
  private var openMessage: [UInt8] = []
  private static let maximumMessageLines = 4

  /// The maximum number of lines: a message can contain a device's whole log.
  private static let maximumLines = 400

  static func reports(in bytes: Bytes, firstLine: Int, maximum: Int) -> [CrashReport] {
    var reader = PanicReport()
    var reports: [CrashReport] = []
    for line in LineCursor(bytes, firstLine: firstLine) where !line.isBlank {
      if reports.count > maximum { return reports }
      if reader.isNextPanic(line.text) {
        reports.append(reader.finished())
        reader = PanicReport()
      }
      reader.read(line)
    }
    return reader.isReport ? reports + [reader.finished()] : reports
  }

  /// Whether the panic is stated, or a backtrace whose panic was not copied.
  private var isReport: Bool { hasPanic || hasFrames || hasMachineCheck || hasPanicLog }
  private var hasFrames: Bool { report.threads.contains { !$0.frames.isEmpty } }

  /// Whether a line begins the next panic of a list of them. A panic in the handling of a panic belongs to the same report.
  private func isNextPanic(_ text: Bytes) -> Bool {
    guard hasPanic, previous?.firstRange(of: "ested panic") == nil else { return false }
    if text.equals("*** Panic Report ***") { return true }
    return hasFrames && text.hasPrefix("panic(cpu ") || TextDialect.beginsPanicString(text)
  }

  /// Reads a field with a panic's text; firmware's begins with the message.
  static func report(inField text: Bytes) -> CrashReport? {
    if let report = reports(in: text, firstLine: 1, maximum: 0).first { return report }
    var reader = PanicReport()
    for line in LineCursor(text) where !line.isBlank {
      if reader.hasPanic { reader.read(line) } else { reader.beginMessage(line) }
    }
    return reader.hasPanic ? reader.finished() : nil
  }

  private mutating func read(_ line: Line) {
    defer { previous = line.text }
    if !hasPanic, line.text.hasPrefix("panic(") { return beginMessage(line) }
    if !hasPanic, let start = TextDialect.panicStart(line.text) {
      return beginMessage(line.with(text: line.text[start...]))
    }
    if begins(line.text) { return }
    switch part {
    case .head: readHead(line)
    case .message:
      if readKey(line.text) { openMessage = [] } else { continueMessage(line); addMessage(line.text) }
    case .backtrace: if !readFrame(line) { _ = readKey(line.text) }
    case .extensions: if !readExtension(line) { _ = readKey(line.text) }
    case .loaded: readLoaded(line.text)
    case .other: _ = readKey(line.text)
    }
  }

  /// Reads `panic(cpu 1 caller 0xffffff7f8903c9cf): "text"@file.cpp:127`.
  private mutating func beginMessage(_ line: Line) {
    hasPanic = true
    part = .message
    var exception = ExceptionRecord()
    exception.message = PanicMessage(line: line.text).text
    report.exception = exception
    openMessage = Array(line.text)
    addMessage(line.text)
  }

  /// Completes a message that was wrapped, once the line with its source file shows where it ends.
  private mutating func continueMessage(_ line: Line) {
    let text = line.text
    joinSentence(line)
    guard !openMessage.isEmpty,
      report.applicationSpecificInformation.count < Self.maximumMessageLines,
      !PanicMessage.isWhole(Bytes(openMessage))
    else { return openMessage = [] }
    openMessage += [0x20] + text
    if PanicMessage.isWhole(Bytes(openMessage)) {
      report.exception?.message = PanicMessage(line: Bytes(openMessage)).text
    }
  }

  /// Joins a sentence that a mail program or a page has wrapped inside, which its last word shows, or the next line's
  /// first ones.
  private mutating func joinSentence(_ line: Line) {
    guard let message = report.exception?.message, report.applicationSpecificInformation.count == 1,
      let word = message.split(separator: " ").last,
      Self.innerWords.contains(String(word)) || Self.beginsInside(line)
    else { return }
    report.exception?.message = message + " " + line.text.string
  }

  /// Whether a line can only continue a sentence: somebody has indented it below the message, or it states the reason for
  /// which process 1 ended (bsd/kern/kern_exit.c).
  private static func beginsInside(_ line: Line) -> Bool {
    line.raw.prefix { $0.isBlank }.count >= deepIndentation
      || ["subcode 0x", "-- namespace ", "-- exit reason "].contains { line.text.hasPrefix($0) }
  }

  /// The kernel itself indents lines below a message by a tab or a few blanks.
  private static let deepIndentation = 12

  /// Words that end no sentence.
  private static let innerWords: Set = [
    "from", "of", "in", "at", "on", "the", "for", "to", "with", "a", "by", "and", "reason", "namespace",
    "subcode", "userspace", "watchdog",
  ]

  private mutating func addMessage(_ text: Bytes) {
    guard report.applicationSpecificInformation.count < Self.maximumLines else { return }
    report.applicationSpecificInformation.append(text.string)
  }

  /// Begins the list that a title announces; what the panicked thread's title states is added to the thread.
  private mutating func begins(_ text: Bytes) -> Bool {
    if text.hasPrefix("Backtrace (CPU ") || text.hasPrefix("Panicked thread:")
      || text.hasPrefix("panicked thread:")
    {
      beginBacktrace(text)
    } else if let rest = text.after("Kernel Extensions in backtrace:") {
      part = .extensions
      // Some versions, and people who join lines, have the first one here.
      if !rest.trimmed.isEmpty { _ = readExtension(Line(number: 0, raw: rest)) }
    } else if text.hasPrefix("loaded kexts:") || text.hasPrefix("last started kext") {
      endExtension()
      part = text.hasPrefix("loaded") ? .loaded : .other
    } else {
      return false
    }
    return true
  }

  private mutating func beginBacktrace(_ text: Bytes) {
    part = .backtrace
    // With several backtraces, the first is the panicked thread's.
    var thread = ThreadRecord(index: report.threads.count)
    thread.isCrashed = report.threads.isEmpty
    thread.id = text.firstRange(of: "tid: ").flatMap {
      text[$0.upperBound...].firstWord()?.word.nonEmptyString
    }
    report.threads.append(thread)
  }

  /// Reads `lr: 0x1  fp: 0x2`, or a frame and its return address as `0x1 : 0x2`, perhaps with a symbol.
  private mutating func readFrame(_ line: Line) -> Bool {
    guard !report.threads.isEmpty else { return false }
    var words = line.text
    if let rest = words.after("lr:") {
      words = rest
    } else {
      guard let (frame, rest) = words.split(at: UInt8(ascii: ":")), frame.trimmed.prefixedHexValue != nil
      else { return false }
      words = rest
    }
    guard let (word, name) = words.firstWord(), let address = word.prefixedHexValue else { return false }
    var frame = Frame(kind: .returnAddress, address: RuntimeAddress(address))
    Self.readSymbol(name, into: &frame)
    let last = report.threads.count - 1
    frame.number = report.threads[last].frames.count
    frame.line = line.number
    report.threads[last].frames.append(frame)
    return true
  }

  /// Reads `mach_kernel : _panic + 0x54`; a part split off by the compiler has no offset.
  private static func readSymbol(_ text: Bytes, into frame: inout Frame) {
    guard let mark = text.firstRange(of: " : ") else { return }
    let symbol = text[mark.upperBound...].trimmed
    frame.imageName = text[..<mark.lowerBound].trimmed.nonEmptyString
    frame.reportedSymbol = symbol.nonEmptyString
    guard let (rest, word) = symbol.lastWord(), let offset = word.prefixedHexValue, rest.hasSuffix(" + ")
    else { return }
    frame.reportedSymbol = rest.dropLast(3).nonEmptyString
    frame.reportedSymbolOffset = offset
  }

  /// Reads `com.apple.driver.X(1.0)[UUID]@0x1000->0x1fff`, whose identity systems before macOS 10.11 don't print and people
  /// leave out with the range.
  ///
  /// An extension's dependencies are in the backtrace only when listed themselves.
  private mutating func readExtension(_ line: Line) -> Bool {
    if let dependency = line.text.after("dependency:") {
      dependencies.append(dependency.trimmed.prefix { $0 != UInt8(ascii: "(") }.string)
      return true
    }
    endExtension()
    guard let (name, rest) = line.text.split(at: UInt8(ascii: "(")), Self.isBundleIdentifier(name),
      let (version, place) = rest.split(at: UInt8(ascii: ")"))
    else { return false }
    var image = BinaryImage(start: RuntimeAddress(0))
    (image.name, image.version, image.line) = (name.nonEmptyString, version.nonEmptyString, line.number)
    if let (id, _) = place.after("[")?.split(at: UInt8(ascii: "]")) { image.id = ImageID(parsing: id.string) }
    guard let at = place.lastIndex(of: UInt8(ascii: "@")), let arrow = place[at...].firstRange(of: "->"),
      let start = place[(at + 1)..<arrow.lowerBound].prefixedHexValue
    else {
      addMessage(Bytes(Array((Self.extensionPrefix + (image.name ?? "")).utf8)))
      return true
    }
    image.start = RuntimeAddress(start)
    image.end = place[arrow.upperBound...].prefixedHexValue.flatMap { $0 < start ? nil : RuntimeAddress($0) }
    report.images.append(image)
    return true
  }

  /// Reads `org.example.moon\t1.0` of the list of all loaded extensions. Apple's own are shortened on Intel: `>AudioAUUC`.
  private mutating func readLoaded(_ text: Bytes) {
    guard loaded.count < Self.maximumLoaded, let (name, rest) = text.firstWord(), !rest.isEmpty,
      Self.isBundleIdentifier(name), !name.hasPrefix("com.apple.")
    else { return }
    loaded.append(name.string)
  }

  private static let maximumLoaded = 8

  private static func isBundleIdentifier(_ text: Bytes) -> Bool {
    text.contains(UInt8(ascii: "."))
      && text.allSatisfy { $0.isLetter || $0.isDigit || $0.isAny(of: ".-_") }
  }

  private mutating func endExtension() {
    defer { dependencies = [] }
    guard !dependencies.isEmpty, let name = report.images.last?.name else { return }
    let line = "Dependencies of \(name): " + dependencies.joined(separator: ", ")
    addMessage(Bytes(Array(line.utf8)))
  }
}

// MARK: - Facts about the system

extension PanicReport {
  /// Removes a last address in the middle of which the text ends: the kernel's have all their digits.
  private mutating func dropCutFrame() {
    guard let last = report.threads.indices.last, part == .backtrace,
      let cut = report.threads[last].frames.last?.address?.rawValue, cut >> 48 == 0,
      report.threads[last].frames.dropLast().contains(where: {
        $0.address.map { $0.rawValue >> 48 != 0 } ?? false
      })
    else { return }
    report.threads[last].frames.removeLast()
  }

  /// Reads what the CPU wrote down of its errors, which the kernel and the firmware print above the panic:
  /// `IA32_MC7_STATUS(0x41d): 0xfe0332c000010093`, `IA32_MC3_STATUS=0xBE00000000800400`. The CPUs share some of it.
  private mutating func readMachineCheck(_ text: Bytes) {
    if text.hasPrefix("Machine-check capabilities:") || text.hasPrefix("CPU Machine Check Architecture") {
      hasMachineCheck = true
      if report.exception == nil {
        var exception = ExceptionRecord()
        exception.message = text.string
        report.exception = exception
      }
      addMessage(text)
    } else if text.hasPrefix("IA32_MC"), text.firstRange(of: "_STATUS") != nil, !text.hasPrefix("IA32_MCG"),
      !report.applicationSpecificInformation.contains(text.string)
    {
      addMessage(text)
    }
  }

  private mutating func readHead(_ line: Line) {
    readMachineCheck(line.text)
    if line.text.equals("*** Panic Report ***"), let previous, Self.isDate(previous) {
      report.header.date = previous.nonEmptyString
    }
    // The CPUs that did not stop are listed before the panic for which they were to stop.
    if line.text.hasPrefix("Debugger synchronization timed out") { addMessage(line.text) }
    // What entered the debugger, when it was no panic. A panic's own line comes below (osfmk/kern/debug.c).
    if report.exception == nil, let cause = line.text.after("Debugger called: <"), !cause.hasPrefix("panic>")
    {
      report.exception = ExceptionRecord()
      report.exception?.message = line.text.string
      addMessage(line.text)
    }
    _ = readKey(line.text)
  }

  /// Whether a line is a date, `Sat Jun 16 14:12:49 2018`: anything can stand above a report.
  private static func isDate(_ text: Bytes) -> Bool {
    text.count < 40 && text.first.map { $0.isLetter || $0.isDigit } ?? false
      && text.split(separator: UInt8(ascii: ":")).count >= 3
  }

  private mutating func readKey(_ text: Bytes) -> Bool {
    // The build is on a separate line.
    if let previous, previous.equals("Mac OS version:") || previous.equals("OS version:") {
      report.header.osVersion = report.header.osVersion ?? text.nonEmptyString
      return true
    }
    if let mark = text.firstRange(of: "rocess name corresponding to current thread:") {
      report.header.process = text[mark.upperBound...].trimmed.nonEmptyString
      part = .other
      return true
    }
    if TextDialect.isOfPanicLog(text) { hasPanicLog = true }
    guard hasPanic || hasPanicLog || report.exception != nil || text.hasPrefix("Panicked task 0x"),
      let (key, value) = Line(number: 0, raw: text).keyAndValue
    else {
      return false
    }
    switch key {
    case "OS version", "Mac OS version":
      report.header.osVersion = report.header.osVersion ?? value.nonEmptyString
    case "System model name": report.header.hardwareModel = value.prefix { !$0.isBlank }.nonEmptyString
    case "Kernel UUID": kernel.id = ImageID(parsing: value.string)
    case "Kernel text base": kernel.start = RuntimeAddress(value.prefixedHexValue ?? 0)
    case "Kernel text exec slide": hasOwnTextSlide = true
    default: return readProcess(key, value, text)
    }
    if key.hasPrefix("Kernel") { addMessage(text) }
    part = .other
    return true
  }

  private mutating func readProcess(_ key: String, _ value: Bytes, _ text: Bytes) -> Bool {
    switch key {
    case _ where key.hasPrefix("Panicked task"):
      readTask(text)
      addMessage(text)
    case "Kernel slide", "KernelCache slide", "KernelCache UUID", "Fileset Kernelcache UUID",
      "Kernel version", "Compressor Info":
      addMessage(text)
    case "Debugger message", "Memory ID", "OS release type": break
    default: return false
    }
    part = .other
    return true
  }

  /// Reads `Panicked task 0x1234: 0 pages, 524 threads: pid 0: kernel_task`, whose parts some texts have in another order:
  /// `pid 0: kernel_task, 0 pages, 524 threads`.
  private mutating func readTask(_ text: Bytes) {
    guard let mark = text.firstRange(of: "pid "), let (pid, name) = text[mark.upperBound...].split(at: 0x3a)
    else { return }
    report.header.pid = pid.decimalValue.flatMap { Int(exactly: $0) }
    let end = name.indices.first {
      name[$0...].hasPrefix(", ") && name[$0...].dropFirst(2).first?.isDigit == true
    }
    report.header.process = name[..<(end ?? name.endIndex)].trimmed.nonEmptyString
  }

  private mutating func finished() -> CrashReport {
    endExtension()
    dropCutFrame()
    if !loaded.isEmpty {
      report.applicationSpecificInformation.append(Self.loadedPrefix + loaded.joined(separator: ", "))
    }
    if kernel.start.rawValue != 0 {
      kernel.name = "kernel"
      if hasOwnTextSlide, kernel.id != nil {
        // Offsets from the kernel's header differ from those in its debug file. Without an identity, nothing is looked
        // up unless a guess is requested.
        kernel.id = nil
        let message = "the kernel's code has a slide of its own, so its frames are not looked up"
        report.notes.append(ReportNote(line: nil, message: message))
      }
      report.images.append(kernel)
    }
    // All addresses are return addresses.
    report.locateFrames(statesKinds: true)
    return report
  }
}
