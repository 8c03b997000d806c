internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

extension SymbolicatedReport {
  /// The variables of the frame where the thread stopped, if it is the app's, and of the blamed frame.
  func variables(blamed: BlamedFrame?, faultAddress: UInt64?) -> [FrameVariables] {
    var wanted: [(thread: Int?, frame: Int)] = []
    // Frame 0 can be listed as several frames: one for each function inlined there, followed by the real one.
    if let thread = report.crashedThread, threads.indices.contains(thread) {
      let inlined = threads[thread].prefix { $0.captured.isInlined }.count
      wanted += threads[thread].indices.prefix(min(inlined, 64) + 1).filter { threads[thread][$0].isInApp }
        .map { (thread, $0) }
    }
    if let blamed, !wanted.contains(where: { $0 == (blamed.thread, blamed.frame) }) {
      wanted.append((blamed.thread, blamed.frame))
    }
    return wanted.compactMap { thread, frame in
      let found = variables(ofFrame: frame, thread: thread, faultAddress: faultAddress)
      return found.contains { !$0.isEmpty }
        ? FrameVariables(thread: thread, frame: frame, locations: found) : nil
    }
  }
}

/// Finds the member at a fault address, if a pointer variable of the innermost function with such a variable fits.
struct FaultStatementBuilder {
  let symbolicated: SymbolicatedReport
  let facts: CrashFacts
  let texts: Texts

  /// A member that fits, and its location.
  private struct Candidate {
    var variable: Variable
    var source: EvidenceSource
    var member: FaultMember
  }

  /// The maximum number of members listed.
  private static let maximumCandidates = 4
  /// The lowest value that identifies a pointer; a lower one is null plus an offset.
  private static let minimumPointer: UInt64 = 0x1_0000

  /// The statement about a fault address; nil when no variable fits, or too many do.
  func statement(_ frames: [FrameVariables], fault: Fact<UInt64>?) -> FaultStatement? {
    guard let fault, !facts.has(.access, MemoryAccess.execute.rawValue) else { return nil }
    var isInnermost = true
    for frame in frames where frame.thread == symbolicated.report.crashedThread {
      for (location, variables) in frame.locations.enumerated() {
        let candidates = variables.enumerated().flatMap { index, variable in
          let source = EvidenceSource.variable(frame.reference, location: location, index: index)
          return variable.faultMembers.map { Candidate(variable: variable, source: source, member: $0) }
        }
        if !candidates.isEmpty {
          return statement(
            withoutAliases(candidates), fault, locationText: locationText(frame, location),
            isInnermost: isInnermost)
        }
        isInnermost = false
      }
    }
    return nil
  }

  /// Keeps the first of several variables that point to the same object: `self`, and a local that was copied from it.
  private func withoutAliases(_ candidates: [Candidate]) -> [Candidate] {
    guard let first = candidates.first, case .known(_, let pointer?) = first.variable.value,
      pointer >= Self.minimumPointer, first.member.isExact
    else { return candidates }
    let areAliases = candidates.allSatisfy {
      $0.variable.value == first.variable.value && $0.member.type == first.member.type
    }
    return areAliases ? [first] : candidates
  }

  private func statement(
    _ candidates: [Candidate], _ fault: Fact<UInt64>, locationText: String?, isInnermost: Bool
  ) -> FaultStatement? {
    guard candidates.count <= Self.maximumCandidates, let first = candidates.first,
      let template = texts.faultMember[key(candidates)]
    else { return nil }
    var values: [String: String] = [:]
    values["members"] = candidates.map(\.member.expression).joined(separator: ", ")
    values["member"] = first.member.expression
    values["offset"] = String(first.member.offset)
    values["type"] = first.member.type
    values["variable"] = first.variable.name
    values["value"] = first.variable.value.text
    values["place"] = locationText
    return FaultStatement(
      text: template.filled(with: values), confidence: confidence(candidates, isInnermost),
      evidence: [fault.evidence] + candidates.enumerated().flatMap(evidence),
      members: candidates.map(\.member))
  }

  private func key(_ candidates: [Candidate]) -> String {
    if candidates.count > 1 { return "several" }
    return facts.words[.access]?.first?.value ?? "access"
  }

  /// The confidence. A pointer that isn't null identifies what was accessed. A null one equals every other null
  /// pointer, so the access may have used a value without a name.
  private func confidence(_ candidates: [Candidate], _ isInnermost: Bool) -> Confidence {
    guard candidates.count == 1, candidates[0].member.isExact,
      case .known(_, let pointer?) = candidates[0].variable.value
    else { return .hint }
    if pointer >= Self.minimumPointer { return .certain }
    return isInnermost ? .likely : .hint
  }

  /// The pointer's value, and the offset of the member in its type.
  private func evidence(_ member: Int, _ candidate: Candidate) -> [Evidence] {
    [
      Evidence(candidate.source, candidate.variable.value.text ?? ""),
      Evidence(.memberOffset(member), String(candidate.member.offset)),
    ]
  }

  private func locationText(_ frame: FrameVariables, _ location: Int) -> String? {
    guard let thread = frame.thread, symbolicated.threads.indices.contains(thread),
      symbolicated.threads[thread].indices.contains(frame.frame)
    else { return nil }
    let locations = symbolicated.threads[thread][frame.frame].locations
    guard locations.indices.contains(location), let source = locations[location].location,
      let line = source.line
    else { return nil }
    return "\(source.fileName):\(line)"
  }
}

extension VariableValue {
  /// The value as text; nil when it isn't known.
  var text: String? { if case .known(let text, _) = self { text } else { nil } }
}
