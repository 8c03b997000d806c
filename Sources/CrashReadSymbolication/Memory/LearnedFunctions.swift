internal import CrashReadCore
internal import CrashReadDebugInfo

/// The functions of one image, as far as reports prove them.
///
/// A report with `name + n` at an address proves that the function extends from its start to that address. Nothing is
/// known beyond it, or where reports contradict one another.
struct LearnedFunctions: Sendable {
  /// A function whose name is valid for `extent` bytes from its start.
  struct Function: Sendable, Hashable {
    var start: UInt64
    var extent: UInt64
    var name: String
    /// The number of different sources.
    var witnessCount: Int
    /// The day of the earliest report, in days since 1970; nil if unknown.
    var day: Int64?
  }

  /// In ascending order of their starts.
  private let functions: [Function]

  /// Derives the functions of an image.
  /// - Parameters:
  ///   - sightings: All sightings in the image.
  ///   - quorum: The number of different sources needed for a name, and for a contradiction.
  init(_ sightings: [SymbolSighting], quorum: Int) {
    let starts = Dictionary(grouping: sightings, by: \.function.start).values
      .compactMap { KnownStart($0, quorum: quorum) }.sorted { $0.start < $1.start }
    var functions: [Function] = []
    var reach: UInt64 = 0
    for (index, start) in starts.enumerated() {
      let next = index + 1 < starts.count ? starts[index + 1].start : UInt64.max
      // Code within the extent of a preceding function may belong to either function.
      let isContested = index > 0 && reach >= start.start
      if !isContested, let function = start.function(before: next) { functions.append(function) }
      reach = max(reach, start.reach)
    }
    self.functions = functions
  }

  /// The function whose proven range contains an offset, in bytes from the image's start; nil if there is none.
  func function(at offset: UInt64) -> Function? {
    let upperBound = functions.partitioningIndex { $0.start > offset }
    guard upperBound > 0, offset - functions[upperBound - 1].start <= functions[upperBound - 1].extent else {
      return nil
    }
    return functions[upperBound - 1]
  }
}

/// An address at which, according to enough sources, a function starts.
private struct KnownStart {
  let start: UInt64
  /// The function's only name; nil if there is none or there are several.
  private let named: SymbolSighting?
  private let quorum: Int
  /// The last offset reported for a function that starts here.
  let reach: UInt64

  /// Nil if there are fewer sources than the quorum.
  init?(_ sightings: [SymbolSighting], quorum: Int) {
    let functions = sightings.mergedByFunction.filter { $0.witnesses.all.count >= quorum }
    guard let first = functions.first else { return nil }
    (start, self.quorum) = (first.function.start, quorum)
    // A name hidden by one symbolicator doesn't contradict the name given by another.
    let names = functions.filter { $0.function.name != "" }
    named = names.count == 1 && names[0].function.name != SymbolSighting.foldedName ? names[0] : nil
    reach = start &+ (functions.compactMap { $0.witnesses.extent(quorum: quorum) }.max() ?? 0)
  }

  /// The function with its proven range, which ends before the next known start.
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
  /// The sightings merged by function. A function's name may be written in several ways: mangled, with its module, with
  /// its signature.
  ///
  /// With more names than any function has, none of them are merged.
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
  /// Whether two names of the same address belong to the same function.
  fileprivate func isSameFunction(as other: String) -> Bool {
    if self == other { return true }
    guard !isEmpty, !other.isEmpty, !hasPrefix("<"), !other.hasPrefix("<") else { return false }
    return SourceFrame(function: demangle(self) ?? self, linkageName: self).isNamed(demangle(other) ?? other)
  }
}
