internal import CrashReadCore

/// Reads the console output of an uncaught NSException, or a bare list from `callStackSymbols`.
///
/// Other processes write to the same log, so lines between those of the list are skipped.
struct ExceptionLog: LogReader {
  private enum Part {
    case start, reason, beforeList, list, addresses
  }

  /// The number of lines of other processes after which the rest is considered lost.
  private static let maximumUnrelatedLines = 200

  private var report = CrashReport(format: .callStackSymbols)
  private var frames: [Frame] = []
  private var inferred = InferredImages()
  private var part = Part.start
  private var unrelatedLines = 0
  /// Whether a line ended before the reason, which then stands on the next one without its first quotation mark.
  private var isBelowLabel = false

  mutating func read(_ line: Line, begins mark: LogMark?) -> LogStep {
    switch mark {
    case .exception(let column):
      if part == .list || part == .addresses {
        readInterruptedFrame(line, before: column)
        return .ended
      }
      readException(line, at: column)
    case .throwStack:
      if part == .list || part == .addresses { return .ended }
      report.format = .nsException
      part = .beforeList
    case .swiftCrash, .swiftDocument, .sanitizer: return .ended
    case .moduleFrame, .symbols, nil: return readOther(line)
    }
    unrelatedLines = 0
    return .readMore
  }

  private mutating func readOther(_ line: Line) -> LogStep {
    switch part {
    case .beforeList where report.uncaughtException?.reason == nil && Self.wrappedReason(line.text) != nil:
      if let reason = Self.wrappedReason(line.text) { beginReason(reason) }
      return .readMore
    case .beforeList where isBelowLabel && !line.isBlank:
      isBelowLabel = false
      guard line.text.last == UInt8(ascii: "'") else { break }
      beginReason(line.text)
      return .readMore
    case .beforeList where line.text.first == UInt8(ascii: "("):
      part = line.text.count == 1 ? .list : .addresses
      return part == .list ? .readMore : readAddresses(line.text.dropFirst(), line)
    case .addresses: return readAddresses(line.text, line)
    case .list where line.text.equals(")"): return .last
    case .reason: readReason(line)
    case .start, .list:
      if let frame = FrameLine(line)?.frame { return read(frame) }
    case .beforeList: break
    }
    unrelatedLines += 1
    return unrelatedLines < Self.maximumUnrelatedLines ? .readMore : .ended
  }

  /// Reads the part of a frame before another process's exception, which can begin in the middle of a line.
  private mutating func readInterruptedFrame(_ line: Line, before column: Int) {
    let rest = line.text[..<column].trimmedEnd
    let frame = FrameLine(Line(number: line.number, raw: rest))?.frame
    if part == .list, let frame { _ = read(frame) }
  }

  private mutating func read(_ frame: Frame) -> LogStep {
    if let last = frames.last?.number, let number = frame.number, number <= last { return .ended }
    part = .list
    unrelatedLines = 0
    append(frame)
    return .readMore
  }
}

extension ExceptionLog {
  /// Reads `2024-05-01 10:00:00.000 App[12:34] *** Terminating app due to uncaught exception 'X', reason: 'Y'`.
  private mutating func readException(_ line: Line, at column: Int) {
    readProcess(line.text[..<column].trimmed)
    report.format = .nsException
    part = .beforeList
    guard let quoted = line.text[column...].firstRange(of: " exception '") else { return }
    let text = line.text[quoted.upperBound...]
    guard let separator = text.firstRange(of: "', reason: '") else {
      let name = text.split(at: UInt8(ascii: "'"))?.before ?? text
      isBelowLabel = text.hasSuffix("', reason:")
      report.uncaughtException = UncaughtException(name: name.nonEmptyString, reason: nil)
      return
    }
    report.uncaughtException = UncaughtException(
      name: text[..<separator.lowerBound].nonEmptyString, reason: nil)
    beginReason(text[separator.upperBound...])
  }

  /// The start of a reason on a line below the exception's name, with or without the label.
  private static func wrappedReason(_ text: Bytes) -> Bytes? { text.after("reason: '") ?? text.after("'") }

  private mutating func beginReason(_ printed: Bytes) {
    // In a damaged document, the string that quotes the message ends with it.
    let reason = printed.firstRange(of: "'\"]").map { printed[...$0.lowerBound] } ?? printed
    let isWhole = reason.last == UInt8(ascii: "'")
    report.uncaughtException?.reason = (isWhole ? reason.dropLast() : reason).string
    if !isWhole { part = .reason }
  }

  /// Continues a reason of several lines; the last one ends with the quotation mark.
  private mutating func readReason(_ line: Line) {
    let isLast = line.raw.last == UInt8(ascii: "'")
    let text = isLast ? line.raw.dropLast() : line.raw
    report.appendReason(text)
    if isLast { part = .beforeList }
  }

  /// Reads the `date time name[pid:thread]` that `NSLog` puts before a message.
  private mutating func readProcess(_ text: Bytes) {
    guard let open = text.lastIndex(of: UInt8(ascii: "[")) else { return }
    let pid = text[(open + 1)...].prefix { $0.isDigit }
    guard let number = pid.decimalValue.flatMap({ Int(exactly: $0) }) else { return }
    report.header.pid = number
    var name = text[..<open].trimmed
    if let (day, rest) = name.firstWord(), day.first?.isDigit == true, let (time, after) = rest.firstWord(),
      time.contains(UInt8(ascii: ":"))
    {
      report.header.date = day.string + " " + time.string
      name = after.trimmed
    } else if let (_, word) = name.lastWord() {
      name = word
    }
    report.header.process = name.nonEmptyString
  }

  /// Reads `0x1b14e2a48 0x1b1209fa4 …`, ended by a closing parenthesis.
  private mutating func readAddresses(_ text: Bytes, _ line: Line) -> LogStep {
    let isLast = text.last == UInt8(ascii: ")")
    var words = isLast ? text.dropLast() : text
    while let (word, rest) = words.firstWord(), let address = word.addressValue {
      words = rest
      var frame = Frame(kind: .returnAddress, address: RuntimeAddress(address))
      frame.number = frames.count
      frame.line = line.number
      frames.append(frame)
      unrelatedLines = 0
    }
    unrelatedLines += 1
    return isLast ? .last : unrelatedLines < Self.maximumUnrelatedLines ? .readMore : .ended
  }

  private mutating func append(_ source: Frame) {
    var frame = source
    let printed = frame.reportedSymbolOffset ?? frame.imageOffset?.rawValue
    if let module = Self.module(frame), let offset = printed {
      frame.image = inferred.image(of: module, holding: frame.address, at: ImageOffset(offset))
      // Some reporters add the function's name: `0x182191000 + 151236 // __pthread_kill`.
      let isNamed = frame.imageOffset != nil && frame.reportedSymbol != frame.imageName
      frame.imageOffset = ImageOffset(offset)
      frame.reportedSymbol = isNamed ? frame.reportedSymbol : nil
      frame.reportedSymbolOffset = nil
    } else if frame.reportedSymbol != nil, frame.reportedSymbolOffset == nil, frame.reportedFile == nil {
      // Every line of such a list ends with an offset; a line without one is truncated, or continues with another
      // process's output.
      frame.reportedSymbol = nil
      report.notes.append(
        ReportNote(line: frame.line, message: "the frame's line is broken, so its symbol was left out"))
    }
    frames.append(frame)
  }

  /// The image of a frame whose offset is relative to the image's start, which follows its name, UUID, or address.
  private static func module(_ frame: Frame) -> FrameModule? {
    guard let name = frame.imageName else { return nil }
    if frame.imageOffset != nil || frame.reportedSymbol == name { return FrameModule(path: name) }
    guard let symbol = frame.reportedSymbol, symbol.utf8.count == 36 else { return nil }
    return ImageID(parsing: symbol).map { FrameModule(path: name, id: $0) }
  }

  mutating func finish() -> CrashReport? {
    if report.format == .nsException {
      report.lastExceptionBacktrace = frames
      guard report.uncaughtException != nil || !frames.isEmpty else { return nil }
      // Only termination by an exception prints this; the line with the exception's name is missing.
      if report.uncaughtException == nil {
        report.applicationSpecificInformation = ["*** First throw call stack:"]
      }
    } else {
      guard frames.count > 1 else { return nil }
      var thread = ThreadRecord(index: 0)
      thread.isCrashed = true
      thread.frames = frames
      thread.frames.dropSignalHandler()
      CrashlyticsSection.settle(&thread.frames)
      report.threads = [thread]
      if frames.isPanic { report.kind = .panic }
    }
    report.merge(inferred)
    report.locateFrames(statesKinds: true)
    return report
  }
}
