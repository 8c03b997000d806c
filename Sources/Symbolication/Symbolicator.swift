internal import BinaryIdentity
public import CrashReports
internal import DebugInfo

/// Resolves a report's frames with the debug files at hand. Never fails: what can't be resolved says why.
public struct Symbolicator: Sendable {
  /// The debug files at hand.
  public let store: SymbolStore
  /// Whether a file of another build may be used, marked as a guess, where none with the right identity is at hand.
  public var allowsMismatch: Bool

  /// A resolver over some debug files.
  public init(store: SymbolStore, allowsMismatch: Bool = false) {
    self.store = store
    self.allowsMismatch = allowsMismatch
  }

  /// Resolves every frame of every thread and of the backtraces that stand by themselves.
  public func symbolicate(_ report: CrashReport) -> SymbolicatedReport {
    while true {
      let resolved = resolve(report)
      // A file that changed meanwhile is not used at all: from now on the store gives none for it.
      if !resolved.debugFiles.contains(where: { $0?.failure != nil }) { return resolved }
    }
  }

  private func resolve(_ report: CrashReport) -> SymbolicatedReport {
    var work = ReportResolver(report, ImageMatcher(store: store, allowsMismatch: allowsMismatch))
    work.lookUpTogether()
    let threads = report.threads.map { work.resolve($0) }
    let exception = work.resolve(report.lastExceptionBacktrace)
    let application = report.applicationSpecificBacktraces.map { work.resolve($0) }
    let callTrees = report.threads.map { work.resolve($0.callTree.map(\.frame)) }
    work.noteMissingParts()
    var resolved = SymbolicatedReport(
      report: report, threads: threads, lastExceptionBacktrace: exception,
      applicationSpecificBacktraces: application, callTrees: callTrees, images: work.matches)
    resolved.debugFiles = work.files
    return resolved
  }
}

/// The state of resolving one report.
private struct ReportResolver {
  private let report: CrashReport
  private let matcher: ImageMatcher
  private let map: ImageMap
  /// The process's CPU, of which each frame asks.
  private let architecture: Architecture?
  private let isApp: [Bool]
  private(set) var matches: [ImageMatch]
  private(set) var files: [DebugFile?]
  /// Most threads of a report wait in the same few places.
  private var known: [Lookup: [SourceFrame]] = [:]

  private struct Lookup: Hashable {
    var image: Int
    var address: LinkedAddress
  }

  init(_ report: CrashReport, _ matcher: ImageMatcher) {
    self.report = report
    self.matcher = matcher
    map = ImageMap(report.images)
    architecture = report.architecture
    let appImages = AppImages(report)
    isApp = report.images.map { appImages.contains($0) }
    matches = report.images.map { _ in ImageMatch() }
    files = report.images.map { _ in nil }
  }

  /// Looks up what the frames will ask for, all addresses of a file together: each unit is gone through once, and large
  /// ones at the same time.
  mutating func lookUpTogether() {
    var addresses: [Int: Set<LinkedAddress>] = [:]
    for frame in report.allFrames where isPlaced(frame) {
      guard let image = image(of: frame), let file = debugFile(for: image),
        let address = linkedAddress(of: frame, in: file, image)
      else { continue }
      addresses[image, default: []].insert(address)
    }
    for (image, addresses) in addresses {
      let sorted = addresses.sorted()
      for (address, frames) in zip(sorted, files[image]?.frames(at: sorted) ?? []) {
        known[Lookup(image: image, address: address)] = frames
      }
    }
  }

  mutating func resolve(_ thread: ThreadRecord) -> [ResolvedFrame] {
    var frames = resolve(thread.frames)
    if let caller = lostCaller(of: thread, frames) {
      var recovered = resolve(caller)
      recovered.isRecovered = true
      frames.insert(recovered, at: 1)
    }
    return frames
  }

  mutating func resolve(_ frames: [Frame]) -> [ResolvedFrame] {
    var resolved: [ResolvedFrame] = []
    resolved.reserveCapacity(frames.count)
    for frame in frames { resolved.append(resolve(frame)) }
    shareInlinedLocations(&resolved)
    return resolved
  }

  private mutating func resolve(_ frame: Frame) -> ResolvedFrame {
    var resolved = ResolvedFrame(captured: frame)
    guard isPlaced(frame) else {
      resolved.reason = .noAddress
      return resolved
    }
    guard let image = image(of: frame) else {
      resolved.reason = .notInImage
      // A cut report has lost its images, but not the names in its frames.
      resolved.isInApp =
        report.images.isEmpty && frame.imageName != nil && frame.imageName == report.header.process
      return resolved
    }
    resolved.image = image
    let file = debugFile(for: image)
    // Of an image without a path nothing tells whose it is; whoever brings its debug file has its source.
    resolved.isInApp = isApp[image] || file != nil && report.images[image].path == nil
    guard let file else {
      resolved.reason =
        switch matches[image].status {
        case .identityMismatch: .identityMismatch
        case .unusable: .damaged
        case .matched, .missing, .notSearched: .noDebugFile
        }
      return resolved
    }
    resolved.isGuess = matches[image].isGuess
    lookUp(&resolved, in: file, image)
    return resolved
  }

  /// Whether a frame says where its code is: by an address, or by an offset into an image.
  private func isPlaced(_ frame: Frame) -> Bool {
    address(of: frame) != nil || frame.image != nil && frame.imageOffset != nil
  }

  private func address(of frame: Frame) -> RuntimeAddress? {
    codeAddress(of: frame, architecture: architecture(of: frame.image))
  }

  /// The image that a frame names or that its address lies in; nil when the report has none.
  private func image(of frame: Frame) -> Int? {
    let image = frame.image ?? address(of: frame).flatMap(map.image(containing:))
    return image.flatMap { report.images.indices.contains($0) ? $0 : nil }
  }

  /// Where a frame is looked up; nil when that is outside its image.
  private func linkedAddress(of frame: Frame, in file: DebugFile, _ image: Int) -> LinkedAddress? {
    lookupOffset(of: frame, in: report.images[image], architecture: architecture(of: image))
      .flatMap { file.slice.linkedBase.advanced(by: $0) }
  }

  private mutating func lookUp(_ resolved: inout ResolvedFrame, in file: DebugFile, _ image: Int) {
    guard let address = linkedAddress(of: resolved.captured, in: file, image) else {
      resolved.reason = .notInImage
      return
    }
    resolved.lookup = address
    let key = Lookup(image: image, address: address)
    let frames = known[key] ?? file.frames(at: address)
    known[key] = frames
    defer { resolved.functionOffset = functionOffset(of: resolved, in: file, image) }
    if !frames.isEmpty {
      resolved.resolution = .debugInfo
      resolved.locations = frames
      return
    }
    resolved.reason = .noDebugInfo
    // The report's own symbol came from the binary itself; ours can't be better.
    if resolved.resolution == .unresolved, let symbol = file.symbol(at: address) {
      resolved.resolution = .symbolTable
      resolved.locations = [symbol]
    }
  }

  /// What is shown counts from the report's address, not from the one that was looked up.
  private func functionOffset(of resolved: ResolvedFrame, in file: DebugFile, _ image: Int) -> UInt64? {
    guard let entry = resolved.locations.last?.entry,
      let address = codeAddress(of: resolved.captured, architecture: architecture(of: image)),
      let offset = address.offset(from: report.images[image].start),
      let linked = file.slice.linkedBase.advanced(by: offset), linked >= entry
    else { return nil }
    return linked.rawValue - entry.rawValue
  }

  private mutating func debugFile(for image: Int) -> DebugFile? {
    if matches[image].status == .notSearched {
      (matches[image], files[image]) = matcher.match(
        report.images[image], in: report, isApp: isApp[image])
    }
    return files[image]
  }

  /// Records the files that debug files rely on and that would have said more.
  mutating func noteMissingParts() {
    for (image, file) in files.enumerated() {
      for part in file?.missingParts ?? [] {
        matches[image].attempts.append(
          .init(
            path: part.path, id: nil,
            outcome: part.isAbsent ? .missing : part.error == nil ? .used : .unusable,
            message: part.description
          ))
      }
    }
  }

  private func architecture(of image: Int?) -> Architecture? {
    let own = image.flatMap { report.images.indices.contains($0) ? report.images[$0].architecture : nil }
    return own ?? architecture
  }

  /// The caller that a jump to nowhere hides.
  ///
  /// After a call through a null or wild pointer the program counter lies in no image, and a backtrace by frame pointers
  /// goes on with the caller's caller. The link register still names the caller.
  private func lostCaller(of thread: ThreadRecord, _ frames: [ResolvedFrame]) -> Frame? {
    guard let first = frames.first, first.captured.kind == .programCounter, first.reason == .notInImage,
      let link = thread.state?.linkRegister
    else { return nil }
    let caller = Frame(kind: .returnAddress, address: RuntimeAddress(link))
    guard let address = codeAddress(of: caller, architecture: architecture),
      map.image(containing: address) != nil
    else { return nil }
    let isListed = frames.dropFirst().prefix(2).contains {
      codeAddress(of: $0.captured, architecture: architecture) == address
    }
    return isListed ? nil : caller
  }
}

extension CrashReport {
  /// Every frame, in the order in which they are resolved.
  fileprivate var allFrames: [Frame] {
    threads.flatMap(\.frames) + lastExceptionBacktrace + applicationSpecificBacktraces.joined()
      + threads.flatMap { $0.callTree.map(\.frame) }
  }
}
