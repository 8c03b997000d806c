internal import CrashReadReports
internal import CrashReadSymbolication

/// What a thread waits for, as the functions on its stack tell.
struct ThreadWait {
  /// A kind of `rules.json`.
  var kind: String
  /// The frame whose function tells.
  var frame: Int
  var evidence: String
  /// The innermost function of the app, which made the call; nil when there is none with a name.
  var caller: String?
}

/// Functions in which a thread waits for one kind of thing.
struct WaitKind: Sendable, Hashable {
  var kind: String
  var functions: [TextPattern]
}

extension CrashFacts {
  /// How deep calls go in which a thread waits.
  private static let deepestWait = 24
  /// Kinds that another thread of the process can end.
  private static let locks: Set = ["lock", "mutex", "once", "queue", "group", "semaphore", "condition"]

  /// Adds what the thread that should have answered waits for, and which other threads could have to do with it.
  mutating func addWaits(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    addLockUser(symbolicated, knowledge)
    guard let thread = blockedThread(symbolicated.report), symbolicated.threads.indices.contains(thread),
      !symbolicated.threads[thread].isEmpty
    else { return }
    guard let wait = wait(of: thread, in: symbolicated, knowledge) else {
      // A system function without a known name could be any way of waiting.
      guard symbolicated.threads[thread][0].isInApp, let line = frameLine(thread, 0, symbolicated) else {
        return
      }
      add(.wait, "none", evidence: line.evidence)
      values["busyFunction"] = symbolicated.threads[thread][0].functionNames.first.map(Template.shortened)
      return
    }
    add(.wait, wait.kind, evidence: wait.evidence)
    values["waitKind"] = wait.kind
    values["waiter"] = wait.caller
    addLockOwner(of: thread, wait, symbolicated)
    guard Self.locks.contains(wait.kind) else { return }
    for other in symbolicated.threads.indices where other != thread && other < Self.mostThreads {
      guard let second = self.wait(of: other, in: symbolicated, knowledge), Self.locks.contains(second.kind),
        second.kind != "condition", let caller = second.caller
      else { continue }
      set("otherThread", String(other), evidence: second.evidence)
      values["otherWaitKind"] = second.kind
      values["otherFunction"] = caller
      break
    }
  }

  /// The thread that didn't answer in time; nil when the report isn't about that.
  func blockedThread(_ report: CrashReport) -> Int? {
    guard isWatchdogKill || report.kind == .hang else { return nil }
    let main = report.threads.firstIndex { $0.queue == "com.apple.main-thread" }
    return main ?? (isWatchdogKill && !report.threads.isEmpty ? 0 : report.principalThread)
  }

  /// Whether the process was ended because its main thread didn't answer.
  var isWatchdogKill: Bool { numbers[.terminationCode]?.value == 0x8bad_f00d }

  /// The first kind, in the order of the rules, of which a function is on the stack above the app's own frames.
  func wait(of thread: Int, in symbolicated: SymbolicatedReport, _ knowledge: Knowledge) -> ThreadWait? {
    let frames = symbolicated.threads[thread]
    let depth =
      frames.prefix(Self.deepestWait).firstIndex(where: \.isInApp) ?? min(frames.count, Self.deepestWait)
    let names = frames.prefix(depth).map { $0.functionNames.map { Array($0.utf8) } }
    for kind in knowledge.waits {
      let found = names.firstIndex { names in
        names.contains { name in kind.functions.contains { $0.match(name) != nil } }
      }
      guard let found, let line = frameLine(thread, found, symbolicated) else { continue }
      let caller = frames.dropFirst(depth).first { $0.isInApp && $0.hasOwnFunction(knowledge) }
      let name = caller?.functionNames.first { knowledge.isOwnFunction($0) }
      return ThreadWait(
        kind: kind.kind, frame: found, evidence: line.evidence, caller: name.map(Template.shortened))
    }
    return nil
  }

  /// The thread that holds the mutex another one waits for.
  ///
  /// The fourth argument of `__psynch_mutexwait` is the owner's thread id (libpthread, src/pthread_mutex.c), and a
  /// thread that waits in the kernel still has its arguments in the registers.
  private mutating func addLockOwner(of thread: Int, _ wait: ThreadWait, _ symbolicated: SymbolicatedReport) {
    let report = symbolicated.report
    guard wait.frame == 0, symbolicated.threads[thread][0].functionNames.contains("__psynch_mutexwait"),
      let state = report.threads[thread].state,
      let register = ["x3", "r10"].first(where: { state[$0] != nil }), let id = state[register], id != 0,
      let owner = report.threads.firstIndex(where: { $0.id.flatMap { unsigned($0) } == id })
    else { return }
    set("ownerThread", String(owner), evidence: "Registers: \(register) = \(hexadecimal(id))")
    values["ownerFunction"] = symbolicated.threads[owner].first { $0.isInApp }?.functionNames.first
  }

  /// The thread that used a database or a locked file when the process was to be suspended.
  private mutating func addLockUser(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    guard numbers[.terminationCode]?.value == 0xdead_10cc else { return }
    for (thread, frames) in symbolicated.threads.prefix(Self.mostThreads).enumerated() {
      let found = frames.prefix(Self.deepestWait * 2).firstIndex { frame in
        frame.functionNames.contains { name in
          knowledge.lockUsers.contains { $0.match(Array(name.utf8)) != nil }
        }
      }
      guard let found, let line = frameLine(thread, found, symbolicated) else { continue }
      lockUser = thread
      set("lockUser", String(thread), evidence: line.evidence)
      let caller = frames.dropFirst(found).first { $0.isInApp && $0.hasOwnFunction(knowledge) }
      values["lockFunction"] = caller?.functionNames.first.map(Template.shortened)
      return
    }
  }

  /// Threads beyond these are not looked at: a report can list any number.
  private static let mostThreads = 1024

  /// A frame's innermost function, as a line of evidence.
  func frameLine(_ thread: Int, _ frame: Int, _ symbolicated: SymbolicatedReport) -> FactLine? {
    symbolicated.threads[thread][frame].functionNames.first.map {
      FactLine($0, field: "Thread \(thread), frame \(frame)")
    }
  }
}
