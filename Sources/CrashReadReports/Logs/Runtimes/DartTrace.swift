internal import CrashReadCore

/// A stack of Dart compiled ahead of time, from a program built without names (`--split-debug-info`): addresses,
/// below lines that name their snapshot. `flutter symbolize` reads the same.
///
/// `StackTrace::ToCString` of the Dart VM (dart-lang/sdk, runtime/vm/object.cc) prints it in the format of Android's
/// `debuggerd`, with the address of each call rather than its return address.
struct DartTrace {
  private static let maximumFrames = 2048

  private(set) var frames: [Frame] = []
  private var id: ImageID?
  private var start: UInt64?
  private var architecture: Architecture?
  private var pid: Int?
  private var threadName: String?
  /// Whether a second stack has begun, whose addresses are in another snapshot.
  private var isOver = false

  /// Takes a line; false when it isn't part of such a stack.
  mutating func read(_ line: Line) -> Bool {
    let text = line.text
    if text.hasPrefix("*** *** *** ***") {
      isOver = !frames.isEmpty
      return true
    }
    return readHead(text) || readFrame(text, line.number)
  }

  private mutating func readHead(_ text: Bytes) -> Bool {
    if let rest = text.after("build_id: '") {
      if frames.isEmpty { id = rest.split(at: UInt8(ascii: "'")).flatMap { ImageID(parsing: $0.before) } }
      return true
    }
    if let rest = text.after("isolate_dso_base: ") {
      if frames.isEmpty { start = rest.prefix { $0 != UInt8(ascii: ",") }.hexDigitsValue }
      return true
    }
    if let rest = text.after("pid: "), let mark = rest.firstRange(of: ", tid: ") {
      if frames.isEmpty { readProcess(rest[..<mark.lowerBound], rest[mark.upperBound...]) }
      return true
    }
    if text.hasPrefix("os: "), let mark = text.firstRange(of: " arch: "),
      text.firstRange(of: " comp: ") != nil
    {
      let word = text[mark.upperBound...].firstWord()?.word
      architecture = word.flatMap { $0.equals("x64") ? .x86_64 : Architecture(codeType: $0.string) }
      return true
    }
    return text.hasPrefix("isolate_instructions: ")
  }

  private mutating func readProcess(_ process: Bytes, _ rest: Bytes) {
    pid = process.decimalValue.flatMap { Int(exactly: $0) }
    threadName = rest.firstRange(of: ", name ").flatMap { rest[$0.upperBound...].nonEmptyString }
  }

  /// Reads `#00 abs 000000723d6346d7 virt 00000000001ed6d7 _kDartIsolateSnapshotInstructions+0x1e26d7`; VMs before
  /// 2.15 omitted the second address.
  private mutating func readFrame(_ text: Bytes, _ number: Int) -> Bool {
    guard let rest = text.after("#"), let mark = rest.firstRange(of: " abs "),
      let position = rest[..<mark.lowerBound].decimalValue.flatMap({ Int(exactly: $0) }),
      let (word, tail) = rest[mark.upperBound...].firstWord(), let address = word.hexDigitsValue
    else { return false }
    guard !isOver, frames.count < Self.maximumFrames else { return true }
    if let last = frames.last?.number, position <= last {
      isOver = true
      return true
    }
    var frame = Frame(kind: .programCounter, address: RuntimeAddress(address))
    frame.number = position
    frame.line = number
    if let offset = tail.trimmedStart.after("virt ")?.firstWord()?.word.hexDigitsValue {
      frame.imageOffset = ImageOffset(offset)
      start = start ?? (address > offset ? address - offset : nil)
    }
    frames.append(frame)
    return true
  }

  /// Adds the stack to a report, as that of the crashed thread.
  func add(to report: inout CrashReport) {
    guard !frames.isEmpty else { return }
    var image = BinaryImage(start: RuntimeAddress(start ?? 0))
    // Nothing states the file's name, which is `App` on iOS and `libapp.so` elsewhere.
    image.name = "Dart snapshot"
    image.id = id
    image.architecture = architecture
    image.isMarkedAsApp = true
    var thread = ThreadRecord(index: 0)
    thread.name = threadName
    thread.isCrashed = true
    thread.frames = frames
    for index in frames.indices {
      thread.frames[index].image = report.images.count
      thread.frames[index].imageName = image.name
    }
    report.header.pid = report.header.pid ?? pid
    report.images.append(image)
    report.threads.insert(thread, at: 0)
    for index in report.threads.indices {
      report.threads[index].index = index
      report.threads[index].isCrashed = index == 0
    }
  }
}
