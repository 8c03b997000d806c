internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// The search for the frame to look at first.
struct BlameSearch {
  /// The frame; nil when no frame can be blamed.
  private(set) var blamed: BlamedFrame?
  /// How certain it is that the frame is the developer's own code; nil when no frame can be blamed.
  private(set) var confidence: Confidence?
  /// The frame further out that is more probably the app's own, as an index into the same backtrace; nil if none is.
  private(set) var ownCaller: Int?
  /// The frames that were skipped, each with the reason.
  private(set) var skipped: [SkippedFrame] = []

  /// The maximum number of skipped frames that are recorded; they are only shown to people, who read a few of them.
  private static let maximumSkipped = 64

  private let facts: CrashFacts
  /// Whether the system killed the process, so that possibly no thread did anything wrong at that moment.
  private let isKill: Bool
  private let isCrash: Bool
  private let isResource: Bool
  private let isPanic: Bool
  /// Whether an exception of a language ended the program.
  private let isException: Bool
  /// The indices of images that are third-party kernel extensions, in a panic.
  private let foreign: Set<Int>
  private let knowledge: Knowledge
  private let images: [BinaryImage]
  private let crashedThread: BacktraceReference?
  private let imageName: (ResolvedFrame) -> String?
  private let isMainExecutable: (ResolvedFrame) -> Bool

  /// Searches a report.
  ///
  /// Blames the first frame of the app's own code, searching the exception's backtrace before the crashed thread's;
  /// otherwise the first frame with a line. Functions that only raise or report the error are skipped.
  init(in symbolicated: SymbolicatedReport, facts: CrashFacts, knowledge: Knowledge) {
    self.facts = facts
    self.knowledge = knowledge
    images = symbolicated.report.images
    crashedThread = symbolicated.report.crashedThread.map { .thread($0) }
    isCrash = symbolicated.report.kind == .crash
    isResource = symbolicated.report.kind == .resource
    isPanic = symbolicated.report.kind == .panic
    isException =
      facts.exceptionName != nil || facts.has(.stopper, "exception")
      || !symbolicated.lastExceptionBacktrace.isEmpty
      || symbolicated.report.crashedThread.map { thread in
        symbolicated.frames(of: .thread(thread)).contains { $0.hasFunction(in: knowledge.roles.terminators) }
      } ?? false
    imageName = { symbolicated.report.imageName(of: $0) }
    isMainExecutable = { symbolicated.report.isMainExecutable($0) }
    isKill = facts.has(.exception, "SIGKILL") || facts.numbers[.terminationCode] != nil
    let report = symbolicated.report
    foreign =
      report.kind == .panic ? Set(report.images.indices.filter { report.images[$0].isForeignExtension }) : []
    search(backtraces(symbolicated))
  }

  /// A backtrace, and those of its frames that may be blamed.
  private struct Candidates {
    let backtrace: BacktraceReference
    let frames: [ResolvedFrame]
    /// The frames between those that ended the program and those that only started the main run loop.
    var range: Range<Int>
    /// The frames that used up the stack, as the innermost repetition; empty if no recursion did.
    ///
    /// The frames further in are those of whichever call happened to be the first without room.
    let recursion: Range<Int>
    var hasCallout = false
  }

  private mutating func search(_ backtraces: [(BacktraceReference, [ResolvedFrame])]) {
    var all = backtraces.map(candidates)
    if let first = all.first(where: { !$0.frames.isEmpty }), first.frames.showOnlyCheck {
      return skip(first.frames, in: first.backtrace)
    }
    for index in all.indices where lacksStop(all[index]) { all[index].range = 0..<0 }
    for index in all.indices where isSummary(all[index].frames) {
      all[index].range = all[index].range.clamped(to: 0..<1)
    }
    if blameLiteral(all) || blame(all, ownChoices) { return }
    // The system's functions below a callout only ran what somebody else had registered or released before, and those below
    // the app's code only called that.
    for index in all.indices {
      if all[index].frames.isCutAbove { all[index].range = 0..<0 }
      if let own = all[index].range.first(where: { all[index].frames[$0].isInApp }) {
        all[index].range = all[index].range.clamped(to: 0..<own + 1)
      }
      // Behind a gap in the numbers, it is unknown what the code that was left out had called.
      if let gap = gap(all[index].frames) { all[index].range = all[index].range.clamped(to: 0..<gap) }
      guard let callout = callout(all[index].frames) else { continue }
      all[index].range = all[index].range.clamped(to: 0..<callout)
      all[index].hasCallout = true
    }
    if blame(all, systemChoices) { return }
    for index in all.indices where all[index].hasCallout { all[index].range = 0..<0 }
    if facts.isMemoryFault, !isKill, blame(all, [isLastResort]) { return }
    for (backtrace, frames) in backtraces { skip(frames, in: backtrace) }
  }

  /// Whether the frames that stopped the program are missing above the list, and no recursion tells what they did.
  private func lacksStop(_ candidates: Candidates) -> Bool {
    isCrash && candidates.frames.lacksStop && candidates.recursion.isEmpty
      && facts.numbers[.repetitions] == nil
  }

  /// Whether a list is cut above, and its first frame is the place that a sanitizer's summary states: the first that isn't
  /// the sanitizer's own.
  private func isSummary(_ frames: [ResolvedFrame]) -> Bool {
    guard let place = frames.first?.captured, gap(frames) == 1 else { return false }
    return place.number == 0 && place.address == nil && place.reportedLine != nil
  }

  /// Blames the first frame of the first choice that has one; false if there is none.
  private mutating func blame(_ all: [Candidates], _ choices: [(ResolvedFrame) -> Bool]) -> Bool {
    for isChosen in choices {
      for (position, candidates) in all.enumerated() {
        guard let first = index(in: candidates, where: isChosen) else { continue }
        let index = checked(by: candidates.frames, before: closure(of: first, in: candidates))
        choose(index, ofBacktrace: position, in: all)
        return true
      }
    }
    return false
  }

  /// Blames the function that contains a literal of a dictionary or an array which holds nil: the compiler has put the call
  /// into that function, whoever wrote it, and no caller further out passes the values.
  private mutating func blameLiteral(_ all: [Candidates]) -> Bool {
    guard isException else { return false }
    for (position, candidates) in all.enumerated() {
      let frames = candidates.frames
      guard
        let literal = frames.prefix(Self.maximumHandlerDepth)
          .lastIndex(where: { $0.hasFunction(where: Self.literals.contains) }),
        case let owner = literal + 1, candidates.range.contains(owner), frames[owner].mayBeApp,
        !frames[owner].functionNames.isEmpty, frames[owner].hasOwnFunction(knowledge)
      else { continue }
      choose(owner, ofBacktrace: position, in: all)
      return true
    }
    return false
  }

  /// The methods to which the compiler translates `@{…}` and `@[…]` (Clang, Objective-C Literals).
  private static let literals: Set = [
    "+[NSDictionary dictionaryWithObjects:forKeys:count:]", "+[NSArray arrayWithObjects:count:]",
  ]

  /// Blames a frame; those before it are skipped.
  private mutating func choose(_ index: Int, ofBacktrace position: Int, in all: [Candidates]) {
    let candidates = all[position]
    let frame = BlamedFrame(
      candidates.backtrace, frame: index, location: candidates.frames[index].bestLocation(knowledge))
    blamed = frame
    (confidence, ownCaller) = frame.confidence(among: candidates.frames, knowledge)
    for earlier in all[..<position] { skip(earlier.frames, in: earlier.backtrace) }
    skip(candidates.frames[..<index], in: candidates.backtrace)
  }

  /// The frame of a function whose own check failed, in place of a later one: the function was put into a thunk or a
  /// witness, so that it has no frame of its own, and only the check's frame states the line.
  private func checked(by frames: [ResolvedFrame], before index: Int) -> Int {
    guard index > 1, frames.failedCheck != nil, case let reason = frames[1].skipReason(knowledge),
      reason == .generated || reason == .thunk
    else { return index }
    return 1
  }

  private func index(in candidates: Candidates, where isChosen: (ResolvedFrame) -> Bool) -> Int? {
    let frames = candidates.frames
    func isCandidate(_ index: Int) -> Bool {
      frames[index].reason != .superseded && !isBadJump(frames[index], at: index) && isChosen(frames[index])
        && !isEntryBelowRunLoop(index, frames) && !frames.isPartOfMachinery(at: index, knowledge)
        && !frames.onlyRanOthers(at: index, knowledge) && !isAbortHelper(index, frames)
        && !isUnnamedMain(index, frames) && !onlyRanLoop(index, frames)
        && !frames.isCutName(at: index) && !frames.passesEventOn(at: index)
        && !frames.wrapsBlock(at: index, knowledge)
        && !frames.isSplitOff(at: index) && !frames[index].mayBeNeighbor(in: frames, at: index)
        && !frames.showsLess(at: index) && !frames.isOfSQLite(at: index)
    }
    return candidates.range.first { candidates.recursion.contains($0) && isCandidate($0) }
      ?? candidates.range.first(where: isCandidate)
  }

  /// The frame of a closure further in than a chosen frame, if the optimizer has put the closure into what forwards its
  /// captured values, which otherwise calls it: `partial apply for closure #1 in Cart.load()` right below a system's
  /// function. The chosen frame if there is none.
  private func closure(of chosen: Int, in candidates: Candidates) -> Int {
    let frames = candidates.frames
    return (candidates.range.lowerBound..<max(chosen, candidates.range.lowerBound)).first { index in
      guard index > 0, frames[index].isInApp, !frames[index].hasFunction(where: knowledge.isVendored),
        let closure = frames[index].forwardedClosure
      else { return false }
      return !frames[..<index].contains { $0.hasFunction { $0.hasSuffix(closure) } }
    } ?? chosen
  }

  private func candidates(_ backtrace: BacktraceReference, _ frames: [ResolvedFrame]) -> Candidates {
    let ended = isPanic ? frames.map(\.captured).panicCallCount : isCrash ? handlerCount(frames) : 0
    let passed = max(ended, machineryEnd(backtrace, frames), frames.preprocessorCount)
    let recursion = facts.isMemoryFault && backtrace == crashedThread ? facts.recursion : nil
    return Candidates(
      backtrace: backtrace, frames: frames,
      range: (passed..<max(passed, frames.count)).clamped(to: 0..<min(mainLoop(frames), walked(frames))),
      recursion: recursion ?? 0..<0)
  }

  /// The number of frames that the walk of the stack found rightly: a system call's stub calls nothing, so below code
  /// without a name and an image that used bad memory, as Rosetta's translations are, it is left from an earlier call.
  /// Without such a fault, that code can be Rosetta's own for the call.
  private func walked(_ frames: [ResolvedFrame]) -> Int {
    guard facts.isMemoryFault else { return frames.count }
    let stub = frames.indices.dropFirst().first { index in
      imageName(frames[index]) == "libsystem_kernel.dylib" && frames[index - 1].functionNames.isEmpty
        && imageName(frames[index - 1]) == nil
    }
    return stub ?? frames.count
  }

  /// What tells code that the reader can change, in order of preference.
  private var ownChoices: [(ResolvedFrame) -> Bool] {
    [
      {
        $0.image.map { foreign.contains($0) } ?? (isPanic && imageName($0).map(isForeignExtension) ?? false)
      },
      {
        $0.mayBeApp && $0.hasOwnFunction(knowledge) && !$0.isInRuntime(knowledge)
          && !$0.hasFunction(where: knowledge.isVendored) && $0.dependency(knowledge) == nil
      },
      { $0.mayBeApp && $0.hasOwnFunction(knowledge) && !$0.isInRuntime(knowledge) },
      // The compiler's part of a function, rather than the library's code beside it that it has specialized.
      {
        $0.isInApp && !$0.isInRuntime(knowledge) && !$0.isInLibraryFile(knowledge)
          && $0.functionNames.contains { knowledge.isOwnFunction($0) && !knowledge.isLibraryFunction($0) }
          && !$0.hasFunction(in: knowledge.roles.machinery)
      },
      // Runtimes are built into programs, and frames of virtual machines have no image that would tell the platform's code.
      {
        $0.isInApp && !$0.isInRuntime(knowledge) && !$0.hasFunction(in: knowledge.roles.machinery)
          && !$0.hasFunction(in: knowledge.roles.libraryFunctions) && !$0.isLibraryCode(knowledge)
      },
      // The code of the system's own programs is in the system's folders, too.
      {
        isMainExecutable($0) && !$0.functionNames.isEmpty && $0.hasOwnFunction(knowledge)
          && !$0.hasFunction(in: knowledge.roles.entryPoints)
      },
      { frame in
        frame.bestLocation(knowledge) != nil && !frame.hasFunction(in: knowledge.roles.machinery)
          && !(imageName(frame).map(isSystemLibrary) ?? false)
      },
    ]
  }

  /// In a crash without any code of the app, the first framework below the runtimes is the best candidate.
  private var systemChoices: [(ResolvedFrame) -> Bool] {
    // What raised an exception is told as that; the system's callers of it are nobody's place to look at.
    if isException { return [] }
    guard isCrash && !isKill || isResource else { return [] }
    return [
      { $0.isOutsideRuntimes(knowledge) },
      // Where frames have no images, a method's class tells whether it is Apple's.
      {
        $0.isNamedAlone && $0.hasFunction(where: \.isMethodName) && $0.hasOwnFunction(knowledge)
          && !$0.isEntryPointOrLoop(knowledge) && !$0.hasFunction(where: knowledge.isSystemMethod)
      },
      {
        !$0.functionNames.isEmpty && $0.hasOwnFunction(knowledge) && !$0.isEntryPointOrLoop(knowledge)
          && !$0.isInObjectRuntime && !$0.hasFunction(where: knowledge.isWait)
          && !($0.isNamedAlone && $0.hasFunction { !$0.isMethodName && knowledge.isSystemMethod($0) })
      },
      { isMainExecutable($0) && $0.functionNames.isEmpty },
      { frame in
        frame.functionNames.isEmpty
          && imageName(frame).map { !$0.hasPrefix("???") && !knowledge.runtimeImages.contains($0) } ?? false
      },
    ]
  }

  /// Below a run loop only the function in which the access failed is left to blame.
  private func isLastResort(_ frame: ResolvedFrame) -> Bool {
    !frame.functionNames.isEmpty && !frame.isEntryPointOrLoop(knowledge)
      && (!frame.isInObjectRuntime || frame.hasFunction { $0.hasPrefix("objc_msgSend") })
      && !frame.hasFunction(in: knowledge.roles.signalSenders)
      && !frame.hasFunction(in: knowledge.roles.faultReporters) && !frame.hasFunction(where: knowledge.isWait)
  }

  /// The index of the function that runs the app's main run loop; the number of frames if none does. Those further out
  /// only started it.
  private func mainLoop(_ frames: [ResolvedFrame]) -> Int {
    frames.firstIndex { $0.hasFunction(in: knowledge.roles.mainLoops) } ?? frames.count
  }

  /// Whether a frame is the `main` of a thread's object that ran the run loop: the loop called what crashed.
  private func onlyRanLoop(_ index: Int, _ frames: [ResolvedFrame]) -> Bool {
    isCrash && frames[index].hasFunction { $0.isMethodName && $0.hasSuffix(" main]") }
      && frames[..<index].contains { $0.hasFunction(where: isRunLoopCallout) }
  }

  private func isRunLoopCallout(_ name: String) -> Bool {
    name.drop { $0 == "_" }.begins(with: "CFRUNLOOP_IS_CALLING_OUT_TO_")
  }

  /// The minimum number of frames that are left out for a gap: a few are mostly the system's.
  private static let minimumGap = 16

  /// The index of the first frame before which many printed numbers are left out; nil if there is none.
  private func gap(_ frames: [ResolvedFrame]) -> Int? {
    zip(frames, frames.dropFirst()).enumerated().first { _, pair in
      guard let number = pair.0.captured.number, let next = pair.1.captured.number else { return false }
      return next > number && next - number > Self.minimumGap
    }.map { $0.offset + 1 }
  }

  /// The index of the innermost callout; nil if there is none.
  private func callout(_ frames: [ResolvedFrame]) -> Int? {
    frames.firstIndex { $0.hasFunction(in: knowledge.roles.callouts) }
  }

  /// Whether the app's only functions on the stack are entry points that started the main run loop.
  private func isEntryBelowRunLoop(_ index: Int, _ frames: [ResolvedFrame]) -> Bool {
    guard isCrash, frames[index].hasFunction(in: knowledge.roles.entryPoints),
      !frames[..<index].contains(where: { frame in
        frame.isInApp && !frame.hasFunction(in: knowledge.roles.entryPoints)
      })
    else { return false }
    // Some trackers keep the app's frames alone: the entry point, and nothing of what it had called.
    if frames.count == 1, frames[index].captured.address == nil { return true }
    return frames[..<index].suffix(Self.maximumLoopDepth).contains {
      $0.hasFunction(in: knowledge.roles.runLoops)
    }
  }

  /// Whether a frame without a name is the program's `main`, as the system's `start` below it tells, and another library of
  /// the app was running: engines such as Electron's are one call of a small program.
  private func isUnnamedMain(_ index: Int, _ frames: [ResolvedFrame]) -> Bool {
    guard isCrash, frames[index].functionNames.isEmpty, frames.indices.contains(index + 1),
      frames[index + 1].hasFunction(where: { $0 == "start" })
    else { return false }
    return frames[..<index].contains { $0.isInApp && imageName($0) != imageName(frames[index]) }
  }

  /// Whether a frame's function is the one by which a library, not the program itself, ends programs: it calls `abort`, and
  /// is named after that.
  private func isAbortHelper(_ index: Int, _ frames: [ResolvedFrame]) -> Bool {
    guard index > 0, frames[index - 1].hasFunction(where: { $0 == "abort" }), !isMainExecutable(frames[index])
    else {
      return false
    }
    // Who has the function's line has its source, and can change it.
    guard frames[index].locations.isEmpty, frames[index].captured.reportedFile == nil else { return false }
    return frames[index].hasFunction { name in
      let word = name.lowercased()
      return ["abort", "fatal", "panic", "assert"].contains(where: word.holds)
    }
  }

  /// The maximum number of frames between an entry point and the run loop.
  private static let maximumLoopDepth = 12

  /// The number of innermost frames that ran because the program was ending: handlers of signals and of uncaught
  /// exceptions, which can be the app's own.
  private func handlerCount(_ frames: [ResolvedFrame]) -> Int {
    if isTruncatedHandler(frames) { return frames.count }
    if let panic = panicStart(frames) { return panic }
    // What a signal interrupted, if nothing says that its handler failed itself.
    if facts.has(.stopper, "handler") || facts.isEndUnstated && frames.contains(where: \.isSignalTrampoline) {
      let trampoline = frames.prefix(Self.maximumHandlerDepth).lastIndex(where: \.isSignalTrampoline)
      return trampoline.map { $0 + 1 } ?? frames.count
    }
    guard !facts.isMemoryFault || facts.has(.stopper, "abort"),
      let last = frames.prefix(Self.maximumHandlerDepth).lastIndex(where: isTermination)
    else { return 0 }
    // If there is no other code of the app, the handler is all that can be blamed.
    return frames[last...].contains(where: \.isInApp) ? last + 1 : 0
  }

  /// The index of Rust's runtime above a panic, which has called the hook further in; nil if there is none. A hook, which
  /// can be the app's own, reports the panic.
  private func panicStart(_ frames: [ResolvedFrame]) -> Int? {
    frames.prefix(Self.maximumHandlerDepth).firstIndex { $0.hasFunction(in: knowledge.roles.panics) }
  }

  private static let handlerMark = TextPattern("while executing native code")
  /// The number of frames that Mono's handler of signals has above the system's trampoline.
  private static let handlerDepth = 4

  /// Whether a native stack that Mono printed was cut above the system's frames: then only the handler's own are left,
  /// under the names of whatever lies before them.
  private func isTruncatedHandler(_ frames: [ResolvedFrame]) -> Bool {
    guard frames.count <= Self.handlerDepth, !frames.contains(where: { isSystemLibrary(imageName($0) ?? "") })
    else { return false }
    return facts.texts[.text]?.contains { Self.handlerMark?.match($0.bytes) != nil } ?? false
  }

  private func isTermination(_ frame: ResolvedFrame) -> Bool {
    imageName(frame) == "libc++abi.dylib" || frame.isSignalTrampoline
      || frame.hasFunction(in: knowledge.roles.terminators)
  }

  /// The maximum depth at which a handler is called.
  private static let maximumHandlerDepth = 24

  /// The index after the innermost frames that only end the program because of an exception; crash reporters add their
  /// own handlers to these.
  private func machineryEnd(_ backtrace: BacktraceReference, _ frames: [ResolvedFrame]) -> Int {
    guard case .thread = backtrace, !facts.isMemoryFault,
      let end = TerminateFrames(frames, images: images, knowledge)
    else { return 0 }
    return end.outermost + 1
  }

  /// The backtraces to search, in order.
  private func backtraces(_ symbolicated: SymbolicatedReport) -> [(BacktraceReference, [ResolvedFrame])] {
    var backtraces = symbolicated.applicationSpecificBacktraces.enumerated()
      .filter { $1.contains { $0.captured.isManaged } }
      .map { (BacktraceReference.applicationSpecific($0), $1) }
    // A fault or a kill has a location of its own, even in a program that has handled an exception before.
    if !facts.isMemoryFault, !facts.has(.exception, "SIGKILL") {
      backtraces.append((.lastException, symbolicated.lastExceptionBacktrace))
      for (index, frames) in symbolicated.applicationSpecificBacktraces.enumerated()
      where !frames.contains(where: { $0.captured.isManaged }) {
        backtraces.append((.applicationSpecific(index), frames))
      }
    }
    // If a process was killed for what a thread held or failed to do, that thread is more informative than any other.
    let suspects = [
      facts.lockUser, facts.blockedThread(symbolicated.report), symbolicated.report.principalThread,
    ]
    // No thread did anything wrong when another process asked this one to terminate.
    if facts.isAskedToEnd { return backtraces }
    var seen: Set<Int> = []
    for case let thread? in suspects where symbolicated.threads.indices.contains(thread) {
      guard seen.insert(thread).inserted else { continue }
      // A thread that was waiting for events did nothing wrong at that moment.
      if isKill, facts.wait(of: thread, in: symbolicated, knowledge)?.kind == "idle" { continue }
      backtraces.append((.thread(thread), symbolicated.threads[thread]))
    }
    return backtraces
  }

  /// Whether the frame's address is the target of a jump to something that isn't code.
  private func isBadJump(_ frame: ResolvedFrame, at index: Int) -> Bool {
    index == 0 && frame.captured.kind == .programCounter && facts.isMemoryFault
      && facts.has(.access, "execute")
  }

  private mutating func skip(_ frames: some Collection<ResolvedFrame>, in backtrace: BacktraceReference) {
    for (index, frame) in frames.enumerated() where skipped.count < Self.maximumSkipped {
      let reason = isBadJump(frame, at: index) ? .badJump : frame.skipReason(knowledge)
      skipped.append(SkippedFrame(frame: BlamedFrame(backtrace, frame: index), reason: reason))
    }
  }
}

extension [ResolvedFrame] {
  /// Whether a list begins further out, so that the function that ended the program isn't in it. Some count from 1.
  var isCutAbove: Bool { first?.captured.number.map { $0 > 1 } ?? false }

  /// Whether a list is the outer part of a stack: more frames are missing than those of handlers, which are left out.
  var isOuterPart: Bool { (first?.captured.number ?? 0) >= 16 }

  /// Whether neither the frames that stopped the program are in it, nor those of a handler, which take their place.
  var lacksStop: Bool { isOuterPart && !contains(where: \.isSignalTrampoline) }
}

extension ResolvedFrame {
  /// Whether a person wrote this frame's code, judged by its names.
  func hasOwnFunction(_ knowledge: Knowledge) -> Bool {
    if isGenerated || isLibraryCode(knowledge) { return false }
    // The function before that of a runtime which throws is the runtime's, too.
    if symbolIsNeighbor, knowledge.isMachinery(captured.reportedSymbol ?? "") { return false }
    let names = functionNames
    return names.isEmpty || names.contains { knowledge.isOwnFunction($0) }
  }

  /// Whether a frame has a name, and belongs to no library that acts only on behalf of its callers.
  fileprivate func isOutsideRuntimes(_ knowledge: Knowledge) -> Bool {
    guard !functionNames.isEmpty, hasOwnFunction(knowledge), !isEntryPointOrLoop(knowledge),
      let image = captured.imageName
    else { return false }
    return !knowledge.runtimeImages.contains(image)
  }

  /// Whether a frame has a name, but neither an image nor a place that tells whose it is.
  fileprivate var isNamedAlone: Bool {
    !functionNames.isEmpty && captured.imageName == nil && image == nil && captured.reportedFile == nil
  }

  /// Whether a frame's function only runs queued work, is the entry point of a program or a thread, or is a placeholder
  /// such as `<User mode>` of a sampled thread.
  fileprivate func isEntryPointOrLoop(_ knowledge: Knowledge) -> Bool {
    functionNames.contains {
      knowledge.isEntryPoint($0) || knowledge.isLoop($0)
        // Rust's `<T as Trait>::method` begins like a placeholder.
        || $0.hasPrefix("<") && $0.hasSuffix(">")
    }
  }

  /// The closure that the frame's only function forwards its captured values to.
  fileprivate var forwardedClosure: String? {
    let forwarder = "partial apply for "
    guard functionNames.count == 1, let name = functionNames.first, name.hasPrefix(forwarder + "closure #")
    else {
      return nil
    }
    return String(name.dropFirst(forwarder.count))
  }

  /// Whether a frame is in the Objective-C runtime, which only handles the objects that it is given.
  fileprivate var isInObjectRuntime: Bool { captured.imageName == "libobjc.A.dylib" }

  /// The dependency whose code the frame is in, judged by the path that package managers give its source, or by its image.
  func dependency(_ knowledge: Knowledge) -> String? {
    if let image = captured.imageName, knowledge.dependencyImages.contains(image) { return image }
    let files = locations.compactMap { $0.location?.file } + [captured.reportedFile].compactMap(\.self)
    return files.lazy.compactMap(knowledge.dependency(of:)).first
  }

  /// Whether a frame is no code of its own: a runtime's, a part of the machinery or a repetition of another frame.
  func onlyActsForCaller(_ knowledge: Knowledge) -> Bool {
    reason == .superseded || isInRuntime(knowledge) || functionNames.isEmpty || !hasOwnFunction(knowledge)
  }

  /// Whether a frame is in a library that acts only on behalf of its callers.
  fileprivate func isInRuntime(_ knowledge: Knowledge) -> Bool {
    captured.imageName.map { knowledge.runtimeImages.contains($0) } ?? false
  }

  /// Why the frame isn't blamed, if a later one is.
  fileprivate func skipReason(_ knowledge: Knowledge) -> SkippedFrame.Reason {
    if reason == .superseded { return .superseded }
    if hasFunction(in: knowledge.roles.machinery) { return .machinery }
    if !mayBeApp { return .notApp }
    if isGenerated { return .generated }
    if isLibraryCode(knowledge) { return .libraryCode }
    return functionNames.isEmpty || hasFunction(where: knowledge.isVendored) ? .notApp : .thunk
  }

  /// Whether the frame is the app's, or could be: sanitizers print the source line in place of the image.
  ///
  /// Nobody outside Apple has debug files of the system, so a frame with a line is the app's, unless Apple's own tools
  /// printed it.
  var mayBeApp: Bool {
    isInApp || captured.reportedLine != nil && !(captured.imageName.map(isSystemLibrary) ?? false)
  }

  /// Whether the compiler or a macro synthesized the frame's code.
  private var isGenerated: Bool {
    // A macro's code inside a function is part of that function; accessors are the macro's own.
    let isOnlyMacro = captured.isInlined || isAccessor
    if locations.isEmpty {
      let location = captured.reportedFile.map { SourceLocation(file: $0) }
      // The developer's own module can be compiled from a pipe.
      if captured.reportedFile == "<stdin>" || isPlainMethod { return false }
      return location.map { $0.isGenerated || isOnlyMacro && $0.isMacroExpansion } ?? false
    }
    return isOnlyMacro
      && locations.allSatisfy { $0.location.map { $0.isGenerated || $0.isMacroExpansion } ?? false }
  }

  /// Whether the frame is in a method that has a body in the source: symbolicators name the compiler for code without a
  /// line in there too. Initializers and the requirements of Codable and Hashable are synthesized.
  private var isPlainMethod: Bool {
    guard let name = functionNames.first, name.hasSuffix(")"), let open = name.firstIndex(of: "("),
      case let path = name[..<open], !path.contains(" "), let dot = path.lastIndex(of: ".")
    else { return false }
    return !Self.synthesizedMethods.contains(String(path[path.index(after: dot)...]))
  }

  private static let synthesizedMethods: Set = ["init", "__allocating_init", "encode", "hash"]

  /// Whether the frame is in a computed property's getter or setter.
  private var isAccessor: Bool {
    hasFunction { name in [".getter", ".setter", ".modify", ".read"].contains(where: name.hasSuffix) }
  }

  /// Whether a report places the frame in a file of the system or of the toolchain.
  fileprivate func isInLibraryFile(_ knowledge: Knowledge) -> Bool {
    locations.isEmpty && captured.reportedFile.map { knowledge.libraryFiles.matches($0) } ?? false
  }

  /// Whether all functions at the frame come from headers of the system or of the toolchain.
  fileprivate func isLibraryCode(_ knowledge: Knowledge) -> Bool {
    if !locations.isEmpty { return locations.allSatisfy { knowledge.isLibraryCode($0) } }
    let symbol = functionNames.first ?? ""
    let file = captured.reportedFile ?? ""
    return knowledge.isLibraryCode(
      SourceFrame(function: symbol, location: SourceLocation(file: file, line: nil)))
  }

  /// The index of the innermost location with a line in a real file; if there is none, that of the innermost function
  /// of the app's own.
  func bestLocation(_ knowledge: Knowledge) -> Int? {
    let own = locations.indices.filter { knowledge.isOwnFunction(locations[$0].function ?? "") }
    let withLine = own.filter { locations[$0].location.map(\.isReal) ?? false }
    // Templates of the standard library are inlined into the app; their arguments are the app's.
    let ownLine = withLine.first { !knowledge.isLibraryCode(locations[$0]) }
    return ownLine ?? withLine.first ?? (isInApp ? own.first : nil)
  }
}

/// Methods through which all events of a program pass, by their selectors and by their names in Swift.
private let eventMethods = [
  (selector: "sendEvent:]", function: "sendEvent(_:)"),
  (selector: "sendAction:to:from:]", function: "sendAction(_:to:from:)"),
  (selector: "sendAction:to:from:forEvent:]", function: "sendAction(_:to:from:for:)"),
  (
    selector: "nextEventMatchingMask:untilDate:inMode:dequeue:]",
    function: "nextEvent(matching:until:inMode:dequeue:)"
  ),
]

extension [ResolvedFrame] {
  /// Whether a frame is no more than an image, or the last one without a name, as of a list that was cut there, and a frame
  /// of the app further in has a name.
  fileprivate func showsLess(at index: Int) -> Bool {
    let frame = self[index]
    let isImageAlone = frame.captured.address == nil && frame.captured.imageOffset == nil
    guard frame.functionNames.isEmpty, isImageAlone || index == count - 1 else { return false }
    return self[..<index].contains {
      $0.isInApp && !$0.functionNames.isEmpty
        && (isImageAlone || $0.captured.imageName == frame.captured.imageName)
    }
  }

  /// Whether a function in C is SQLite's, as its caller or what it calls tells: only those that other files use have its prefix.
  fileprivate func isOfSQLite(at index: Int) -> Bool {
    let isC = { (frame: ResolvedFrame) in frame.captured.reportedFile?.hasSuffix(".c") ?? false }
    guard isC(self[index]) else { return false }
    // Nobody else calls `sqlite3HashInsert`: the interface has names such as `sqlite3_open`.
    if index > 0, isC(self[index - 1]),
      self[index - 1].hasFunction(where: { $0.hasPrefix("sqlite3") && !$0.hasPrefix("sqlite3_") })
    {
      return true
    }
    let caller = self[index...].dropFirst().prefix(Self.maximumHelperDepth)
      .prefix { isC($0) && $0.captured.imageName == self[index].captured.imageName }
      .first { frame in frame.hasFunction { $0.hasPrefix("sqlite3") } }
    return caller != nil
  }

  /// Whether a frame is a part that the compiler split off a function and that its caller continues. Such parts are
  /// adjacent and end in calls that don't return, so the name, and a line with it, can be those of the next one; but for
  /// the function in which the program stopped, whose address isn't a return address.
  fileprivate func isSplitOff(at index: Int) -> Bool {
    let frame = self[index]
    let isExact = index == 0 && frame.captured.kind == .programCounter && frame.captured.reportedLine != nil
    guard !isExact, frame.hasFunction(where: { $0.holds(".cold.") }), indices.contains(index + 1) else {
      return false
    }
    let caller = self[index + 1]
    return !caller.functionNames.isEmpty && caller.captured.imageName == frame.captured.imageName
      && frame.locations.isEmpty
  }

  /// Of a name that is cut after this many letters, nobody can tell what it was.
  private static var shortestPart: Int { 4 }

  /// Whether a frame is the last of a list that ends within its name: all other names have offsets.
  fileprivate func isCutName(at index: Int) -> Bool {
    guard index == count - 1, let symbol = self[index].captured.reportedSymbol, self[index].locations.isEmpty,
      self[index].captured.address != nil, self[index].captured.reportedFile == nil,
      self[index].captured.reportedSymbolOffset == nil, symbol.utf8.count < Self.shortestPart,
      symbol.utf8.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") })
    else { return false }
    let named = dropLast().filter { $0.captured.reportedSymbol != nil }
    return named.count > 1 && named.allSatisfy { $0.captured.reportedSymbolOffset != nil }
  }

  /// Whether a frame's function runs other code, and was doing so: such a loop or trampoline is the place only where it
  /// failed itself.
  fileprivate func onlyRanOthers(at index: Int, _ knowledge: Knowledge) -> Bool {
    index > 0 && self[index].hasFunction(where: knowledge.isLoop)
      && !self[index - 1].hasFunction(in: knowledge.roles.machinery)
  }

  /// Whether a frame is an override or a replacement of a method that all events pass through, and the system's own one was
  /// running: what received the event is further in.
  fileprivate func passesEventOn(at index: Int) -> Bool {
    let passed = eventMethods.first { method in
      self[index].hasFunction {
        $0.hasSuffix(method.function) || $0.isMethodName && $0.hasSuffix(method.selector)
      }
    }
    guard let passed else { return false }
    return self[..<index].suffix(Self.maximumHelperDepth).contains { frame in
      !frame.isInApp && frame.hasFunction { $0.isMethodName && $0.hasSuffix(" " + passed.selector) }
    }
  }

  /// Whether a frame is the block of a C function in the app that ran a block of a library of the system, and was run by
  /// libdispatch: monitors put a block of their own around those that others give to a queue.
  fileprivate func wrapsBlock(at index: Int, _ knowledge: Knowledge) -> Bool {
    guard index > 0, indices.contains(index + 1), !self[index - 1].isInApp,
      self[index].hasFunction(where: { $0.hasPrefix("__") && $0.holds("_block_invoke") && !$0.holds("[") }),
      self[index - 1].hasFunction(where: {
        $0.hasPrefix("__") && $0.holds("_block_invoke") || $0.hasPrefix("invocation function for block in ")
      })
    else { return false }
    return self[index + 1].hasFunction(in: knowledge.roles.blockCallers)
  }

  /// The maximum number of frames between a helper of the machinery and the function that called it.
  private static var maximumHelperDepth: Int { 3 }

  /// Whether a frame without a name was called by machinery of the same image, and so belongs to it; also one with the
  /// name of a neighbour, if the same image's machinery lies on both sides.
  func isPartOfMachinery(at index: Int, _ knowledge: Knowledge) -> Bool {
    let frame = self[index]
    let isMachinery = { (other: ResolvedFrame) in
      other.captured.imageName == frame.captured.imageName && other.hasFunction(in: knowledge.roles.machinery)
    }
    let callers = self[index...].dropFirst().prefix(Self.maximumHelperDepth)
      .prefix { $0.captured.imageName == frame.captured.imageName }
    guard callers.contains(where: isMachinery) else { return false }
    if frame.functionNames.isEmpty { return true }
    return frame.locations.isEmpty && frame.captured.reportedFile == nil
      && !frame.hasFunction(where: \.isMethodName)
      && self[..<index].suffix(Self.maximumHelperDepth).contains(where: isMachinery)
  }
}

extension SourceLocation {
  /// Whether there is a source file that a person can open.
  fileprivate var isReal: Bool { line != nil && !file.isEmpty && !isGenerated && !isMacroExpansion }
}

extension Knowledge {
  /// Whether a function belongs to the system or the toolchain, although it was compiled into the app.
  fileprivate func isLibraryCode(_ frame: SourceFrame) -> Bool {
    libraryFiles.matches(frame.location?.file ?? "") || isLibraryFunction(frame.function ?? "")
  }

  /// The name of the dependency that a source file belongs to; nil for one of the app's own.
  func dependency(of file: String) -> String? {
    let form = Array(file.utf8)
    return dependencies.all.lazy.compactMap { $0.match(form)?["name"] }.first
  }
}

extension [ResolvedFrame] {
  /// Where a check of Swift's compiler stands, if the innermost frame is one and states it; nil otherwise.
  var failedCheck: SourceLocation? {
    guard count > 1, !showOnlyCheck, let check = first, let line = check.captured.reportedLine, line > 0,
      check.functionNames.first?.hasPrefix("Swift runtime failure: ") ?? false,
      let file = check.captured.reportedFile
    else { return nil }
    let location = SourceLocation(file: file, line: line)
    return location.isGenerated ? nil : location
  }

  /// Whether the innermost frame is only a check that Swift's compiler put into a function, without that function: some
  /// reporters keep one name of an address. The next function is then another library's.
  fileprivate var showOnlyCheck: Bool {
    guard count > 1, self[0].functionNames.count == 1,
      self[0].functionNames.first?.hasPrefix("Swift runtime failure: ") ?? false,
      let image = self[0].captured.imageName, let next = self[1].captured.imageName
    else { return false }
    return image != next
  }
}
