internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

// A few lines for formats with little room, not yet escaped.
extension ReportView {
  /// What happened, where and why, and who changed the line.
  var summaryLines: [String] {
    let location = [
      blamedFunction.map { "\(labels.inFunction) \($0)" },
      blamedLocationText.map { "\(labels.atLocation) \($0)" },
    ]
    let blame = blame.map { "\(labels.changed): \($0)" }
    let lines =
      [explanation.title, location.compactMap { $0 }.joined(separator: " "), explanation.text, blame ?? ""]
    return lines.filter { !$0.isEmpty }
  }

  /// The innermost functions of the blamed stack, one a line.
  func stackLines(limit: Int) -> [String] {
    var lines: [String] = []
    let frames = diagnosis.principalFrames
    // A frame gives at least one line, so no more frames are needed.
    for (index, frame) in frames.prefix(limit).enumerated() {
      for row in rows(frame) {
        let location = row.location == nil ? imageName(frame) : locationText(row)
        lines.append(
          (["#\(index) \(row.name)", location] + doubts(frame).map { "(\($0))" }).joined(separator: "  "))
      }
    }
    if lines.count > limit || frames.count > limit { return lines.prefix(limit) + ["…"] }
    return lines
  }
}
