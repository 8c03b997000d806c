internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication

/// Makes the text that is the same for the same crash: the kind of the exception and the innermost own functions.
///
/// Only functions that aren't inlined count, since they are what a report made on a device and a debug file agree on.
struct SignatureSearch {
  /// The signature; nil when none of the app's functions on the way to the crash has a name, or nothing has.
  private(set) var text: String?
  /// The frames looked at, innermost first, each with the rule that held for it.
  private(set) var frames: [SignatureFrame] = []

  private let knowledge: Knowledge
  /// Whether frames that were passed over are noted with the names they would have had.
  private let notesNames: Bool
  private let backtrace: [ResolvedFrame]
  private let place: BlamedFrame
  /// The function that is blamed, where it was inlined into one that says nothing; with its frame.
  private let inlined: (frame: Int, function: String)?
  private var functions: [String] = []

  private static let version = "v1:"
  private static let maximumFunctions = 4
  /// Names of deep recursions are all the same, so a bounded look is enough.
  private static let maximumFrames = 256
  /// Fewer turns don't fill a stack.
  private static let leastTurns = 8
  /// Functions in which every program, or every thread, begins.
  private static let entryPoints: Set<String> = ["main", "start", "_start", "$main", "thread_start"]

  /// Searches the backtrace that holds the blamed frame.
  ///
  /// Where the stack ran over, any turn of the recursion could have been the last.
  init(
    in symbolicated: SymbolicatedReport, blamed: BlamedFrame?, overflows: Bool, kind: String,
    notesNames: Bool, knowledge: Knowledge
  ) {
    self.notesNames = notesNames
    self.knowledge = knowledge
    backtrace = signatureFrames(symbolicated, blamed)
    let principal = symbolicated.report.principalThread.map { BacktraceReference.thread($0) }
    place = blamed ?? BlamedFrame(principal ?? .lastException, frame: 0)
    inlined = Self.inlined(blamed, in: backtrace, knowledge)
    search(overflows: overflows)
    guard !functions.isEmpty else { return }
    text = Self.version + ([kind] + functions).joined(separator: "|")
  }

  private mutating func search(overflows: Bool) {
    let order = overflows ? recursionOrder : Array(backtrace.indices.prefix(Self.maximumFrames))
    let outside = order.first.map { backtrace.indices.prefix(min($0, Self.maximumFrames)) } ?? 0..<0
    for index in outside where !order.contains(index) { note(index, .besideRecursion) }
    take(order, isOwnOnly: true)
    guard functions.isEmpty, !frames.contains(where: { $0.use == .unnamed }) else { return }
    // The app did nothing but begin: the system's functions are what there is.
    frames = []
    take(order, isOwnOnly: false)
  }

  /// Adds the functions of frames in an order, as long as there is room.
  private mutating func take(_ order: [Int], isOwnOnly: Bool) {
    for index in order where functions.count < Self.maximumFunctions {
      let (use, function) = use(of: backtrace[index], isOwnOnly: isOwnOnly)
      if let inlined, inlined.frame == index, use != .used, !functions.contains(inlined.function) {
        note(index, .used)
        functions.append(inlined.function)
        continue
      }
      note(index, use)
      if use == .used, let function { functions.append(function) }
    }
  }

  private mutating func note(_ index: Int, _ use: SignatureFrame.Use) {
    var frame = place
    (frame.frame, frame.location) = (index, nil)
    let function = notesNames ? backtrace[index].signatureFunction : nil
    frames.append(SignatureFrame(frame: frame, function: function, use: use))
  }

  /// What a frame has to do with the signature, and its function where it was needed to tell.
  private func use(
    of frame: ResolvedFrame, isOwnOnly: Bool
  ) -> (use: SignatureFrame.Use, function: String?) {
    if frame.captured.isInlined || frame.reason == .superseded { return (.inlined, nil) }
    if frame.isRecovered { return (.recovered, nil) }
    if isOwnOnly, !frame.isInApp { return (.notApp, nil) }
    guard let name = frame.physicalName, let function = frame.signatureFunction else {
      return (.unnamed, nil)
    }
    if knowledge.isMachinery(name) { return (.machinery, nil) }
    if knowledge.isThunk(name) { return (.thunk, nil) }
    if knowledge.isLibraryFunction(name) { return (.libraryCode, nil) }
    if isOwnOnly || !frame.isInApp, Self.isEntryPoint(function) { return (.entryPoint, nil) }
    return (functions.contains(function) ? .repeated : .used, function)
  }

  /// The blamed function, where it was inlined: a thunk or the entry point that took it in tells no crash from another.
  private static func inlined(
    _ blamed: BlamedFrame?, in frames: [ResolvedFrame], _ knowledge: Knowledge
  ) -> (frame: Int, function: String)? {
    guard let blamed, let location = blamed.location, frames.indices.contains(blamed.frame) else {
      return nil
    }
    let frame = frames[blamed.frame]
    guard frame.isInApp, frame.locations.indices.dropLast().contains(location),
      let name = frame.locations[location].function, knowledge.isOwnFunction(name)
    else { return nil }
    let function = withoutModule(normalizedFunction(name), frame.captured.imageName)
    return function.isEmpty ? nil : (blamed.frame, function)
  }

  /// `main`, and in Swift `MyApp.$main` too; Unity's player is started by a method of its framework.
  static func isEntryPoint(_ function: String) -> Bool {
    entryPoints.contains(function) || function.hasSuffix(".$main")
      || function.hasPrefix("-[UnityFramework runUIApplicationMain")
  }

  /// One turn of the recursion that filled the stack, from the function whose name sorts first: which one was running
  /// when the stack was full is chance.
  private var recursionOrder: [Int] {
    let all = Array(backtrace.indices.prefix(Self.maximumFrames))
    let cycles = FrameCycle.all(in: backtrace, minimumTurns: Self.leastTurns)
    guard let cycle = cycles.max(by: { $0.range.count < $1.range.count }) else { return all }
    let turn = Array(cycle.start..<cycle.start + cycle.length)
    let names = turn.map { backtrace[$0].signatureFunction ?? "" }
    let own = turn.indices.filter { backtrace[turn[$0]].isInApp && !names[$0].isEmpty }
    guard let first = own.min(by: { names[$0] < names[$1] }) else { return all }
    return Array(turn[first...] + turn[..<first])
  }
}

extension ResolvedFrame {
  /// The function the frame's code belongs to, inlined calls aside; nil when nothing names it.
  fileprivate var physicalName: String? {
    guard !captured.isInlined else { return nil }
    return locations.last?.function ?? functionSymbol
  }

  /// That function without what changes from build to build; nil when nothing is left of it.
  fileprivate var signatureFunction: String? {
    guard let name = physicalName else { return nil }
    let function = withoutModule(normalizedFunction(name), captured.imageName)
    return function.isEmpty ? nil : function
  }
}

/// The backtrace of the blamed frame, else that of the crashed thread.
func signatureFrames(_ symbolicated: SymbolicatedReport, _ blamed: BlamedFrame?) -> [ResolvedFrame] {
  if let blamed { return symbolicated.frames(of: blamed.backtrace) }
  guard let thread = symbolicated.report.principalThread,
    symbolicated.threads.indices.contains(thread)
  else { return [] }
  return symbolicated.threads[thread]
}

/// What kind of crash it is, the same for every reporter and CPU.
///
/// The code that ended the process; else the Mach exception, also where only its signal is stated. A trap is an
/// illegal instruction on x86 and a breakpoint on ARM.
func signatureKind(_ facts: CrashFacts) -> String {
  if let code = facts.values[.terminationCode]?.value, facts.has(.exception, "SIGKILL") { return code }
  let (type, signal) = (facts.values[.exception]?.value, facts.values[.signal]?.value)
  let stated = (type == "EXC_CRASH" ? signal : nil) ?? type ?? signal
  switch stated {
  case "SIGSEGV", "SIGBUS": return "EXC_BAD_ACCESS"
  case "SIGTRAP", "SIGILL", "EXC_BAD_INSTRUCTION": return "EXC_BREAKPOINT"
  case "SIGFPE": return "EXC_ARITHMETIC"
  case let stated? where stated != "0": return stated
  default:
    return facts.words[.kind]?.first { $0.value != ReportKind.crash.rawValue }?.value ?? "unknown"
  }
}
