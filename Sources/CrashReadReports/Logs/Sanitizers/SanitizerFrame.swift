internal import CrashReadCore

/// Reads one line of a sanitizer's stack, or of the very similar stack of LLVM's own crash handler.
///
/// `#1 0x10390 in f(T) /a/b.cc:12:3 (/a/prog:arm64+0x100009699) (BuildId: 0a1b)`; all but the number may be missing.
/// Symbols contain blanks and parentheses, so the line is parsed from both ends.
struct SanitizerFrame {
  private(set) var frame: Frame
  /// The binary, and the offset inside it as printed.
  private(set) var module: (binary: FrameModule, offset: UInt64)?

  /// Reads a line; nil when it isn't a frame.
  init?(_ line: Line) {
    // Xcode puts a star before the most relevant frames.
    guard let text = Self.withoutLink(line.text.after("* ")?.trimmedStart ?? line.text).after("#"),
      let (digits, rest) = text.firstWord(), digits.count <= 6, let number = digits.decimalValue,
      // Trackers put a blank behind the sign, so that it isn't a reference to an issue.
      digits.startIndex == text.startIndex || rest.trimmedStart.hasPrefix("0x")
    else { return nil }
    frame = Frame(kind: .programCounter, address: nil)
    frame.number = Int(number)
    frame.line = line.number
    var tail = takeModule(rest.trimmed)
    if let (word, after) = tail.firstWord(), let address = word.prefixedHexValue {
      frame.address = RuntimeAddress(address)
      tail = after.trimmedStart
    }
    readFunction(tail.after("in ") ?? tail)
    guard frame.address != nil || module != nil else { return nil }
  }

  /// The text without the name of a repository, which GitHub adds to `#1` when an issue moves to another one:
  /// `owner/name#1 0x1234 in f`.
  private static func withoutLink(_ text: Bytes) -> Bytes {
    guard let mark = text.firstIndex(of: UInt8(ascii: "#")), mark > text.startIndex,
      case let name = text[..<mark], name.count(where: { $0 == UInt8(ascii: "/") }) == 1,
      !name.contains(where: \.isBlank), let (_, rest) = text[mark...].firstWord(),
      rest.trimmedStart.hasPrefix("0x")
    else { return text }
    return text[mark...]
  }

  /// Removes `(module+0xoffset)`, `(<unknown module>)` or `(0xaddress)` from the end, with the build id after it.
  private mutating func takeModule(_ text: Bytes) -> Bytes {
    var text = text
    var id: ImageID?
    if let (before, inside) = text.splitAtLastParentheses(), let digits = inside.after("BuildId: ") {
      id = ImageID(parsing: digits.string)
      text = before
    }
    guard let (before, inside) = text.splitAtLastParentheses() else { return text }
    if let address = inside.prefixedHexValue {
      frame.address = RuntimeAddress(address)
    } else if let (binary, offset) = Self.module(inside, id) {
      module = (binary, offset)
      frame.imageName = fileName(binary.path)
    } else if !inside.equals("<unknown module>") {
      return text
    }
    return before
  }

  /// Reads `/a/prog:arm64+0x10`; the architecture is Apple's addition.
  private static func module(_ text: Bytes, _ id: ImageID?) -> (FrameModule, UInt64)? {
    guard let plus = text.lastIndex(of: UInt8(ascii: "+")), let offset = text[(plus + 1)...].prefixedHexValue,
      plus > text.startIndex
    else { return nil }
    let name = text[..<plus]
    if let colon = name.lastIndex(of: UInt8(ascii: ":")), colon > name.startIndex,
      architectures.contains(where: { name[(colon + 1)...].equals($0) })
    {
      let architecture = Architecture(rawValue: name[(colon + 1)...].string)
      return (FrameModule(path: name[..<colon].string, architecture: architecture, id: id), offset)
    }
    return (FrameModule(path: name.string, architecture: nil, id: id), offset)
  }

  private static let architectures: [StaticString] = [
    "arm64", "arm64e", "arm64_32", "armv7", "armv7s", "armv7k", "i386", "x86_64", "x86_64h",
  ]

  /// Reads `symbol file:line:column`; `<null>` means unknown.
  private mutating func readFunction(_ text: Bytes) {
    var name = takeLocation(text)
    if let plus = name.lastIndex(of: UInt8(ascii: "+")), let offset = name[(plus + 1)...].prefixedHexValue {
      frame.reportedSymbolOffset = offset
      name = name[..<plus]
    }
    if !name.equals("<null>") { frame.reportedSymbol = name.nonEmptyString }
  }

  /// Removes `file:line:column` from the end. A path begins at the first ` /`, any other location has no blanks.
  private mutating func takeLocation(_ text: Bytes) -> Bytes {
    guard let (rest, word) = text.lastWord() else { return text }
    if word.hasPrefix("<null>") { return rest.isEmpty ? word : rest.trimmedEnd }
    // addr2line's form of an unknown line, or an unknown file.
    if let file = word.before(":?"), !rest.isEmpty {
      frame.reportedFile = file.equals("??") ? nil : file.nonEmptyString
      return rest.trimmedEnd
    }
    var location = word
    var numbers: [UInt64] = []
    while numbers.count < 2, let colon = location.lastIndex(of: UInt8(ascii: ":")),
      let number = location[(colon + 1)...].decimalValue
    {
      numbers.append(number)
      location = location[..<colon]
    }
    guard !location.isEmpty, !numbers.isEmpty || location.first == UInt8(ascii: "/") else { return text }
    let start = text.firstRange(of: " /").map { $0.lowerBound + 1 } ?? location.startIndex
    frame.reportedFile = text[start..<location.endIndex].string
    frame.reportedLine = numbers.last.flatMap { $0 == 0 ? nil : Int(exactly: $0) }
    return text[..<start].trimmedEnd
  }
}
