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
    if let blamed, frames.indices.contains(blamed.frame),
      addPlugIn(
        of: frames[blamed.frame], FrameReference(backtrace, blamed.frame), symbolicated.report, knowledge)
    {
      return
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
  /// Adds the plug-in of another maker that has a frame's code; false if none does. Whoever has its debug file is its maker.
  private mutating func addPlugIn(
    of frame: ResolvedFrame, _ place: FrameReference, _ report: CrashReport, _ knowledge: Knowledge
  ) -> Bool {
    guard frame.locations.isEmpty, !report.isMainExecutable(frame), let program = report.header.path,
      let index = frame.image, report.images.indices.contains(index), let path = report.images[index].path,
      !path.hasPrefix("/System/"), let folder = knowledge.plugInFolders.first(where: path.holds),
      !program.holds(folder), let name = report.imageName(of: frame)
    else { return false }
    let evidence = Evidence(.frame(place), path)
    set(.plugIn, name, evidence)
    set(.plugInFolder, folder, evidence)
    return true
  }
}

extension CrashFacts {
  /// Adds that the crashed program is the system's or of Apple's developer tools, and that no other code is on its stack.
  mutating func addAppleProgram(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    let report = symbolicated.report
    // What the system refused or took away is the file's or the disk's fault, whoever made the program.
    let isRefused = ["KERN_CODESIGN_ERROR", "KERN_MEMORY_ERROR", "KERN_MEMORY_FAILURE"].contains {
      has(.code, $0)
    }
    guard has(.kind, "crash"), !isRefused, values[.knownNamespace] == nil, let thread = report.crashedThread,
      symbolicated.threads.indices.contains(thread)
    else { return }
    let frames = symbolicated.threads[thread]
    if frames.isEmpty { return }
    let images = frames.map { report.imageName(of: $0) }
    let service = images.lastIndex { $0?.hasPrefix("com.apple.WebKit.") ?? false }
    let program = report.isOfApple(knowledge) ? report.header.process : nil
    guard let name = service.flatMap({ images[$0] }) ?? program,
      zip(frames, images).allSatisfy({ $1 == nil || report.isCodeOfApple($0) })
    else { return }
    let place = service ?? frames.lastIndex(where: report.isMainExecutable) ?? 0
    appleProgram = Fact(name, Evidence(.frame(place, ofThread: thread), name))
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

extension CrashFacts {
  /// Adds a library of a jailbreak, and the one among those whose initializer crashed before the program's own code ran.
  mutating func addInjectedLibraries(_ symbolicated: SymbolicatedReport, _ knowledge: Knowledge) {
    let report = symbolicated.report
    guard has(.kind, "crash") else { return }
    for index in report.images.indices where report.images[index].isOfJailbreak(knowledge) {
      let file = report.images[index].path?.split(separator: "/").last.map(String.init)
      set(.jailbreakLibrary, report.images[index].name ?? file, Evidence(image: index, of: report))
      break
    }
    guard let thread = report.crashedThread, symbolicated.threads.indices.contains(thread),
      case let frames = symbolicated.threads[thread], let first = frames.first, let image = first.image,
      report.images.indices.contains(image), report.images[image].isOfJailbreak(knowledge),
      frames.contains(where: { $0.hasFunction { name in Self.initializing.contains(where: name.holds) } }),
      let name = report.imageName(of: first)
    else { return }
    set(.injectedLibrary, name, Evidence(.frame(0, ofThread: thread), name))
  }

  /// dyld's functions that run initializers, by version.
  private static let initializing = [
    "findAndRunAllInitializers", "runAllInitializersForMain", "ImageLoaderMachO::doInitialization",
    "ImageLoaderMachO::doModInitFunctions",
  ]
}

extension BinaryImage {
  /// Whether it is part of a jailbreak, by its own name or the folder of its tweaks.
  fileprivate func isOfJailbreak(_ knowledge: Knowledge) -> Bool {
    knowledge.jailbreak.matches("/" + (name ?? "")) || path.map { knowledge.jailbreak.matches($0) } ?? false
  }
}

extension CrashReport {
  /// Whether the program comes with the system or with Xcode, and runs no code of other people's, as interpreters and test
  /// runners do.
  fileprivate func isOfApple(_ knowledge: Knowledge) -> Bool {
    guard let path = header.path, let process = header.process else { return false }
    let folders = ["/System/", "/usr/libexec/", "/usr/bin/", "/usr/sbin/", "/bin/", "/sbin/"]
    let isTool =
      path.holds(".app/Contents/Developer/") || path.hasPrefix("/Library/Developer/CommandLineTools/")
    let isApp = path.hasPrefix("/Applications/") && header.bundleID?.hasPrefix("com.apple.") ?? false
    let isDeviceApp = isApp && Self.deviceSystems.contains(where: (header.osVersion ?? "").hasPrefix)
    return (isTool || isDeviceApp || folders.contains(where: path.hasPrefix))
      && !knowledge.interpreters.matches(process.lowercased())
  }

  /// Whether a frame is in a program's or library's code that Apple makes, in a program of its own.
  fileprivate func isCodeOfApple(_ frame: ResolvedFrame) -> Bool {
    isMainExecutable(frame) || isSystemCode(frame) || imageName(of: frame)?.hasPrefix("com.apple.") ?? false
  }

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
