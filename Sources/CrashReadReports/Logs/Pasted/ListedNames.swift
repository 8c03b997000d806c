internal import CrashReadCore

/// Reads a stack that is a list of names in code marks, innermost first, as the pages to which Bun and Deno send their
/// crashes write it: ``- `JSC::Heap::runEndPhase```, ``- [`core::panicking::panic_fmt`](https://…)``,
/// ``- [`Task.zig:484`](<https://…>): `bun.js.event_loop.Task.tickQueueWithCount```.
///
/// Markdown lists such names for many reasons, so one of them alone is no frame.
struct ListedNames {
  private var frames: [Frame] = []
  /// Whether a heading of a stack stands above the list.
  private var isTitled = false

  /// The minimum number of names in a list that is a stack.
  private static let minimumCount = 3
  private static let maximumCount = 512

  /// Reads a line; whether it belongs to a list.
  mutating func read(_ line: Line) -> Bool {
    guard let item = Self.item(line.text) else {
      if frames.isEmpty, line.text.firstRange(of: "tack") != nil || line.text.hasPrefix("Crashed thread") {
        isTitled = true
      }
      return false
    }
    let (name, place) = Self.placed(item) ?? (Self.code(item), nil)
    if let name, !name.equals("??") {
      guard Self.isName(name) else { return false }
      guard frames.count < Self.maximumCount else { return true }
      var frame = FrameLine.frame(address: nil, tail: name)
      frame.line = line.number
      if let (file, number) = place { (frame.reportedFile, frame.reportedLine) = (file, number) }
      frames.append(frame)
      return true
    }
    // A function without a name: `??`, `*1 unknown/js code*`.
    return !frames.isEmpty || item.equals("`??`") || item.firstRange(of: " unknown/js code*") != nil
  }

  /// The frames of the list that ends here; empty when it is no stack, as in a text that states no crash and has no
  /// heading.
  mutating func end(isCrash: Bool) -> [Frame] {
    guard !frames.isEmpty else { return [] }
    defer { self = ListedNames() }
    let isCode = frames.contains { frame in
      guard let name = frame.reportedSymbol, frame.reportedFile == nil else { return true }
      return Self.marks.contains { name.begins(with: $0) } || name.holds("::") || name.holds("(_:")
    }
    return frames.count >= Self.minimumCount && isCode && (isTitled || isCrash) ? frames : []
  }

  /// What names of functions begin with, and other words rarely.
  private static let marks = ["-[", "+[", "objc_", "swift_", "_swift_", "_dispatch_", "napi_", "JSC"]

  private static func item(_ text: Bytes) -> Bytes? {
    // A numbered list.
    let digits = text.prefix(while: \.isDigit)
    if !digits.isEmpty, digits.count < 4, let item = text[digits.endIndex...].after(". ")?.trimmed,
      item.first == UInt8(ascii: "`")
    {
      return item
    }
    for mark: StaticString in ["- ", "* ", "• "] {
      if let item = text.after(mark)?.trimmed, let first = item.first, first.isAny(of: "`[*") {
        return item
      }
    }
    return nil
  }

  /// The name after a link to its place in the source.
  private static func placed(_ item: Bytes) -> (name: Bytes?, place: (file: String, line: Int)?)? {
    guard let link = item.after("[`"), let end = link.firstRange(of: "`]("),
      let mark = link.firstRange(of: "): `"), end.upperBound <= mark.lowerBound,
      let (file, number) = link[..<end.lowerBound].split(at: UInt8(ascii: ":")),
      let line = number.decimalValue.flatMap({ Int(exactly: $0) })
    else { return nil }
    return (link[(mark.upperBound - 1)...].after("`")?.before("`"), (file.string, line))
  }

  /// The name in code marks, or in those of a link.
  private static func code(_ item: Bytes) -> Bytes? {
    var text = item
    if let inside = text.after("["), let end = inside.firstRange(of: "]("), text.last == UInt8(ascii: ")") {
      text = inside[..<end.lowerBound]
    }
    guard let name = text.after("`")?.before("`"), !name.isEmpty, !name.contains(UInt8(ascii: "`")) else {
      return nil
    }
    return name
  }

  /// Whether a text can be a function's name: prose and options have blanks, and no function's punctuation.
  private static func isName(_ name: Bytes) -> Bool {
    guard let first = name.first, first.isLetter || first.isAny(of: "_<-+$"), name.count > 2,
      name.firstRange(of: "://") == nil, !name.hasPrefix("--")
    else { return false }
    return !name.contains(0x20) || name.firstRange(of: "::") != nil || name.beginsWithMethod
  }
}
