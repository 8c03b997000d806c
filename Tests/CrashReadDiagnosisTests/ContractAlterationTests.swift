import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

/// A change to a contract's example after which the contract must not explain it.
enum Alteration: String, CaseIterable, Sendable {
  /// The API runs on a thread that did not crash.
  case otherThread
  /// Instead, the CPU rejected a memory access.
  case otherStop
  /// Only the functions that stop programs remain on the stack.
  case machineryAlone
  /// The API called the app, which stopped the program itself.
  case belowTheApp
}

/// Reports in which an API is on the stack that is unrelated to the stop.
@Suite("Contracts of altered reports") struct ContractAlterationTests {
  private typealias Example = ContractExampleTests.Example

  private static let machinery = Knowledge.embedded.roles.machinery

  private static func isMachinery(_ name: String) -> Bool {
    machinery.matches(name)
  }

  /// The report with one thing changed, and the frames of another thread; its message, which alone is
  /// evidence, is removed.
  private func altered(_ example: Example, _ alteration: Alteration) -> (Example, [String]) {
    var altered = example
    altered.text = nil
    altered.exceptionName = nil
    // The names of these functions are the message, which is removed, too.
    let frames = (example.frames ?? []).filter {
      !$0.contains("_BUG_IN_CLIENT_OF_") && !$0.hasPrefix("Swift runtime failure: ")
    }
    let stopping = frames.filter(Self.isMachinery)
    switch alteration {
    case .otherThread:
      altered.frames = stopping + ["@app Tide.turn()"]
      return (altered, frames.filter { !Self.isMachinery($0) })
    case .otherStop: altered.stop = "fault"
    case .machineryAlone: altered.frames = stopping
    case .belowTheApp:
      altered.frames = stopping + ["@app Tide.turn()"] + frames.filter { !Self.isMachinery($0) }
    }
    return (altered, [])
  }

  @Test("A message beside a fault or a kill is certain only if the API stops programs like that")
  func messages() throws {
    // A third of them, in turn beside a fault and a kill, since each takes a whole diagnosis.
    let entries = ContractExampleTests.entries.enumerated().filter { $0.offset.isMultiple(of: 3) }
    for (index, entry) in entries {
      let stop: ProgramStop = index.isMultiple(of: 2) ? .fault : .kill
      for example in entry.examples where example.text != nil && example.frames == nil {
        var altered = example
        (altered.stop, altered.exceptionName) = (stop.rawValue, nil)
        let diagnosis = try ContractExampleTests().diagnose(altered)
        let contract = ContractTable.embedded.contracts.first { $0.id == diagnosis.contract }
        // What is only logged stands below the stop, which is certain.
        let stopsSo = contract?.alternatives.contains { $0.stops.contains(stop) || $0.isOnlyLogged } ?? true
        #expect(stopsSo || diagnosis.explanation.confidence != .certain, "\(entry.id), \(stop)")
      }
    }
  }

  @Test("are never certain", arguments: Alteration.allCases)
  func certainty(_ alteration: Alteration) throws {
    let all = ContractExampleTests.entries.filter { $0.examples.contains { $0.frames != nil } }
    let entries = stride(from: 0, to: all.count, by: max(1, all.count / 125)).map { all[$0] }
    #expect(entries.count >= 125)
    for entry in entries {
      guard let example = entry.examples.first(where: { $0.frames != nil }) else { continue }
      let (report, other) = altered(example, alteration)
      let diagnosis = try ContractExampleTests().diagnose(report, besides: other)
      let isCertain = diagnosis.contract != nil && diagnosis.explanation.confidence == .certain
      #expect(!isCertain, "\(alteration) of \(entry.id) became \(diagnosis.contract ?? "")")
    }
  }
}
