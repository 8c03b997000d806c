internal import CrashReadCore

/// The sources that reported a function, each with the largest offset from its start at which it saw the function's
/// code.
package struct FunctionWitnesses: Sendable, Hashable {
  /// One source.
  package struct Witness: Sendable, Hashable {
    /// A hash that identifies the source without revealing it.
    package var number: UInt32
    /// The largest offset from the function's start that it reported, in bytes.
    package var extent: UInt64

    /// Creates a witness.
    package init(_ number: UInt32, extent: UInt64) { (self.number, self.extent) = (number, extent) }

    /// Whether it is kept rather than another one.
    func precedes(_ other: Self) -> Bool {
      extent != other.extent ? extent > other.extent : number < other.number
    }
  }

  /// Each source once, in descending order of extent: a witness of an extent is also one of every smaller extent.
  package private(set) var all: [Witness] = []
  /// The day of the earliest report, in days since 1970; nil if no report has a date.
  package private(set) var day: Int64?

  /// The number of witnesses kept: those with the largest extents, independent of the order of arrival.
  package static let maximumCount = 16

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

  private mutating func addDay(_ new: Int64?) -> Bool {
    guard let new, new < day ?? .max else { return false }
    day = new
    return true
  }

  private mutating func add(_ new: Witness) -> Bool {
    if all.count == Self.maximumCount, let last = all.last, !new.precedes(last) { return false }
    if let known = all.firstIndex(where: { $0.number == new.number }) {
      guard all[known].extent < new.extent else { return false }
      all.remove(at: known)
    } else if all.count == Self.maximumCount {
      all.removeLast()
    }
    all.insert(new, at: all.partitioningIndex { !$0.precedes(new) })
    return true
  }

  /// The number of witnesses in `other` that aren't in this list.
  func countOfNew(in other: Self) -> Int {
    other.all.count { new in !all.contains { $0.number == new.number } }
  }

  /// The largest extent below a limit that at least `quorum` witnesses confirm, in bytes; nil if there is none.
  func extent(quorum: Int, below limit: UInt64 = .max) -> UInt64? {
    all.dropFirst(quorum - 1).first { $0.extent < limit }?.extent
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
