internal import CrashReadCore

/// Reads a line that is just a function's name, as people and assistants summarise a stack: `Cart.total`,
/// `objc_release`, `NSString stringByAppendingString`.
///
/// A name alone could be anything, so this is used only after lines that report a crash.
enum NamedFrame {
  private static let maximumNameLength = 200
  private static let fileEndings: [StaticString] = [
    ".swift", ".m", ".mm", ".c", ".h", ".cpp", ".cc", ".kt", ".cs", ".dart", ".js", ".ts", ".tsx", ".json",
    ".md",
    ".app", ".ips", ".crash", ".txt", ".log", ".dylib", ".framework", ".plist", ".com", ".org", ".io",
  ]

  /// The frame of a line; nil when the line isn't a name. Among other frames, the name of a call suffices.
  static func read(_ line: Line, inList: Bool) -> Frame? {
    let (text, image) = withoutLibrary(line.text.trimmed)
    guard text.count <= maximumNameLength,
      isFunction(text) || isBlock(text) || isMethod(text) || isPartOfFunction(text)
        || inList && isPlainCall(text)
    else { return nil }
    var frame = Frame(kind: .returnAddress, address: nil)
    frame.reportedSymbol = isMethod(text) ? "-[" + text.string + "]" : text.string
    frame.imageName = image
    frame.line = line.number
    return frame
  }

  /// Splits off the library of `abort    (libsystem_c.dylib)`.
  private static func withoutLibrary(_ text: Bytes) -> (name: Bytes, library: String?) {
    guard text.hasSuffix(".dylib)"), let (name, rest) = text.splitAtLastParentheses() else {
      return (text, nil)
    }
    return (name.trimmed, rest.string)
  }

  /// Whether a line is nothing but the name of a function that only programs that end call.
  static func terminatesProcess(_ text: Bytes) -> Bool { endings.contains { text.equals($0) } }

  private static let endings: [StaticString] = [
    "_dispatch_assert_queue_fail", "_assertionFailure(_:_:file:line:flags:)", "_assertionFailure",
    "_swift_runtime_on_report",
    "objc_exception_throw", "-[NSException raise]", "__pthread_kill", "_dispatch_assert_queue_fail.cold.1",
    "abort_with_payload", "__abort_with_payload",
    "_swift_task_checkIsolatedSwift", "swift_task_checkIsolated", "swift_dynamicCastFailure",
    "_os_unfair_lock_recursive_abort", "__stack_chk_fail",
  ]

  /// One word that looks like code: `Cart.total`, `objc_release`, `Shop::Cart::total`.
  private static func isFunction(_ text: Bytes) -> Bool {
    let name = text.prefix { $0 != UInt8(ascii: "(") }
    guard let first = name.first, first.isLetter || first == UInt8(ascii: "_"), let last = name.last,
      last.isLetter || last.isDigit, name.allSatisfy(isNamePart),
      name.contains(where: { $0.isAny(of: "._:") }), name.contains(where: { (0x61...0x7a).contains($0) }),
      !fileEndings.contains(where: { name.hasSuffix($0) })
    else { return false }
    // In source, arguments have values: `cart.remove(at: index)`.
    return name.count == text.count
      || text.last == UInt8(ascii: ")") && text[name.endIndex...].firstRange(of: ": ") == nil
  }

  /// Whether a text is the name of a method's block: `__41-[Cart load:]_block_invoke_2.28`.
  private static func isBlock(_ text: Bytes) -> Bool {
    guard let rest = text.after("__"), case let method = rest.drop(while: \.isDigit),
      method.startIndex > rest.startIndex, method.beginsWithMethod
    else { return false }
    return method.firstRange(of: "]_block_invoke") != nil
  }

  /// Whether a text is a simple call: `total()`, `remove(_:)`.
  private static func isPlainCall(_ text: Bytes) -> Bool {
    // Nothing else in a list of functions has these names.
    if text.equals("abort") || text.equals("raise") || text.equals("main") || text.equals("start") {
      return true
    }
    guard text.last == UInt8(ascii: ")"), let open = text.firstIndex(of: UInt8(ascii: "(")),
      open > text.startIndex
    else { return false }
    return !text.contains(0x20) && text[..<open].allSatisfy { isNamePart($0) }
  }

  /// Whether a text is the name that Swift's demangler gives a compiler-generated function: `closure #1 in
  /// Cart.total()`.
  private static func isPartOfFunction(_ text: Bytes) -> Bool {
    generatedPrefixes.contains { text.hasPrefix($0) } && text.count { $0 == 0x20 } < 16
  }

  static func isPartOfFunction(_ name: String) -> Bool { isPartOfFunction(Bytes(name.utf8)) }

  private static let generatedPrefixes: [StaticString] = [
    "closure #", "implicit closure #", "one-time initialization function for ",
    "variable initialization expression of ", "partial apply for ", "protocol witness for ", "thunk for ",
    "reabstraction thunk ", "specialized closure #", "@objc ",
  ]

  /// Whether a text is a class and a selector: `NSString stringByAppendingString`.
  private static func isMethod(_ text: Bytes) -> Bool {
    let words = text.split(separator: 0x20)
    guard words.count == 2, words.allSatisfy({ $0.allSatisfy(isNamePart) }), words[0].count > 3 else {
      return false
    }
    let capitals = words[0].prefix(2).allSatisfy { (0x41...0x5a).contains($0) }
    return capitals && words[0].contains { (0x61...0x7a).contains($0) }
      && (0x61...0x7a).contains(words[1][words[1].startIndex])
      && words[1].contains { (0x41...0x5a).contains($0) || $0 == UInt8(ascii: ":") }
  }

  private static func isNamePart(_ byte: UInt8) -> Bool {
    byte.isLetter || byte.isDigit || byte.isAny(of: "._:$")
  }
}
