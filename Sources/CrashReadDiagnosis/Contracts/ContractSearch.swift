internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// A contract that was broken, and its evidence.
struct BrokenContract {
  var contract: Contract
  var confidence: Confidence
  /// Text captured by its patterns, by name.
  var captures: [String: String]
  var evidence: [Evidence]
  /// The frame of the API; nil if no frame shows it.
  var frame: FrameReference?
  /// Whether it is specific to a caller of the API, and so more informative than the message or the API alone.
  var isCallerSpecific: Bool
  /// Whether it states what a program logged that something else stopped.
  var isAside = false
  /// Whether it is based only on whose code was running, not on a function.
  var isOfImageAlone = false
}

/// A function between the machinery that stopped the program and the app's own code.
private struct ReachedFunction {
  /// Its name in UTF-8, as patterns have it.
  let form: [UInt8]
  /// Its frame; nil if only the exception's reason names it.
  let frame: Int?
  let evidence: Evidence

  init(_ name: String, at frame: Int?, _ evidence: Evidence) {
    form = Array(patternForm(of: name).utf8)
    self.frame = frame
    self.evidence = evidence
  }
}

/// The quality of a match; earlier parts outweigh later ones.
private struct ContractRank: Comparable {
  var evidence: Int
  /// 0 for a guess based on a function alone: it doesn't outweigh what a function further out shows.
  var confidence: Int
  var nearness: Int
  var detail: Int

  static func < (first: ContractRank, second: ContractRank) -> Bool {
    (first.evidence, first.confidence, first.nearness, first.detail)
      < (second.evidence, second.confidence, second.nearness, second.detail)
  }
}

/// Searches a report for an API that stopped the program because of its caller.
///
/// Only functions between the machinery that stopped the program and the app's own code can have stopped it: a function
/// further out has called the app and waits for it.
struct ContractSearch {
  private let facts: CrashFacts
  private let table: ContractTable
  let stop: ProgramStop?
  /// The backtrace that leads to the stop.
  let backtrace: (reference: BacktraceReference, frames: [ResolvedFrame])?
  /// The functions that can have stopped the program; the one that the exception's reason names is the last.
  private var functions: [ReachedFunction] = []
  /// The report's texts, followed by the text around pasted frames.
  private let texts: [FactLine]
  /// The text around pasted frames, which the person who pasted them may have written.
  private let surroundingLines: [FactLine]
  /// The conditions in AVFAudio's log lines. It logs them before it throws, and the program may catch the exception.
  private let loggedConditions: [FactLine]
  private let knowledge: Knowledge
  /// The trampoline of a handler that ended the program because of a fault; nil if there is none.
  private let interrupted: Int?
  /// Whether only what the handler had interrupted is searched.
  let isBelowHandler: Bool
  /// The first frame that doesn't belong to a handler of signals which ran when the program failed.
  private let start: Int
  /// The first frame below the machinery; all frames of the machinery count as equally near.
  private let raiser: Int
  private let report: CrashReport

  /// The maximum depth below the machinery at which an API can have stopped the program.
  private static let maximumFrames = 64

  /// Whether the report states the exception's reason. If it does, the API that raised the exception isn't the cause by
  /// itself.
  var statesReason: Bool { (facts.texts[.text] ?? []).contains { !$0.reason.isEmpty } }

  /// Whether the fault address is slightly below zero: such a number, as `mmap` returns it, is not beyond a buffer.
  var isNumberUsed: Bool { facts.has(.pointer, PointerValue.negative.rawValue) }

  /// Whether a contract is based only on a function in which the program accessed memory that it may not.
  func isOnlyWhereItFaulted(_ broken: BrokenContract) -> Bool {
    broken.confidence == .hint || stop == .fault && broken.frame != nil && !broken.isCallerSpecific
  }

  /// Whether the API's function is one of those whose recursion used up the stack: then it is the cause, and not where
  /// the stack happened to end.
  func isRecursion(_ broken: BrokenContract) -> Bool {
    guard let recursion = facts.recursion, let frames = backtrace?.frames, let index = broken.frame?.frame,
      frames.indices.contains(index)
    else { return false }
    let names = Set(frames[index].functionNames)
    return frames[recursion.clamped(to: frames.indices)].contains { $0.hasFunction(where: names.contains) }
  }

  /// Prepares a search: for how the program ended, or, below a handler of signals that ended it, for what that had
  /// interrupted.
  init(
    in symbolicated: SymbolicatedReport, facts: CrashFacts, knowledge: Knowledge, belowHandler: Bool = false
  ) {
    self.facts = facts
    table = knowledge.contracts
    self.knowledge = knowledge
    let stated = programStop(symbolicated, facts, knowledge.roles)
    backtrace = stoppedBacktrace(symbolicated, stated)
    interrupted = stated == .abort ? AbortHandlerFrames.afterFault(backtrace?.frames ?? [], knowledge) : nil
    isBelowHandler = belowHandler && interrupted != nil
    stop = isBelowHandler ? .fault : stated
    surroundingLines = (facts.texts[.noted] ?? []).compactMap(\.surrounding)
    // A library that sets such a message traps at once: it is that of another crash than an exception whose stack is given.
    let isThrown = stated == .exception && !symbolicated.lastExceptionBacktrace.isEmpty
    let lines = (facts.texts[.text] ?? []).filter { !isThrown || !$0.bytes.starts(with: Self.misuse) }
      .map(\.withOwnClass)
    loggedConditions = (facts.texts[.text] ?? []).compactMap(\.loggedCondition)
    texts = lines.flatMap { $0.reason + $0.spelled + [$0] } + loggedConditions + surroundingLines
    let frames = (backtrace?.frames ?? []).prefix(Self.maximumFrames)
    let sent = AbortHandlerFrames(backtrace?.frames ?? [], knowledge)?.outermost
    let handler = sent ?? (isBelowHandler ? interrupted : nil)
    start = max(handler.map { $0 + 1 } ?? 0, backtrace?.frames.preprocessorCount ?? 0)
    raiser = Self.raiser(in: frames.dropFirst(start), knowledge) ?? start
    report = symbolicated.report
    functions = reachedFunctions()
    if stop == .exception { functions += texts.lazy.compactMap(\.raisingFunction).prefix(1) }
  }

  private static let misuse = Array("BUG IN CLIENT OF LIB".utf8)

  /// The first frame below the machinery. Nameless frames of the system above it are what the machinery called.
  private static func raiser(in frames: ArraySlice<ResolvedFrame>, _ knowledge: Knowledge) -> Int? {
    let isMachinery = { (frame: ResolvedFrame) in frame.hasFunction(in: knowledge.roles.machinery) }
    let below = frames.drop { !$0.isInApp && $0.functionNames.isEmpty }
    let first = below.first.map(isMachinery) ?? false ? below : frames
    return first.firstIndex { !isMachinery($0) }
  }

  /// The framework of the system that called the libraries that all code uses, below the machinery; nil if the app called
  /// them itself.
  private var callingFramework: (name: String, frame: FrameReference)? {
    guard let backtrace else { return nil }
    for (index, frame) in backtrace.frames.enumerated().prefix(Self.maximumFrames).dropFirst(raiser) {
      // What ran when a turn came was called by nobody further out.
      let isTurn =
        frame.hasFunction(in: knowledge.roles.callouts) || frame.hasFunction(in: knowledge.roles.runLoops)
      guard !isTurn, let image = report.imageName(of: frame) else { return nil }
      let name = image.hasPrefix("com.apple.") ? String(image.dropFirst("com.apple.".count)) : image
      if Self.sharedLibraries.contains(name) { continue }
      guard report.isSystemCode(frame), !name.hasPrefix("lib"), name != "dyld" else { return nil }
      return (name, FrameReference(backtrace.reference, index))
    }
    return nil
  }

  private static let sharedLibraries: Set<String> = [
    "CoreFoundation", "Foundation", "libobjc.A.dylib", "libswiftCore.dylib", "libswiftFoundation.dylib",
    "libc++abi.dylib",
  ]

  /// The functions from the innermost to the first of the app's own that no contract is about; libraries built into the
  /// app are in its image, too.
  private func reachedFunctions() -> [ReachedFunction] {
    guard let backtrace else { return [] }
    var functions: [ReachedFunction] = []
    let end = TerminateFrames(backtrace.frames, images: report.images, knowledge)?.outermost ?? -1
    for (index, frame) in backtrace.frames.enumerated().prefix(Self.maximumFrames).dropFirst(start) {
      let reference = FrameReference(backtrace.reference, index)
      let found = frame.functionNames.flatMap { name in
        [name, name.withoutCategory].compactMap(\.self).map {
          ReachedFunction($0, at: index, Evidence(.frame(reference), name))
        }
      }
      // C functions of Core Foundation don't throw: the name is that of the function after the one that did. The same
      // applies to parts that the compiler split off: they are adjacent, and each ends in such a call.
      let isNeighbor =
        frame.mayBeNeighbor(in: backtrace.frames, at: index)
        && !frame.hasFunction { $0.isMethodName && !$0.contains("].cold.") }
        || backtrace.frames.isOthersPart(at: index)
      if isNeighbor { continue }
      // The code that runs a run loop doesn't call what is scheduled on it; a kill hits whatever waits there.
      let isKill = stop == .kill || stop == .hang
      if !isKill, frame.hasFunction(in: knowledge.roles.runLoops) { break }
      let isCallout = frame.hasFunction(in: knowledge.roles.callouts)
      // A callee that is running exists: what faulted inside it isn't the object that was called.
      if stop == .fault, isCallout, index > raiser { break }
      functions += found
      // Further out is what ran when the callee's turn came: a notification's sender, a pool's owner.
      if !isKill, isCallout { break }
      // The handlers of uncaught exceptions, which can be the app's, are further in than what threw.
      if index <= end || isNamelessPart(of: backtrace.frames, at: index) { continue }
      let isPassed = { (name: String) in !knowledge.isOwnFunction(name) || knowledge.isVendored(name) }
      guard frame.isInApp, !frame.hasFunction(where: isPassed),
        !backtrace.frames.isPartOfMachinery(at: index, knowledge)
      else { continue }
      let forms = found.map(\.form)
      let isKnown = table.candidates(forms).contains { candidate in
        let patterns = table[candidate.position]?.alternative.frames ?? []
        return patterns.contains { pattern in forms.contains { pattern.match($0) != nil } }
      }
      if !isKnown { break }
    }
    return functions
  }

  /// Whether a frame without a name is one of the innermost functions of a library in the app that its named function called.
  private func isNamelessPart(of frames: [ResolvedFrame], at index: Int) -> Bool {
    guard index < Self.maximumNameless, frames[index].functionNames.isEmpty, report.header.process != nil,
      !report.isMainExecutable(frames[index]), let image = report.imageName(of: frames[index]),
      let named = frames.dropFirst(index).first(where: { !$0.functionNames.isEmpty })
    else { return false }
    return report.imageName(of: named) == image
  }

  /// The maximum number of nameless innermost functions of a library.
  private static let maximumNameless = 3

  /// Whether a handler ended the program because of a fault, and no contract is about that end.
  var mayFindFault: Bool { interrupted != nil && !isBelowHandler && best() == nil }

  /// The contract that explains the stop; that about Apple's own programs if there is at most a guess.
  func best() -> BrokenContract? {
    let found = bestMatch(ofApple: false)
    return (found?.confidence ?? .hint) == .hint ? bestMatch(ofApple: true) ?? found : found
  }

  /// The contract with the best evidence; of equal ones, the first in the table. `ofApple` asks for one about a program of
  /// Apple's that failed by itself, whose developers aren't the readers.
  private func bestMatch(ofApple: Bool) -> BrokenContract? {
    if ofApple, facts.appleProgram == nil || stop == nil { return nil }
    let lines = texts.map(\.bytes) + functions.map(\.form)
    var best: (rank: ContractRank, found: BrokenContract)?
    for candidate in table.candidates(lines) {
      guard let (contract, alternative) = table[candidate.position], isAbout(contract),
        alternative.isOfApple == ofApple, let found = match(contract, alternative, on: candidate.lines)
      else { continue }
      let rank = rank(of: found, alternative)
      if best.map({ isBetter((rank, found), than: $0) }) ?? true { best = (rank, found) }
    }
    return best?.found
  }

  /// Whether a contract can be about what stopped: programs' contracts give no advice about the kernel, which quotes their
  /// messages.
  private func isAbout(_ contract: Contract) -> Bool {
    report.kind != .panic || contract.family.hasPrefix("Kernel")
  }

  private typealias Match = (rank: ContractRank, found: BrokenContract)

  /// Whether one match is better than another: the API's message counts most, then the distance from the stop, then the
  /// caller. Contracts of a family are listed from the most specific to the most general.
  private func isBetter(_ match: Match, than best: Match) -> Bool {
    let isSame = match.found.contract.id == best.found.contract.id
    if !isSame, match.found.contract.family == best.found.contract.family {
      return match.rank.evidence > best.rank.evidence
    }
    return best.rank < match.rank
  }

  private func rank(of found: BrokenContract, _ alternative: Contract.Alternative) -> ContractRank {
    // If the thread is evidence as well, the API may be further out.
    let frame = alternative.dependsOnThread ? raiser : max(found.frame?.frame ?? 0, raiser)
    let depth = alternative.texts.isEmpty ? frame : 0
    let isCallerSpecific = !alternative.callers.isEmpty || alternative.dependsOnThread
    // A message that several preconditions share is weaker evidence than one of a single precondition.
    let isExact = !alternative.texts.isEmpty && alternative.limit == nil
    return ContractRank(
      evidence: found.isAside ? 0 : alternative.rank,
      confidence: found.confidence == .hint && !isCallerSpecific ? 0 : 1,
      nearness: -depth,
      detail: (isCallerSpecific ? 2 : 0) + (isExact ? 1 : 0))
  }

  /// Matches an alternative against the lines preselected by the index: texts first, then functions.
  private func match(
    _ contract: Contract, _ alternative: Contract.Alternative, on lines: [Int]?
  ) -> BrokenContract? {
    guard isStop(alternative), hasExceptionName(alternative), hasQueue(alternative),
      facts.isOffMain || !alternative.isOffMain, !facts.isOnMain || !alternative.isNeverMain
    else { return nil }
    var found = BrokenContract(
      contract: contract, confidence: alternative.confidence, captures: [:], evidence: [],
      isCallerSpecific: !alternative.callers.isEmpty)
    found.isAside = alternative.isOnlyLogged && stop != nil
    if !alternative.texts.isEmpty {
      guard let (line, pattern, captures) = firstText(alternative, among: lines ?? Array(texts.indices))
      else { return nil }
      found.captures = captures
      if isDoubtful(line, alternative) { found.confidence = found.confidence.atMostLikely }
      if isInAppsWords(line, of: contract, by: pattern) { return nil }
      found.evidence.append(line.evidence)
    }
    if !alternative.frames.isEmpty {
      let isIndexed = alternative.texts.isEmpty
      let indexed = isIndexed ? lines?.map { $0 - texts.count }.filter { $0 >= 0 } : nil
      let named = indexed ?? Array(functions.indices)
      guard let function = firstFunction(alternative.frames, among: named) else { return nil }
      if let backtrace, let frame = function.frame {
        if alternative.isUnplaced, backtrace.frames[frame].captured.reportedFile != nil { return nil }
        found.frame = FrameReference(backtrace.reference, frame)
      }
      found.evidence.append(function.evidence)
    }
    if !alternative.images.isEmpty {
      guard let image = innermostImage(among: alternative.images) else { return nil }
      found.frame = image.frame
      found.captures["image"] = image.name
      found.isOfImageAlone = alternative.frames.isEmpty && alternative.texts.isEmpty
      found.evidence.append(Evidence(.frame(image.frame), image.name))
    }
    if alternative.isOfApple, let program = facts.appleProgram {
      found.captures["appleProgram"] = program.value
      found.evidence.append(program.evidence)
    }
    if alternative.isWithinFramework {
      guard let framework = callingFramework else { return nil }
      found.captures["image"] = framework.name
      found.evidence.append(Evidence(.frame(framework.frame), framework.name))
    }
    // Checked last, since it examines each frame of the thread.
    guard hasCaller(alternative) else { return nil }
    if found.evidence.isEmpty, let queue = queue(alternative) { found.evidence.append(queue) }
    if isTruncated(found) { found.confidence = .hint }
    if isUnstated(alternative) {
      guard alternative.dependsOnThread || (found.frame?.frame ?? 0) <= raiser, showsInnermost else {
        return nil
      }
      found.confidence = .hint
    }
    return found
  }

  /// Whether a message may be unrelated to the stop: somebody may have written it, the program may have caught the
  /// exception, or something else stopped the process.
  private func isDoubtful(_ line: FactLine, _ alternative: Contract.Alternative) -> Bool {
    surroundingLines.contains(line) || loggedConditions.contains(line) || line.quotesTrap
      || line.evidence.isRetold
      || facts.isPerhapsCaught && line.evidence.source == .field(.uncaughtException)
      || isOwnAbort && line.evidence.source != .field(.uncaughtException)
      || alternative.stops.isEmpty && facts.isStoppedApart(from: [line.evidence])
  }

  /// Whether the app wrote a message itself: a fatal error in a file of its own, where the API would throw an exception or is
  /// of another language, or the reason of an exception that the app raised. By chance its words are those of the API.
  private func isInAppsWords(
    _ line: FactLine, of contract: Contract, by pattern: TextPattern
  ) -> Bool {
    let isError = line.evidence.isFatalErrorOfFile && !pattern.mentions(Self.fatalError)
    return isError && !knowledge.swiftFamilies.contains(contract.family)
      || stop == .exception && contract.isOfSystemFramework
        && isStoppedByApp { name in Self.raisingMethods.contains(where: name.hasPrefix) }
  }

  /// The methods by which code raises an exception.
  private static let raisingMethods = [
    "+[NSException raise:", "-[NSException raise]", "-[NSAssertionHandler ",
  ]
  /// What the message of a contract about Swift's runtime itself holds.
  private static let fatalError = Array("atal error".utf8)

  /// Whether the program's own code called `abort`: a message that a library left before it need not be the reason.
  private var isOwnAbort: Bool { stop == .abort && isStoppedByApp { $0 == "abort" } }

  /// Whether a function of the app's own, rather than of a library that is built into it, called one that stops programs.
  private func isStoppedByApp(_ isStopper: (String) -> Bool) -> Bool {
    guard let frames = backtrace?.frames, frames.indices.contains(raiser), raiser > 0,
      frames[raiser].isInApp, frames[raiser - 1].hasFunction(where: isStopper)
    else { return false }
    return !frames[raiser].functionNames.isEmpty
      && !frames[raiser].hasFunction { !knowledge.isOwnFunction($0) || knowledge.isVendored($0) }
  }

  /// The first line that one of the patterns matches. Words that only hint at something in an exception's reason say
  /// nothing in what a person wrote around the frames: `the program stopped on the main thread`.
  private func firstText(
    _ alternative: Contract.Alternative, among lines: [Int]
  ) -> (FactLine, TextPattern, [String: String])? {
    let isProse = alternative.limit == .hint && !(backtrace?.frames.isEmpty ?? true)
    let stated = texts.count - (isProse ? surroundingLines.count : 0)
    for pattern in alternative.texts {
      for line in lines where line < stated {
        if let captures = pattern.match(texts[line].bytes) { return (texts[line], pattern, captures) }
      }
    }
    return nil
  }

  private func firstFunction(_ patterns: [TextPattern], among indices: [Int]) -> ReachedFunction? {
    let found = indices.first { index in patterns.contains { $0.match(functions[index].form) != nil } }
    return found.map { functions[$0] }
  }

  /// Whether the API stops programs in the way in which this one was stopped; otherwise, an API on the stack is
  /// unrelated.
  private func isStop(_ alternative: Contract.Alternative) -> Bool {
    if isUnstated(alternative) { return true }
    if alternative.stops.isEmpty {
      if alternative.frames.isEmpty, alternative.images.isEmpty { return true }
      return stop == .exception || stop == .trap || stop == .abort
    }
    return stop.map(alternative.stops.contains) ?? false || stop == .hang && alternative.stops.contains(.kill)
  }

  /// Whether the API is the only evidence, in an excerpt of frames that doesn't show how the program ended. If frames are
  /// left out above, they are those that ended it on purpose, since after a fault there are none.
  private func isUnstated(_ alternative: Contract.Alternative) -> Bool {
    if backtrace?.frames.isCutAbove ?? false, alternative.stops == [.fault] { return false }
    return stop == nil && facts.isEndUnstated && facts.has(.kind, "crash") && alternative.texts.isEmpty
      && ![[.kill], [.hang]].contains(alternative.stops)
  }

  /// Whether frames that ran on behalf of the API may be missing: a list pasted without more than the machinery.
  private func isTruncated(_ found: BrokenContract) -> Bool {
    guard let frame = found.frame, frame.frame > 0 else { return false }
    return (backtrace?.frames.first?.captured.number ?? 0) > Self.maximumMachinery
  }

  /// The maximum number of frames that stop a program, which people leave out.
  private static let maximumMachinery = 9

  /// Whether a pasted list of frames begins near the stop. People omit the machinery, but not dozens of frames: such a
  /// list is the end of a stack.
  private var showsInnermost: Bool {
    (backtrace?.frames.first?.captured.number ?? 0) < Self.maximumOmitted
  }

  private static let maximumOmitted = 32

  /// Whether the exception has the required name. If the report doesn't state the name, the API alone must be
  /// sufficient evidence.
  private func hasExceptionName(_ alternative: Contract.Alternative) -> Bool {
    guard !alternative.exceptionNames.isEmpty else { return true }
    guard let name = facts.exceptionName else { return alternative.rank > 0 && stop == .exception }
    return alternative.exceptionNames.contains(name)
  }

  private func hasQueue(_ alternative: Contract.Alternative) -> Bool {
    alternative.queues.isEmpty || queue(alternative) != nil
  }

  private func queue(_ alternative: Contract.Alternative) -> Evidence? {
    facts.texts[.queue]?.first { line in alternative.queues.contains { $0.match(line.bytes) != nil } }?
      .evidence
  }

  private func hasCaller(_ alternative: Contract.Alternative) -> Bool {
    guard !alternative.callers.isEmpty else { return true }
    return (backtrace?.frames ?? []).prefix(512).contains { frame in
      frame.functionNames.contains { name in
        let form = Array(patternForm(of: name).utf8)
        return alternative.callers.contains { $0.match(form) != nil }
      }
    }
  }

  /// The innermost image that isn't part of what stops programs, if it is one of the given ones. A named function of
  /// the system is more informative than its image; parts that the compiler shares among functions are none.
  private func innermostImage(among images: [String]) -> (name: String, frame: FrameReference)? {
    guard let backtrace else { return nil }
    for (index, frame) in backtrace.frames.enumerated().prefix(Self.maximumFrames).dropFirst(start) {
      // A crash reporter that is built into the image only tells of the stop.
      guard let name = frame.captured.imageName, !frame.hasFunction(in: knowledge.roles.machinery) else {
        continue
      }
      if images.contains(name), frame.isInApp || frame.functionNames.allSatisfy(knowledge.isThunk) {
        return (name, FrameReference(backtrace.reference, index))
      }
      guard knowledge.runtimeImages.contains(name) else { return nil }
    }
    return nil
  }
}

/// How a program was stopped; nil if it wasn't, or if it is unknown.
private func programStop(
  _ symbolicated: SymbolicatedReport, _ facts: CrashFacts, _ roles: FunctionRoles
) -> ProgramStop? {
  let names = (facts.texts[.frames] ?? []).map { String(decoding: $0.bytes, as: UTF8.self) }
  let isEnding = facts.has(.stopper, "abort")
  if facts.isMemoryFault, !isEnding { return facts.has(.stopper, "unwinding") ? .exception : .fault }
  let holdsThrower = { (frames: [ResolvedFrame]) in
    frames.prefix(8).contains { $0.hasFunction(in: roles.throwers) }
  }
  if !symbolicated.lastExceptionBacktrace.isEmpty || facts.exceptionName != nil
    || names.contains(where: roles.throwers.matches(function:))
    || symbolicated.applicationSpecificBacktraces.contains(where: holdsThrower)
    || facts.isEndUnstated && (facts.texts[.text] ?? []).contains(where: \.isAssertion)
  {
    return .exception
  }
  // An excerpt can state the watchdog's code without a signal.
  if facts.numbers[.terminationCode]?.value == 0x8bad_f00d { return .hang }
  if facts.has(.exception, "SIGKILL") || facts.has(.exception, "EXC_GUARD") { return .kill }
  if names.contains(where: roles.heapReporters.matches(function:)) { return .heap }
  if facts.isTrap {
    // `abort` ends in a trap if the program goes on after its signal, as below a debugger (Libc, stdlib/FreeBSD/abort.c).
    return names.first == "abort" || names.first == "__abort" ? .abort : .trap
  }
  if names.first.map(roles.referenceCounting.matches(function:)) ?? false { return .fault }
  if names.first.map(roles.gpuKills.matches(function:)) ?? false { return .kill }
  if isEnding || facts.has(.exception, "SIGABRT") || facts.has(.exception, "EXC_CRASH") { return .abort }
  // `std::terminate` doesn't return, nor does the handler that it called.
  if facts.isEndUnstated, names.contains(where: roles.terminators.matches(function:)) { return .abort }
  return nil
}

/// The backtrace that leads to the stop: the exception's if there is one, otherwise the crashed thread's.
private func stoppedBacktrace(
  _ symbolicated: SymbolicatedReport, _ stop: ProgramStop?
) -> (BacktraceReference, [ResolvedFrame])? {
  if stop == .exception {
    if !symbolicated.lastExceptionBacktrace.isEmpty {
      return (.lastException, symbolicated.lastExceptionBacktrace)
    }
    if let first = symbolicated.applicationSpecificBacktraces.first {
      return (.applicationSpecific(0), first)
    }
  }
  guard let thread = symbolicated.report.principalThread, symbolicated.threads.indices.contains(thread) else {
    return symbolicated.applicationSpecificBacktraces.first.map { (.applicationSpecific(0), $0) }
  }
  return (.thread(thread), symbolicated.threads[thread])
}

extension FactLine {
  /// The text alone, if the line is from around pasted frames; otherwise nil.
  fileprivate var surrounding: FactLine? {
    let heading = Array((SystemRemark.surroundings + ": ").utf8)
    guard bytes.starts(with: heading) else { return nil }
    return FactLine(
      String(decoding: bytes.dropFirst(heading.count), as: UTF8.self), evidence.source, quote: evidence.quote)
  }

  /// Whether the line is an exception's reason with the words of a library that traps: it would have ended the program
  /// itself, so somebody quotes it.
  fileprivate var quotesTrap: Bool {
    evidence.quote.holds("BUG IN CLIENT OF LIB")
      && (evidence.source == .field(.uncaughtException) || evidence.quote.hasPrefix("*** Terminating app"))
  }

  /// The line with the original class's name, if a library has created a subclass at run time: key-value observing's
  /// `NSKVONotifying_Cart`, the Google SDKs' `GUL_Shop.AppDelegate-7BB01BA2-…`.
  fileprivate var withOwnClass: FactLine {
    for pattern in Self.subclasses {
      guard let found = pattern.match(bytes), let before = found["before"], let rest = found["rest"] else {
        continue
      }
      let text = before + "[" + (found["class"].map { $0 + " " } ?? "") + rest
      return FactLine(text, evidence.source, quote: evidence.quote)
    }
    return self
  }

  private static let subclasses = ["^{before}[NSKVONotifying_{rest}", "^{before}[GUL_{class}-{id} {rest}"]
    .compactMap { TextPattern($0) }

  /// The exception's reason, if the line is what AVFAudio logs before it throws: `AVAEInternal.h:76 required condition is
  /// false: [AVAudioIONodeImpl.mm:1223:SetOutputFormat: (format.sampleRate == hwFormat.sampleRate)]`.
  fileprivate var loggedCondition: FactLine? {
    guard let condition = Self.conditionPattern?.match(bytes)?["condition"] else { return nil }
    return FactLine("required condition is false: " + condition, evidence.source, quote: evidence.quote)
  }

  private static let conditionPattern = TextPattern("equired condition is false: [{place}: ({condition})]")

  /// The reason alone, if the line is the runtime's sentence about an exception: patterns begin with it.
  fileprivate var reason: [FactLine] {
    guard let found = Self.reasonPattern?.match(bytes)?["reason"] else { return [] }
    var reason = found[...]
    if reason.hasSuffix("'") { reason = reason.dropLast() }
    return [FactLine(String(reason), evidence.source, quote: evidence.quote)]
  }

  private static let reasonPattern = TextPattern("reason: '{reason}")

  /// `TypeError: x is not defined`, as languages other than Objective-C print an exception, if the report states it in
  /// fields.
  fileprivate var spelled: [FactLine] {
    guard evidence.source == .field(.uncaughtException), !bytes.elementsEqual(evidence.quote.utf8) else {
      return []
    }
    return [FactLine(evidence.quote, evidence.source)]
  }

  /// The method that raised the exception, if the reason names it.
  fileprivate var raisingFunction: ReachedFunction? {
    raisingMethod.map { ReachedFunction($0, at: nil, evidence) }
  }
}

extension String {
  /// The method without the category that defines it, as in `-[NSArray(NSKeyValueCoding) valueForKey:]`; nil when
  /// none is named. Other versions of a system define the same method in the class itself.
  fileprivate var withoutCategory: String? {
    guard isMethodName, let space = firstIndex(of: " "), let open = self[..<space].firstIndex(of: "("),
      self[..<space].hasSuffix(")")
    else { return nil }
    return String(self[..<open] + self[space...])
  }
}

extension FactLine {
  /// The method that raised the exception, if the reason begins with it, or an assertion names it:
  /// `*** -[AVCaptureSession addInput:] …`. A method that an object doesn't have, or that was called on one that
  /// is gone, raised nothing.
  var raisingMethod: String? {
    for statement in Self.statements {
      if let method = statement.match(bytes)?["rest"].flatMap(method(beginning:)) { return method }
    }
    // A reporter can state the reason on a line of its own.
    return statesReason ? method(beginning: String(decoding: bytes, as: UTF8.self)) : nil
  }

  /// Whether the line begins with a method's name that a sentence follows.
  private var statesReason: Bool {
    guard bytes.starts(with: Array("-[".utf8)) || bytes.starts(with: Array("+[".utf8)) else { return false }
    return String(decoding: bytes, as: UTF8.self).holds("]: ")
  }

  /// Whether it is the line that NSAssertionHandler logs before it throws.
  fileprivate var isAssertion: Bool {
    let mark = Array("*** Assertion failure in ".utf8)
    return bytes.starts(with: mark)
  }

  private func method(beginning text: String) -> String? {
    guard text.isMethodName, let end = text.firstIndex(of: "]"), text[..<end].contains(" ") else {
      return nil
    }
    let isSent = [": unrecognized selector sent to", ": message sent to deallocated"].contains {
      text[text.index(after: end)...].hasPrefix($0)
    }
    return isSent ? nil : String(text[...end])
  }

  private static let statements = [
    "reason: '*** {rest}", "reason: '{rest}", "Assertion failure in {rest}", "*** {rest}",
  ].compactMap { TextPattern($0) }
}
