/// What one pass over a text shows of damage, so that clean text costs no more than that pass.
struct TextSurvey {
  private(set) var hasNUL = false
  private(set) var hasHighBytes = false
  private(set) var hasAmpersand = false
  /// Lines that aren't blank.
  private(set) var lineCount = 0
  /// Lines that begin with `>`, behind blanks at most.
  private(set) var quotedCount = 0
  /// Lines that open or close a Markdown code block.
  private(set) var fenceCount = 0
  /// The blanks that all lines begin with.
  private(set) var indentation = Int.max
  /// The list mark that all lines begin with; nil when they don't.
  private(set) var listMark: UInt8?
  /// The number before the last line, when all lines begin with one and each is higher than that before it.
  private(set) var lastNumber: UInt64?
  /// Lines that begin with a time.
  private(set) var stampedCount = 0
  /// Whether lines begin or end with tags of preformatted text.
  private(set) var hasTags = false
  /// Whether a line has no address behind its number, so that not all lines are frames.
  private(set) var numbersOtherLines = false

  init(_ bytes: [UInt8]) {
    var position = byteOrderMarkLength(bytes)
    var high: UInt8 = 0
    while position < bytes.endIndex {
      let start = position
      while position < bytes.endIndex, bytes[position].isBlank { position += 1 }
      let text = position
      while position < bytes.endIndex {
        let byte = bytes[position]
        high |= byte
        if byte <= 0x26 {
          if byte == 0x0a || byte == 0x0d { break }
          if byte == 0x26 { hasAmpersand = true }
          if byte == 0 { hasNUL = true }
        }
        position += 1
      }
      if position > text { see(bytes[text..<position], indentation: text - start) }
      position = startOfNextLine(in: bytes[...], from: position)
    }
    hasHighBytes = high >= 0x80
  }

  private mutating func see(_ line: Bytes, indentation: Int) {
    guard let first = line.first else { return }
    self.indentation = min(self.indentation, indentation)
    if first == UInt8(ascii: ">") { quotedCount += 1 }
    if isFence(line) || line.last == UInt8(ascii: "`") && line.trimmedEnd.hasSuffix("```") { fenceCount += 1 }
    if first == UInt8(ascii: "<") || line.last == UInt8(ascii: ">") { hasTags = hasTags || hasTag(line) }
    if first.isDigit || first == UInt8(ascii: "[") || first == UInt8(ascii: "(") {
      if withoutTimestamp(line) != nil { stampedCount += 1 }
    }
    if lineCount == 0 || listMark != nil {
      listMark = Self.listMark(line).flatMap { lineCount == 0 || $0 == listMark ? $0 : nil }
    }
    if lineCount == 0 || lastNumber != nil { seeNumber(line) }
    lineCount += 1
  }

  private static func listMark(_ line: Bytes) -> UInt8? {
    guard let mark = line.first, line.count == 1 || line.dropFirst().first == 0x20 else { return nil }
    return "-*+|".utf8.contains(mark) ? mark : nil
  }

  private mutating func seeNumber(_ line: Bytes) {
    let found = numbered(line)
    guard let found, lastNumber.map({ found.number > $0 }) ?? true else {
      lastNumber = nil
      return
    }
    lastNumber = found.number
    if found.rest.firstRange(of: "0x") == nil { numbersOtherLines = true }
  }
}

/// Whether a line opens or closes a Markdown code block.
func isFence(_ line: Bytes) -> Bool {
  guard let first = line.first, first == UInt8(ascii: "`") || first == UInt8(ascii: "~") else { return false }
  return line.hasPrefix("```") || line.hasPrefix("~~~")
}

/// Takes `12: `, `12 | `, `12. `, `12) ` or `12` and a TAB or blank off a line; nil when no number stands there.
func numbered(_ line: Bytes) -> (number: UInt64, rest: Bytes)? {
  let text = line.trimmedStart
  guard let first = text.first, first.isDigit else { return nil }
  let digits = text.prefix { $0.isDigit }
  guard let number = digits.decimalValue else { return nil }
  let rest = text[digits.endIndex...]
  if let mark = rest.trimmedStart.first, ":|.)".utf8.contains(mark) {
    return (number, rest.trimmedStart.dropFirst().drop(atMost: 1, 0x20))
  }
  guard let blank = rest.first else { return (number, rest) }
  return blank.isBlank ? (number, rest.dropFirst()) : nil
}
