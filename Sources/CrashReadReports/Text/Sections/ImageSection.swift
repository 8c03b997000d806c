internal import CrashReadCore

/// The lines of "Binary Images".
struct ImageSection: SectionReader {
  /// The last image's line, as far as it was read: mail programs wrap long lines.
  private var last: (line: Line, isImage: Bool, count: Int)?

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    if let image = ImageLine(line)?.image {
      noteTruncatedImage(in: &draft)
      last = (line, true, 1)
      draft.report.images.append(image)
    } else if !unwrap(line, into: &draft) {
      noteTruncatedImage(in: &draft)
      if line.text.hasPrefix("0x") || line.text.hasPrefix("*0x") { last = (line, false, 1) }
    }
  }

  /// Appends a line to the image that it continues; false when it doesn't continue one.
  private mutating func unwrap(_ line: Line, into draft: inout TextDraft) -> Bool {
    guard let (first, isImage, count) = last, count < 4, !line.isBlank, !isImage || !line.text.hasPrefix("0x")
    else {
      return false
    }
    // Only identity and path can follow a name, and only the rest of a path can follow a path.
    if isImage, line.text.first != UInt8(ascii: "<"), !line.text.contains(UInt8(ascii: "/")) { return false }
    // An image has one identity: this is the end of another one's line, whose start was cut off.
    if isImage, draft.report.images.last?.id != nil, line.text.contains(UInt8(ascii: ">")) { return false }
    let joined = first.joined(with: line)
    guard let image = ImageLine(joined)?.image else { return false }
    if count == 1 { draft.note(joined, "the image is broken into several lines, which were joined") }
    if isImage { _ = draft.report.images.popLast() }
    draft.report.images.append(image)
    last = (joined, true, count + 1)
    return true
  }

  private mutating func noteTruncatedImage(in draft: inout TextDraft) {
    if let last, !last.isImage { draft.note(last.line, "the image's line is truncated, so it was left out") }
    last = nil
  }

  mutating func finish(_ draft: inout TextDraft) { noteTruncatedImage(in: &draft) }
}

/// Reads one line of "Binary Images": range, name, CPU or version, UUID, path.
struct ImageLine {
  private(set) var image: BinaryImage

  init?(_ line: Line) {
    let text = line.text.first == UInt8(ascii: "*") ? line.text.dropFirst() : line.text
    guard let (start, end, rest) = Self.range(text) else { return nil }
    // A line with a range alone was truncated, possibly within the end address.
    if rest.trimmed.isEmpty { return nil }
    image = BinaryImage(start: RuntimeAddress(start))
    image.line = line.number
    image.end = end.flatMap { Self.inclusiveEnd($0, start: start) }
    readDescription(rest.trimmed)
  }

  /// Reads `0x1000 - 0x1fff`; the end is nil for `???`.
  private static func range(_ text: Bytes) -> (start: UInt64, end: UInt64?, rest: Bytes)? {
    let startEnd = text.firstIndex { $0.isBlank || $0 == UInt8(ascii: "-") } ?? text.endIndex
    guard let start = text[..<startEnd].prefixedHexValue,
      let afterDash = text[startEnd...].trimmedStart.after("-"), let (word, rest) = afterDash.firstWord()
    else { return nil }
    if word.equals("???") { return (start, nil, rest) }
    guard let end = word.prefixedHexValue else { return nil }
    return (start, end, rest)
  }

  /// The end address in inclusive form. Ends are inclusive, except that macOS 12 printed start plus size, which is on a
  /// page boundary.
  private static func inclusiveEnd(_ end: UInt64, start: UInt64) -> RuntimeAddress? {
    guard end >= start else { return nil }
    return RuntimeAddress(end & 0xfff == 0 && end > start ? end - 1 : end)
  }

  private mutating func readDescription(_ text: Bytes) {
    var head = text
    if let (before, id, after) = Self.identity(in: text) {
      image.id = id
      head = before
      setPath(after)
    } else if let slash = text.firstRange(of: " /") ?? text.firstRange(of: "\t/") {
      head = text[..<slash.lowerBound]
      setPath(text[(slash.lowerBound + 1)...])
    }
    readName(head.trimmed)
  }

  private mutating func setPath(_ text: Bytes) {
    let path = text.trimmed
    image.path = path.equals("???") ? nil : path.nonEmptyString
  }

  /// Finds `<UUID>`, or a placeholder for it, for which `id` is nil.
  static func identity(in text: Bytes) -> (before: Bytes, id: ImageID?, after: Bytes)? {
    var rest = text
    while let close = rest.firstPosition(of: UInt8(ascii: ">")) {
      if let open = rest[..<close].lastPosition(of: UInt8(ascii: "<")) {
        let inside = text[(open + 1)..<close]
        let id = ImageID(parsing: inside)
        if id != nil || inside.equals("(null)") || inside.equals("*") || isDigits(inside) {
          return (text[..<open], id, text[(close + 1)...])
        }
      }
      rest = rest[(close + 1)...]
    }
    return nil
  }

  /// Whether the digits are only in place of an identity: all zeros, or one digit too few.
  private static func isDigits(_ text: Bytes) -> Bool {
    text.allSatisfy { $0.isHexDigit || $0 == UInt8(ascii: "-") }
  }

  /// Reads `+name arch (version)` from the right; arch and version may be absent.
  private mutating func readName(_ text: Bytes) {
    var rest = text
    if rest.first == UInt8(ascii: "+") {
      image.isMarkedAsApp = true
      rest = rest.dropFirst().trimmedStart
    }
    rest = takeVersion(rest)
    if let (before, word) = rest.lastWord(), !before.isEmpty, Self.isArchitecture(word) {
      image.architecture = word.hasPrefix("unknown") ? nil : Architecture(rawValue: word.string)
      rest = before.trimmedEnd
    }
    image.name = rest.equals("???") || rest.equals("*") ? nil : rest.nonEmptyString
  }

  /// Removes `(1.0 - 1)`, and the version of the bundle that old reports print before it, from the end.
  private mutating func takeVersion(_ text: Bytes) -> Bytes {
    guard text.last == UInt8(ascii: ")"), let open = Self.openingBracket(of: text), open > text.startIndex
    else {
      return text
    }
    let inside = text[(open + 1)...].dropLast()
    let build = inside.equals("???") || inside.equals("*") ? nil : inside.nonEmptyString
    image.version = build
    let rest = text[..<open].trimmedEnd
    guard let (before, word) = rest.lastWord(), !before.isEmpty else { return rest }
    if word.equals("???") { return before.trimmedEnd }
    guard let first = word.first, first.isDigit, word.contains(UInt8(ascii: ".")) else { return rest }
    image.version = build.map { "\(word.string) (\($0))" } ?? word.string
    return before.trimmedEnd
  }

  /// The bracket that the last byte closes: `(3.13.5, (c) 2001-2024 Python Software Foundation.)` has others inside.
  private static func openingBracket(of text: Bytes) -> Int? {
    var depth = 0
    return text.indices.last { index in
      if text[index] == UInt8(ascii: ")") { depth += 1 }
      if text[index] == UInt8(ascii: "(") { depth -= 1 }
      return depth == 0
    }
  }

  private static func isArchitecture(_ word: Bytes) -> Bool {
    if word.hasPrefix("arm") {
      return word.dropFirst(3).first.map { $0.isDigit || $0 == UInt8(ascii: "v") } ?? true
    }
    return ["i386", "x86", "x86_64", "x86_64h", "ppc", "ppc64", "unknown-arch"].contains { word.equals($0) }
  }
}
