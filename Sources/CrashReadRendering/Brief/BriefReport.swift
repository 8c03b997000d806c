internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// How the reader of a brief answer can request more; raw values are those of `--brief`.
package enum BriefAudience: String, Sendable, CaseIterable {
  /// With options of the command.
  case options
  /// With tools of `crashread mcp`.
  case tools
}

/// Limits for the parts of a brief answer.
package struct BriefShape {
  /// The maximum length of a text in Unicode scalars.
  var text: Int
  /// The maximum length of a name, a path or a line of source, in Unicode scalars.
  var name: Int
  var evidence: Int
  var advice: Int
  /// The number of source lines before and after the marked one.
  var source: Int
  var frames: Int
  var variables: Int
  var missing: Int

  /// All shapes, from the usual one to one that is small enough for any report.
  static let all = [
    BriefShape(
      text: 600, name: 160, evidence: 4, advice: 3, source: 2, frames: 8, variables: 6, missing: 2),
    BriefShape(
      text: 400, name: 120, evidence: 3, advice: 2, source: 2, frames: 6, variables: 4, missing: 2),
    BriefShape(
      text: 300, name: 100, evidence: 2, advice: 1, source: 1, frames: 4, variables: 3, missing: 1),
    BriefShape(text: 200, name: 80, evidence: 1, advice: 1, source: 0, frames: 2, variables: 1, missing: 1),
    BriefShape(text: 100, name: 60, evidence: 1, advice: 0, source: 0, frames: 1, variables: 0, missing: 0),
    BriefShape(text: 24, name: 20, evidence: 1, advice: 0, source: 0, frames: 1, variables: 0, missing: 0),
  ]

  /// The maximum size of an answer in any form, including its line feed.
  package static let maximumBytes = 4096

  /// The first shape that is small enough.
  static func fitting(_ form: (BriefShape) -> String) -> String {
    var text = ""
    for shape in all {
      text = form(shape)
      if text.utf8.count <= maximumBytes { break }
    }
    return text
  }
}

/// The information needed first to fix the bug, in short texts that aren't escaped yet.
struct BriefReport {
  let view: ReportView
  let shape: BriefShape
  private let audience: BriefAudience

  init(_ view: ReportView, _ shape: BriefShape) {
    (self.view, self.shape) = (view, shape)
    audience = view.style.brief ?? .options
  }

  private var explanation: Explanation { view.explanation }

  /// A text, truncated at its end if it is too long.
  func text(_ text: String) -> String { text.truncated(toScalars: shape.text) }
  /// A name, truncated at its end if it is too long.
  func name(_ text: String) -> String { text.truncated(toScalars: shape.name) }
  /// A path, truncated at its beginning if it is too long, since its end is more informative.
  func path(_ text: String) -> String {
    let scalars = text.unicodeScalars
    let cut = scalars.suffix(shape.name)
    return cut.startIndex == scalars.startIndex ? text : "…" + String(cut)
  }

  var evidence: [String] {
    explanation.evidence.prefix(shape.evidence).map { text(view.evidenceText.line($0)) }
  }

  var advice: [String] { explanation.advice.prefix(shape.advice).map(text) }

  /// Further statements, the member at the fault address, and who changed the line.
  var findings: [String] {
    let others =
      view.newFindings.map(\.text) + [view.diagnosis.faultStatement?.text, view.blame].compactMap(\.self)
    return others.prefix(shape.advice).map(text)
  }

  /// The source around the blamed line, which is marked.
  var source: [String] {
    guard let excerpt = view.analysis.excerpt else { return [] }
    return excerpt.numberedLines.filter { abs($0.number - excerpt.markedLine) <= shape.source }.map {
      ($0.number == excerpt.markedLine ? "> " : "  ") + "\($0.number): " + name($0.text)
    }
  }

  /// The variables of the blamed frame that have a value, otherwise those of the frame where the program stopped.
  var variables: [String] {
    let found = view.diagnosis.variables
    let blamed = view.diagnosis.blamed
    let own = found.first { $0.thread == blamed?.thread && $0.frame == blamed?.frame } ?? found.first
    let known = (own?.locations.joined() ?? [].joined()).compactMap(knownValue)
    return known.prefix(shape.variables).map(name)
  }

  private func knownValue(_ variable: Variable) -> String? {
    guard case .known(let value, _) = variable.value else { return nil }
    return "\(variable.name) = \(value)"
  }

  /// Images of the app whose debug files are missing, and how to provide them.
  var missing: [String] {
    let frames = principal?.frames ?? []
    let images = Set(frames.filter { $0.isInApp && $0.locations.isEmpty }.compactMap(\.image)).sorted()
    return images.filter { view.symbolicated.images[$0].status != .matched }.prefix(shape.missing).map {
      let image = view.report.images[$0]
      let what = [image.name ?? image.path ?? "???", image.id?.description, image.architecture?.rawValue]
      let advice = view.labels.advice(view.symbolicated.images[$0].status, hasIdentity: image.id != nil)
      return text(what.compactMap(\.self).joined(separator: " ") + ": " + advice)
    }
  }

  /// The options or tools that give what was left out.
  var more: [String] {
    let others = view.otherThreads.threadCount
    switch audience {
    case .options:
      return (others > 0 ? ["--all-threads (\(others))"] : []) + ["--why", "--format=json"]
    case .tools:
      return (others > 0 ? ["thread {number} (\(others))"] : []) + ["analyze {detail: text|json}"]
    }
  }
}

// MARK: - Frames

/// One function of a backtrace.
struct BriefFrame {
  /// The frame's number in the report.
  var number: String
  var image: String
  var row: FunctionRow
  var isBlamed: Bool
}

extension BriefReport {
  /// The backtrace that explains the crash: that of the blamed frame, otherwise the first; nil when there is none.
  var principal: Backtrace? {
    let backtraces = view.principalBacktraces
    return backtraces.first { $0.blamed != nil } ?? backtraces.first
  }

  /// The relevant functions, innermost first: the blamed one, where the program stopped, what raised the exception, and
  /// the app's own.
  var frames: [BriefFrame] {
    guard let principal else { return [] }
    var found: [(rank: Int, frame: BriefFrame)] = []
    for case .frame(let index) in principal.rows {
      let frame = principal.frames[index]
      for (position, row) in view.rows(frame).enumerated() {
        let isBlamed = index == principal.blamed && position == principal.blamedRow
        let rank = isBlamed ? 0 : rank(index, frame, in: principal)
        found.append(
          (
            rank,
            BriefFrame(
              number: view.number(frame, at: index), image: view.imageName(frame), row: row,
              isBlamed: isBlamed)
          ))
      }
    }
    let order = found.indices.sorted { (found[$0].rank, $0) < (found[$1].rank, $1) }
    return order.prefix(shape.frames).sorted().map { found[$0].frame }
  }

  private func rank(_ index: Int, _ frame: ResolvedFrame, in backtrace: Backtrace) -> Int {
    let isRaiser = view.diagnosis.raisedBy.map { $0.frame == index && backtrace.blamed != nil } ?? false
    if index == 0 || isRaiser { return 1 }
    if frame.isInApp { return 2 }
    return index < backtrace.blamed ?? 0 ? 3 : 4
  }
}
