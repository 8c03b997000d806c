internal import CrashReadCore

// Rows as debuggers print them, and as people copy them from one.

extension LooseFrame {
  static func debugger(_ text: Bytes) -> Parts? {
    if hashedNumber(text) != nil { return nil }
    // Flutter's engine writes `Frame 0: 0x7ff8 abort` (fml/backtrace.cc).
    let engines = text.firstRange(of: ": 0x") == nil ? nil : text.after("Frame ")
    guard let rest = text.after("frame #") ?? text.after("#") ?? engines, let number = leadingNumber(rest)
    else { return nil }
    var tail = (number.rest.after(":") ?? number.rest).trimmedStart
    if tail.firstRange(of: "(package:") != nil || tail.firstRange(of: "(dart:") != nil { return nil }
    var parts = Parts(number: number.value, tail: tail)
    parts.isEvident = engines != nil
    parts.isDebugger = text.hasPrefix("frame #")
    if let (word, after) = tail.firstWord(), let address = word.addressValue {
      parts.address = address
      tail = after.trimmedStart
    }
    if let named = tail.after("(null) in ") {
      parts.isEvident = true
      tail = named
    } else {
      tail = tail.after("in ") ?? tail
    }
    // GDB's image, which it names where it has no line.
    if let mark = tail.firstRange(of: ") from /") {
      parts.image = fileName(tail[mark.upperBound...])
      tail = tail[..<mark.lowerBound] + [UInt8(ascii: ")")]
    }
    if parts.address != nil, let (name, image) = splitImagePath(tail) { (tail, parts.image) = (name, image) }
    if let (image, name) = tail.split(at: UInt8(ascii: "`")), !image.contains(0x20) {
      parts.image = image
      // LLDB's mark of a method in an image without a module of its own.
      tail = name.after("::").flatMap { $0.beginsWithMethod ? $0 : nil } ?? name
    } else if parts.isDebugger, tail.hasSuffix(".dylib"), !tail.contains(0x20) {
      // LLDB's frame of an image whose functions it doesn't know.
      (parts.image, tail) = (tail, [])
    } else if parts.isDebugger, parts.address != nil, let (image, name) = unquotedImage(tail) {
      (parts.image, tail) = (image, name)
    }
    parts.tail = withoutEmptyArguments(tail).trimmed
    if parts.image == nil, let (name, inside) = parts.tail.splitAtLastParentheses() {
      parts.take(name, inside)
    }
    parts.tail = withoutValues(parts.tail)
    // GDB's function without a name.
    if parts.address != nil, parts.tail.equals("??") {
      (parts.tail, parts.isEvident) = ([], true)
      return parts
    }
    // After a call through a null pointer there is a frame without a function, as in code made at run time.
    let isBare = parts.tail.isEmpty && parts.image == nil && !(parts.isDebugger && parts.address != nil)
    return isBare && parts.address != 0 ? nil : parts
  }

  /// Splits `rise() at /Applications/Moon.app/Contents/MacOS/Moon`, as handlers print what `dladdr` gives: a path of source
  /// has a line behind it.
  private static func splitImagePath(_ text: Bytes) -> (name: Bytes, image: Bytes)? {
    guard let mark = text.firstRange(of: " at /"), mark.lowerBound > text.startIndex,
      // The path of one of C++'s headers, cut before its name and line.
      text[mark.upperBound...].firstRange(of: "/include/") == nil,
      case let image = fileName(text[mark.upperBound...]), !image.isEmpty,
      !image.contains(where: { $0.isAny(of: ":()") }), !sourceEndings.contains(where: { image.hasSuffix($0) })
    else { return nil }
    return (text[..<mark.lowerBound].trimmed, image)
  }

  /// Reads `Frame 12  Shop   Cart::total()`, a list in columns with the number's name written out.
  static func framed(_ text: Bytes) -> Parts? {
    guard let rest = text.after("Frame "), let number = leadingNumber(rest),
      case let columns = number.rest.trimmedStart,
      columns.firstRange(of: "  ") != nil || columns.contains(0x09)
    else { return nil }
    return numbered(rest)
  }

  /// Splits off the image where Markdown has taken LLDB's mark behind it for one of code: `Shop std::vector<int>::size()`.
  private static func unquotedImage(_ text: Bytes) -> (image: Bytes, name: Bytes)? {
    guard let (image, rest) = text.firstWord(), let first = image.first, (0x41...0x5a).contains(first),
      image.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }),
      case let name = rest.trimmedStart, let next = name.first, next.isLetter || next.isAny(of: "_-~"),
      !["at ", "in ", "- ", "-> "].contains(where: { name.hasPrefix($0) })
    else { return nil }
    return (image, name)
  }

  /// The text without the arguments' values, which LLDB prints in their place: `Cart.remove(self=0x0000000283, id=7) at
  /// Cart.swift:35`.
  private static func withoutValues(_ text: Bytes) -> Bytes {
    guard let open = text.indices.first(where: { opensValues(text[$0...]) }), open > text.startIndex else {
      return text
    }
    var depth = 0
    for index in text[open...].indices {
      if text[index] == UInt8(ascii: "(") { depth += 1 }
      if text[index] == UInt8(ascii: ")") { depth -= 1 }
      if depth == 0 { return Bytes(Array(text[..<open]) + Array(text[(index + 1)...])) }
    }
    // The rest is on the next line.
    return text[..<open].trimmedEnd
  }

  /// Whether a text begins with `(name=` and a value.
  private static func opensValues(_ text: Bytes) -> Bool {
    guard text.first == UInt8(ascii: "(") else { return false }
    let name = text.dropFirst().prefix { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    let value = text[name.endIndex...]
    return !name.isEmpty && value.first == UInt8(ascii: "=") && value.dropFirst().first != UInt8(ascii: "=")
  }

  /// The function of GDB's `clear ()`; in `Shop.Cart.clear() -> ()`, that is what the function returns.
  static func withoutEmptyArguments(_ text: Bytes) -> Bytes {
    text.hasSuffix("-> ()") ? text : text.before(" ()") ?? text
  }

  /// Reads `0x1a8aeb224 __pthread_kill + 8`, a report's frame without number and image.
  static func addressFirst(_ text: Bytes) -> Parts? {
    guard let (word, rest) = text.firstWord(), word.count >= 10, let address = word.addressValue else {
      return nil
    }
    // A method needs no offset, and its selector can be missing.
    if rest.trimmed.beginsWithMethod { return Parts(address: address, tail: rest.trimmed) }
    guard word.count > 10, let (name, _) = FrameLine.trailingOffset(rest), let first = name.trimmed.first,
      first.isLetter || first.isAny(of: "_-+[(<~"), !name.trimmed.hasPrefix("- ")
    else { return nil }
    return Parts(address: address, tail: rest.trimmed)
  }

  /// Reads `Cart::total(int) 0x0000000104b0a3c8`, as hosts of plug-ins and users of JUCE copy a debugger's list.
  static func addressLast(_ text: Bytes) -> Parts? {
    guard let (name, word) = text.lastWord(), word.count == 18, let address = word.prefixedHexValue,
      address > 0xffff, case let name = name.trimmed, isFunction(name)
    else { return nil }
    return Parts(address: address, tail: name)
  }

  /// Reads `Image!symbol [file.cc : 12 + 0x5]` and `Image + 0x1f0` of Breakpad's `minidump_stackwalk`.
  static func stackwalk(_ text: Bytes) -> Parts? {
    if let (image, rest) = text.split(at: UInt8(ascii: "!")), !image.isEmpty,
      isImageName(withoutBlanks(image)), rest.first.map({ $0 != UInt8(ascii: "!") && !$0.isBlank }) ?? false
    {
      guard let open = rest.firstRange(of: " ["), rest.last == UInt8(ascii: "]") else {
        return Parts(image: image, tail: rest)
      }
      let location = rest[open.upperBound...].dropLast()
      let words = location.split(separator: 0x20)
      guard words.count > 2, words[2].decimalValue != nil else { return Parts(image: image, tail: rest) }
      let source = Array(words[0]) + Array(":".utf8) + Array(words[2])
      return Parts(
        image: image,
        tail: Bytes(Array(rest[..<open.lowerBound]) + Array(" (".utf8) + source + Array(")".utf8)))
    }
    guard let (image, _) = FrameLine.trailingOffset(text), text.lastWord()?.word.prefixedHexValue != nil,
      isImageName(withoutBlanks(image))
    else { return nil }
    return Parts(image: image, tail: text[image.endIndex...].trimmed)
  }

  /// Removes ` at File.swift:12:3` from the end, as debuggers print it.
  static func splitLocation(_ text: Bytes) -> (rest: Bytes, location: (String?, Int?)?) {
    let text = text.before(" [opt]") ?? text
    guard let (rest, word) = text.lastWord(), let before = rest.trimmedEnd.before(" at") else {
      return (text, nil)
    }
    let parts = word.split(separator: UInt8(ascii: ":"))
    guard parts.count > 1, let line = parts[1].decimalValue else { return (text, nil) }
    return (withoutEmptyArguments(before).trimmed, (parts[0].string, line == 0 ? nil : Int(exactly: line)))
  }
}
