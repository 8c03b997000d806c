/// The text of a report file, made readable: UTF-8, without what mail programs, web pages and editors put around
/// lines.
///
/// It matches the input line for line, so line numbers apply to both, unless line breaks were put back or the format of
/// RTF was removed. Undamaged text is used as is, without a copy.
package struct ReportText: Sendable {
  /// UTF-8, except for invalid single bytes, without a byte order mark.
  package private(set) var bytes: [UInt8]
  /// What was repaired, each with the first line it was found in.
  package private(set) var notes: [ReportNote] = []

  /// The maximum number of rounds: each repair can reveal further damage, but more rounds are never needed for
  /// accidental damage.
  private static let maximumRounds = 8

  /// Repairs the bytes of a file.
  package init(_ input: [UInt8]) {
    bytes = input
    transcode()
    decodeMail()
    var survey = TextSurvey(bytes)
    // Text doesn't contain NUL.
    guard !survey.hasNUL else { return }
    if survey.longestLine >= JoinedLines.minimumLength, let separated = JoinedLines.separated(bytes) {
      bytes = separated
      notes.append(ReportNote(line: 1, message: "missing line breaks were restored"))
      survey = TextSurvey(bytes)
    }
    for _ in 0..<Self.maximumRounds {
      guard repairOnce(survey) else { break }
      survey = TextSurvey(bytes)
    }
    if survey.hasHighBytes, let line = firstLineThatIsNotUTF8(bytes) {
      notes.append(ReportNote(line: line, message: "bytes that aren't UTF-8 were replaced"))
    }
  }

  private mutating func transcode() {
    if bytes.starts(with: [0xef, 0xbb, 0xbf]) { bytes.removeFirst(3) }
    if let order = UTF16ByteOrder(of: bytes) {
      bytes = order.utf8(bytes)
      notes.append(ReportNote(line: 1, message: "the text is UTF-16"))
    }
    if let text = RichText.plainText(bytes) {
      bytes = text
      notes.append(ReportNote(line: 1, message: "the text is RTF; its format was removed"))
    }
  }

  /// Decodes the source of a mail that was copied without its head, in which a `=` ends most of the long lines.
  private mutating func decodeMail() {
    guard bytes[...].firstRange(of: "=\n") != nil || bytes[...].firstRange(of: "=\r\n") != nil else { return }
    var (broken, long) = (0, 0)
    var lines = LineRanges(bytes[...])
    while let range = lines.next() {
      if range.count > Self.mailWidth { return }
      if range.count < Self.mailWidth - 20 { continue }
      long += 1
      if bytes[range].last == UInt8(ascii: "=") { broken += 1 }
    }
    guard broken >= 4, broken * 2 > long else { return }
    bytes = quotedPrintable(bytes[...])
    notes.append(ReportNote(line: 1, message: "quoted-printable text was decoded"))
  }

  /// The maximum length of a line in such a mail (RFC 2045, section 6.7), with a carriage return.
  private static let mailWidth = 78

  /// Applies the first repair that changes anything; false when none does.
  private mutating func repairOnce(_ survey: TextSurvey) -> Bool {
    for repair in LineRepair.all where repair.isNeeded(survey, bytes) {
      if apply(repair, survey) { return true }
    }
    return false
  }

  /// Rewrites the lines; false when none of them changed.
  private mutating func apply(_ repair: LineRepair, _ survey: TextSurvey) -> Bool {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var firstChange: Int?
    var number = 1
    var lines = LineRanges(bytes[...])
    while let range = lines.next() {
      let line = bytes[range]
      let repaired = repair.line(line, survey)
      if firstChange == nil, repaired.count != line.count || !repaired.elementsEqual(line) {
        firstChange = number
      }
      text.append(contentsOf: repaired)
      text.append(contentsOf: bytes[range.upperBound..<lines.position])
      number += 1
    }
    guard let firstChange else { return false }
    bytes = text
    if !notes.contains(where: { $0.message == repair.message }) {
      notes.append(ReportNote(line: firstChange, message: repair.message))
    }
    return true
  }
}

private func firstLineThatIsNotUTF8(_ bytes: [UInt8]) -> Int? {
  if String(validating: bytes, as: UTF8.self) != nil { return nil }
  return LineRanges(bytes[...]).enumerated().first { String(validating: bytes[$1], as: UTF8.self) == nil }
    .map { $0.offset + 1 }
}
