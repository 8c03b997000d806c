internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Computes the signature, a text that is equal for the same crash: its kind and the innermost functions of the app.
///
/// Only functions that aren't inlined are used, since device reports and debug files agree on them.
struct SignatureSearch {
  /// The signature; nil when none of the app's functions on the stack, or no function at all, has a name.
  private(set) var text: String?
  /// The frames examined, innermost first, each with the rule that applied.
  private(set) var frames: [SignatureFrame] = []

  private let knowledge: Knowledge
  /// Whether the names of skipped frames are recorded.
  private let recordsNames: Bool
  private let backtrace: [ResolvedFrame]
  private let origin: BlamedFrame
  /// The blamed function and its frame, if it was inlined into a function that doesn't distinguish crashes.
  private let inlined: (frame: Int, function: String)?
  private var functions: [String] = []

  private static let version = "v1:"
  private static let maximumFunctions = 4
  /// Deep recursions repeat the same names, so a limited number of frames suffices.
  private static let maximumFrames = 256
  /// The minimum number of repetitions that fill a stack.
  private static let minimumRepetitions = 8

  /// Searches the backtrace of the blamed frame.
  ///
  /// In a stack overflow, the recursion can have ended in any of its functions.
  init(
    in symbolicated: SymbolicatedReport, blamed: BlamedFrame?, overflows: Bool, kind: String,
    recordsNames: Bool, knowledge: Knowledge
  ) {
    self.recordsNames = recordsNames
    self.knowledge = knowledge
    backtrace = symbolicated.principalFrames(blamed)
    let principal = symbolicated.report.principalThread.map { BacktraceReference.thread($0) }
    origin = blamed ?? BlamedFrame(principal ?? .lastException, frame: 0)
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
    // The app has only an entry point, so the system's functions are used.
    frames = []
    take(order, isOwnOnly: false)
  }

  /// Adds the functions of frames in the given order, up to the maximum.
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
    var frame = origin
    (frame.frame, frame.location) = (index, nil)
    let function = recordsNames ? backtrace[index].signatureFunction : nil
    frames.append(SignatureFrame(frame: frame, function: function, use: use))
  }

  /// The role of a frame, and its function if that was needed to determine the role.
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
    if isOwnOnly || !frame.isInApp, knowledge.isEntryPoint(function) { return (.entryPoint, nil) }
    return (functions.contains(function) ? .repeated : .used, function)
  }

  /// The blamed function and its frame, if it was inlined into a thunk or an entry point, which doesn't distinguish
  /// crashes.
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

  /// One repetition of the recursion that filled the stack, from the function whose name sorts first, since it is
  /// arbitrary which one was running when the stack was full.
  private var recursionOrder: [Int] {
    let all = Array(backtrace.indices.prefix(Self.maximumFrames))
    let cycles = FrameCycle.all(in: backtrace, minimumRepetitions: Self.minimumRepetitions)
    guard let cycle = cycles.max(by: { $0.range.count < $1.range.count }) else { return all }
    let repetition = Array(cycle.start..<cycle.start + cycle.length)
    let names = repetition.map { backtrace[$0].signatureFunction ?? "" }
    let own = repetition.indices.filter { backtrace[repetition[$0]].isInApp && !names[$0].isEmpty }
    guard let first = own.min(by: { names[$0] < names[$1] }) else { return all }
    return Array(repetition[first...] + repetition[..<first])
  }
}

extension ResolvedFrame {
  /// The function that contains the frame's code, ignoring inlined calls; nil when it has no name.
  fileprivate var physicalName: String? {
    guard !captured.isInlined else { return nil }
    return locations.last?.function ?? functionSymbol
  }

  /// That function's normalised name; nil when it is empty. Of folded functions, the name that sorts first, since it is
  /// arbitrary which one the linker has kept.
  fileprivate var signatureFunction: String? {
    guard let name = physicalName else { return nil }
    let names = foldedNames.isEmpty ? [name] : foldedNames
    return names.lazy.map { withoutModule(normalizedFunction($0), captured.imageName) }
      .filter { !$0.isEmpty }.min()
  }
}

/// The kind of crash, independent of reporter and CPU.
///
/// The code with which the process was killed; otherwise the Mach exception, even if only its signal is stated. A trap
/// is an illegal instruction on x86 and a breakpoint on ARM.
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
