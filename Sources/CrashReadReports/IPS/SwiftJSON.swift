internal import CrashReadCore

/// Maps the Swift runtime's crash log as JSON to a report.
enum SwiftJSON {
  /// Whether a document is such a log, or the beginning of one.
  static func isReport(_ document: JSONValue) -> Bool {
    document["kind"].string == "crashReport"
      && (!document["threads"].isNull || !document["description"].isNull)
  }

  static func read(_ document: JSONValue) -> CrashReport {
    var report = CrashReport(format: .swiftJSON)
    report.header.date = document["timestamp"].string
    report.header.osVersion = document["platform"].string
    report.header.codeType = document["architecture"].string
    if let description = document["description"].string {
      let address = document["faultAddress"].string.map { " at " + $0 } ?? ""
      report.exception = ExceptionRecord(swiftDescription: description + address)
    }
    report.images = document["images"].elements.map(image)
    report.header.path = report.programPath
    report.header.process = report.header.path.map(fileName)
    report.threads = document["threads"].elements.enumerated().map { thread($1, index: $0) }
    report.locateFrames(statesKinds: true)
    return report
  }

  private static func image(_ source: JSONValue) -> BinaryImage {
    let start = source["baseAddress"].bits ?? 0
    var image = BinaryImage(start: RuntimeAddress(start))
    image.name = source["name"].string
    image.path = source["path"].string
    image.id = source["buildId"].string.flatMap { ImageID(parsing: $0) }
    image.end = source["endOfText"].bits.flatMap { $0 > start ? RuntimeAddress($0 - 1) : nil }
    return image
  }

  private static func thread(_ source: JSONValue, index: Int) -> ThreadRecord {
    var thread = ThreadRecord(index: index)
    thread.name = source["name"].string
    thread.isCrashed = source["crashed"].isTrue
    thread.frames = source["frames"].elements.enumerated().map { frame($1, number: $0) }
    thread.state = ThreadState(registersOf: source["registers"])
    return thread
  }

  private static func frame(_ source: JSONValue, number: Int) -> Frame {
    let address = source["address"].bits.map { RuntimeAddress($0) }
    var frame = Frame(kind: kind(source["kind"].string), address: address)
    frame.number = number
    frame.imageName = source["image"].string
    frame.isInlined = source["inlined"].isTrue
    readSymbol(source, into: &frame)
    let location = source["sourceLocation"]
    frame.reportedFile = location["file"].string
    frame.reportedLine = location["line"].integer.flatMap { $0 > 0 ? $0 : nil }
    return frame
  }

  private static func kind(_ text: String?) -> FrameKind {
    switch text {
    case "programCounter": .programCounter
    case "asyncResumePoint": .asyncResumePoint
    case "omittedFrames": .omitted
    case "truncated": .truncated
    default: .returnAddress
    }
  }

  /// Prefers the description, which has the readable name, followed by the offset.
  private static func readSymbol(_ source: JSONValue, into frame: inout Frame) {
    guard let symbol = source["symbol"].string, symbol != "<unknown>" else { return }
    let offset = source["offset"].bits
    var name = source["description"].string ?? symbol
    if let offset, name.hasSuffix(" + \(offset)") { name.removeLast(3 + String(offset).utf8.count) }
    frame.reportedSymbol = name
    frame.reportedSymbolOffset = frame.isInlined ? nil : offset
  }
}
