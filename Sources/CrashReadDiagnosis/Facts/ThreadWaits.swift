internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// What a thread waits for, from the functions on its stack.
struct ThreadWait {
  /// A kind of `frames.json`.
  var kind: String
  /// The frame of the function that waits.
  var frame: Int
  var evidence: Evidence
  /// The system's function that waits for another thread, below the locks and queues with which it does; nil when there is
  /// none, or the app uses those itself.
  var call: Fact<String>?
  /// The innermost named function of the app, which made the call; nil when there is none.
  var caller: Fact<String>?
}

extension CrashFacts {
  /// The maximum depth of the frames in which a thread waits.
  private static let maximumWaitDepth = 24
  private static let maximumIdleDepth = 8
  /// The waits that another thread of the process can end.
  static let locks: Set = ["lock", "mutex", "once", "queue", "group", "semaphore", "condition"]

  /// Adds the event for which the unresponsive thread waits, and the other threads that may be involved.
  mutating func addWaits(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    addLockUser(symbolicated, knowledge)
    addHangDuration()
    guard let thread = blockedThread(symbolicated.report), symbolicated.threads.indices.contains(thread),
      !symbolicated.threads[thread].isEmpty
    else { return }
    guard
      let wait = wait(of: thread, in: symbolicated, knowledge)
        ?? namelessWait(of: thread, in: symbolicated, knowledge)
    else {
      if let busy = busyFunction(of: thread, symbolicated, knowledge) {
        add(.wait, "none", busy.evidence)
        values[.busyFunction] = busy
      } else if !symbolicated.report.threads[thread].isTreeCut,
        let work = systemWork(of: thread, symbolicated)
      {
        add(.wait, "work", work.evidence)
      }
      return
    }
    // Only what the thread did all the time explains why it didn't respond.
    guard isStationary(thread, at: wait.frame, symbolicated) else { return }
    add(.wait, wait.kind, wait.evidence)
    set(.waitKind, wait.kind, wait.evidence)
    values[.waitingCall] = wait.call
    values[.waiter] = wait.caller
    addLockOwner(of: thread, wait, symbolicated)
    addLikelyHolder(of: thread, wait, symbolicated, knowledge)
    guard Self.locks.contains(wait.kind) else { return }
    for other in symbolicated.threads.indices where other != thread && other < Self.maximumThreads {
      guard let second = self.wait(of: other, in: symbolicated, knowledge), Self.locks.contains(second.kind),
        second.kind != "condition", let caller = second.caller
      else { continue }
      set(.otherThread, symbolicated.number(ofThread: other), second.evidence)
      set(.otherWaitKind, second.kind, second.evidence)
      values[.otherFunction] = caller
      break
    }
  }

  /// The function in which a thread that waits for nothing spent its time; nil where that isn't known.
  private func busyFunction(
    of thread: Int, _ symbolicated: SymbolicatedReport, _ knowledge: Knowledge
  ) -> Fact<String>? {
    let frames = symbolicated.threads[thread]
    let record = symbolicated.report.threads[thread]
    if record.isTreeCut || record.didNotRun { return nil }
    guard symbolicated.report.kind == .sample else {
      // A function of the system without a name could wait for any event.
      return frames[0].isInApp ? symbolicated.function(ofFrame: 0, thread: thread) : nil
    }
    // Of a sample, the innermost function in which the thread was all the time; what ends in the kernel may wait.
    guard frames[0].captured.imageName != "libsystem_kernel.dylib",
      let frame = frames.indices.first(where: { isStationary(thread, at: $0, symbolicated) }),
      frames[frame].hasOwnFunction(knowledge),
      // What drains a queue takes no time itself: the tree was cut off there.
      frame > 0 || !frames[frame].hasFunction(in: knowledge.roles.loops),
      !frames[frame].hasFunction(where: { knowledge.isEntryPoint($0) || knowledge.isRunLoop($0) })
    else { return nil }
    return symbolicated.function(ofFrame: frame, thread: thread)
  }

  /// The system's function that a thread was running: only the kernel's calls wait. Nil if the innermost one has no name.
  private func systemWork(of thread: Int, _ symbolicated: SymbolicatedReport) -> Fact<String>? {
    let innermost = symbolicated.threads[thread][0]
    guard let image = innermost.captured.imageName, image != "libsystem_kernel.dylib" else { return nil }
    return symbolicated.function(ofFrame: 0, thread: thread)
  }

  /// The thread that didn't respond in time; nil when the report isn't about a hang.
  func blockedThread(_ report: CrashReport) -> Int? {
    guard isWatchdogKill || report.kind == .hang || report.kind == .sample else { return nil }
    let main = report.threads.firstIndex { $0.queue == "com.apple.main-thread" }
    if report.kind == .sample {
      return main ?? report.threads.firstIndex { $0.name == ThreadRecord.mainHeaviestStack }
    }
    return main ?? (isWatchdogKill && !report.threads.isEmpty ? 0 : report.principalThread)
  }

  /// Whether the process was killed because its main thread didn't respond.
  var isWatchdogKill: Bool { numbers[.terminationCode]?.value == 0x8bad_f00d }

  /// The first kind of wait, in the order of the rules, with a function on the stack above the app's own frames.
  func wait(of thread: Int, in symbolicated: SymbolicatedReport, _ knowledge: Knowledge) -> ThreadWait? {
    let frames = symbolicated.threads[thread]
    // Go's scheduler, which is part of the program, waits on behalf of its callers.
    let depth =
      frames.prefix(Self.maximumWaitDepth).firstIndex {
        $0.isInApp && !$0.hasFunction { $0.hasPrefix("runtime.") }
      } ?? min(frames.count, Self.maximumWaitDepth)
    guard let found = firstWait(frames.prefix(depth), knowledge),
      let function = symbolicated.function(ofFrame: found.frame, thread: thread)
    else { return nil }
    let caller = ownCaller(frames[depth...], knowledge).flatMap {
      onlyStartedLoop($0, frames, knowledge) ? nil : $0
    }
    let call = Self.locks.contains(found.kind) ? waitingCall(frames[found.frame..<depth], knowledge) : nil
    return ThreadWait(
      kind: found.kind == Self.idle && isNestedLoop(frames, caller, knowledge) ? "loop" : found.kind,
      frame: found.frame,
      evidence: function.evidence,
      call: call.flatMap { symbolicated.function(ofFrame: $0, thread: thread) },
      caller: caller.flatMap { index in
        symbolicated.function(ofFrame: index, thread: thread) { knowledge.isOwnFunction($0) }
      })
  }

  /// What a thread waited for that used hardly any time, by the library that the app had called, if the frames have no names.
  private func namelessWait(
    of thread: Int, in symbolicated: SymbolicatedReport, _ knowledge: Knowledge
  ) -> ThreadWait? {
    let frames = symbolicated.threads[thread]
    guard isWatchdogKill, let share = numbers[.busyShare]?.value, share <= Self.waitingShare,
      let depth = frames.firstIndex(where: \.isInApp), depth > 0,
      frames[..<depth].allSatisfy({ $0.functionNames.isEmpty }),
      let image = symbolicated.report.imageName(of: frames[depth - 1]),
      let stated = knowledge.waitingImages[image]
    else { return nil }
    // What a network's library asked of another process is that process's to answer.
    let asks = frames[..<depth].contains { symbolicated.report.imageName(of: $0) == "libxpc.dylib" }
    let kind = stated == "network" && asks ? "service" : stated
    let caller = ownCaller(frames[depth...], knowledge)
    return ThreadWait(
      kind: kind, frame: depth - 1, evidence: Evidence(.frame(depth - 1, ofThread: thread), image), call: nil,
      caller: caller.flatMap { symbolicated.function(ofFrame: $0, thread: thread) })
  }

  /// The share of CPU time, in percent, up to which a thread waited rather than computed.
  private static let waitingShare: UInt64 = 25

  /// The innermost frame of a library that is more than the system's own means of waiting.
  private func waitingCall(_ frames: ArraySlice<ResolvedFrame>, _ knowledge: Knowledge) -> Int? {
    frames.indices.first { index in
      !frames[index].functionNames.isEmpty && frames[index].hasOwnFunction(knowledge)
        && !frames[index].hasFunction { knowledge.isLoop($0) || knowledge.isWait($0) }
        && frames[index].captured.imageName.map { !knowledge.runtimeImages.contains($0) } ?? false
    }
  }

  /// The innermost frame of the app's own code with a name, rather than one of a library that is built into the app.
  /// If only the entry point is left, the innermost frame of the app.
  private func ownCaller(_ frames: ArraySlice<ResolvedFrame>, _ knowledge: Knowledge) -> Int? {
    let callers = frames.indices.lazy.filter { frames[$0].isInApp && frames[$0].hasOwnFunction(knowledge) }
    return callers.first { index in
      !frames[index].functionNames.isEmpty
        && !frames[index].hasFunction { knowledge.isVendored($0) || knowledge.isEntryPoint($0) }
    } ?? callers.first
  }

  /// Whether a frame is an entry point that started the run loop further in: the loop called what waits.
  private func onlyStartedLoop(_ index: Int, _ frames: [ResolvedFrame], _ knowledge: Knowledge) -> Bool {
    frames[index].hasFunction(in: knowledge.roles.entryPoints)
      && frames[..<index].contains { $0.hasFunction(in: knowledge.roles.runLoops) }
  }

  private static let idle = "idle"

  /// The most informative kind of wait, and its innermost frame.
  private func firstWait(
    _ frames: ArraySlice<ResolvedFrame>, _ knowledge: Knowledge
  ) -> (
    kind: String, frame: Int
  )? {
    var first: (kind: Int, frame: Int)?
    for index in frames.indices {
      // A function further out, such as `_dispatch_sync_f_slow`, has stopped waiting and runs a block.
      if frames[index].hasFunction(in: knowledge.roles.blockCallers) { break }
      for kind in knowledge.waits.kinds(of: frames[index]) {
        // Worker threads begin in the function in which idle ones wait, so for that kind only the innermost frames count.
        if knowledge.waits.names[kind] == Self.idle, index >= Self.maximumIdleDepth { continue }
        if first.map({ kind < $0.kind }) ?? true { first = (kind, index) }
      }
    }
    return first.map { (knowledge.waits.names[$0.kind], $0.frame) }
  }

  /// Whether the app runs a nested run loop, in a call from a run loop or during launch. It then waits for an event of
  /// its own, and so does its caller.
  private func isNestedLoop(_ frames: [ResolvedFrame], _ caller: Int?, _ knowledge: Knowledge) -> Bool {
    guard let caller, !frames[caller].hasFunction(in: knowledge.roles.entryPoints) else {
      return false
    }
    return frames[caller...].contains { $0.hasFunction(in: knowledge.roles.runLoops) }
  }

  /// The id of the thread that holds the mutex for which another one waits; nil when there is none, or it is unknown.
  ///
  /// The fourth argument of `__psynch_mutexwait` is the owner's thread id (libpthread, src/pthread_mutex.c), and a
  /// thread that waits in the kernel still has its arguments in the registers.
  func mutexOwnerID(of thread: Int, _ symbolicated: SymbolicatedReport) -> UInt64? {
    guard symbolicated.threads.indices.contains(thread), symbolicated.report.threads.indices.contains(thread),
      symbolicated.threads[thread].first?.functionNames.contains("__psynch_mutexwait") ?? false,
      let state = symbolicated.report.threads[thread].state, let id = state["x3"] ?? state["r10"], id != 0
    else { return nil }
    return id
  }

  /// Adds the thread that holds the mutex.
  private mutating func addLockOwner(of thread: Int, _ wait: ThreadWait, _ symbolicated: SymbolicatedReport) {
    let report = symbolicated.report
    guard wait.frame == 0, let id = mutexOwnerID(of: thread, symbolicated),
      let owner = report.threads.firstIndex(where: { $0.id.flatMap { unsigned($0) } == id })
    else { return }
    let register = report.threads[thread].state?["x3"] == nil ? "r10" : "x3"
    let evidence = Evidence(.register(thread: thread, name: register), id)
    set(.ownerThread, symbolicated.number(ofThread: owner), evidence)
    let function = symbolicated.threads[owner].firstIndex { $0.isInApp }
    values[.ownerFunction] = function.flatMap { symbolicated.function(ofFrame: $0, thread: owner) }
  }

  /// Adds the thread that used a database or a locked file when the process was to be suspended.
  private mutating func addLockUser(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    guard numbers[.terminationCode]?.value == 0xdead_10cc else { return }
    for (thread, frames) in symbolicated.threads.prefix(Self.maximumThreads).enumerated() {
      let found = frames.prefix(Self.maximumWaitDepth * 2).firstIndex { frame in
        frame.functionNames.contains { name in
          knowledge.roles.lockUsers.matches(function: name)
        }
      }
      guard let found, let function = symbolicated.function(ofFrame: found, thread: thread) else { continue }
      lockUser = thread
      set(.lockUser, symbolicated.number(ofThread: thread), function.evidence)
      let caller = ownCaller(frames[found...], knowledge)
      values[.lockFunction] = caller.flatMap { symbolicated.function(ofFrame: $0, thread: thread) }
      return
    }
  }
}

extension SymbolicatedReport {
  /// The innermost function of a frame that satisfies a condition; nil when no named one does.
  func function(
    ofFrame frame: Int, thread: Int, where isWanted: (String) -> Bool = { _ in true }
  ) -> Fact<String>? {
    threads[thread][frame].functionNames.first(where: isWanted).map {
      Fact(Evidence.shortened($0), Evidence(.frame(frame, ofThread: thread), $0))
    }
  }

  /// The number that the report gives a thread.
  func number(ofThread thread: Int) -> String { String(report.threads[thread].index) }
}

extension CrashFacts {
  private static let hangDurations = [
    TextPattern("^Hang duration: {duration}$"), TextPattern("App hanging for at least {duration}."),
    TextPattern("main thread failed to respond to an event within {duration}$"),
    // Sentry's events, also those that it makes of MetricKit's.
    TextPattern("App hanging between {duration}$"),
    TextPattern("blocked the main thread for at least {duration}."),
    TextPattern("MXHangDiagnostic hangDuration:{duration}$"),
  ]

  /// Adds for how long the main thread didn't respond, as the report states it.
  private mutating func addHangDuration() {
    guard has(.kind, "hang") else { return }
    let found = Self.hangDurations.compactMap { self.stated("duration", by: $0) }.first
    if let (duration, evidence) = found {
      let range = duration.hasSuffix(".") ? String(duration.dropLast()) : duration
      set(.hangDuration, range.replacing(" and ", with: " to "), evidence)
    }
  }

  private static let applicationTime = TextPattern(
    "Elapsed application CPU time (seconds): {seconds}, {percent}% CPU")
  private static let totalTime = TextPattern("Elapsed total CPU time (seconds): {seconds} (user")
  private static let allowances = [
    TextPattern("time allowance of {seconds} seconds"),
    TextPattern("Failed to terminate gracefully after {seconds}s"),
  ]

  /// Adds the CPU time used until the watchdog killed the process, as the report states it.
  mutating func addWatchdogTimes() {
    guard let (used, evidence) = stated("seconds", by: Self.applicationTime) else { return }
    set(.applicationTime, used, evidence)
    if let (total, evidence) = stated("seconds", by: Self.totalTime) { set(.totalTime, total, evidence) }
    let allowance = Self.allowances.compactMap { stated("seconds", by: $0) }.first
    guard let allowed = allowance.flatMap({ Double($0.text) }), allowed > 0, let used = Double(used),
      let share = UInt64(exactly: (used / allowed * 100).rounded())
    else { return }
    numbers[.busyShare] = Fact(share, evidence)
  }

  /// What a pattern captures in the first text that it matches.
  private func stated(_ capture: String, by pattern: TextPattern?) -> (text: String, evidence: Evidence)? {
    for line in texts[.text] ?? [] {
      if let text = pattern?.match(line.bytes)?[capture] { return (text, line.evidence) }
    }
    return nil
  }
}
