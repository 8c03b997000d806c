internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

extension CrashFacts {
  /// Adds whose code ran innermost, if it isn't the program's own: a library's inside the app, or only the system's.
  mutating func addInnermostOwner(
    _ blamed: BlamedFrame?, _ symbolicated: SymbolicatedReport, _ knowledge: Knowledge
  ) {
    guard has(.kind, "crash"), numbers[.terminationCode] == nil, !has(.exception, "SIGKILL"), !isAskedToEnd,
      !has(.stopper, "other")
    else { return }
    let crashed = symbolicated.report.crashedThread.map { BacktraceReference.thread($0) }
    guard let backtrace = blamed?.backtrace ?? crashed else { return }
    let frames = symbolicated.frames(of: backtrace)
    // Whose code was running isn't shown by a list without the innermost frames.
    if frames.isCutAbove, blamed == nil { return }
    if let blamed, frames.indices.contains(blamed.frame),
      let library = symbolicated.report.embeddedLibrary(of: frames[blamed.frame])
    {
      let evidence = Evidence(.frame(FrameReference(backtrace, blamed.frame)), library)
      return set(.library, library, evidence)
    }
    // A thread that waits, or the outer part of one that threw, did nothing wrong.
    if frames.first?.hasFunction(where: knowledge.isWait) ?? true || exceptionName != nil { return }
    // A list that doesn't reach the start of the work may have been cut above the app's frames.
    guard let end = frames.firstIndex(where: { $0.startsWork(knowledge) }), end > 0,
      frames[..<end].allSatisfy({ symbolicated.report.isSystemCode($0) }),
      !frames.onlyEndException(knowledge)
    else { return }
    let shown = min(blamed?.frame ?? 0, end - 1)
    let image = symbolicated.report.imageName(of: frames[shown])
    set(.systemCode, image, Evidence(.frame(FrameReference(backtrace, shown)), image ?? ""))
  }
}

extension CrashFacts {
  /// Adds whose the blamed code in the app's own image is, if it isn't the app's: that of the dependency whose source it
  /// comes from, or of a known SDK; otherwise the function that is more probably the app's.
  mutating func addOwner(
    _ search: BlameSearch, _ symbolicated: SymbolicatedReport, _ knowledge: Knowledge
  ) {
    guard has(.kind, "crash"), values[.library] == nil, numbers[.terminationCode] == nil, !isAskedToEnd,
      let blamed = search.blamed, let function = values[.blamed]
    else { return }
    let frames = symbolicated.frames(of: blamed.backtrace)
    if frames.indices.contains(blamed.frame), let name = frames[blamed.frame].dependency(knowledge) {
      set(.dependency, name, function.evidence)
    } else if knowledge.isVendored(function.value),
      !frames.indices.contains(blamed.frame)
        || !symbolicated.report.isSystemCode(frames[blamed.frame])
    {
      values[.sdkFunction] = function
    } else if let caller = search.ownCaller, let name = frames[caller].functionNames.first,
      !frames[blamed.frame].functionNames.isEmpty
    {
      let evidence = Evidence(.frame(FrameReference(blamed.backtrace, caller)), name)
      set(.ownCaller, Evidence.shortened(name), evidence)
    }
  }
}

extension CrashReport {
  /// The name and version of the library in the app's bundle that has a frame's code. Nobody but its makers has its debug
  /// file, so a frame with a line is the developer's own.
  fileprivate func embeddedLibrary(of frame: ResolvedFrame) -> String? {
    guard frame.isInApp, frame.locations.isEmpty, header.path != nil, !isMainExecutable(frame),
      let index = frame.image, images.indices.contains(index), let path = images[index].path,
      path.holds("/Frameworks/"), let file = path.split(separator: "/").last,
      !file.hasSuffix(".debug.dylib")
    else { return nil }
    return [String(file), images[index].version].compactMap(\.self).joined(separator: " ")
  }

  /// Whether a frame is in the system's code.
  func isSystemCode(_ frame: ResolvedFrame) -> Bool {
    guard !frame.isInApp, let name = imageName(of: frame) else { return false }
    if isSystemLibrary(name) || name.hasPrefix("com.apple.") { return true }
    guard let index = frame.image, images.indices.contains(index), let path = images[index].path else {
      return false
    }
    return path.hasPrefix("/System/") || path.hasPrefix("/usr/lib/")
  }
}

extension [ResolvedFrame] {
  /// Whether they are those of a thread that ended the program for an exception which it had caught: the frames that
  /// threw were unwound.
  fileprivate func onlyEndException(_ knowledge: Knowledge) -> Bool {
    let ends = contains {
      $0.hasFunction(in: knowledge.roles.terminators)
        || $0.hasFunction { $0.hasSuffix("[NSApplication _crashOnException:]") }
    }
    return ends && !contains { $0.hasFunction { $0 == "objc_exception_throw" || $0 == "__cxa_throw" } }
  }
}

extension ResolvedFrame {
  /// Whether the function waits for work, or is the first of a thread: what is further out has no part in the work.
  fileprivate func startsWork(_ knowledge: Knowledge) -> Bool {
    hasFunction(in: knowledge.roles.runLoops) || hasFunction(in: knowledge.roles.threadStarts)
  }
}
