internal import CrashReadCore

/// Reads the Swift runtime's crash log as text.
///
/// Source excerpts between the frames and lines of other processes are skipped.
struct SwiftLogReport: LogReader {
  private enum Part {
    case head, thread, registers, images
  }

  private var report = CrashReport(format: .swiftText)
  private let context: SwiftLogContext
  private let prefix: Bytes
  private var part = Part.head
  /// The index of the thread that registers belong to: the crashed one, or else the first.
  private var crashed = 0

  /// Begins with the line that says what happened; the text before that is a logger's prefix.
  init(startingAt column: Int, in line: Line, _ context: SwiftLogContext) {
    self.context = context
    prefix = line.raw[..<column]
  }

  mutating func read(_ line: Line, begins mark: LogMark?) -> LogStep {
    switch mark {
    case .swiftCrash:
      if report.exception != nil { return .ended }
      readHeadline(line)
      return .readMore
    case .swiftDocument, .sanitizer, .exception: return .ended
    case .moduleFrame, .throwStack, .symbols, nil: return readOwn(withoutPrefix(line))
    }
  }

  /// A line without a logger's prefix: that of the first line, with other digits.
  private func withoutPrefix(_ line: Line) -> Line {
    guard !prefix.isEmpty, line.raw.count >= prefix.count,
      zip(prefix, line.raw).allSatisfy({ $0 == $1 || $0.isDigit && $1.isDigit })
    else { return line }
    let raw = line.raw.dropFirst(prefix.count)
    return Line(number: line.number, raw: raw)
  }

  private mutating func readHeadline(_ line: Line) {
    guard let mark = line.text.firstRange(of: "Program crashed: ") else { return }
    var text = line.text[mark.upperBound...].trimmedEnd
    if text.hasSuffix("***") { text = text.dropLast(3).trimmedEnd }
    report.exception = ExceptionRecord(swiftDescription: text.string)
  }

  private mutating func readOwn(_ line: Line) -> LogStep {
    let text = line.text
    if text.hasPrefix("Backtrace took ") { return .last }
    if let platform = text.after("Platform: "), let (architecture, system) = platform.firstWord() {
      report.header.codeType = architecture.string
      report.header.osVersion = system.trimmed.nonEmptyString
    } else if let rest = text.after("Thread "), let thread = Self.thread(rest) {
      if thread.isCrashed, report.threads.indices.contains(crashed), !report.threads[crashed].isCrashed {
        crashed = report.threads.count
      }
      report.threads.append(thread)
      part = .thread
    } else if text.equals("Registers:") {
      part = .registers
    } else if text.hasPrefix("Images"), text.last == UInt8(ascii: ":") {
      part = .images
    } else {
      readRow(line)
    }
    return .readMore
  }

  /// Reads `0 "name" crashed:`; both words may be absent.
  private static func thread(_ text: Bytes) -> ThreadRecord? {
    guard text.last == UInt8(ascii: ":"), let (number, rest) = text.dropLast().firstWord(),
      let index = number.decimalValue.flatMap({ Int(exactly: $0) })
    else { return nil }
    var thread = ThreadRecord(index: index)
    var name = rest.trimmed
    if name.hasSuffix("crashed") {
      thread.isCrashed = true
      name = name.dropLast(7).trimmedEnd
    }
    if name.first == UInt8(ascii: "\""), name.last == UInt8(ascii: "\""), name.count > 1 {
      thread.name = name.dropFirst().dropLast().nonEmptyString
    } else if !name.isEmpty {
      return nil
    }
    return thread
  }

  private mutating func readRow(_ line: Line) {
    switch part {
    case .head: break
    case .images: readImage(line)
    case .registers:
      readRegisters(line.text, ofThread: report.threads.isEmpty ? nil : crashed)
    case .thread:
      if !readFrame(line) { readRegisters(line.text, ofThread: report.threads.indices.last) }
    }
  }

  private mutating func readFrame(_ line: Line) -> Bool {
    guard let last = report.threads.indices.last else { return false }
    if line.text.equals("...") {
      report.threads[last].frames.append(Frame(kind: .truncated, address: nil))
      return true
    }
    let count = report.threads[last].frames.count
    guard let frame = SwiftLogFrame(line, next: count)?.frame else { return false }
    // An ellipsis followed by frames means frames omitted in the middle.
    if let index = report.threads[last].frames.indices.last,
      report.threads[last].frames[index].kind == .truncated
    {
      report.threads[last].frames[index].kind = .omitted
    }
    report.threads[last].frames.append(frame)
    return true
  }

  /// Reads ` x0 0x0000000000000001  1`; a line can have several.
  private mutating func readRegisters(_ text: Bytes, ofThread thread: Int?) {
    guard let thread else { return }
    var rest = text
    while let (name, after) = rest.firstWord(), name.count <= 8, let (word, next) = after.firstWord(),
      let value = word.prefixedHexValue
    {
      let register = Register(name: name.string.lowercased(), value: value)
      report.threads[thread].state = report.threads[thread].state ?? ThreadState()
      report.threads[thread].state?.registers.append(register)
      rest = next
    }
  }

  /// Reads `0x1000–0x2000 build-id name path`; the dash is U+2013, and the end is exclusive.
  private mutating func readImage(_ line: Line) {
    guard let dash = line.text.firstRange(of: "–"),
      let start = line.text[..<dash.lowerBound].prefixedHexValue,
      let (end, rest) = line.text[dash.upperBound...].firstWord()
    else { return }
    var image = BinaryImage(start: RuntimeAddress(start))
    image.line = line.number
    image.end = end.prefixedHexValue.flatMap { $0 > start ? RuntimeAddress($0 - 1) : nil }
    var tail = rest.trimmedStart
    if let (word, after) = tail.firstWord(), let id = ImageID(parsing: word.string) {
      image.id = id
      tail = after.trimmedStart
    } else if let after = tail.after("<no build ID>") {
      tail = after.trimmedStart
    }
    readName(tail, into: &image)
    report.images.append(image)
  }

  /// The path follows blanks; the name before it can contain some, too.
  private func readName(_ text: Bytes, into image: inout BinaryImage) {
    let path = text.firstRange(of: " /")?.lowerBound ?? text.firstRange(of: ":\\").map { $0.lowerBound - 2 }
    if let path, path > text.startIndex {
      image.name = text[..<path].trimmed.nonEmptyString
      image.path = text[(path + 1)...].trimmed.nonEmptyString
    } else {
      image.name = text.trimmed.nonEmptyString
    }
  }

  mutating func finish() -> CrashReport? {
    guard report.exception != nil else { return nil }
    context.complete(&report)
    report.header.path = report.programPath
    report.header.process = report.header.path.map(fileName)
    report.locateFrames(statesKinds: true)
    return report
  }
}
