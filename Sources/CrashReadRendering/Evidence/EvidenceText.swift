internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Evidence as text in a language.
struct EvidenceText {
  let diagnosis: Diagnosis
  let labels: any Labels

  /// A quote after the label of its source: `Exception Codes: 0x1, 0x10`.
  func line(_ evidence: Evidence) -> String {
    let meaning = evidence.meaning.map { " = " + $0 } ?? ""
    return [label(evidence.source), evidence.quote + meaning].filter { !$0.isEmpty }.joined(separator: ": ")
  }

  /// The label of a source.
  func label(_ source: EvidenceSource) -> String {
    switch source {
    case .field(.queue(let thread)): labels.field(.queue(thread: number(ofThread: thread)))
    case .field(let field): labels.field(field)
    case .frame(let frame): label(frame)
    case .register(_, let name): labels.register(name, RegisterRole(name))
    case .code(let thread): labels.code(labels.backtrace(named(.thread(thread))))
    case .image(let index): labels.image(imageName(index))
    case .variable(let frame, let location, let index): variable(frame, location, index)
    case .memberOffset(let index): labels.memberOffset(member(index))
    }
  }

  /// A frame, by the numbers of the frame and its thread in the report.
  func label(_ reference: FrameReference) -> String {
    let frames = diagnosis.symbolicated.frames(of: reference.backtrace)
    guard frames.indices.contains(reference.frame) else {
      return labels.backtrace(named(reference.backtrace))
    }
    let frame = frames[reference.frame]
    let number = frame.isRecovered ? nil : frame.captured.number ?? reference.frame
    return labels.frame(number, of: labels.backtrace(named(reference.backtrace)))
  }

  private func named(_ backtrace: BacktraceReference) -> BacktraceName {
    switch backtrace {
    case .thread(let index): return .thread(number(ofThread: index))
    case .lastException: return .lastException
    case .applicationSpecific(let index): return .applicationSpecific(index)
    }
  }

  /// The number of a thread in the report.
  private func number(ofThread index: Int) -> Int {
    let threads = diagnosis.symbolicated.report.threads
    return threads.indices.contains(index) ? threads[index].index : index
  }

  private func imageName(_ index: Int) -> String {
    let images = diagnosis.symbolicated.report.images
    return images.indices.contains(index) ? images[index].name ?? images[index].path ?? "" : ""
  }

  private func variable(_ reference: FrameReference, _ location: Int, _ index: Int) -> String {
    let found = diagnosis.variables.first { $0.reference == reference }?.locations ?? []
    guard found.indices.contains(location), found[location].indices.contains(index) else {
      return label(reference)
    }
    return labels.variable(found[location][index].name, found[location][index].type)
  }

  private func member(_ index: Int) -> String {
    let members = diagnosis.faultStatement?.members ?? []
    return members.indices.contains(index) ? members[index].expression : ""
  }
}

/// A backtrace, by its thread's number in the report.
enum BacktraceName {
  case thread(Int)
  case lastException
  case applicationSpecific(Int)
}

/// The register's role.
enum RegisterRole {
  case general, programCounter, faultAddress, exceptionSyndrome, pageFaultError, trapNumber

  init(_ name: String) {
    switch name {
    case "esr": self = .exceptionSyndrome
    case "err": self = .pageFaultError
    case "trap": self = .trapNumber
    case _ where ThreadState.faultAddressNames.contains(name): self = .faultAddress
    case _ where ThreadState.programCounterNames.contains(name): self = .programCounter
    default: self = .general
    }
  }
}
