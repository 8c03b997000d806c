internal import CrashReadCore

/// Maps a stackshot (the stacks of all threads of all processes at one moment) to a report per process it is about.
struct Stackshot {
  private let body: JSONValue
  private let processes: [(name: String, value: JSONValue)]
  private let images: [BinaryImage]
  /// For each entry of the list of images, whether it stands for absolute addresses instead of an image.
  private let isAbsolute: [Bool]

  /// The maximum number of processes that are read. A device has too many of them, and the report is about a few.
  private static let maximumProcesses = 64

  /// The prefix of the reason given by the requester of the stackshot.
  private static let reasonMark = "Stackshot reason: "

  /// Nil when a body contains no stackshot.
  init?(_ body: JSONValue) {
    let inner = body["stackshot"]
    let source = inner["processByPid"].isObject ? inner : body
    guard source["processByPid"].isObject else { return nil }
    self.body = body
    processes = source["processByPid"].members
    images = source["binaryImages"].elements.map(Self.image)
    isAbsolute = source["binaryImages"].elements.map { $0.elements.dropFirst(2).first?.string == "A" }
  }

  /// Reads `[uuid, base, source]`.
  private static func image(_ source: JSONValue) -> BinaryImage {
    let parts = source.elements
    var image = BinaryImage(start: RuntimeAddress(parts.dropFirst().first?.bits ?? 0))
    image.id = parts.first?.string.flatMap { ImageID(parsing: $0) }
    if parts.dropFirst(2).first?.string == "S" { image.name = "dyld shared cache" }
    return image
  }

  func reports(completing report: CrashReport) -> [CrashReport] {
    var common = report
    if let reason = body["reason"].string {
      common.applicationSpecificInformation.append(Self.reasonMark + reason)
    }
    if common.kind == .other, isHang { common.kind = .hang }
    common.images = images
    let selected = selectedProcesses
    var shown = selected
    if selected.isEmpty {
      shown = processes
      common.kind = .other
      let message = "the process that the report is about is missing from it; all others were read"
      common.notes.append(ReportNote(line: nil, message: message))
    }
    if shown.count > Self.maximumProcesses {
      let message = "the first \(Self.maximumProcesses) of \(shown.count) processes were read"
      common.notes.append(ReportNote(line: nil, message: message))
      shown = Array(shown.prefix(Self.maximumProcesses))
    }
    let reports = shown.map { self.report(on: $0.name, $0.value, common) }
    return reports.isEmpty ? [common] : reports.count == 1 ? reports : reports.map(withOwnImages)
  }

  /// A report with only the images of its frames. The list that all processes share, repeated in each report, would be
  /// many times as long as the whole stackshot.
  private func withOwnImages(_ report: CrashReport) -> CrashReport {
    var report = report
    report.images = []
    var positions: [Int: Int] = [:]
    for thread in report.threads.indices {
      for number in report.threads[thread].frames.indices {
        guard let image = report.threads[thread].frames[number].image else { continue }
        if positions[image] == nil {
          positions[image] = report.images.count
          report.images.append(images[image])
        }
        report.threads[thread].frames[number].image = positions[image]
      }
    }
    return report
  }

  /// Whether the reason is a wait that timed out.
  private var isHang: Bool {
    let reason = Bytes(Array((body["reason"].string ?? "").lowercased().utf8))
    return ["timeout", "timed out", "deadlock", "unresponsive", "watchdog"].contains {
      reason.firstRange(of: $0) != nil
    }
  }

  /// The processes that the report is about: the one it identifies by id or name, otherwise the frontmost ones.
  private var selectedProcesses: [(name: String, value: JSONValue)] {
    func pid(_ process: (name: String, value: JSONValue)) -> Int? {
      process.value["pid"].integer ?? Int(process.name)
    }
    if let wanted = body["pid"].integer {
      let found = processes.filter { pid($0) == wanted }
      if !found.isEmpty { return found }
    }
    if let name = body["procName"].string {
      let found = processes.filter { $0.value["procname"].string == name }
      if !found.isEmpty { return found }
    }
    let frontmost = body["frontmostPids"].elements.compactMap(\.integer)
    return processes.filter { pid($0).map(frontmost.contains) ?? false }
  }

  private func report(on pid: String, _ process: JSONValue, _ common: CrashReport) -> CrashReport {
    var report = common
    report.header.process = process["procname"].string ?? report.header.process
    report.header.pid = process["pid"].integer ?? Int(pid)
    let threads = process["threadById"].members.map { name, value in
      (value["id"].bits ?? UInt64(name) ?? 0, value)
    }
    report.threads = threads.sorted { $0.0 < $1.0 }.enumerated().map { thread($1.1, id: $1.0, index: $0) }
    return report
  }

  private func thread(_ source: JSONValue, id: UInt64, index: Int) -> ThreadRecord {
    var thread = ThreadRecord(index: index)
    thread.id = String(id)
    thread.name = source["name"].string
    thread.queue = source["dispatch_queue_label"].string
    // The kernel's frames are inside the call that entered the kernel.
    thread.frames = frames(source["kernelFrames"]) + frames(source["userFrames"])
    for number in thread.frames.indices { thread.frames[number].number = number }
    return thread
  }

  /// Reads pairs of image and offset, innermost first.
  private func frames(_ source: JSONValue) -> [Frame] {
    source.elements.enumerated().map { number, pair in
      var frame = Frame(kind: number == 0 ? .programCounter : .returnAddress, address: nil)
      guard let offset = pair.elements.dropFirst().first?.bits else { return frame }
      frame.imageOffset = ImageOffset(offset)
      guard let index = pair.elements.first?.integer, images.indices.contains(index) else { return frame }
      frame.image = index
      frame.imageName = images[index].name
      frame.address = images[index].start.advanced(by: ImageOffset(offset))
      // In an absolute entry the offset is the address itself.
      if isAbsolute[index] { frame.imageOffset = nil }
      return frame
    }
  }
}
