internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Functions by the part that they play on a stack, whoever called them: lists of `frames.json`.
struct FunctionRoles: Sendable {
  // MARK: Ending a program

  /// Stop a program or report an error; the bug is never in them.
  let machinery: PatternSet
  /// Throw an exception, or end the program for one that AppKit caught.
  let throwers: PatternSet
  /// Refuse a message that an object doesn't take; its sender has raised nothing.
  let forwarders: PatternSet
  /// End a program because of an uncaught exception of C++.
  let terminators: PatternSet
  /// Begin a panic of Rust's; they call the hook that reports it, which can be the app's own.
  let panics: PatternSet
  /// Functions of Go's runtime that report a fault, listed above the function that faulted.
  let faultReporters: PatternSet
  /// Only send the process a signal: a handler sends the one it was called for again.
  let signalSenders: PatternSet
  /// By which libmalloc reports a damaged heap, or those of an allocator that checks its lists; the caller at that moment
  /// isn't the culprit (apple-oss-distributions, libmalloc, src/malloc_printf.c, src/malloc.c and src/xzone_malloc).
  let heapReporters: PatternSet
  /// Functions of graphics drivers that do nothing but end a program that the GPU refuses (Apple's QA1766).
  let gpuKills: PatternSet
  /// Release what an object owns, or free it.
  let releasers: PatternSet
  /// Only access an object, so they end a program only by a fault.
  let referenceCounting: PatternSet

  // MARK: Between a caller and its callee

  /// Inserted by the compiler.
  let thunks: PatternSet
  /// Functions of libdispatch that only call the block that they were given.
  let blockCallers: PatternSet
  /// Call or release what others registered earlier: the functions below them are not its owners.
  let callouts: PatternSet

  // MARK: Running work

  /// Functions of run loops, queues and threads, which run queued work.
  let loops: PatternSet
  /// Those of these that run the main run loop.
  let runLoops: PatternSet
  /// Start an app's main run loop, and don't return.
  let mainLoops: PatternSet
  /// The entry points of programs and threads: `main`, in Swift also `MyApp.$main`; Unity's player is started by a method
  /// of its framework.
  let entryPoints: PatternSet
  /// The first functions of a thread.
  let threadStarts: PatternSet
  /// Hold a lock on a file while they run.
  let lockUsers: PatternSet

  // MARK: Whose code it is

  /// Functions of libraries that are linked statically into apps.
  let vendored: PatternSet
  /// Compiled into an app, but the system's or the toolchain's.
  let libraryFunctions: PatternSet

  /// All lists, for tests.
  let all: [PatternSet]

  init(_ document: JSONValue) {
    var all: [PatternSet] = []
    func list(_ name: String, isOfPlainNames: Bool = true) -> PatternSet {
      let functions = PatternSet(document[name], in: "frames.json", isOfPlainNames: isOfPlainNames)
      all.append(functions)
      return functions
    }
    machinery = list("machinery", isOfPlainNames: false)
    throwers = list("throwers")
    forwarders = list("forwarders")
    terminators = list("terminators")
    panics = list("panics")
    faultReporters = list("faultReporters")
    signalSenders = list("signalSenders")
    heapReporters = list("heapReporters")
    gpuKills = list("gpuKills")
    releasers = list("releasers", isOfPlainNames: false)
    referenceCounting = list("referenceCounting")
    thunks = list("thunks", isOfPlainNames: false)
    blockCallers = list("blockCallers")
    callouts = list("callouts")
    loops = list("loops", isOfPlainNames: false)
    runLoops = list("runLoops")
    mainLoops = list("mainLoops")
    entryPoints = list("entryPoints", isOfPlainNames: false)
    threadStarts = list("threadStarts")
    lockUsers = list("lockUsers")
    vendored = list("vendored", isOfPlainNames: false)
    libraryFunctions = list("libraryFunctions", isOfPlainNames: false)
    self.all = all
  }
}

extension ResolvedFrame {
  /// Whether one of the frame's functions is in a list.
  func hasFunction(in functions: PatternSet) -> Bool { hasFunction(where: functions.matches(function:)) }
}

extension Knowledge {
  /// Whether a function is neither machinery nor a thunk.
  func isOwnFunction(_ name: String) -> Bool { !isMachinery(name) && !isThunk(name) }

  /// Whether a function stops a program or reports an error.
  func isMachinery(_ name: String) -> Bool { roles.machinery.matches(function: name) }

  /// Whether a function belongs to a library that is built into apps.
  ///
  /// A block's function is named after the method that contains it: `__42-[RCTAppDelegate …]_block_invoke`, and so is a
  /// Swift closure: `closure #1 in static Purchases.configure(…)`.
  func isVendored(_ name: String) -> Bool {
    let method = name.hasPrefix("__") ? name.dropFirst(2).drop(while: \.isNumber) : name[...]
    let function = method.isMethodName ? String(method) : name
    // A library's prefix is that of its class methods, too.
    return roles.vendored.matches(function: function)
      || categoryMethod(function).map { roles.vendored.matches(function: $0) } ?? false
      || function.hasPrefix("+[") && roles.vendored.matches(function: "-" + function.dropFirst())
      || closureScope(of: name).map(isVendored) ?? false
  }

  /// A category's method with the category in place of the class that it extends: `-[ADJAdditions adjInfo]` for
  /// `-[UIDevice(ADJAdditions) adjInfo]`. The library that defines the category has named it; nil for other methods.
  private func categoryMethod(_ name: String) -> String? {
    guard name.isMethodName, let space = name.firstIndex(of: " "),
      let open = name[..<space].firstIndex(of: "("),
      name[..<space].hasSuffix(")")
    else { return nil }
    return "-[" + name[open..<space].dropFirst().dropLast() + name[space...]
  }

  /// The function that contains a Swift closure; nil for any other function.
  private func closureScope(of name: String) -> String? {
    guard name.holds("closure #"), let scope = name.outermostScope else { return nil }
    return String(scope.begins(with: "static ") ? scope.dropFirst("static ".count) : scope)
  }

  /// Whether a function only runs queued work.
  func isLoop(_ name: String) -> Bool { roles.loops.matches(function: name) }

  /// Whether a function was inserted by the compiler between a caller and its callee.
  func isThunk(_ name: String) -> Bool { roles.thunks.matches(function: name) }

  /// Whether a function runs the main run loop.
  func isRunLoop(_ name: String) -> Bool { roles.runLoops.matches(function: name) }

  /// Whether a function is a method of one of Apple's classes, or a block in one, judged by the class's prefix.
  func isSystemMethod(_ name: String) -> Bool {
    let method = name.hasPrefix("__") ? name.dropFirst(2).drop(while: \.isNumber) : name[...]
    guard method.isMethodName else { return false }
    let name = method.dropFirst(2).drop { $0 == "_" }
    return systemClasses.contains { name.hasPrefix($0) }
  }

  /// Whether a program or a thread begins in the function.
  func isEntryPoint(_ name: String) -> Bool { roles.entryPoints.matches(function: name) }

  /// Whether a function is the standard library's, judged by its name.
  func isLibraryFunction(_ name: String) -> Bool {
    roles.libraryFunctions.matches(function: name)
      || implementingType(of: name).map(roles.libraryFunctions.matches(function:)) ?? false
  }

  /// The type in the name of a trait's method in Rust, `tokio::task::Task` of `<&mut tokio::task::Task as Future>::poll`,
  /// whose crate the code belongs to; nil for other names.
  private func implementingType(of name: String) -> String? {
    guard name.begins(with: "<"), name.holds(" as ") else { return nil }
    var type = name.dropFirst()
    while let mark = ["&", "mut ", "dyn "].first(where: type.begins) { type = type.dropFirst(mark.count) }
    return String(type)
  }
}
