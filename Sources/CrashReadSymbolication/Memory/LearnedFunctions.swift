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
    let starts = Dictionary(grouping: sightings, by: \.function.start).values
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
  /// The one name; nil when there is none, or several.
  private let named: SymbolSighting?
  private let quorum: Int
  /// The last address that the function was said to hold.
  let reach: UInt64

  /// Nil when too few speak of it.
  init?(_ sightings: [SymbolSighting], quorum: Int) {
    let functions = sightings.mergedByFunction.filter { $0.witnesses.all.count >= quorum }
    guard let first = functions.first else { return nil }
    (start, self.quorum) = (first.function.start, quorum)
    // A name hidden by one symbolicator is no other name.
    let names = functions.filter { $0.function.name != "" }
    named = names.count == 1 && names[0].function.name != SymbolSighting.foldedName ? names[0] : nil
    reach = start &+ (functions.compactMap { $0.witnesses.extent(quorum: quorum) }.max() ?? 0)
  }

  /// The function, as far as it is proven and ends before the next known one.
  func function(before next: UInt64) -> LearnedFunctions.Function? {
    guard let named,
      let extent = named.witnesses.extent(quorum: quorum, below: next - start)
    else { return nil }
    return .init(
      start: start, extent: extent, name: named.function.name, witnessCount: named.witnesses.all.count,
      day: named.witnesses.day)
  }
}

extension [SymbolSighting] {
  /// What is said of each function. One may be written in several ways: mangled, with its module, with its signature.
  ///
  /// Where more names are given than any function has, no two are taken for one.
  fileprivate var mergedByFunction: [SymbolSighting] {
    let maximumNames = 16
    let exact = SightingTable(self).sightings.sorted { $0.function.name < $1.function.name }
    if exact.count > maximumNames { return exact }
    var merged: [SymbolSighting] = []
    for sighting in exact {
      let same = merged.firstIndex { $0.function.name.isSameFunction(as: sighting.function.name) }
      if let same { _ = merged[same].witnesses.add(sighting.witnesses) } else { merged.append(sighting) }
    }
    return merged
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
