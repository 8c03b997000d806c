/// A section of the system's notes, one per line; a blank line ends it.
struct RemarkSection: SectionReader {
  private let heading: String
  /// Whether lines are relevant: in "External Modification Summary", only what others did to this process is.
  private var isConcerned: Bool
  private var isOver = false

  init(heading: String) {
    self.heading = heading
    isConcerned = heading != SystemRemark.externalModification
  }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    if line.isBlank { isOver = true }
    if isOver { return }
    if line.text.hasPrefix("Calls made by ") {
      isConcerned = line.text.hasPrefix("Calls made by other processes targeting this process")
    } else if isConcerned, line.keyAndValue?.value.equals("0") != true {
      draft.report.addRemark(heading, line.text.string)
    }
  }

  mutating func finish(_ draft: inout TextDraft) {}
}
