internal import CrashReadCore

/// Frames as Crashlytics shows and exports them, under `Fatal Exception: NAME` or `Crashed: QUEUE`, and those of an error
/// that the app recorded and survived, under `Non-fatal Exception: NAME`.
///
/// The reason is between title and frames. Further threads follow, each headed by its queue or by `Thread`, and begin
/// with frame 0. The address column of all but old reports contains the offset from the image's start.
struct CrashlyticsSection: SectionReader {
  /// A title without the number that the text export puts before it, `#5. Crashed: com.apple.main-thread`, and without
  /// the marks of code around it.
  static func withoutNumber(_ text: Bytes) -> Bytes {
    // Old pages name a thread without a number: `Thread : Fatal Exception: NSRangeException`.
    if let title = text.after("Thread : "), isTitle(title) { return title }
    if text.first == UInt8(ascii: "`") {
      return text.drop { $0 == UInt8(ascii: "`") }.prefix { $0 != UInt8(ascii: "`") }
    }
    guard let rest = text.after("#") else { return text }
    let digits = rest.prefix { $0.isDigit }
    return digits.isEmpty ? text : rest[digits.endIndex...].after(". ") ?? text
  }

  /// Whether a line is a title.
  static func isTitle(_ line: Bytes) -> Bool {
    ["Crashed: ", "Fatal Exception: ", "Non-fatal Exception: "].contains { line.hasPrefix($0) }
  }

  /// The kind and contents of a title.
  enum Title {
    case exception(name: String, reason: String?)
    case recorded(error: String)
    case crashed(queue: String)

    /// Reads what follows `Fatal Exception: `; nil for a sentence about an exception.
    ///
    /// In a page that was copied, the reason can be on the same line, without a blank before it.
    init?(exception text: Bytes) {
      let word = text.firstWord()?.word ?? text
      let end = word.firstRange(of: "Exception")?.upperBound ?? word.endIndex
      let reason = text[end...].trimmedStart
      guard Statement.isExceptionName(word[..<end]), let first = reason.first else {
        self = .exception(name: text.string, reason: nil)
        return
      }
      if (0x61...0x7a).contains(first) { return nil }
      self = .exception(name: word[..<end].string, reason: (reason.after(": ") ?? reason).string)
    }
  }

  private var owner: BacktraceSection.Owner
  private var hasFrames = false
  /// A frame of which only the number, the image and possibly the source have been read.
  private var unnamed: Frame?
  private var isException: Bool
  /// The recorded error's entry among the report's texts, as an index; nil for what ended the program.
  private var recorded: Int?
  /// The first of the section's threads, as an index.
  private let firstThread: Int
  /// The heading of the next thread.
  private var next = ""

  /// The lowest address of code in a 64-bit program; a smaller number is an offset.
  private static let lowestAddress: UInt64 = 0x1_0000_0000

  init(_ title: Title, in draft: inout TextDraft) {
    switch title {
    case .exception(let name, let reason):
      draft.report.take(.exception(name: name, reason: reason))
      owner = .exception
      isException = true
      firstThread = draft.report.threads.count
    case .recorded(let error):
      draft.addThread("", isCrashed: false)
      draft.report.applicationSpecificInformation.append(CrashReport.reportedErrorMark + error)
      firstThread = draft.report.threads.count - 1
      owner = .thread(firstThread)
      isException = false
      recorded = draft.report.applicationSpecificInformation.count - 1
    case .crashed(let queue):
      // The title can occur twice: above the exception, and above the frames.
      if draft.report.threads.last?.isCrashed != true || draft.report.threads.last?.frames.isEmpty == false {
        let (name, statement) = Self.split(queue)
        draft.addThread(name, isCrashed: true)
        if let statement { draft.report.take(statement) }
      }
      firstThread = draft.report.threads.count - 1
      owner = .thread(firstThread)
      isException = false
    }
  }

  /// Splits a title whose columns were joined when the page was copied: `com.apple.main-threadEXC_BAD_ACCESS
  /// KERN_INVALID_ADDRESS 0x10`.
  private static func split(_ title: String) -> (queue: String, statement: Statement?) {
    // Below iOS 10 the page had the message in place of the queue: `XPC API Misuse: Over-resume of a connection`.
    if title.holds(" Misuse: ") { return ("", .message(title)) }
    guard let mark = title.range(of: "EXC_"), mark.lowerBound > title.startIndex,
      let statement = Statement(threadStop: Bytes(Array(title[mark.lowerBound...].utf8)))
    else { return (title, nil) }
    return (String(title[..<mark.lowerBound].trimmingSpaces), statement)
  }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    // The page's buttons, by the names of their icons.
    guard !line.isBlank, !line.text.hasPrefix("keyboard_arrow_") else { return }
    if let frame = Self.frameHead(line) {
      unnamed = frame
    } else if let first = line.text.first, first.isDigit, let loose = LooseFrame(line),
      loose.frame.number != nil
    {
      take(Self.located(loose.frame), into: &draft)
    } else if unnamed == nil, let frame = Self.summarised(line) {
      take(frame, into: &draft)
    } else if !readParts(line, into: &draft) {
      readText(line, into: &draft)
    }
  }

  /// Adds a frame. The frames of each thread are counted from 0.
  private mutating func take(_ frame: Frame, into draft: inout TextDraft) {
    if hasFrames, frame.number == 0 { beginThread(next, in: &draft) }
    hasFrames = true
    next = ""
    draft.append(frame, to: owner)
  }

  private mutating func beginThread(_ name: String, in draft: inout TextDraft) {
    draft.addThread(name, isCrashed: false)
    owner = .thread(draft.report.threads.count - 1)
  }

  /// Reads a frame of which somebody has kept only the name, and possibly the place or a remark, in columns:
  /// `Cart.add(_:)      Cart.swift:138`, `-[UIView setCenter:]     (the pin)`, `CA::Layer::set_position(…)`.
  ///
  /// A reason, too, can begin with a method, but goes on.
  private static func summarised(_ line: Line) -> Frame? {
    var name = line.text
    var place: (file: Bytes, number: UInt64)?
    if let (rest, word) = name.lastWord(), let found = sourceLine(word),
      rest.trimmed.last == UInt8(ascii: ")")
    {
      (name, place) = (rest.trimmedEnd, found)
    } else if let columns = name.firstRange(of: "   ") {
      name = name[..<columns.lowerBound]
    }
    let isMethod =
      name.beginsWithMethod && name.last == UInt8(ascii: "]") && name.firstRange(of: "]: ") == nil
    let isCPlusPlus =
      name.last == UInt8(ascii: ")") && name.firstRange(of: "::") != nil && name.firstRange(of: ": ") == nil
    guard place != nil || isMethod || isCPlusPlus, !(name.first?.isDigit ?? true) else { return nil }
    var frame = Frame(kind: .returnAddress, address: nil)
    frame.line = line.number
    frame.reportedSymbol = name.nonEmptyString
    frame.reportedFile = place?.file.string
    frame.reportedLine = place.flatMap { Int(exactly: $0.number) }
    return frame
  }

  /// Reads `0 Shop Cart.swift - Line 12`, as pages of Firebase's console were once copied; the next line has the
  /// function.
  private static func frameHead(_ line: Line) -> Frame? {
    guard let mark = line.text.firstRange(of: " - Line "),
      let lineNumber = line.text[mark.upperBound...].trimmed.decimalValue,
      let (head, file) = line.text[..<mark.lowerBound].lastWord(),
      let (digits, image) = head.firstWord(), let number = digits.decimalValue
    else { return nil }
    var frame = Frame(kind: .returnAddress, address: nil)
    (frame.number, frame.line) = (Int(exactly: number), line.number)
    frame.imageName = image.trimmed.nonEmptyString
    frame.reportedFile = file.string
    frame.reportedLine = lineNumber == 0 ? nil : Int(exactly: lineNumber)
    return frame
  }

  /// Reads the lines of a frame on pages: `3  My Shop`, `Cart.m line 12`, `-[Cart total]`; the number can be on a line of
  /// its own, too, and a frame of the system has no file.
  private mutating func readParts(_ line: Line, into draft: inout TextDraft) -> Bool {
    if var frame = unnamed {
      unnamed = nil
      if frame.reportedFile != nil {
        // The number after the name repeats the line, and isn't an offset.
        frame.reportedSymbol = FrameLine.frame(address: nil, tail: line.text).reportedSymbol
        take(frame, into: &draft)
        return true
      }
      if let (frame, isWhole) = Self.continued(frame, line) {
        if isWhole { take(Self.located(frame), into: &draft) } else { unnamed = frame }
        return true
      }
      if let (file, number) = Self.sourceLine(line.text) {
        frame.reportedFile = file.string
        // Code of the compiler's has no line; pages have put a number of their own there.
        let isGenerated = frame.reportedFile == "<compiler-generated>"
        frame.reportedLine = number == 0 || isGenerated ? nil : Int(exactly: number)
        unnamed = frame
        return true
      }
      // The function alone, as of the system's frames.
      guard frame.imageName?.contains(" ") == false, hasFrames || frame.number == 0 else { return false }
      let function = FrameLine.frame(address: nil, tail: line.text)
      (frame.reportedSymbol, frame.reportedSymbolOffset) = (
        function.reportedSymbol, function.reportedSymbolOffset
      )
      take(frame, into: &draft)
      return true
    }
    let digits = line.text.prefix { $0.isDigit }
    guard let number = digits.decimalValue, line.text[digits.endIndex...].first?.isBlank ?? (digits.count < 4)
    else { return false }
    var frame = Frame(kind: .returnAddress, address: nil)
    (frame.number, frame.line) = (Int(exactly: number), line.number)
    frame.imageName = line.text[digits.endIndex...].trimmed.nonEmptyString
    unnamed = frame
    return frame.imageName == nil
  }

  /// Reads `Cart.m line 12`, `Cart.m - Line 12` or `Cart.swift:12`; nil for other lines.
  private static func sourceLine(_ text: Bytes) -> (file: Bytes, number: UInt64)? {
    if let mark = text.firstRange(of: " line ") ?? text.firstRange(of: " - Line ") {
      return text[mark.upperBound...].trimmed.decimalValue.map { (text[..<mark.lowerBound], $0) }
    }
    guard let colon = text.lastIndex(of: UInt8(ascii: ":")), !text.contains(0x20),
      text[..<colon].contains(UInt8(ascii: ".")), let number = text[(colon + 1)...].decimalValue
    else { return nil }
    return (text[..<colon], number)
  }

  /// A frame whose number, image and address are on lines of their own, completed by the next line; nil for other lines.
  private static func continued(_ frame: Frame, _ line: Line) -> (frame: Frame, isWhole: Bool)? {
    var frame = frame
    if let (word, name) = line.text.firstWord(), let address = word.prefixedHexValue {
      let rest = FrameLine.frame(address: address, tail: name.trimmed)
      (frame.address, frame.reportedSymbol) = (rest.address, rest.reportedSymbol)
      frame.reportedSymbolOffset = rest.reportedSymbolOffset
      (frame.reportedFile, frame.reportedLine) = (rest.reportedFile, rest.reportedLine)
      return (frame, true)
    }
    guard frame.imageName == nil, !line.text.contains(0x20) else { return nil }
    frame.imageName = line.text.nonEmptyString
    return (frame, false)
  }

  /// Reads another line: a reason if it is above the frames, the next thread's title if it is below them.
  private mutating func readText(_ line: Line, into draft: inout TextDraft) {
    if hasFrames {
      next = Self.withoutNumber(line.text).string
      draft.takeStatement(line)
    } else if line.text.hasPrefix("com.apple."), !line.text.contains(0x20) {
      // The queue's name, which pages show between the reason and the frames, or the next thread's title, if the page
      // shows none of the frames of the one that crashed.
      if !isException, recorded == nil, draft.report.threads[firstThread].isOfOtherQueue(than: line.text) {
        beginThread(line.text.string, in: &draft)
      }
      return
    } else if line.text.hasPrefix("<details") || line.text.hasPrefix("<summary") {
      return
    } else if isException {
      draft.report.appendReason(line.text)
    } else if let recorded {
      draft.report.applicationSpecificInformation[recorded] += ": " + line.text.string
    } else {
      draft.takeStatement(line)
    }
  }

  mutating func finish(_ draft: inout TextDraft) {
    Self.dropAddresses(&draft.report.lastExceptionBacktrace)
    for index in draft.report.threads.indices.dropFirst(firstThread) {
      Self.dropAddresses(&draft.report.threads[index].frames)
    }
  }

  /// Reads the numbers of a list that was copied without its title, if they show Crashlytics' form: addresses in place of
  /// lines, and offsets in images or addresses before the names.
  static func settle(_ frames: inout [Frame]) {
    guard frames.contains(where: { $0.reportedSymbolOffset ?? 0 >= lowestAddress }) || shareStart(frames)
    else {
      return
    }
    if frames.allSatisfy({ $0.address?.rawValue ?? 0 < lowestAddress }) { frames = frames.map(located) }
    dropAddresses(&frames)
  }

  /// Whether differently named functions of an image would begin at one place, far before both: the numbers after them
  /// count from there.
  private static func shareStart(_ frames: [Frame]) -> Bool {
    var names: [String: String] = [:]
    for frame in frames where !frame.isInlined && frame.reportedSymbolOffset ?? 0 >= minimumOffset {
      guard let start = start(frame), let symbol = frame.reportedSymbol else { continue }
      if names[start, default: symbol] != symbol { return true }
      names[start] = symbol
    }
    return false
  }

  /// The minimum number after a function of 32 bits that can be an address; nearly all functions are smaller.
  private static let minimumOffset: UInt64 = 0x1_0000

  /// Leaves out numbers that aren't offsets from the symbol.
  ///
  /// For functions without lines Crashlytics can write the address, or that in another file, in their place: it differs
  /// from the offset in the image by the same amount in all functions of the image. Where it wrote addresses, the
  /// numbers can count from one place in the image, too.
  private static func dropAddresses(_ frames: inout [Frame]) {
    var names: [String: Set<String>] = [:]
    var numbers: [String: Set<UInt64>] = [:]
    for frame in frames {
      guard let start = start(frame), let symbol = frame.reportedSymbol, !frame.isInlined else { continue }
      names[start, default: []].insert(symbol)
      numbers[start, default: []].insert(frame.reportedSymbolOffset ?? 0)
    }
    // Functions at different places don't begin at the same one: then the names of the image are from another file than the
    // numbers.
    let images = Set(
      frames.filter { frame in
        start(frame).map { names[$0, default: []].count > 1 && numbers[$0, default: []].count > 1 } ?? false
      }.compactMap(\.imageName))
    for index in frames.indices {
      // No distance within an image is that large: where Crashlytics knows no symbol before the frame, it is an address.
      if frames[index].reportedSymbolOffset ?? 0 >= lowestAddress { frames[index].reportedSymbolOffset = nil }
      guard let start = start(frames[index]) else { continue }
      let isElsewhere = frames[index].imageName.map(images.contains) ?? false
      if isElsewhere || names[start, default: []].count > 1 { frames[index].reportedSymbolOffset = nil }
    }
  }

  /// The image, and where it begins if the number after the symbol is an address.
  private static func start(_ frame: Frame) -> String? {
    guard let image = frame.imageName,
      let inImage = frame.imageOffset?.rawValue ?? frame.address?.rawValue,
      let number = frame.reportedSymbolOffset
    else { return nil }
    return "\(image) \(number &- inImage)"
  }

  private static func located(_ source: Frame) -> Frame {
    var frame = source
    // Without an image (`???`), even a small number is an address: the program jumped there.
    if let number = frame.address?.rawValue, number < lowestAddress, frame.imageName != nil {
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

extension ThreadRecord {
  /// Whether it runs a queue, and a line names another one.
  fileprivate func isOfOtherQueue(than name: Bytes) -> Bool {
    queue.map { $0.holds(".") && !$0.holds(" ") && $0 != name.string } ?? false
  }
}

extension TextDraft {
  /// Begins a thread of which only a name is known.
  fileprivate mutating func addThread(_ name: String, isCrashed: Bool) {
    var thread = ThreadRecord(index: report.threads.count)
    thread.isCrashed = isCrashed
    if !name.isEmpty, name != "Thread" { thread.queue = name }
    report.threads.append(thread)
  }
}
