internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

extension CrashFacts {
  /// The maximum number of threads that are examined; a report can list any number.
  static let maximumThreads = 1024
  private static let maximumDepth = 48

  /// Adds facts about the other threads: which of them wait for one another, and which conflict with the crashed one.
  mutating func addOtherThreads(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    addDeadlock(symbolicated)
    guard let crashed = symbolicated.report.crashedThread else { return }
    guard let found = conflict(with: crashed, symbolicated, knowledge),
      let function = symbolicated.function(
        ofFrame: found.frame, thread: found.thread,
        where: { knowledge.elsewhere.kinds(ofFunction: $0).contains(found.kind) })
    else { return }
    add(.elsewhere, knowledge.elsewhere.names[found.kind], function.evidence)
    set(.elsewhereThread, String(symbolicated.report.threads[found.thread].index), function.evidence)
    values[.elsewhereFunction] = function
  }

  /// The most important kind of function on another thread than the crashed one, and its first frame.
  private func conflict(
    with crashed: Int, _ symbolicated: SymbolicatedReport, _ knowledge: Knowledge
  ) -> (kind: Int, thread: Int, frame: Int)? {
    let threads = symbolicated.threads.prefix(symbolicated.report.threads.count)
    guard threads.indices.contains(crashed) else { return nil }
    let own = threads[crashed].prefix(Self.maximumDepth).flatMap { knowledge.elsewhere.kinds(of: $0) }
    let ignored = knowledge.sharedKinds.subtracting(own)
    var first: (kind: Int, thread: Int, frame: Int)?
    for thread in threads.indices.prefix(Self.maximumThreads) where thread != crashed {
      for frame in threads[thread].indices.prefix(Self.maximumDepth) {
        for kind in knowledge.elsewhere.kinds(of: threads[thread][frame])
        where !ignored.contains(kind) && first.map({ kind < $0.kind }) ?? true {
          first = (kind, thread, frame)
        }
      }
    }
    return first
  }

  /// Adds threads that wait for each other in a cycle.
  private mutating func addDeadlock(_ symbolicated: SymbolicatedReport) {
    let report = symbolicated.report
    var owners: [Int: Int] = [:]
    var ids: [UInt64: Int] = [:]
    for (index, thread) in report.threads.enumerated() {
      if let id = thread.id.flatMap({ unsigned($0) }) { ids[id] = index }
    }
    for thread in report.threads.indices.prefix(Self.maximumThreads) {
      owners[thread] = mutexOwnerID(of: thread, symbolicated).flatMap { ids[$0] }
    }
    let cycles = report.threads.indices.prefix(Self.maximumThreads).compactMap {
      Self.cycle(from: $0, owners)
    }
    guard let cycle = cycles.first else { return }
    let links = cycle.map { thread in
      let frame = symbolicated.threads[thread].firstIndex(where: \.isInApp) ?? 0
      let name = symbolicated.function(ofFrame: frame, thread: thread)?.value ?? "?"
      return "\(report.threads[thread].index) (\(name))"
    }
    let names = symbolicated.function(ofFrame: 0, thread: cycle[0])
    let text = (links + [String(report.threads[cycle[0]].index)]).joined(separator: " → ")
    set(.deadlock, text, names?.evidence ?? Evidence(.frame(0, ofThread: cycle[0]), ""))
  }

  /// The cycle of threads each of which waits for the next; nil if following them doesn't lead back to the first.
  private static func cycle(from start: Int, _ owners: [Int: Int]) -> [Int]? {
    var cycle = [start]
    while cycle.count <= 16, let next = owners[cycle[cycle.count - 1]], next != cycle.last {
      if next == start { return cycle }
      cycle.append(next)
    }
    return nil
  }

  /// Adds the blamed function, and whether its debug file is missing.
  mutating func addBlamed(
    _ blamed: BlamedFrame?, _ symbolicated: SymbolicatedReport, _ knowledge: Knowledge
  ) {
    addInnermostOwner(blamed, symbolicated, knowledge)
    if let crashed = symbolicated.report.crashedThread, symbolicated.threads.indices.contains(crashed),
      let own = symbolicated.threads[crashed].firstIndex(where: \.isInApp),
      symbolicated.threads[crashed][own].resolution != .debugInfo,
      let image = symbolicated.threads[crashed][own].captured.imageName
    {
      set(.missingDebugFile, image, Evidence(.frame(own, ofThread: crashed), image))
    }
    guard let blamed else { return }
    let frames = symbolicated.frames(of: blamed.backtrace)
    guard frames.indices.contains(blamed.frame) else { return }
    let frame = frames[blamed.frame]
    let locations = frame.locations
    let location = blamed.location.flatMap { locations.indices.contains($0) ? locations[$0] : nil }
    let chosen = location?.function
    // Some reporters list each function of an inline chain as a frame.
    if frames[...blamed.frame].suffix(4).contains(where: {
      $0.sourceLocations.contains(where: \.isMacroExpansion)
    }) {
      macroCall = location?.location
    }
    let address = [symbolicated.report.imageName(of: frame), frame.captured.address?.description].compactMap(
      \.self)
    guard
      let name = chosen ?? frame.functionNames.first
        ?? (address.isEmpty ? nil : address.joined(separator: " "))
    else { return }
    let evidence = Evidence(.frame(FrameReference(blamed.backtrace, blamed.frame)), name)
    // Nobody but Apple can look into a function of the system, or change a line of it.
    let isSystemCode = symbolicated.report.isSystemCode(frame)
    if !isSystemCode { set(.blamed, Evidence.shortened(name), evidence) }
    guard frame.isInApp || location?.location?.line != nil || frame.captured.reportedLine != nil else {
      return
    }
    guard !isSystemCode || symbolicated.report.isMainExecutable(frame) else { return }
    let line = line(of: frame, location?.location)
    let place = line ?? Evidence.shortened(name)
    if frame.isInApp, let function = chosen ?? frame.functionNames.first, !knowledge.isEntryPoint(function) {
      let isLong = function.utf8.count > Self.maximumNameInSentence
      if let own = isLong ? line : function { set(.ownFrame, own, evidence) }
    }
    set(.location, place, evidence)
    // A function of the system between works on what it was given or has made itself.
    let isAccess = frames[..<blamed.frame].allSatisfy { $0.mayBeApp || $0.onlyActsForCaller(knowledge) }
    set(isAccess ? .accessPlace : .callPlace, place, evidence)
    let inner = frames[..<blamed.frame].last { $0.reason != .superseded }
    if inner?.functionNames.contains("abort") ?? false {
      set(.abortCaller, Evidence.shortened(name), evidence)
    }
    if inner == nil, name.isMethodName { set(.ownMethod, name, evidence) }
  }

  /// The maximum length of a function's name within a sentence, in bytes.
  private static let maximumNameInSentence = 120

  /// `Cart.swift:12`; nil when the line is unknown.
  private func line(of frame: ResolvedFrame, _ location: SourceLocation?) -> String? {
    let file = location?.fileName ?? frame.captured.reportedFile.map { SourceLocation(file: $0).fileName }
    let line = (location?.line ?? frame.captured.reportedLine).flatMap { $0 > 0 ? $0 : nil }
    guard let file, let line else { return nil }
    return "\(file):\(line)"
  }

  /// Adds the heaviest path of the thread that was sampled, and the app's function that it was in.
  mutating func addShare(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    let report = symbolicated.report
    guard [.sample, .hang, .resource].contains(report.kind), let thread = report.principalThread,
      report.threads.indices.contains(thread), symbolicated.threads.indices.contains(thread)
    else { return }
    let frames = symbolicated.threads[thread]
    texts[.sampled] = frames.enumerated().flatMap { index, frame in
      frame.functionNames.map { FactLine(function: $0, .frame(index, ofThread: thread)) }
    }
    // Old samples don't name images; then the time is attributed to the innermost frame.
    let isBare = frames.allSatisfy { $0.captured.imageName == nil && !$0.isInApp }
    guard let index = frames.firstIndex(where: { (isBare || $0.isInApp) && $0.hasOwnFunction(knowledge) }),
      // The thread was below the entry point in all samples, whatever it did.
      !frames[index].hasFunction(in: knowledge.roles.entryPoints),
      let function = symbolicated.function(ofFrame: index, thread: thread),
      let (count, total) = samples(at: index, ofThread: thread, symbolicated)
    else { return }
    let evidence = function.evidence
    // A report about a limit can list the heaviest stack of all threads.
    let isOfProcess = report.threads[thread].name == ThreadRecord.heaviestStack
    set(isOfProcess ? .processShare : .share, "\(count * 100 / total)", evidence)
    set(.sampleCount, String(total), evidence)
    values[.shareFunction] = function
  }

  /// Adds the thread besides the principal one that was running in nearly all samples: it ended neither in the kernel nor
  /// in a wait, and mostly in one function.
  mutating func addBusyThread(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    let report = symbolicated.report
    guard report.kind == .sample else { return }
    let busy = report.threads.indices.prefix(Self.maximumThreads).first { thread in
      guard thread != report.principalThread, let leaf = symbolicated.threads[thread].first,
        !leaf.functionNames.isEmpty, !leaf.captured.isInKernel,
        !leaf.hasFunction(where: {
          knowledge.isWait($0) || knowledge.isLoop($0) || knowledge.isEntryPoint($0)
        })
      else { return false }
      return samples(at: 0, ofThread: thread, symbolicated).map { $0.count * 2 > $0.total } ?? false
    }
    guard let busy,
      let frame = symbolicated.threads[busy].indices.first(where: { isStationary(busy, at: $0, symbolicated) }
      ),
      let function = symbolicated.function(ofFrame: frame, thread: busy)
    else { return }
    set(.busyThread, symbolicated.number(ofThread: busy), function.evidence)
    values[.busyThreadFunction] = function
  }

  /// Whether a thread was in a frame of its heaviest path in nearly all samples. Without counts, that is assumed of
  /// reports that record each thread once.
  func isStationary(_ thread: Int, at frame: Int, _ symbolicated: SymbolicatedReport) -> Bool {
    samples(at: frame, ofThread: thread, symbolicated).map { $0.count * 20 >= $0.total * 19 }
      ?? (symbolicated.report.kind != .sample || symbolicated.report.threads[thread].callTree.isEmpty)
  }

  /// The number of a thread's samples in which a frame of its heaviest path was seen.
  private func samples(
    at frame: Int, ofThread thread: Int, _ symbolicated: SymbolicatedReport
  ) -> (count: Int, total: Int)? {
    let record = symbolicated.report.threads[thread]
    let total =
      record.sampleCount ?? record.callTree.filter { $0.depth == 0 }.compactMap(\.sampleCount).reduce(0, +)
    // The path goes from the root to the leaf, and frames start with the leaf.
    let depth = symbolicated.threads[thread].count - 1 - frame
    guard total > 1, let count = samples(onPath: record.callTree, depth: depth), count <= total else {
      return nil
    }
    return (count, total)
  }

  /// The number of samples in which the entry of the heaviest path at a depth was seen.
  private func samples(onPath tree: [CallTreeEntry], depth: Int) -> Int? {
    var start = tree.startIndex
    for level in 0...max(depth, 0) {
      var best: Int?
      for index in start..<tree.endIndex {
        if tree[index].depth < level { break }
        guard tree[index].depth == level else { continue }
        if let known = best, tree[index].sampleCount ?? 0 <= tree[known].sampleCount ?? 0 { continue }
        best = index
      }
      guard let best else { return nil }
      if level == depth { return tree[best].sampleCount }
      start = best + 1
    }
    return nil
  }
}

extension Frame {
  /// Whether code of the kernel ran, or the stub that calls it: a spindump lists the kernel's part of a wait, too.
  fileprivate var isInKernel: Bool {
    if let image = imageName, ["libsystem_kernel.dylib", "mach_kernel", "kernel"].contains(image) {
      return true
    }
    return address.map { $0.rawValue >> 47 != 0 } ?? false
  }
}
