internal import CrashReadCore

/// Reads one line of a Swift backtrace: `3 [ra] [system] 0x1f00 f(_:) + 12 in libA.so at /a.swift:3:9`.
///
/// All but the number can be absent. The friendly format omits addresses. Symbols and paths contain blanks, so the
/// line is split at the words between them.
struct SwiftLogFrame {
  private(set) var frame: Frame

  /// Reads a line; nil when it isn't a frame, or not the one with the next number.
  init?(_ line: Line, next: Int) {
    guard let (digits, rest) = line.text.firstWord(), digits.count <= 6, let number = digits.decimalValue
    else { return nil }
    frame = Frame(kind: number == 0 ? .programCounter : .returnAddress, address: nil)
    frame.number = Int(number)
    frame.line = line.number
    let tail = readAttributes(rest.trimmedStart)
    if tail.equals("...") {
      frame.kind = .truncated
    } else if let (word, after) = tail.firstWord(), let address = word.prefixedHexValue {
      frame.address = RuntimeAddress(address)
      readText(after.trimmed)
    } else if tail.equals("null"), frame.number == next {
      // The address 0, to which a null function pointer leads.
      frame.address = RuntimeAddress(0)
    } else {
      // Without an address, a number and a text could be anything.
      guard frame.number == next else { return nil }
      if let (name, place) = tail.lastWord(), SanitizerReport.isLocation(place),
        Self.location(in: tail) == nil
      {
        // People shorten a line to the function and its place.
        readLocation(place)
        readName(name.trimmed)
      } else {
        guard tail.firstRange(of: " in ") != nil else { return nil }
        readText(tail.trimmed)
      }
    }
  }

  private mutating func readAttributes(_ text: Bytes) -> Bytes {
    var text = text
    var isMarked = false
    while text.first == UInt8(ascii: "["), let (word, rest) = text.firstWord() {
      if word.equals("[ra]") {
        frame.kind = .returnAddress
        isMarked = true
      } else if word.equals("[async]") {
        frame.kind = .asyncResumePoint
        isMarked = true
      } else if word.equals("[inlined]") {
        frame.isInlined = true
      }
      text = rest.trimmedStart
    }
    // A frame with an address and without these marks is where the thread was executing, or inlined there.
    if !isMarked, text.hasPrefix("0x") { frame.kind = .programCounter }
    return text
  }

  private mutating func readText(_ text: Bytes) {
    var text = text
    if let location = Self.location(in: text) {
      readLocation(text[location.upperBound...])
      text = text[..<location.lowerBound]
    }
    if let mark = Self.lastRange(of: " in ", in: text) {
      frame.imageName = text[mark.upperBound...].trimmed.nonEmptyString
      text = text[..<mark.lowerBound]
    }
    readName(text)
  }

  private mutating func readName(_ text: Bytes) {
    var text = text
    if let (rest, number) = text.lastWord(), let offset = number.decimalValue,
      let (name, plus) = rest.lastWord(), plus.equals("+")
    {
      frame.reportedSymbolOffset = offset
      text = name
    }
    if !text.trimmed.equals("<unknown>") { frame.reportedSymbol = text.trimmed.nonEmptyString }
  }

  /// The range of an ` at ` that precedes an absolute path; nil when there is none.
  private static func location(in text: Bytes) -> Range<Int>? {
    var start = text.startIndex
    while let mark = text[start...].firstRange(of: " at ") {
      let path = text[mark.upperBound...]
      if path.first == UInt8(ascii: "/") || path.dropFirst().hasPrefix(":\\") { return mark }
      start = mark.upperBound - 1
    }
    return nil
  }

  private static func lastRange(of mark: StaticString, in text: Bytes) -> Range<Int>? {
    let length = mark.utf8CodeUnitCount
    guard text.count >= length else { return nil }
    return (text.startIndex...(text.endIndex - length)).last { text[$0...].hasPrefix(mark) }
      .map { $0..<$0 + length }
  }

  /// Reads `/a.swift:12:3`; the numbers may be absent.
  private mutating func readLocation(_ text: Bytes) {
    var file = text.trimmedEnd
    var line: UInt64?
    for _ in 0..<2 {
      guard let colon = file.lastIndex(of: UInt8(ascii: ":")), let number = file[(colon + 1)...].decimalValue
      else { break }
      line = number
      file = file[..<colon]
    }
    frame.reportedFile = file.nonEmptyString
    frame.reportedLine = line.flatMap { $0 == 0 ? nil : Int(exactly: $0) }
  }
}
