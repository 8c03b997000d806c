internal import CrashReadCore

/// Who has seen a function, and how far behind its start each has seen its code.
package struct FunctionWitnesses: Sendable, Hashable {
  /// One of them.
  package struct Witness: Sendable, Hashable {
    /// A number that tells it from others, and doesn't name it.
    package var number: UInt32
    /// How far the function reaches at least, in bytes.
    package var extent: UInt64

    /// Puts one together.
    package init(_ number: UInt32, extent: UInt64) { (self.number, self.extent) = (number, extent) }

    fileprivate func stands(before other: Self) -> Bool {
      extent != other.extent ? extent > other.extent : number < other.number
    }
  }

  /// Each once, those first who have seen the most: who has seen a function reach far has seen that it reaches less far,
  /// too.
  package private(set) var all: [Witness] = []
  /// The first day on which somebody did, in days since 1970; nil when no report has a date.
  package private(set) var day: Int64?

  /// More aren't counted: then those are kept who have seen the most, in whatever order they come.
  package static let maximumCount = 32

  /// Takes witnesses in any order.
  package init(_ witnesses: [Witness] = [], day: Int64? = nil) {
    self.day = day
    for witness in witnesses { _ = add(witness) }
  }

  /// Takes what others have seen.
  /// - Returns: Whether any of it is new.
  package mutating func add(_ other: Self) -> Bool {
    var isNew = false
    for witness in other.all where add(witness) { isNew = true }
    if let date = other.day, date < day ?? .max {
      day = date
      isNew = true
    }
    return isNew
  }

  private mutating func add(_ new: Witness) -> Bool {
    if all.count == Self.maximumCount, let last = all.last, !new.stands(before: last) { return false }
    if let known = all.firstIndex(where: { $0.number == new.number }) {
      guard all[known].extent < new.extent else { return false }
      all.remove(at: known)
    } else if all.count == Self.maximumCount {
      all.removeLast()
    }
    all.insert(new, at: all.partitioningIndex { !$0.stands(before: new) })
    return true
  }

  /// How many of others' witnesses aren't among these.
  func countOfNew(in other: Self) -> Int {
    other.all.count { new in !all.contains { $0.number == new.number } }
  }

  /// How far the function reaches by the word of so many witnesses, of what is below a limit; nil for not at all.
  func extent(quorum: Int, below limit: UInt64 = .max) -> UInt64? {
    all.dropFirst(quorum - 1).first { $0.extent < limit }?.extent
  }
}

/// Sightings put together: one of each function under each name.
package struct SightingTable: Sendable {
  private var witnesses: [SightedFunction: FunctionWitnesses] = [:]

  /// Puts sightings together.
  package init(_ sightings: some Sequence<SymbolSighting> = []) {
    for sighting in sightings { _ = add(sighting) }
  }

  /// Takes a sighting.
  /// - Returns: Whether it says anything new.
  package mutating func add(_ sighting: SymbolSighting) -> Bool {
    witnesses[sighting.function, default: FunctionWitnesses()].add(sighting.witnesses)
  }

  /// How many functions were seen, counting each name.
  package var count: Int { witnesses.count }

  /// In no order.
  package var sightings: some Sequence<SymbolSighting> { witnesses.lazy.map { SymbolSighting($0, $1) } }
}
