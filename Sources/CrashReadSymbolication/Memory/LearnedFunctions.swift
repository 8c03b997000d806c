internal import CrashReadCore
internal import CrashReadDebugInfo

/// The functions of one image as far as reports have shown them.
///
/// A report that says `name + n` at an address shows that the function reaches from its start to that address. Nothing is
/// said of what lies further on, nor where reports contradict each other.
struct LearnedFunctions: Sendable {
  /// A function whose name holds from its start for `extent` bytes.
  struct Function: Sendable, Hashable {
    var start: UInt64
    var extent: UInt64
    var name: String
    /// How many different sources say so.
    var witnessCount: Int
    /// The first day on which one did, in days since 1970; nil when unknown.
    var day: Int64?
  }

  /// In the order of their starts.
  private let functions: [Function]

  /// Takes what reports say of an image.
  /// - Parameters:
  ///   - sightings: All of the same image.
  ///   - quorum: How many different sources must say something for it to count, be it a name or a contradiction.
  init(_ sightings: [SymbolSighting], quorum: Int) {
    let starts = Dictionary(grouping: sightings, by: \.start).values
      .compactMap { KnownStart($0, quorum: quorum) }.sorted { $0.start < $1.start }
    var functions: [Function] = []
    var reach: UInt64 = 0
    for (index, start) in starts.enumerated() {
      let next = index + 1 < starts.count ? starts[index + 1].start : UInt64.max
      // Code that another function was said to reach over may be either's.
      let isContested = index > 0 && reach >= start.start
      if !isContested, let function = start.function(before: next) { functions.append(function) }
      reach = max(reach, start.reach)
    }
    self.functions = functions
  }

  /// The function whose proven span holds an offset.
  func function(at offset: UInt64) -> Function? {
    let behind = functions.partitioningIndex { $0.start > offset }
    guard behind > 0, offset - functions[behind - 1].start <= functions[behind - 1].extent else { return nil }
    return functions[behind - 1]
  }
}

/// What enough sources say of one address: that a function begins there.
private struct KnownStart {
  let start: UInt64
  /// Sightings of the one name; empty when there is none, or several.
  private let named: [SymbolSighting]
  private let quorum: Int
  /// The last address that the function was said to hold.
  let reach: UInt64

  /// Nil when too few speak of it.
  init?(_ sightings: [SymbolSighting], quorum: Int) {
    let groups = sightings.groupedByFunction.filter { $0.witnesses.count >= quorum }
    guard let first = groups.first?.first else { return nil }
    (start, self.quorum) = (first.start, quorum)
    // A name hidden by one symbolicator is no other name.
    let names = groups.filter { $0.first?.name != "" }
    let isFolded = names.contains { $0.contains { $0.name == SymbolSighting.foldedName } }
    named = names.count == 1 && !isFolded ? names[0] : []
    reach = first.start &+ (groups.compactMap { $0.extents(quorum).last }.max() ?? 0)
  }

  /// The function, as far as it is proven and ends before the next known one.
  func function(before next: UInt64) -> LearnedFunctions.Function? {
    guard let extent = named.extents(quorum).last(where: { $0 < next - start }), let name = named.first?.name
    else { return nil }
    return .init(
      start: start, extent: extent, name: name, witnessCount: named.witnesses.count,
      day: named.compactMap(\.day).min())
  }
}

extension [SymbolSighting] {
  /// Everybody who speaks in them.
  fileprivate var witnesses: Set<UInt32> { Set(lazy.flatMap(\.witnesses)) }

  /// What is said of each function. One may be written in several ways: mangled, with its module, with its signature.
  ///
  /// Where more names are given than any function has, no two are taken for one.
  fileprivate var groupedByFunction: [[SymbolSighting]] {
    let maximumNames = 16
    let exact = Dictionary(grouping: self, by: \.name).sorted { $0.key < $1.key }.map(\.value)
    if exact.count > maximumNames { return exact }
    var groups: [[SymbolSighting]] = []
    for same in exact {
      let index = groups.firstIndex { $0[0].name.isSameFunction(as: same[0].name) }
      if let index { groups[index] += same } else { groups.append(same) }
    }
    return groups
  }

  /// The extents that enough sources bear out, in ascending order: who has seen the function reach far has seen that it
  /// reaches less far, too.
  fileprivate func extents(_ quorum: Int) -> [UInt64] {
    var seen: Set<UInt32> = []
    var proven: [UInt64] = []
    for sighting in sorted(by: { $0.extent > $1.extent }) {
      seen.formUnion(sighting.witnesses)
      if seen.count >= quorum { proven.append(sighting.extent) }
    }
    return proven.reversed()
  }
}

extension String {
  /// Whether two names that stand at one address are one function's.
  fileprivate func isSameFunction(as other: String) -> Bool {
    if self == other { return true }
    guard !isEmpty, !other.isEmpty, !hasPrefix("<"), !other.hasPrefix("<") else { return false }
    return SourceFrame(function: demangle(self) ?? self, linkageName: self).isNamed(demangle(other) ?? other)
  }
}
