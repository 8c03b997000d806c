internal import CrashReadCore

/// Reads what a sanitizer writes about one error: its kind, and a stack for each thread or event involved.
///
/// Printed addresses and offsets are already inside the call, so all are looked up unchanged. The meaning of the offset
/// differs by system: on Apple's systems it is the linked address, which for a main executable begins at 4 GiB (the
/// size of `__PAGEZERO`) and for a library at 0. No image is that large, so a larger offset belongs to a main
/// executable, and its offset from the image's start is 4 GiB less.
struct SanitizerReport: LogReader {
  private static let pageZero: UInt64 = 0x1_0000_0000

  private var report = CrashReport(format: .sanitizer)
  private var inferred = InferredImages()
  /// The line that may turn out to be the title of the stack that follows.
  private var title: String?
  private var state = ThreadState()
  private var part = Part.stacks
  private var tool = ""
  /// The access to memory, if the line above it, which names the error, was not copied.
  private var access: String?
  /// The frame in the summary.
  private var summary: Frame?

  private enum Part {
    case stacks, registers, images, summarised
    /// Where a thread came from, without a stack of the error.
    case origin
  }

  mutating func read(_ line: Line, begins mark: LogMark?) -> LogStep {
    if !isEmpty, endsBefore(line, mark) { return .ended }
    // NSLog's head, through which the sanitizer prints on devices.
    let isLogged = line.text.first?.isDigit ?? false
    let line = isLogged ? line.with(text: Statement.withoutLogPrefix(line.text)) : line
    if let frame = SanitizerFrame(line), part != .summarised {
      if part != .origin { append(frame) }
      return .readMore
    }
    return readOther(line)
  }

  private var isEmpty: Bool { report.exception == nil && report.threads.isEmpty }

  private func endsBefore(_ line: Line, _ mark: LogMark?) -> Bool {
    switch mark {
    case nil: false
    case .moduleFrame: part == .summarised
    case .sanitizer(let column):
      line.text[column...].firstRange(of: "nested bug") == nil && !line.text[..<column].hasSuffix("SUMMARY: ")
    case .swiftCrash, .swiftDocument, .exception, .throwStack, .symbols: true
    }
  }

  private mutating func readOther(_ line: Line) -> LogStep {
    let text = line.text
    if let mark = text.firstRange(of: "SUMMARY: ") {
      let summary = text[mark.upperBound...]
      part = .summarised
      readSummary(summary)
      return tool == "UndefinedBehaviorSanitizer" ? .last : .readMore
    }
    if text.hasPrefix("=="), text.hasSuffix("ABORTING") { return .last }
    if text.hasPrefix("====") { return part == .summarised ? .last : .readMore }
    if text.hasSuffix("Register values:") {
      part = .registers
    } else if text.hasSuffix("module map:") || text.equals("Binary Images:") {
      part = .images
    } else if !readHeadline(text), !text.isEmpty {
      readDetail(line)
    }
    return .readMore
  }

  private mutating func readDetail(_ line: Line) {
    switch part {
    case .registers: readRegisters(line.text)
    case .images: readImage(line)
    case .stacks:
      if line.text.equals("<empty stack>") { beginThread() }
      if readRegion(line.text) { return }
      if report.exception == nil, report.threads.isEmpty, Self.isAccess(line.text) {
        access = line.text.string
      }
      readAccess(line.text)
      if let hint = line.text.firstRange(of: "==Hint: ") {
        report.exception?.note = line.text[hint.upperBound...].string
      }
      if Self.isTitle(line.text) { title = line.text.string }
    case .summarised:
      // Where a thread came from can follow the summary: `Thread T13 created by T0 here:`.
      if line.text.hasPrefix("Thread T"), line.text.firstRange(of: " created by ") != nil {
        (part, title) = (report.threads.isEmpty ? .origin : .stacks, line.text.string)
      }
    case .origin: break
    }
  }
}

extension SanitizerReport {
  /// Reads `==12==ERROR: AddressSanitizer: heap-use-after-free on address …`, or a similar line.
  private mutating func readHeadline(_ text: Bytes) -> Bool {
    if report.exception != nil { return false }
    if let mark = Self.runtimeError(text) {
      tool = "UndefinedBehaviorSanitizer"
      // CTest puts the test's number before each line of its output: `1: /src/cart.c:3:7: runtime error: …`.
      let digits = text.prefix(while: \.isDigit)
      let text = digits.isEmpty ? text : text[digits.endIndex...].after(": ") ?? text
      summary = Self.frame(at: text[..<mark.lowerBound])
      // The program continues unless it was built with `-fno-sanitize-recover`.
      report.kind = .other
      setException(
        kind: Self.kind(of: text[mark.upperBound...]), message: "UndefinedBehaviorSanitizer: " + text.string)
      return true
    }
    guard let name = LogMark.sanitizerName(in: text) else { return false }
    tool = text[name].string
    report.header.pid = Self.pid(text)
    if tool == "ThreadSanitizer" || tool == "LeakSanitizer" { report.kind = .other }
    setException(kind: Self.kind(text[name.upperBound...]), message: text[name.lowerBound...].string)
    if let counter = Self.number(after: "(pc ", in: text) {
      state.registers.append(Register(name: "pc", value: counter))
    }
    return true
  }

  /// Reads `AddressSanitizer: heap-use-after-free file.c:3 in f`, which gives the error's short name.
  ///
  /// Used where the first line is missing, or has a sentence instead of the name.
  private mutating func readSummary(_ text: Bytes) {
    guard let (tool, rest) = text.split(at: UInt8(ascii: ":")), let (word, _) = rest.firstWord() else {
      return
    }
    if report.exception == nil {
      self.tool = tool.string
      let isRace = self.tool == "ThreadSanitizer"
      if isRace { report.kind = .other }
      setException(kind: isRace ? Self.race(rest.trimmed) : word, message: text.string)
    } else if self.tool == "AddressSanitizer", report.exception?.type?.split(separator: " ").count ?? 0 > 2 {
      report.exception?.type = self.tool + ": " + word.string
    }
    summary = Self.frame(of: rest) ?? summary
  }

  /// The error's name in `data race file.c:3 in f`, which has several words, unlike those of other tools; the
  /// location can be absent.
  private static func race(_ text: Bytes) -> Bytes {
    let before = text.firstRange(of: " in ").map { text[..<$0.lowerBound] } ?? text
    guard let (name, location) = before.lastWord(), location.contains(where: { $0.isAny(of: "./:<(") })
    else { return before }
    return name.trimmed
  }

  /// Reads `heap-use-after-free file.c:3:7 in f`: the innermost frame that isn't a sanitizer's own.
  private static func frame(of text: Bytes) -> Frame? {
    // LeakSanitizer's has a count there: `27 byte(s) leaked in 2 allocation(s).`
    guard let mark = text.firstRange(of: " in "), !text[..<mark.lowerBound].hasSuffix(" leaked"),
      let (_, location) = text[..<mark.lowerBound].trimmed.lastWord()
    else { return nil }
    var frame = frame(at: location)
    frame.reportedSymbol = text[mark.upperBound...].nonEmptyString
    return frame.reportedSymbol == nil ? nil : frame
  }

  /// A frame at `file.c:3:7`, without a function.
  private static func frame(at location: Bytes) -> Frame {
    var frame = Frame(kind: .programCounter, address: nil)
    frame.number = 0
    let parts = location.split(separator: UInt8(ascii: ":"))
    if parts.count > 1, let line = parts[1].decimalValue, line > 0 {
      (frame.reportedFile, frame.reportedLine) = (parts[0].string, Int(exactly: line))
    }
    return frame
  }

  private mutating func setException(kind: Bytes, message: String) {
    var exception = ExceptionRecord()
    exception.type = tool + ": " + kind.string
    exception.message = message
    report.exception = exception
  }

  private static func kind(of runtimeError: Bytes) -> Bytes {
    runtimeError[..<(runtimeError.firstRange(of: ": ")?.lowerBound ?? runtimeError.endIndex)].trimmed
  }

  /// The error's name: the text before the numbers.
  private static func kind(_ text: Bytes) -> Bytes {
    let text = (text.after(":") ?? text).trimmed
    let ends = [" on ", " (", ": ", " 0x", " in "].compactMap { text.firstRange(of: $0)?.lowerBound }
    return text[..<(ends.min() ?? text.endIndex)]
  }

  /// The range of the mark between location and message in `file.c:3:7: runtime error: …`; nil for other lines.
  ///
  /// Other programs print these two words, too, but not after a line and a column.
  static func runtimeError(_ text: Bytes) -> Range<Int>? {
    var rest = text
    while let mark = rest.firstRange(of: ": runtime error: ") {
      if isLocation(text[..<mark.lowerBound]) { return mark }
      rest = rest[mark.upperBound...]
    }
    return nil
  }

  /// Whether a text ends with a line and a column, `file.c:3:7`; only that part is examined.
  static func isLocation(_ text: Bytes) -> Bool {
    var file = text
    for _ in 0..<2 {
      let digits = file.suffix(while: \.isDigit)
      guard digits.decimalValue != nil, let before = file.dropLast(digits.count).before(":") else {
        return false
      }
      file = before
    }
    return !file.isEmpty
  }

  /// Reads `==12==`, or the `(pid=12)` of ThreadSanitizer.
  private static func pid(_ text: Bytes) -> Int? {
    if let open = text.firstRange(of: "(pid=") {
      return text[open.upperBound...].prefix { $0.isDigit }.decimalValue.flatMap { Int(exactly: $0) }
    }
    guard let mark = text.firstRange(of: "==") else { return nil }
    return text[mark.upperBound...].prefix { $0.isDigit }.decimalValue.flatMap { Int(exactly: $0) }
  }

  private static func number(after mark: StaticString, in text: Bytes) -> UInt64? {
    guard let found = text.firstRange(of: mark) else { return nil }
    let word = text[found.upperBound...].prefix { !$0.isBlank && $0 != UInt8(ascii: ")") }
    return word.prefixedHexValue
  }

  /// Reads the failed access: `READ of size 4 at 0x10 thread T1`, or `The signal is caused by a READ memory access.`
  private mutating func readAccess(_ text: Bytes) {
    guard report.exception != nil, report.exception?.subtype == nil, report.threads.isEmpty else { return }
    let isSized = text.firstRange(of: " of size ") != nil && text.firstRange(of: " at 0x") != nil
    // The access to a variable or an object has no size (compiler-rt, lib/tsan/rtl/tsan_report.cpp).
    if isSized || text.firstRange(of: " access at 0x") != nil
      || text.firstRange(of: " access of Swift variable at 0x") != nil
    {
      report.exception?.subtype = text.string
    } else if let cause = text.firstRange(of: "caused by a "), text.hasSuffix(" memory access."),
      !text[cause.upperBound...].hasPrefix("UNKNOWN")
    {
      report.exception?.subtype = text[cause.upperBound...].dropLast().string
    }
  }

  /// Whether a line is `READ of size 4 at 0x10 thread T1`, which stands above the frames of the access
  /// (compiler-rt, lib/asan/asan_errors.cpp).
  static func isAccess(_ text: Bytes) -> Bool {
    guard let rest = text.after("READ of size ") ?? text.after("WRITE of size "),
      case let end = rest.drop(while: \.isDigit), end.startIndex > rest.startIndex
    else { return false }
    return end.hasPrefix(" at 0x") && end.firstRange(of: " thread T") != nil
  }

  /// Reads where the address lies, `0x10 is located 0 bytes after 20-byte region [0x0,0x14)` and the like: of a block,
  /// of a global variable, or in a list of a function's variables (compiler-rt, lib/asan/asan_descriptions.cpp).
  private mutating func readRegion(_ text: Bytes) -> Bool {
    let isRegion =
      text.firstRange(of: " is located ") != nil
      && (text.firstRange(of: "-byte region [") != nil || text.firstRange(of: "global variable '") != nil)
    guard isRegion || text.firstRange(of: "<== Memory access at offset ") != nil else { return false }
    report.take(.message(text.trimmed.string))
    return true
  }

  /// A stack's title ends with a colon, or describes an access.
  private static func isTitle(_ text: Bytes) -> Bool {
    if text.hasPrefix("==") || text.first == UInt8(ascii: "=") { return false }
    return text.last == UInt8(ascii: ":") || text.firstRange(of: " of size ") != nil
  }
}

extension SanitizerReport {
  private mutating func append(_ line: SanitizerFrame) {
    if line.frame.number == 0 || report.threads.isEmpty { beginThread() }
    title = nil
    var frame = line.frame
    // Without a sanitizer's headline these are frames of LLVM's own handler, which prints return addresses.
    let isNamed = report.exception != nil || access != nil
    if !isNamed, line.module?.binary.architecture == nil { frame.kind = .returnAddress }
    if let (binary, printed) = line.module {
      let offset = ImageOffset(printed >= Self.pageZero ? printed - Self.pageZero : printed)
      frame.imageOffset = offset
      frame.image = inferred.image(of: binary, holding: frame.address, at: offset)
      if printed >= Self.pageZero { report.header.process = frame.imageName }
    }
    report.threads[report.threads.count - 1].frames.append(frame)
  }

  private mutating func beginThread() {
    var thread = ThreadRecord(index: report.threads.count)
    thread.isCrashed = report.threads.isEmpty && !isOfEarlierEvent
    thread.name = title
    report.threads.append(thread)
    part = .stacks
    title = nil
  }

  /// Whether the title is of a stack that was recorded before the error: where the memory came from, or went.
  private var isOfEarlierEvent: Bool {
    title.map { Self.isEarlierEvent(Bytes(Array($0.utf8))) } ?? false
  }

  /// Whether a line is the title of such a stack: `allocated by thread T0 here:` (compiler-rt, lib/asan/asan_descriptions.cpp),
  /// `Location is heap block of size 24 at 0x10 allocated by main thread:` (lib/tsan/rtl/tsan_report.cpp).
  static func isEarlierEvent(_ text: Bytes) -> Bool {
    let titles: [StaticString] = [
      "allocated by thread T", "freed by thread T", "previously allocated by thread T", "Location is ",
    ]
    return text.last == UInt8(ascii: ":") && titles.contains { text.hasPrefix($0) }
  }

  /// Reads rows of `rax = 0x10  rbx = 0x0`, or `x[0] = 0x10`.
  private mutating func readRegisters(_ text: Bytes) {
    var rest = text
    while let (word, after) = rest.firstWord(), let (equals, values) = after.firstWord(), equals.equals("="),
      let (number, next) = values.firstWord(), let value = number.prefixedHexValue
    {
      let name = word.filter { $0 != UInt8(ascii: "[") && $0 != UInt8(ascii: "]") }
      state.registers.append(Register(name: String(decoding: name, as: UTF8.self), value: value))
      rest = next
    }
  }

  /// Reads `0x1000-0x2000 /path (arm64) <UUID>` of a module map, or a line of Apple's list.
  private mutating func readImage(_ line: Line) {
    guard var image = ImageLine(line)?.image else { return }
    if image.path == nil, let path = image.name, path.hasPrefix("/") {
      image.path = path
      image.name = fileName(path)
      image.architecture = image.architecture ?? image.version.map { Architecture(rawValue: $0) }
      image.version = nil
    }
    report.images.append(image)
  }

  mutating func finish() -> CrashReport? {
    guard !isEmpty else { return nil }
    inferRace()
    if report.exception?.subtype == nil { report.exception?.subtype = access }
    addSummary()
    if !state.registers.isEmpty, !report.threads.isEmpty { report.threads[0].state = state }
    for index in report.threads.indices { report.threads[index].frames.markInlined() }
    report.merge(inferred)
    report.locateFrames(statesKinds: true)
    return report
  }
}

extension SanitizerReport {
  /// Calls two accesses to the same memory a data race if the first lines were not copied: only ThreadSanitizer titles
  /// a stack `Previous write of size 4 at 0x7d08 by thread T13`.
  private mutating func inferRace() {
    guard report.exception == nil,
      let other = report.threads.lazy.compactMap(\.name).first(where: { $0.hasPrefix("Previous ") }),
      ["read of size ", "write of size ", "atomic "].contains(where: other.dropFirst(9).hasPrefix)
    else { return }
    tool = "ThreadSanitizer"
    report.kind = .other
    setException(kind: ArraySlice("data race".utf8), message: "ThreadSanitizer: data race")
    report.exception?.subtype = report.threads[0].name ?? other
    for thread in report.threads.indices {
      for frame in report.threads[thread].frames.indices {
        report.threads[thread].frames[frame].kind = .programCounter
      }
    }
  }

  /// Adds the summary's frame if the beginning of the first stack was not copied.
  private mutating func addSummary() {
    guard let summary else { return }
    if !report.threads.contains(where: \.isCrashed) {
      report.threads.insert(ThreadRecord(index: 0), at: 0)
      for index in report.threads.indices { report.threads[index].index = index }
      report.threads[0].isCrashed = true
      report.crashedThread = 0
    }
    guard report.threads[0].frames.first?.number != 0 else { return }
    report.threads[0].frames.insert(summary, at: 0)
  }
}

extension [Frame] {
  /// Marks frames with the same address as inlined into the last of them.
  ///
  /// A recursive function has frames with the same address, too, but they repeat the function and line.
  fileprivate mutating func markInlined() {
    var first = 0
    for index in indices.dropLast() {
      let next = self[index + 1]
      let continues = self[index].address != nil && next.address == self[index].address
      if continues, !next.hasSameLocation(as: self[first]) {
        self[index].isInlined = true
      } else {
        first = index + 1
      }
    }
  }
}

extension Frame {
  fileprivate func hasSameLocation(as other: Frame) -> Bool {
    reportedSymbol == other.reportedSymbol && reportedFile == other.reportedFile
      && reportedLine == other.reportedLine
  }
}
