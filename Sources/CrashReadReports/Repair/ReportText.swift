/// The text of a report file, made readable: UTF-8, and without what mail programs, web pages and editors put around
/// lines.
///
/// Line for line it is the input, so line numbers hold for both. Text without damage is taken as it is and not copied.
package struct ReportText: Sendable {
  /// UTF-8, but for single bytes that are none, and perhaps a byte order mark.
  package private(set) var bytes: [UInt8]
  /// What was repaired, each with the first line it was found in.
  package private(set) var notes: [ReportNote] = []

  /// Each repair can uncover another; more than these are no accident.
  private static let maximumRounds = 8

  /// Repairs the bytes of a file.
  package init(_ input: [UInt8]) {
    bytes = input
    transcode()
    var survey = TextSurvey(bytes)
    // What holds NUL is no text.
    guard !survey.hasNUL else { return }
    for _ in 0..<Self.maximumRounds {
      guard let repair = LineRepair.all.first(where: { $0.isNeeded(survey, bytes) }), apply(repair, survey)
      else {
        break
      }
      survey = TextSurvey(bytes)
    }
    if survey.hasHighBytes, let line = firstLineThatIsNotUTF8(bytes) {
      notes.append(ReportNote(line: line, message: "bytes that are no UTF-8 were replaced"))
    }
  }

  private mutating func transcode() {
    guard let order = UTF16ByteOrder(of: bytes) else { return }
    bytes = order.utf8(bytes)
    notes.append(ReportNote(line: 1, message: "the text is UTF-16"))
  }

  /// Rewrites the lines; false when none of them changed.
  private mutating func apply(_ repair: LineRepair, _ survey: TextSurvey) -> Bool {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count)
    var firstChange: Int?
    var number = 1
    var position = byteOrderMarkLength(bytes)
    while position < bytes.endIndex {
      let end = endOfLine(in: bytes[...], from: position)
      let line = bytes[position..<end]
      let repaired = repair.line(line, survey)
      if repaired.count != line.count, firstChange == nil { firstChange = number }
      text.append(contentsOf: repaired)
      position = startOfNextLine(in: bytes[...], from: end)
      text.append(contentsOf: bytes[end..<position])
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

/// How many bytes a UTF-8 byte order mark takes at the start of a text.
func byteOrderMarkLength(_ bytes: some Collection<UInt8>) -> Int {
  bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
}

/// Where the line ends that goes on at a position: at LF, CR, or the end.
func endOfLine(in bytes: Bytes, from position: Int) -> Int {
  var end = position
  while end < bytes.endIndex, bytes[end] != 0x0a, bytes[end] != 0x0d { end += 1 }
  return end
}

/// Where the line behind the one that ends at a position begins: CR LF is one line end.
func startOfNextLine(in bytes: Bytes, from end: Int) -> Int {
  let isPair = end + 1 < bytes.endIndex && bytes[end] == 0x0d && bytes[end + 1] == 0x0a
  return Swift.min(end + (isPair ? 2 : 1), bytes.endIndex)
}

private func firstLineThatIsNotUTF8(_ bytes: [UInt8]) -> Int? {
  if String(validating: bytes, as: UTF8.self) != nil { return nil }
  var number = 1
  var position = 0
  while position < bytes.endIndex {
    let end = endOfLine(in: bytes[...], from: position)
    if String(validating: bytes[position..<end], as: UTF8.self) == nil { return number }
    position = startOfNextLine(in: bytes[...], from: end)
    number += 1
  }
  return nil
}
