internal import CrashReadCore

/// Reads a function of a call tree, from the text after the number of samples.
///
/// `sample` prints `symbol  (in Image) + 12  [0x104]  main.m:15`, and `spindump` `symbol + 12 (Image + 340) [0x104]`
/// followed by what the thread was doing. Symbols and image names contain blanks and parentheses, so parsing starts
/// at the address, and the image is in the last parentheses before it.
struct SampledFrame {
  private(set) var frame: Frame
  /// The state of a thread in this node, such as `running` or `blocked by …`.
  private(set) var state: String?

  init(_ text: Bytes, line: Int) {
    frame = Frame(kind: .programCounter, address: nil)
    frame.line = line
    var head = text
    if let (before, address, after) = Self.splitAtAddress(text) {
      frame.address = RuntimeAddress(address)
      head = before
      readTail(after.trimmed)
    }
    head = head.trimmedEnd
    if let mark = head.firstRange(of: "  (in ") {
      readSymbol(head[..<mark.lowerBound])
      readSampleImage(head[mark.upperBound...])
    } else if let (before, inside) = head.splitAtLastParentheses() {
      readSymbol(before)
      readSpindumpImage(inside)
    } else {
      readSymbol(Self.withoutTruncatedImage(head))
    }
  }

  /// The text without an image whose name is truncated: `f + 12 (libsystem_`.
  private static func withoutTruncatedImage(_ text: Bytes) -> Bytes {
    guard let open = text.lastIndex(of: UInt8(ascii: "(")), open > text.startIndex, text[open - 1].isBlank,
      !text[open...].contains(UInt8(ascii: ")"))
    else { return text }
    return text[..<open].trimmedEnd
  }

  /// Finds `[0x104]`, `[0x104,0x108,…]` or `[0]`; of several addresses the first is taken.
  private static func splitAtAddress(_ text: Bytes) -> (before: Bytes, address: UInt64, after: Bytes)? {
    var rest = text
    while let open = rest.firstIndex(of: UInt8(ascii: "[")) {
      // A number can't contain a bracket, so no byte is examined again for each bracket before it.
      let number = text[(open + 1)...].prefix { $0.isHexDigit || $0 | 0x20 == UInt8(ascii: "x") }
      rest = text[number.endIndex...]
      guard rest.first == UInt8(ascii: "]") || rest.first == UInt8(ascii: ","),
        let address = number.prefixedHexValue ?? (number.equals("0") ? 0 : nil)
      else { continue }
      guard let close = rest.firstIndex(of: UInt8(ascii: "]")) else { return nil }
      return (text[..<open], address, text[(close + 1)...])
    }
    return nil
  }

  private mutating func readSymbol(_ text: Bytes) {
    var text = text
    if let (before, offset) = FrameLine.trailingOffset(text) {
      frame.reportedSymbolOffset = offset
      text = before
    }
    frame.reportedSymbol = text.equals("???") ? nil : text.trimmed.nonEmptyString
    if frame.reportedSymbol == nil { frame.reportedSymbolOffset = nil }
  }

  /// Reads `Image) + 12` or `Image)  load address 0x100 + 0x34`.
  private mutating func readSampleImage(_ text: Bytes) {
    var name = text
    while let close = name.lastIndex(of: UInt8(ascii: ")")) {
      let rest = text[(close + 1)...].trimmed
      if rest.isEmpty || rest.hasPrefix("+ ") || rest.hasPrefix("load address ") {
        frame.imageName = text[..<close].nonEmptyString
        return readSampleOffset(rest)
      }
      name = text[..<close]
    }
  }

  private mutating func readSampleOffset(_ text: Bytes) {
    guard let plus = text.firstIndex(of: UInt8(ascii: "+")) else { return }
    let number = text[(plus + 1)...].trimmed.prefix { $0 != UInt8(ascii: ",") }
    guard let offset = number.numberValue else { return }
    if plus == text.startIndex {
      if frame.reportedSymbol != nil { frame.reportedSymbolOffset = offset }
    } else {
      frame.imageOffset = ImageOffset(offset)
    }
  }

  /// Reads `Image + 340`, `main.m:15,7 in Image + 340`, or `Moon.swift in Image + 340`.
  private mutating func readSpindumpImage(_ text: Bytes) {
    var name = text
    if let (before, offset) = FrameLine.trailingOffset(text) {
      frame.imageOffset = ImageOffset(offset)
      name = before
    }
    if let mark = name.firstRange(of: " in ") {
      let location = name[..<mark.lowerBound]
      let line = location.lastIndex(of: UInt8(ascii: ",")).map { location[..<$0] } ?? location
      if takeSource(line) {
        name = name[mark.upperBound...]
      } else if !location.contains(0x20), location.contains(UInt8(ascii: ".")) {
        // Without a line, as for code that the compiler put into a file.
        frame.reportedFile = location.nonEmptyString
        name = name[mark.upperBound...]
      }
    }
    frame.imageName = name.equals("???") ? nil : name.nonEmptyString
  }

  /// Reads `(running)`, `(blocked by …) 3` or `main.m:15`.
  private mutating func readTail(_ text: Bytes) {
    if text.first == UInt8(ascii: "("), let close = text.lastIndex(of: UInt8(ascii: ")")) {
      state = text[(text.startIndex + 1)..<close].nonEmptyString
    } else {
      _ = takeSource(text)
    }
  }

  private mutating func takeSource(_ text: Bytes) -> Bool {
    guard let source = SourceMark(text) else { return false }
    frame.reportedFile = source.file
    frame.reportedLine = source.line
    return true
  }
}

/// A source location, `main.m:15`, as tools print it without parentheses.
struct SourceMark {
  let file: String
  /// The line; nil for 0, which means unknown.
  let line: Int?

  init?(_ text: Bytes) {
    guard let colon = text.lastIndex(of: UInt8(ascii: ":")), colon > text.startIndex,
      let number = text[(colon + 1)...].decimalValue
    else { return nil }
    file = text[..<colon].string
    line = number == 0 ? nil : Int(exactly: number)
  }
}
