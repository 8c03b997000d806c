/// The blocks and inlined calls of a function that have code, in the order of the file, each before those nested in it.
/// Built once per function, it answers for every address of the function without visiting the entries again.
struct ScopeTree {
  struct Scope {
    /// The bounds of all of its ranges.
    var low: UInt64 = 0
    var high: UInt64 = 0
    /// Its offset in `.debug_info`.
    var entry: Int
    /// The index after the last scope nested in it.
    var end: Int32
    /// Whether it is an inlined call rather than a block.
    var isCall: Bool
    var isRead = false
    /// Whether it has several ranges, so that an address between `low` and `high` may not belong to it.
    var isScattered = false
  }

  private(set) var scopes: [Scope] = []
  /// The maximum number of scopes; no function has as many. An entry may take a single byte in the file, and takes 40
  /// here.
  private static let maximumScopes = 1 << 22
  private var open: [Int32] = []
  /// Whether scopes were dropped. All open ones then end with the last one that was kept.
  private var isFull = false

  /// Removes all scopes, and keeps the capacity for another function.
  mutating func removeAll() {
    scopes.removeAll(keepingCapacity: true)
    open.removeAll(keepingCapacity: true)
    isFull = false
  }

  /// Adds a scope inside the innermost open one.
  mutating func append(_ entry: Int, isCall: Bool, hasChildren: Bool) {
    if scopes.count == Self.maximumScopes { isFull = true }
    if isFull { return }
    if hasChildren { open.append(Int32(clamping: scopes.count)) }
    scopes.append(Scope(entry: entry, end: Int32(clamping: scopes.count + 1), isCall: isCall))
  }

  /// Closes the innermost open scope.
  mutating func close() {
    if !isFull { closeInnermost() }
  }

  private mutating func closeInnermost() {
    if let index = open.popLast() { scopes[Int(index)].end = Int32(clamping: scopes.count) }
  }

  /// Closes all scopes: a damaged unit may end within some.
  mutating func closeAll() {
    while !open.isEmpty { closeInnermost() }
  }

  /// The inlined calls that cover an address, outermost first.
  mutating func calls(at address: UInt64, in search: some FunctionSearch) -> [Int] {
    var calls: [Int] = []
    var index = 0
    var end = scopes.count
    while index < end {
      if !scopes[index].isRead { scopes[index].readRanges(in: search) }
      let scope = scopes[index]
      if scope.low <= address, address < scope.high, !scope.isScattered || scope.holds(address, in: search) {
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

fileprivate extension ScopeTree.Scope {
  mutating func readRanges(in search: some FunctionSearch) {
    var count = 0
    var bounds: (low: UInt64, high: UInt64) = (.max, 0)
    search.forEachRange(of: entry) { low, high in
      guard low < high else { return }
      bounds = (min(bounds.low, low), max(bounds.high, high))
      count += 1
    }
    (low, high) = bounds
    isScattered = count > 1
    isRead = true
  }

  func holds(_ address: UInt64, in search: some FunctionSearch) -> Bool {
    var isInside = false
    search.forEachRange(of: entry) { if $0 <= address, address < $1 { isInside = true } }
    return isInside
  }
}
