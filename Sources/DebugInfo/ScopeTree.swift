/// The blocks and inlined calls in one function that have code, in the order of the file: each stands before those
/// inside it. Made once for a function, it answers every address there without going over the entries again.
struct ScopeTree {
  struct Scope {
    /// The range of its code, or the least range around all of them.
    var low: UInt64
    var high: UInt64
    /// Whether it has several ranges, so that an address between `low` and `high` need not be its own.
    var isScattered: Bool
    /// Whether it is an inlined call, and not a block.
    var isCall: Bool
    /// The index just behind the last scope inside it.
    var end: Int32 = 0
    /// Its offset in `.debug_info`.
    var entry: Int
  }

  private var scopes: [Scope] = []
  private var open: [Int32] = []

  /// Adds a scope inside the innermost one that isn't closed yet.
  mutating func append(_ scope: Scope, hasChildren: Bool) {
    var scope = scope
    if hasChildren { open.append(Int32(clamping: scopes.count)) }
    scope.end = Int32(clamping: scopes.count + 1)
    scopes.append(scope)
  }

  /// Ends the innermost scope that isn't closed yet.
  mutating func close() {
    if let index = open.popLast() { scopes[Int(index)].end = Int32(clamping: scopes.count) }
  }

  /// Ends all scopes: a damaged unit may break off inside some.
  mutating func closeAll() {
    while !open.isEmpty { close() }
  }

  /// The inlined calls that cover an address, outermost first.
  func calls(at address: UInt64, _ holds: (Scope) -> Bool) -> [Int] {
    var calls: [Int] = []
    var index = 0
    var end = scopes.count
    while index < end {
      let scope = scopes[index]
      if scope.low <= address, address < scope.high, !scope.isScattered || holds(scope) {
        if scope.isCall { calls.append(scope.entry) }
        index += 1
        end = Int(scope.end)
      } else {
        index = Int(scope.end)
      }
    }
    return calls
  }
}
