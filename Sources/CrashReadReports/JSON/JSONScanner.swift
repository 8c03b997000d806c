internal import CrashReadCore

/// Scans a JSON text once and records the locations of its values.
struct JSONScanner {
  /// The next byte to read, as an offset from the start of the text.
  private(set) var position = 0
  /// Why reading stopped; nil while there is no error.
  private(set) var failure: JSONReader.Failure?
  /// Whether there is a failure: a single byte to test for each value.
  private var hasFailed = false
  private let maximumDepth: Int
  private var depth = 0
  /// The nodes of the value read last.
  private(set) var nodes: [JSONDocument.Node] = []

  init(depth: Int) { maximumDepth = depth }

  /// Reads one value into `nodes`; false when there is none, not even the beginning of one.
  mutating func scan(_ bytes: Span<UInt8>) -> Bool {
    nodes = []
    nodes.reserveCapacity(min(bytes.count / 12, 1 << 16))
    return readNode(bytes)
  }

  /// Reads a value and its descendants; false when there is none, not even the beginning of one.
  private mutating func readNode(_ bytes: Span<UInt8>) -> Bool {
    skipWhitespace(bytes)
    guard let byte = peek(bytes) else { return fail("the document ends here") }
    switch byte {
    case UInt8(ascii: "{"): return readContainer(.object, bytes)
    case UInt8(ascii: "["): return readContainer(.array, bytes)
    case UInt8(ascii: "\""): return readString(bytes)
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return readNumber(bytes)
    default: return readWord(bytes)
    }
  }

  @inline(__always)
  private func peek(_ bytes: Span<UInt8>) -> UInt8? { position < bytes.count ? bytes[position] : nil }

  /// Skips blanks and line breaks; most values have none before them.
  @inline(__always)
  private mutating func skipWhitespace(_ bytes: Span<UInt8>) {
    if let byte = peek(bytes), byte > 0x20, byte != UInt8(ascii: ".") { return }
    skipGap(bytes)
  }

  private mutating func skipGap(_ bytes: Span<UInt8>) {
    while let byte = peek(bytes) {
      if byte.isWhitespace {
        position += 1
      } else if byte == UInt8(ascii: "."), bytes.extracting(position...).begins(with: "...".utf8.span) {
        // An ellipsis, in place of something left out of an excerpt.
        position += 3
      } else {
        return
      }
    }
  }

  @inline(__always)
  private mutating func take(_ byte: UInt8, _ bytes: Span<UInt8>) -> Bool {
    skipWhitespace(bytes)
    guard peek(bytes) == byte else { return false }
    position += 1
    return true
  }

  @discardableResult
  mutating func fail(_ message: String) -> Bool {
    if !hasFailed { failure = JSONReader.Failure(position: position, message: message) }
    hasFailed = true
    return false
  }

  @inline(__always)
  private mutating func append(_ kind: JSONDocument.Node.Kind, from start: Int, to end: Int) {
    nodes.append(
      JSONDocument.Node(kind: kind, start: UInt32(start), end: UInt32(end), next: UInt32(nodes.count + 1)))
  }

  private mutating func readContainer(_ kind: JSONDocument.Node.Kind, _ bytes: Span<UInt8>) -> Bool {
    guard depth < maximumDepth else { return fail("it nests deeper than \(maximumDepth) levels") }
    depth += 1
    defer { depth -= 1 }
    let node = nodes.count
    append(kind, from: position, to: position)
    position += 1
    if kind == .object { readMembers(of: node, bytes) } else { readElements(bytes) }
    nodes[node].close(at: position, next: nodes.count)
    return true
  }

  private mutating func readMembers(of object: Int, _ bytes: Span<UInt8>) {
    while !hasFailed {
      if take(UInt8(ascii: "}"), bytes) { break }
      // An object left out of an excerpt, except for its opening brace.
      if nodes.count == object + 1, take(UInt8(ascii: "{"), bytes) { continue }
      let name = nodes.count
      if !readMember(bytes) { nodes.removeSubrange(name...) }
      endElement(before: UInt8(ascii: "}"), bytes)
    }
  }

  private mutating func readMember(_ bytes: Span<UInt8>) -> Bool {
    guard peek(bytes) == UInt8(ascii: "\"") else { return fail("a member's name is missing") }
    guard readString(bytes) else { return false }
    guard take(UInt8(ascii: ":"), bytes) else { return fail("a colon is missing") }
    return readNode(bytes)
  }

  private mutating func readElements(_ bytes: Span<UInt8>) {
    while !hasFailed {
      if take(UInt8(ascii: "]"), bytes) { break }
      _ = readNode(bytes)
      endElement(before: UInt8(ascii: "]"), bytes)
    }
  }

  /// Skips the comma after an element.
  ///
  /// A trailing comma is accepted.
  private mutating func endElement(before close: UInt8, _ bytes: Span<UInt8>) {
    guard !hasFailed, !take(UInt8(ascii: ","), bytes), peek(bytes) != close else { return }
    fail(peek(bytes) == nil ? "the document ends here" : "a comma is missing")
  }

  private mutating func readWord(_ bytes: Span<UInt8>) -> Bool {
    readWord("true", .true, bytes) || readWord("false", .false, bytes) || readWord("null", .null, bytes)
      || fail("not a JSON value")
  }

  private mutating func readWord(
    _ word: String, _ kind: JSONDocument.Node.Kind, _ bytes: Span<UInt8>
  ) -> Bool {
    guard bytes.extracting(position...).begins(with: word.utf8.span) else { return false }
    append(kind, from: position, to: position + word.utf8.count)
    position += word.utf8.count
    return true
  }

  /// Reads a number.
  ///
  /// Inside a container, one at the end of the input is dropped, since it may be truncated.
  private mutating func readNumber(_ bytes: Span<UInt8>) -> Bool {
    let start = position
    while let byte = peek(bytes), byte.isDigit { position += 1 }
    let hasOnlyDigits = position > start && !(peek(bytes)?.isPartOfNumber ?? false)
    while let byte = peek(bytes), byte.isPartOfNumber { position += 1 }
    guard depth == 0 || peek(bytes) != nil else { return fail("the document ends here") }
    if hasOnlyDigits || isNumber(bytes.extracting(start..<position)) {
      append(hasOnlyDigits ? .digits : .number, from: start, to: position)
      return true
    }
    position = start
    return fail("not a number")
  }

  /// Whether a text is a number: RFC 8259, section 6; digits may be missing on one side of the point.
  private func isNumber(_ bytes: Span<UInt8>) -> Bool {
    var position = 0
    func skipSign() { if position < bytes.count, bytes[position].isSign { position += 1 } }
    func skipDigits() -> Bool {
      let start = position
      while position < bytes.count, bytes[position].isDigit { position += 1 }
      return position > start
    }
    skipSign()
    var hasDigits = skipDigits()
    if position < bytes.count, bytes[position] == UInt8(ascii: ".") {
      position += 1
      hasDigits = skipDigits() || hasDigits
    }
    guard hasDigits else { return false }
    if position < bytes.count, bytes[position] | 0x20 == UInt8(ascii: "e") {
      position += 1
      skipSign()
      guard skipDigits() else { return false }
    }
    return position == bytes.count
  }

  /// Reads a string; false when it isn't closed.
  private mutating func readString(_ bytes: Span<UInt8>) -> Bool {
    position += 1
    let start = position
    let end = bytes.firstOffset(ofEither: UInt8(ascii: "\""), or: UInt8(ascii: "\\"), from: start)
    guard let end, bytes[end] == UInt8(ascii: "\"") else { return readRestOfString(from: start, bytes) }
    append(.string, from: start, to: end)
    position = end + 1
    return true
  }

  private mutating func readRestOfString(from start: Int, _ bytes: Span<UInt8>) -> Bool {
    var isPlain = true
    var quote = bytes.firstOffset(of: UInt8(ascii: "\""), from: position)
    while let end = quote {
      guard let escape = bytes.extracting(..<end).firstOffset(of: UInt8(ascii: "\\"), from: position) else {
        append(isPlain ? .string : .escapedString, from: start, to: end)
        position = end + 1
        return true
      }
      isPlain = false
      position = escape + 2
      if position > end { quote = bytes.firstOffset(of: UInt8(ascii: "\""), from: position) }
    }
    position = bytes.count
    fail("a string isn't closed")
    guard let end = Self.endOfLastLine(bytes.extracting(start...)) else { return false }
    append(.escapedString, from: start, to: start + end)
    return true
  }

  /// The end of the last complete line of a truncated text of several lines; nil for any other string, which could be
  /// half a name.
  private static func endOfLastLine(_ text: Span<UInt8>) -> Int? {
    // A person's copy can have the line breaks themselves.
    var end = text.indices.last { text[$0] == 0x0a }
    var position = 0
    while let escape = text.firstOffset(of: UInt8(ascii: "\\"), from: position), escape + 1 < text.count {
      if text[escape + 1] == UInt8(ascii: "n") { end = max(end ?? 0, escape) }
      position = escape + 2
    }
    return end
  }
}

extension UInt8 {
  fileprivate var isSign: Bool { self == UInt8(ascii: "+") || self == UInt8(ascii: "-") }

  fileprivate var isPartOfNumber: Bool {
    isDigit || isSign || self == UInt8(ascii: ".") || self | 0x20 == UInt8(ascii: "e")
  }
}
