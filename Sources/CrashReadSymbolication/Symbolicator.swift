internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadInstructions
package import CrashReadReports

/// Resolves a report's frames with the available debug files. Never fails: unresolved frames state the reason.
package struct Symbolicator: Sendable {
  /// The available debug files.
  package let store: SymbolStore
  /// Whether a file of another build may be used, marked as a guess, if none with the right identity is available.
  package var allowsMismatch = false
  /// Names learned from other reports; nil for none.
  package var memory: SymbolMemory?

  /// A resolver that uses the given debug files.
  package init(store: SymbolStore) { self.store = store }

  /// Resolves every frame of every thread and of the backtraces that belong to no thread.
  package func symbolicate(_ report: CrashReport) -> SymbolicatedReport {
    while true {
      let resolved = resolve(report)
      // A file that changed during the look-ups is not used at all: the store no longer returns it.
      if !resolved.debugFiles.contains(where: { $0?.failure != nil }) { return resolved }
    }
  }

  private func resolve(_ report: CrashReport) -> SymbolicatedReport {
    var work = ReportResolver(report, ImageMatcher(store: store, allowsMismatch: allowsMismatch))
    work.lookUpTogether()
    var threads = report.threads.map { work.resolve($0) }
    if let crashed = report.crashedThread, threads.indices.contains(crashed) {
      work.addLeafCaller(of: report.threads[crashed], to: &threads[crashed])
    }
    let exception = work.resolve(report.lastExceptionBacktrace)
    let application = report.applicationSpecificBacktraces.map { work.resolve($0) }
    let allocated = work.resolve(report.allocation?.allocated ?? [])
    let deallocated = work.resolve(report.allocation?.deallocated ?? [])
    let callTrees = report.threads.map { work.resolve($0.callTree.map(\.frame)) }
    work.noteMissingParts()
    work.noteOtherBuilds()
    var resolved = SymbolicatedReport(
      report: report, threads: threads, lastExceptionBacktrace: exception,
      applicationSpecificBacktraces: application, callTrees: callTrees, images: work.matches)
    (resolved.allocated, resolved.deallocated) = (allocated, deallocated)
    resolved.debugFiles = work.files
    if let thread = report.crashedThread, threads.indices.contains(thread),
      report.threads[thread].state != nil
    {
      resolved.code = work.code(around: threads[thread])
    }
    resolved.report.notes += work.notes
    if let memory { resolved.nameFunctions(from: memory) }
    return resolved
  }
}

/// The state of resolving one report.
private struct ReportResolver {
  private let report: CrashReport
  private let matcher: ImageMatcher
  private let locator: FrameLocator
  private let appImages: AppImages
  private let isApp: [Bool]
  private(set) var matches: [ImageMatch]
  private(set) var files: [DebugFile?]
  /// Where the look-up deviates from what the report states.
  private(set) var notes: [ReportNote] = []
  /// Results by address: most threads of a report wait in the same few functions.
  private var known: [Lookup: [SourceFrame]] = [:]
  /// Names of folded functions by the function's start; empty for one that isn't folded.
  private var folded: [Lookup: [String]] = [:]
  /// The bytes of names and paths that frames may still get. A thousand calls inlined at one address, with names of 64
  /// KB each, take little space in a debug file, and gigabytes in the output.
  private var room: Int
  private static let maximumText = 64 << 20
  private static let textOfFrame = 4096

  private struct Lookup: Hashable {
    var image: Int
    var address: LinkedAddress
  }

  init(_ report: CrashReport, _ matcher: ImageMatcher) {
    self.report = report
    self.matcher = matcher
    locator = FrameLocator(report)
    let appImages = AppImages(report)
    self.appImages = appImages
    isApp = report.images.map { appImages.contains($0) }
    matches = Array(repeating: ImageMatch(), count: report.images.count)
    files = Array(repeating: nil, count: report.images.count)
    room = Self.maximumText
  }

  /// Looks up the frames' addresses, those of one file together: each unit is visited once, and large units are read in
  /// parallel.
  mutating func lookUpTogether() {
    var addresses: [Int: Set<LinkedAddress>] = [:]
    report.forEachFrame { frame in
      self.room += Self.textOfFrame
      guard isLocated(frame), let image = locator.image(of: frame), let file = debugFile(for: image),
        let address = linkedAddress(of: frame, in: file, image)
      else { return }
      addresses[image, default: []].insert(address)
    }
    var room = self.room
    for (image, addresses) in addresses where room > 0 {
      let sorted = addresses.sorted()
      // Addresses whose answers are too large together are looked up one by one, while the budget lasts.
      for (address, frames) in zip(sorted, files[image]?.frames(at: sorted, maximumText: room) ?? []) {
        known[Lookup(image: image, address: address)] = frames
        room -= frames.textSize
      }
      foldNames(of: Set(sorted.compactMap { known[Lookup(image: image, address: $0)]?.last?.entry }), image)
    }
  }

  mutating func resolve(_ thread: ThreadRecord) -> [ResolvedFrame] {
    var frames = resolve(thread.frames)
    if let caller = missingCaller(of: thread, frames) {
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
    markNeighbors(&resolved)
    markFarSymbols(&resolved)
    shareInlinedLocations(&resolved)
    return resolved
  }

  private mutating func resolve(_ frame: Frame) -> ResolvedFrame {
    var resolved = ResolvedFrame(captured: frame)
    guard isLocated(frame) else {
      resolved.reason = .noAddress
      resolved.isInApp = frame.isManaged || appImages.contains(frame)
      return resolved
    }
    guard let image = locator.image(of: frame) else {
      resolved.reason = .notInImage
      // A truncated report lacks its images, but not the image names in its frames.
      resolved.isInApp = appImages.contains(frame)
      return resolved
    }
    resolved.image = image
    let file = debugFile(for: image)
    // The ownership of an image without a path is unknown; whoever has its debug file has its source.
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

  /// Whether a frame states the location of its code: an address, or an offset into an image.
  private func isLocated(_ frame: Frame) -> Bool {
    frame.address != nil || frame.image != nil && frame.imageOffset != nil
  }

  /// The address to look up for a frame; nil when it is outside its image.
  private func linkedAddress(of frame: Frame, in file: DebugFile, _ image: Int) -> LinkedAddress? {
    locator.lookupOffset(of: frame, in: image).flatMap { file.slice.linkedBase.advanced(by: $0) }
  }

  private mutating func lookUp(_ resolved: inout ResolvedFrame, in file: DebugFile, _ image: Int) {
    guard var address = linkedAddress(of: resolved.captured, in: file, image) else {
      resolved.reason = .notInImage
      return
    }
    var frames = frames(at: address, in: file, image)
    if let caller = returnAddress(after: resolved.captured, frames, in: file, image) {
      note(resolved.captured)
      resolved.captured = caller.frame
      (address, frames) = (caller.address, caller.locations)
    }
    resolved.lookup = address
    defer { resolved.functionOffset = functionOffset(of: resolved, in: file, image) }
    if !hasRoom(for: frames, of: file, image) {
      resolved.reason = .damaged
      return
    }
    if !frames.isEmpty {
      resolved.resolution = .debugInfo
      resolved.locations = frames
      resolved.foldedNames = foldedNames(of: frames, image)
      return
    }
    resolved.reason = .noDebugInfo
    // The report's own symbol was read from the binary itself; the debug file's can't be better.
    if resolved.isNameless, let symbol = file.symbol(at: address),
      hasRoom(for: [symbol], of: file, image)
    {
      resolved.resolution = .symbolTable
      resolved.locations = [symbol]
      resolved.foldedNames = foldedNames(of: [symbol], image)
    }
  }

  /// Looks up which functions with these starts are folded.
  private mutating func foldNames(of entries: Set<LinkedAddress>, _ image: Int) {
    let names = files[image]?.foldedNames(beginningAt: entries) ?? [:]
    for entry in entries { folded[Lookup(image: image, address: entry)] = names[entry] ?? [] }
  }

  /// The names of all functions that share a frame's code, if there are several.
  private mutating func foldedNames(of frames: [SourceFrame], _ image: Int) -> [String] {
    guard let entry = frames.last?.entry else { return [] }
    let key = Lookup(image: image, address: entry)
    if folded[key] == nil { foldNames(of: [entry], image) }
    let names = folded[key] ?? []
    room -= names.reduce(0) { $0 + $1.utf8.count }
    return room >= 0 ? names : []
  }

  /// Whether the names of an answer fit in the report's budget; adds a note the first time they don't.
  private mutating func hasRoom(for frames: [SourceFrame], of file: DebugFile, _ image: Int) -> Bool {
    let wasOpen = room >= 0
    room -= frames.textSize
    if room >= 0 { return true }
    if wasOpen {
      let message = "its names and paths are too long for one report; they are left out from here on"
      matches[image].attempts.append(
        .init(path: file.path, id: file.slice.id, outcome: .unusable, message: message))
    }
    return false
  }

  private mutating func frames(at address: LinkedAddress, in file: DebugFile, _ image: Int) -> [SourceFrame] {
    guard room >= 0 else { return [] }
    let key = Lookup(image: image, address: address)
    let frames = known[key] ?? file.frames(at: address)
    known[key] = frames
    return frames
  }

  /// The call before a frame's address, if the report's own symbol shows that the frame is a caller; nil otherwise.
  ///
  /// A backtrace taken where an exception was thrown begins with a return address, and not every reporter says so. The
  /// symbol is a second witness: when it names the function before the address rather than the one at it, the address
  /// is a return address.
  private mutating func returnAddress(
    after frame: Frame, _ found: [SourceFrame], in file: DebugFile, _ image: Int
  ) -> (frame: Frame, address: LinkedAddress, locations: [SourceFrame])? {
    guard frame.kind == .programCounter, !frame.isInlined, let name = frame.reportedSymbol,
      let function = found.last, !function.isNamed(name)
    else { return nil }
    var caller = frame
    caller.kind = .returnAddress
    guard let address = linkedAddress(of: caller, in: file, image) else { return nil }
    let frames = frames(at: address, in: file, image)
    return frames.last?.isNamed(name) ?? false ? (caller, address, frames) : nil
  }

  private mutating func note(_ frame: Frame) {
    let name = frame.reportedSymbol ?? ""
    notes.append(
      ReportNote(
        line: frame.line,
        message:
          "the address of frame \(frame.number ?? 0) is after \(name), which the report names there; "
          + "treated as a return address"))
  }

  /// The offset of the report's own address from its function's start, not that of the address looked up.
  private func functionOffset(of resolved: ResolvedFrame, in file: DebugFile, _ image: Int) -> UInt64? {
    guard let entry = resolved.locations.last?.entry,
      let address = locator.codeAddress(of: resolved.captured, image: image),
      let offset = address.offset(from: report.images[image].start),
      let linked = file.slice.linkedBase.advanced(by: offset), linked >= entry
    else { return nil }
    return linked.rawValue - entry.rawValue
  }

  private mutating func debugFile(for image: Int) -> DebugFile? {
    if matches[image].status == .notSearched {
      (matches[image], files[image]) = matcher.match(
        image, in: report, locator)
    }
    return files[image]
  }

  /// The code around a thread's innermost frame and its caller.
  func code(around frames: [ResolvedFrame]) -> [Int: ImageCode] {
    var code: [Int: ImageCode] = [:]
    let stop = frames.firstIndex { !$0.captured.isInlined && $0.captured.kind == .programCounter }
    let caller = frames.firstIndex { !$0.captured.isInlined && $0.captured.kind == .returnAddress }
    for index in [stop, caller].compactMap(\.self) {
      guard let image = frames[index].image, !matches[image].isGuess, let used = files[image] else {
        continue
      }
      code[index] = self.code(around: frames[index], of: image, used)
    }
    return code
  }

  private func code(around frame: ResolvedFrame, of image: Int, _ used: DebugFile) -> ImageCode? {
    func imageCode(in file: DebugFile) -> ImageCode? {
      ImageCode(frame, report.images[image], locator, in: file)
    }
    return imageCode(in: used)
      ?? report.images[image].id.flatMap { matcher.store.first(programOf: $0, besides: used.path, imageCode) }
  }

  /// Records the dependent files that are missing and could have said more.
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

  /// Notes that debug files of other builds, which were used nevertheless, may be wrong.
  mutating func noteOtherBuilds() {
    for (image, match) in zip(report.images, matches) where match.isOtherBuild {
      let message = "the debug file of \(image.fileName) belongs to another build, so its lines may be wrong"
      notes.append(ReportNote(line: nil, message: message))
    }
  }

  /// The caller that is missing after a jump to an address without code; nil for none.
  ///
  /// After a call through a null or wild pointer the program counter is in no image, and a backtrace by frame pointers
  /// continues with the caller's caller. The link register still holds the return address.
  private func missingCaller(of thread: ThreadRecord, _ frames: [ResolvedFrame]) -> Frame? {
    guard let first = frames.first, first.captured.kind == .programCounter, first.reason == .notInImage,
      let link = thread.state?.linkRegister
    else { return nil }
    return unlistedCaller(link, frames.dropFirst())
  }

  /// The caller at a return address, if it is in an image and not among the next frames; otherwise nil.
  private func unlistedCaller(_ address: UInt64, _ next: ArraySlice<ResolvedFrame>) -> Frame? {
    let caller = Frame(kind: .returnAddress, address: RuntimeAddress(address))
    guard locator.image(of: caller) != nil else { return nil }
    let code = locator.codeAddress(of: caller, image: nil)
    let isListed = next.prefix(2).contains { locator.codeAddress(of: $0.captured, image: nil) == code }
    return isListed ? nil : caller
  }

  /// Inserts the caller of a function without a frame of its own (see `LeafFunction`).
  mutating func addLeafCaller(of thread: ThreadRecord, to frames: inout [ResolvedFrame]) {
    guard let set = report.architecture.flatMap({ InstructionSet($0) }), set == .arm64,
      let link = thread.state?.linkRegister,
      let stop = frames.firstIndex(where: { !$0.captured.isInlined && $0.captured.kind == .programCounter }),
      let image = frames[stop].image, let file = files[image], !matches[image].isGuess,
      let counter = locator.codeAddress(of: frames[stop].captured, image: image),
      let caller = unlistedCaller(link, frames[(stop + 1)...]),
      frames[stop].functionOffset == 0
        || code(around: frames[stop], of: image, file)
          .flatMap({ LeafFunction($0, upTo: counter.rawValue, set) })?.keepsReturnAddress ?? false
    else { return }
    var recovered = resolve(caller)
    recovered.isRecovered = true
    frames.insert(recovered, at: stop + 1)
  }
}

extension [SourceFrame] {
  /// Bytes of all names and paths.
  fileprivate var textSize: Int { reduce(0) { $0 + $1.textSize } }
}

/// Marks callers whose symbol is that of the function after the call.
///
/// A call that doesn't return is often its function's last instruction. The return address is then the first byte of
/// the next function, which a symbolicator on the device names: `err + 0` for `__assert_rtn`. Reporters that don't know
/// offsets print 0 for every frame, which proves nothing. An inlined call has the address of the frame below it, and an
/// offset from its own first instruction.
private func markNeighbors(_ frames: inout [ResolvedFrame]) {
  let callers = frames.indices.filter { frames[$0].captured.kind == .returnAddress }
  let offsets = callers.compactMap { frames[$0].captured.reportedSymbolOffset }
  guard offsets.contains(where: { $0 != 0 }) || offsets.count == 1 else { return }
  for index in callers
  where frames[index].captured.reportedSymbolOffset == 0 && frames[index].locations.isEmpty {
    let below = frames[(index + 1)...].first?.captured.address
    frames[index].symbolIsNeighbor = below == nil || frames[index].captured.address != below
  }
}

/// Marks frames whose symbol is only the nearest one before the address.
///
/// A symbolicator names the last symbol before the address at any distance; in a stripped image that can be any
/// function. The symbol isn't the frame's if another symbol in the report lies between it and the address, or if it is
/// further away than functions are long.
private func markFarSymbols(_ frames: inout [ResolvedFrame]) {
  // With the type stated: an array of tuples with other labels would be converted, and so copied, for each frame.
  let starts: [SymbolStart] = frames.indices.compactMap { index in
    // Of frames at one address, all but the last are inlined, whether or not the report says so.
    let next = index + 1
    if next < frames.count, frames[next].captured.address == frames[index].captured.address { return nil }
    return frames[index].symbolStart.map { (frames[index].image ?? -1, $0) }
  }.sorted(by: <)
  for index in frames.indices where frames[index].locations.isEmpty {
    frames[index].symbolIsFar = frames[index].hasFarSymbol(among: starts)
  }
  // An image of which one name is far has lost those of its local functions: only what it exports is left, and what is
  // some way behind such a name is another function.
  let stripped = Set(
    frames.lazy.filter { $0.symbolIsFar || browserFrameworks.contains($0.captured.imageName ?? "") }
      .compactMap(\.captured.imageName))
  guard !stripped.isEmpty else { return }
  for index in frames.indices where frames[index].hasDistantSymbol {
    frames[index].symbolIsFar = stripped.contains(frames[index].captured.imageName ?? "")
  }
}

/// Chromium's frameworks, which are shipped with their exported names alone.
private let browserFrameworks: Set = [
  "Electron Framework", "Chromium Framework", "Chromium Embedded Framework", "Google Chrome Framework",
  "Brave Browser Framework", "Microsoft Edge Framework",
]

/// An image and the address of a symbol in it.
private typealias SymbolStart = (image: Int, start: UInt64)

extension ResolvedFrame {
  /// What the compiler adds for types and blocks is short, and often all that a stripped image has names of.
  private static let maximumHelperSize: UInt64 = 0x400
  private static let helpers = ["__swift_", "block_copy_helper", "block_destroy_helper"]
  /// The sections of Dart's compiled code, which has no other names (flutter/engine, runtime/dart_snapshot.cc).
  private static let sections = [
    "kDartVmSnapshot", "kDartIsolateSnapshot", "_kDartVmSnapshot", "_kDartIsolateSnapshot",
  ]

  /// The loops of interpreters, a jump for each instruction, are longer than any other function.
  private static let maximumInterpreterSize: UInt64 = 0x4_0000
  private static let interpreters: Set = [
    "_PyEval_EvalFrameDefault", "PyEval_EvalFrameEx", "sqlite3VdbeExec", "luaV_execute", "execute_ex",
    "mono_interp_exec_method", "interp_exec_method", "vm_exec_core", "llint_entry", "JS_CallInternal",
    "JSC::LLInt::CLoop::execute",
  ]

  /// The distance behind a name up to which it is plausible in an image that has lost most of its names.
  private static let maximumDistance: UInt64 = 0x1000

  /// Whether the report's symbol is further away than is plausible where most names are missing.
  fileprivate var hasDistantSymbol: Bool {
    locations.isEmpty && !symbolIsFar && captured.reportedFile == nil
      && captured.reportedSymbolOffset ?? 0 > Self.maximumDistance
  }

  /// Whether the report's symbol is too far away: see `markFarSymbols`. `starts` are those of all symbols of the
  /// backtrace with their images, sorted.
  fileprivate func hasFarSymbol(among starts: [SymbolStart]) -> Bool {
    if Self.sections.contains(where: { captured.reportedSymbol?.hasPrefix($0) ?? false }) { return true }
    // Who knows the line knows the function; what stands as its offset can be the line, or the offset in the image.
    guard captured.reportedFile == nil, let offset = captured.reportedSymbolOffset else { return false }
    let isHelper = Self.helpers.contains { captured.reportedSymbol?.hasPrefix($0) ?? false }
    if isHelper, offset > Self.maximumHelperSize { return true }
    if Self.interpreters.contains(captured.reportedSymbol ?? "") {
      return offset > Self.maximumInterpreterSize
    }
    guard let start = symbolStart else { return offset > SymbolSighting.maximumFunctionSize }
    guard offset <= SymbolSighting.maximumFunctionSize else { return true }
    guard let image else { return false }
    let next = starts.partitioningIndex { $0 > (image, start) }
    return next < starts.count && starts[next] < (image, start + offset)
  }
}

extension ResolvedFrame {
  /// The start of the symbol that the report states; nil when it states no offset, or one from the image's start.
  fileprivate var symbolStart: UInt64? {
    // The offset of an inlined function counts from its own first instruction, inside the function that contains it.
    guard captured.reportedSymbol != nil, !captured.isInlined,
      let offset = captured.reportedSymbolOffset, offset > 0, let address = captured.address,
      address.rawValue >= offset
    else { return nil }
    return address.rawValue - offset
  }
}
