internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

extension CrashFacts {
  /// The waits for something that is mostly used by the methods of one type only.
  private static let ownedWaits: Set = ["lock", "mutex", "queue"]
  /// The number of the app's frames in which the type is looked for: further out, only the callers are.
  private static let maximumOwnFrames = 3

  /// Adds another thread that runs code of the type that waits: it probably holds the lock, or occupies the queue.
  mutating func addLikelyHolder(
    of thread: Int, _ wait: ThreadWait, _ symbolicated: SymbolicatedReport, _ knowledge: Knowledge
  ) {
    guard Self.ownedWaits.contains(wait.kind), values[.ownerThread] == nil else { return }
    let own = symbolicated.threads[thread].lazy.filter { $0.isInApp && $0.hasOwnFunction(knowledge) }
    let types = Set(own.prefix(Self.maximumOwnFrames).flatMap(\.functionNames).compactMap(\.methodType))
    guard !types.isEmpty else { return }
    for other in symbolicated.threads.indices.prefix(Self.maximumThreads) where other != thread {
      let isOfType = { (name: String) in name.methodType.map(types.contains) ?? false }
      let frames = symbolicated.threads[other]
      guard let index = frames.firstIndex(where: { $0.isInApp && $0.hasFunction(where: isOfType) }),
        // One that waits for another thread, too, is stated as such.
        self.wait(of: other, in: symbolicated, knowledge).map({ !Self.locks.contains($0.kind) }) ?? true,
        let function = symbolicated.function(ofFrame: index, thread: other, where: isOfType)
      else { continue }
      set(.holderThread, symbolicated.number(ofThread: other), function.evidence)
      values[.holderFunction] = function
      return
    }
  }
}

extension String {
  /// The function that contains the closure or local function of this name: `Cart.load()` of
  /// `closure #1 in closure #2 in Cart.load()`; nil if none does.
  var outermostScope: Substring? { ranges(of: " in ").last.map { self[$0.upperBound...] } }

  /// The type of which a function is a method: `Cart` of `closure #1 in Cart.load()` and of
  /// `__24-[Cart load:]_block_invoke`; nil if it is none.
  var methodType: Substring? {
    if let bracket = firstIndex(of: "["), self[..<bracket].last == "-" || self[..<bracket].last == "+" {
      return self[index(after: bracket)...].prefix { $0 != " " && $0 != "(" }
    }
    let function = (outermostScope ?? self[...]).prefix { $0 != "(" && $0 != "<" }
    guard let name = function.split(separator: " ").last else { return nil }
    let parts = name.split(separator: ".").dropLast().prefix { $0.first?.isUppercase ?? false }
    guard let first = parts.first, let last = parts.last else { return nil }
    return self[first.startIndex..<last.endIndex]
  }
}
