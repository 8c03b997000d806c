internal import CrashReadCore

/// The sources that reported a function, each with the largest offset from its start at which it saw the function's
/// code.
package struct FunctionWitnesses: Sendable {
  /// One source.
  package struct Witness: Sendable, Hashable {
    /// A hash that identifies the source without revealing it.
    package var number: UInt32
    /// The largest offset from the function's start that it reported, in bytes; functions are at most
    /// `SymbolSighting.maximumFunctionSize` long.
    package var extent: UInt32

    /// Creates a witness.
    package init(_ number: UInt32, extent: UInt32) { (self.number, self.extent) = (number, extent) }

    /// Whether it is kept rather than another one.
    func precedes(_ other: Self) -> Bool {
      extent != other.extent ? extent > other.extent : number < other.number
    }
  }

  /// The witnesses, and unused room: memory of their own would have to be waited for whenever a report names the function.
  private var storage: InlineArray<16, Witness> = .init(repeating: Witness(0, extent: 0))
  private var count = 0
  /// The day of the earliest report, in days since 1970; nil if no report has a date.
  package private(set) var day: Int64?

  /// The number of witnesses kept: those with the largest extents, independent of the order of arrival.
  package static let maximumCount = 16

  /// Each source once, in descending order of extent: a witness of an extent is also one of every smaller extent.
  package var all: [Witness] { (0..<count).map { storage[$0] } }

  /// The last witness if there is the maximum number of them: one that doesn't precede it isn't kept.
  var limit: Witness? { count == Self.maximumCount ? storage[count - 1] : nil }

  /// Creates a list of witnesses given in any order.
  package init(_ witnesses: [Witness] = [], day: Int64? = nil) {
    self.day = day
    for witness in witnesses { _ = add(witness) }
  }

  /// Merges other witnesses into these.
  /// - Returns: Whether anything changed.
  mutating func add(_ other: Self) -> Bool {
    var isNew = false
    for witness in other.all where add(witness) { isNew = true }
    return addDay(other.day) || isNew
  }

  /// Adds a witness.
  /// - Returns: Whether anything changed.
  mutating func add(_ new: Witness, day: Int64?) -> Bool {
    let isNew = add(new)
    return addDay(day) || isNew
  }

  /// Whether adding a witness may change anything.
  func accepts(_ new: Witness, day: Int64?) -> Bool {
    limit.map { new.precedes($0) } ?? true || day.map { $0 < self.day ?? .max } ?? false
  }

  private mutating func addDay(_ new: Int64?) -> Bool {
    guard let new, new < day ?? .max else { return false }
    day = new
    return true
  }

  private mutating func add(_ new: Witness) -> Bool {
    if let limit, !new.precedes(limit) { return false }
    // Overwritten by those between its place and the new one's: the same source, the last one, or unused room.
    var place = 0
    while place < count, storage[place].number != new.number { place += 1 }
    if place < count, storage[place].extent >= new.extent { return false }
    if place == count { count = min(count + 1, Self.maximumCount) }
    place = min(place, count - 1)
    while place > 0, new.precedes(storage[place - 1]) {
      storage[place] = storage[place - 1]
      place -= 1
    }
    storage[place] = new
    return true
  }

  /// The number of witnesses in `other` that aren't in this list.
  func countOfNew(in other: Self) -> Int {
    let all = all
    return other.all.count { new in !all.contains { $0.number == new.number } }
  }

  /// The largest extent below a limit that at least `quorum` witnesses confirm, in bytes; nil if there is none.
  func extent(quorum: Int, below limit: UInt64 = .max) -> UInt64? {
    all.dropFirst(quorum - 1).first { $0.extent < limit }.map { UInt64($0.extent) }
  }
}

extension FunctionWitnesses: Hashable {
  package static func == (first: Self, second: Self) -> Bool {
    first.all == second.all && first.day == second.day
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(all)
    hasher.combine(day)
  }
}

/// Sightings merged by function and name.
package struct SightingTable: Sendable {
  private var witnesses: [SightedFunction: FunctionWitnesses] = [:]

  /// Merges sightings.
  package init(_ sightings: some Sequence<SymbolSighting> = []) {
    for sighting in sightings { _ = add(sighting) }
  }

  /// Merges a sighting.
  /// - Returns: Whether anything changed.
  package mutating func add(_ sighting: SymbolSighting) -> Bool {
    witnesses[sighting.function, default: FunctionWitnesses()].add(sighting.witnesses)
  }

  /// The number of functions, counting each name of a function.
  package var count: Int { witnesses.count }

  /// All sightings, in no particular order.
  package var sightings: some Sequence<SymbolSighting> { witnesses.lazy.map { SymbolSighting($0, $1) } }
}
