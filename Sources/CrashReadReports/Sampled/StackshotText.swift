internal import CrashReadCore

/// Reads the text form of stackshots, as written by iOS 8 and earlier: for each process its images, and for each
/// thread the addresses on its kernel and user stacks.
struct StackshotText {
  private enum Part { case head, images, threads }

  private let head: Head
  private var part = Part.head
  private var process: CrashReport?
  /// A kernel address in the process's stacks; nil when there is none.
  private var kernelAddress: UInt64?
  private var reports: [CrashReport] = []

  /// The text before the first process.
  private struct Head {
    var report = CrashReport(format: .ipsText, kind: .other)
    var frontmost: [Int] = []
  }

  static func reports(in bytes: Bytes, firstLine: Int, maximum: Int) -> [CrashReport] {
    let lines = LineCursor(bytes, firstLine: firstLine).lazy.filter { !$0.isBlank }
    var reader = StackshotText(head: readHead(lines.prefix { !$0.text.hasPrefix("Process ") }))
    for line in lines where reader.reports.count <= maximum { reader.read(line) }
    return reader.finished()
  }

  private init(head: Head) { self.head = head }

  private static func readHead(_ lines: some Sequence<Line>) -> Head {
    var draft = TextDraft(format: .ipsText)
    var header = HeaderSection()
    var head = Head()
    for line in lines {
      header.read(line, into: &draft)
      guard let (key, value) = line.keyAndValue else { continue }
      switch key {
      case "Date": draft.report.header.date = value.nonEmptyString
      case "Reason": draft.report.applicationSpecificInformation.append(value.string)
      case "Frontmost process PID":
        head.frontmost += value.decimalValue.flatMap { Int(exactly: $0) }.map { [$0] } ?? []
      default: break
      }
    }
    draft.report.kind = .other
    head.report = draft.report
    return head
  }

  private mutating func read(_ line: Line) {
    if let title = line.text.after("Process "), let (pid, rest) = title.firstWord(),
      let number = pid.decimalValue.flatMap({ Int(exactly: $0) })
    {
      beginPart(number, rest.trimmed)
    } else if part == .images {
      readImage(line)
    } else if part == .threads {
      readThread(line)
    }
  }

  /// Reads what follows the pid: `info:`, `binary images:` or `launchd threads:`.
  private mutating func beginPart(_ pid: Int, _ title: Bytes) {
    if process?.header.pid != pid {
      endProcess()
      var next = head.report
      next.header.pid = pid
      next.header.process = nil
      process = next
    }
    part = .head
    if title.equals("binary images:") { part = .images }
    guard title.hasSuffix(" threads:") else { return }
    part = .threads
    process?.header.process = title.dropLast(" threads:".utf8.count).nonEmptyString
  }

  /// Reads `0x1e9a000 <a834213bd2353aedaf5456f61de43c6a>`.
  private mutating func readImage(_ line: Line) {
    guard let (word, rest) = line.text.firstWord(), let start = word.prefixedHexValue,
      let id = ImageLine.identity(in: rest)?.id
    else {
      process?.notes.append(
        ReportNote(line: line.number, message: "the image's line is truncated, so it was left out"))
      return
    }
    var image = BinaryImage(start: RuntimeAddress(start))
    image.id = id
    image.line = line.number
    process?.images.append(image)
  }

  /// Reads `thread 0x1 TH_WAIT`, and under it `kernel: 0x1 0x2 …` and `user: 0x1 0x2 …`, innermost first.
  private mutating func readThread(_ line: Line) {
    if let title = line.text.after("thread 0x") {
      var thread = ThreadRecord(index: process?.threads.count ?? 0)
      thread.id = "0x" + title.prefix { !$0.isBlank }.string
      process?.threads.append(thread)
    } else if let addresses = line.text.after("kernel: ") {
      append(addresses, line.number)
      let first = addresses.firstWord()?.word.prefixedHexValue
      kernelAddress = first ?? kernelAddress
    } else if let addresses = line.text.after("user: ") {
      append(addresses, line.number)
    }
  }

  private mutating func append(_ addresses: Bytes, _ line: Int) {
    guard let last = process?.threads.indices.last else { return }
    var kind = FrameKind.programCounter
    for word in addresses.split(whereSeparator: \.isBlank) {
      guard let address = word.prefixedHexValue else { break }
      var frame = Frame(kind: kind, address: RuntimeAddress(address))
      frame.line = line
      frame.number = process?.threads[last].frames.count
      process?.threads[last].frames.append(frame)
      kind = .returnAddress
    }
  }

  private mutating func endProcess() {
    guard var report = process, !report.threads.isEmpty else { return }
    if let kernel = kernelAddress { report.images.append(Self.kernel(holding: kernel)) }
    kernelAddress = nil
    report.locateFrames(statesKinds: true)
    reports.append(report)
  }

  /// An image for the kernel's half of the address space, since the report doesn't state where the kernel was loaded.
  private static func kernel(holding address: UInt64) -> BinaryImage {
    var image = BinaryImage(start: RuntimeAddress(address >> 32 == 0 ? 0x8000_0000 : 0xffff_ff80_0000_0000))
    image.name = "kernel"
    return image
  }

  /// The reports: of the frontmost processes, if the head names them and they are listed, otherwise of all.
  private mutating func finished() -> [CrashReport] {
    endProcess()
    let selected = reports.filter { $0.header.pid.map(head.frontmost.contains) ?? false }
    return selected.isEmpty ? reports : selected
  }
}
