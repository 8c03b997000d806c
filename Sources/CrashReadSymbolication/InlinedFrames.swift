internal import CrashReadDebugInfo
internal import CrashReadReports

/// Assigns each function of an inline chain to its own frame, for reports that list inlined calls as frames.
///
/// Such frames share the address of the frame they were inlined into, so each of them resolves to the whole chain.
/// Reporters may omit calls; the debug file's chain is right, and each of its functions is shown once.
func shareInlinedLocations(_ frames: inout [ResolvedFrame]) {
  var first: Int?
  for index in frames.indices {
    if frames[index].captured.isInlined {
      if first == nil { first = index }
      continue
    }
    defer { first = nil }
    guard let start = first, frames[index].resolution == .debugInfo,
      frames[start..<index].allSatisfy({ $0.captured.address == frames[index].captured.address })
    else { continue }
    share(frames[index].locations, among: &frames[start...index])
  }
}

/// Splits a chain among the report's inlined frames; those are ignored if the two don't match.
private func share(_ chain: [SourceFrame], among frames: inout ArraySlice<ResolvedFrame>) {
  let inlined = frames.indices.dropLast()
  var rest = chain[...]
  for (index, end) in zip(inlined, ends(of: frames[inlined], in: chain)) {
    frames[index].locations = Array(rest[..<end])
    rest = rest[end...]
  }
  if rest.count == chain.count { for index in inlined { frames[index].supersede() } }
  frames[frames.endIndex - 1].locations = Array(rest)
}

/// The end of each inlined frame's part of the chain; empty if the frames don't match.
///
/// If the numbers of functions are equal, they correspond in order. Otherwise the frames' names decide.
private func ends(of inlined: ArraySlice<ResolvedFrame>, in chain: [SourceFrame]) -> [Int] {
  if chain.count == inlined.count + 1 { return Array(1...inlined.count) }
  var ends: [Int] = []
  var start = 0
  for frame in inlined {
    guard let name = frame.captured.reportedSymbol,
      let match = chain.dropLast()[start...].firstIndex(where: { $0.isNamed(name) })
    else { return [] }
    start = match + 1
    ends.append(start)
  }
  return ends
}

extension SourceFrame {
  /// Whether a report means this function. Reporters abbreviate names in different ways, so only the identifier is
  /// compared: `discounted` of `Shop.discounted(_:)`, `f` of `closure #1 in f(x:)`.
  func isNamed(_ name: String) -> Bool {
    if function == name || linkageName == name { return true }
    let words = name.prefix { $0 != "(" && $0 != "<" }.split(whereSeparator: isPunctuation)
    guard let identifier = words.last else { return false }
    return function?.split(whereSeparator: isPunctuation).contains(identifier) ?? false
  }
}

private func isPunctuation(_ character: Character) -> Bool {
  !character.isLetter && !character.isNumber && character != "_" && character != "$"
}

extension ResolvedFrame {
  /// Keeps only the report's statements, since the debug file has another inline chain here.
  fileprivate mutating func supersede() {
    locations = []
    resolution = captured.reportedSymbol == nil ? .unresolved : .asReported
    reason = .superseded
  }
}
