internal import CrashReadCore

/// Maps PLCrashReporter's binary format to a report; field numbers are those of its `PLCrashReport.proto`.
struct PLCrashReport {
  private let root: WireMessage
  private var report = CrashReport(format: .plCrash)

  private static let magic: StaticString = "plcrash"

  /// Whether the bytes begin with the magic of such a file, whatever version follows.
  static func isFile(_ bytes: Bytes) -> Bool {
    bytes.hasPrefix(magic) && bytes.count > magic.utf8CodeUnitCount
  }

  static func read(_ bytes: Bytes) -> CrashReport {
    let version = bytes.dropFirst(magic.utf8CodeUnitCount)
    var reader = PLCrashReport(root: WireMessage(version.dropFirst()))
    if version.first != 1 {
      let text = "this is version \(version.first ?? 0) of the format; it was read as version 1"
      reader.report.notes.append(ReportNote(line: nil, message: text))
    }
    reader.readImages()
    reader.readHeader()
    reader.readException()
    reader.readThreads()
    return reader.report
  }

  private init(root: WireMessage) { self.root = root }

  private mutating func readImages() {
    report.images = root.all(4).map { Self.image(WireMessage($0)) }
    let machine = root.message(8)?.message(2).flatMap(Self.architecture)
    // A process's architecture can differ from the machine's.
    let architecture = report.images.lazy.compactMap(\.architecture).first ?? machine
    report.header.codeType = (architecture ?? legacyArchitecture)?.rawValue
  }

  private static func image(_ source: WireMessage) -> BinaryImage {
    var image = BinaryImage(start: RuntimeAddress(source.number(1) ?? 0))
    if let size = source.number(2), size > 0 { image.end = image.start.advanced(by: ImageOffset(size - 1)) }
    image.path = source.string(3)
    image.name = image.path.map(fileName)
    image.id = source.all(4).last.flatMap { ImageID(bytes: Array($0)) }
    image.architecture = source.message(5).flatMap(architecture)
    return image
  }

  /// Reads a processor; only Mach's own numbers are in use.
  private static func architecture(_ source: WireMessage) -> Architecture? {
    guard source.number(1) == 1, let type = source.number(2) else { return nil }
    let subtype = UInt32(truncatingIfNeeded: source.number(3) ?? 0)
    return Architecture(machOType: UInt32(truncatingIfNeeded: type), subtype: subtype)
  }

  /// The numbers used here before those of Mach.
  private var legacyArchitecture: Architecture? {
    let names = ["i386", "x86_64", "armv6", "ppc", "ppc64", "armv7"]
    guard let number = root.message(1)?.number(3), number < names.count else { return nil }
    return Architecture(rawValue: names[Int(number)])
  }

  private mutating func readHeader() {
    let application = root.message(2)
    let process = root.message(7)
    let info = root.message(9)
    report.header.incident = info?.all(2).last.flatMap { ImageID(bytes: Array($0)) }?.description
    report.header.bundleID = application?.string(1)
    report.header.build = application?.string(2)
    report.header.version = application?.string(3)
    report.header.process = process?.string(1)
    report.header.pid = process?.number(2).flatMap { Int(exactly: $0) }
    report.header.path = process?.string(3)
    report.header.launchDate = process?.number(7).flatMap(utcDate)
    report.header.hardwareModel = root.message(8)?.string(1)
    if let parent = process?.string(4) {
      report.header.parentProcess = process?.number(5).map { "\(parent) [\($0)]" } ?? parent
    }
    readSystem()
    guard info?.number(1) == 1 else { return }
    let message = "the program requested this report while running; it may not have crashed"
    report.notes.append(ReportNote(line: nil, message: message))
  }

  private mutating func readSystem() {
    guard let system = root.message(1) else { return }
    let names: [UInt64: String] = [0: "Mac OS X", 1: "iPhone OS", 2: "iPhone Simulator", 4: "tvOS"]
    let name = system.number(1).flatMap { names[$0] }
    let version = [name, system.string(2)].compactMap { $0 }.joined(separator: " ")
    report.header.osVersion = system.string(5).map { "\(version) (\($0))" } ?? version
    report.header.date = system.number(4).flatMap(utcDate)
  }

  private mutating func readException() {
    if let exception = root.message(5) {
      report.uncaughtException = UncaughtException(name: exception.string(1), reason: exception.string(2))
      report.lastExceptionBacktrace = Self.frames(exception.all(3))
    }
    guard let signal = root.message(6) else { return }
    var record = ExceptionRecord()
    record.type = signal.string(1)
    let address = RuntimeAddress(signal.number(3) ?? 0)
    let text = "\(signal.string(2) ?? "#0") at \(address)"
    ExceptionSection.readCodes(Bytes(Array(text.utf8)), into: &record)
    if let mach = signal.message(4), let name = mach.number(1).flatMap(MachNames.exception) {
      record.signal = record.type
      record.type = name
      record.codes = mach.numbers(2)
    }
    report.exception = record
  }

  private mutating func readThreads() {
    report.threads = root.all(3).enumerated().map { Self.thread(WireMessage($1), index: $0) }
    report.locateFrames()
    if !root.isWhole {
      report.notes.append(
        ReportNote(line: nil, message: "the file is damaged; the part before the damage was read"))
    }
  }

  private static func thread(_ source: WireMessage, index: Int) -> ThreadRecord {
    var thread = ThreadRecord(index: source.number(1).flatMap { Int(exactly: $0) } ?? index)
    thread.frames = frames(source.all(2))
    thread.isCrashed = source.number(3) == 1
    let registers = source.all(4).map(WireMessage.init).compactMap { register -> Register? in
      guard let name = register.string(1), let value = register.number(2) else { return nil }
      return Register(name: name.lowercased(), value: value)
    }
    if !registers.isEmpty { thread.state = ThreadState(registers: registers) }
    return thread
  }

  private static func frames(_ sources: [Bytes]) -> [Frame] {
    sources.enumerated().map { number, bytes in
      let source = WireMessage(bytes)
      let address = source.number(3).map { RuntimeAddress($0) }
      var frame = Frame(kind: .returnAddress, address: address)
      frame.number = number
      let symbol = source.message(6)
      // A fork has the symbol's two fields in the frame itself.
      frame.reportedSymbol = (symbol?.string(1) ?? source.string(4)).map(sourceName)
      if frame.reportedSymbol != nil, let start = symbol?.number(2) ?? source.number(5), start > 0 {
        frame.reportedSymbolOffset = address?.offset(from: RuntimeAddress(start))?.rawValue
      }
      return frame
    }
  }
  /// Mach-O symbol tables have an underscore before each name.
  private static func sourceName(_ symbol: String) -> String {
    symbol.count > 1 && symbol.hasPrefix("_") ? String(symbol.dropFirst()) : symbol
  }
}
