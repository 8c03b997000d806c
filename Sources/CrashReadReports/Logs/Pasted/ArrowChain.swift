internal import CrashReadCore

/// The functions of a stack that somebody summarised on a line, with an arrow between each two: `f → g → abort()`,
/// `f -> g -> h`, `h ← g`, or `<- g` on a line that continues the one above.
struct ArrowChain {
  /// The functions in the line's order: arrows point to what is called, or from it.
  private(set) var names: [Bytes]
  /// Whether the names are functions for certain.
  let isEvident: Bool
  /// Whether a remark behind the last name says that the program stopped there: `f → g` ← faults`.
  let endsInCrash: Bool

  /// Reads a line; nil for one without such arrows. Arrows also occur in prose, in remarks behind frames and in types.
  init?(_ line: Bytes) {
    // Nearly no line has an arrow; the typographic ones begin with this byte.
    guard line.contains(0xe2) || line.firstRange(of: "->") != nil || line.firstRange(of: "<-") != nil else {
      return nil
    }
    let text = Self.withoutLabel(line)
    names = Self.split(text, at: "→ ")
    // With columns, it is a frame whose remark contains an arrow.
    if names[0].firstRange(of: "  ") != nil { return nil }
    let callers = names.count < 2 ? Self.callers(text) : nil
    if names.count < 2 {
      guard let found = callers ?? Self.callees(text) else { return nil }
      names = found
    }
    if names.dropFirst().contains(where: Self.isLabelled) { return nil }
    endsInCrash = names.last.map(Self.saysCrash) ?? false
    names[0] = Self.withoutIntroduction(names[0])
    names = names.map(Self.withoutTicks)
    // A label can precede it: `- Stack: f → g`.
    if let label = names[0].firstRange(of: "tack: "), !names[0][label.upperBound...].contains(0x20) {
      names[0] = names[0][label.upperBound...]
    }
    // `Stack: app code → SwiftUI`, `It crashes on a thread of its own, inside f() → g`.
    let isProse = !names.contains(where: Self.looksLikeFunction) || Self.isSentence(names[0])
    if callers == nil, isProse { return nil }
    isEvident =
      callers != nil
      || names.count > 3 && names.allSatisfy { $0.contains(0x5f) || $0.firstRange(of: "::") != nil }
    names = names.map(Self.withoutRemark).filter { !$0.isEmpty && !Self.isSignal($0) }
  }

  /// The functions of `f ← g ← h` and `f <- g <- h`, or of a line `<- g`; nil for other lines.
  private static func callers(_ text: Bytes) -> [Bytes]? {
    if let caller = (text.after("<- ") ?? text.after("← "))?.trimmed {
      return isName(caller) ? [caller] : nil
    }
    let names = [split(text, at: " ← "), split(text, at: " <- ")].max { $0.count < $1.count } ?? []
    return names.count > 1 && names.allSatisfy(isName) || isHistory(names) ? names : nil
  }

  /// Whether a long chain consists of words, some of them with a class: `UTide::Tick <- MainLoop <- main`, which the
  /// first Unreal engines print.
  private static func isHistory(_ names: [Bytes]) -> Bool {
    names.count > 3 && names.contains { $0.firstRange(of: "::") != nil }
      && names.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isDigit || $0.isAny(of: "_:~") } }
  }

  /// The functions of `f -> g -> abort (SIGABRT)`; nil for other lines. Swift's function types contain this arrow as
  /// well.
  private static func callees(_ text: Bytes) -> [Bytes]? {
    let names = split(text, at: " -> ").map(withoutSignal)
    let isName = { (name: Bytes) in
      !name.isEmpty && (name.beginsWithMethod || !name.contains(0x20) || isUnsignedMethod(name))
    }
    return names.count > 2 && names.allSatisfy(isName) ? names : nil
  }

  /// Whether a text is a method, a call, or a word with a capital within, `TideHandler`; a remark, `← here`, is none.
  private static func isName(_ text: Bytes) -> Bool {
    if text.beginsWithMethod || looksLikeFunction(text) { return true }
    return text.allSatisfy { $0.isLetter || $0.isDigit } && text.count { (0x41...0x5a).contains($0) } > 1
      && text.contains { (0x61...0x7a).contains($0) }
  }

  /// Whether a text is a label and what it is of, `crash: 47 ms (before the first frame)`.
  private static func isLabelled(_ name: Bytes) -> Bool {
    guard let mark = name.firstRange(of: ": "), mark.lowerBound > name.startIndex,
      let next = name[mark.upperBound...].first
    else { return false }
    return !name[..<mark.lowerBound].contains { $0.isAny(of: "([`_<") } && next.isAny(of: "~0123456789")
  }

  private static func looksLikeFunction(_ name: Bytes) -> Bool {
    if name.contains(where: { $0.isAny(of: "[_") }) || name.firstRange(of: "::") != nil { return true }
    // `AttributeGraph (while it updates)` has a remark.
    if let open = name.firstIndex(of: UInt8(ascii: "(")), open == name.startIndex || !name[open - 1].isBlank {
      return true
    }
    if name.firstRange(of: " 0x") != nil { return true }
    // `37.8 → 50 MB` consists of numbers.
    return name.contains(UInt8(ascii: ".")) && !name.contains(0x20) && name.contains(where: \.isLetter)
  }

  /// Whether a text is a class and a selector with arguments: `RCTExceptionsManager reportFatal:`.
  private static func isUnsignedMethod(_ name: Bytes) -> Bool {
    let words = name.split(separator: 0x20)
    return words.count == 2 && words[1].last == UInt8(ascii: ":")
      && words.allSatisfy { $0.allSatisfy { $0.isLetter || $0.isDigit || $0.isAny(of: "_:") } }
  }

  /// Whether there are more words before the arguments than names have, except for closures: `closure #1 in f(_:)`.
  private static func isSentence(_ name: Bytes) -> Bool {
    name.firstRange(of: " #") == nil && name.prefix { $0 != UInt8(ascii: "(") }.count { $0 == 0x20 } > 3
  }
}

// MARK: - Parts of the line

extension ArrowChain {
  /// The text without a label of words: `Top frames: f -> g -> h`.
  private static func withoutLabel(_ text: Bytes) -> Bytes {
    guard let mark = text.firstRange(of: "rames: ") ?? text.firstRange(of: "History: ") else { return text }
    let isLabel = text[..<mark.lowerBound].allSatisfy { $0.isLetter || $0 == 0x20 || $0.isAny(of: "-*") }
    return isLabel ? text[mark.upperBound...].trimmed : text
  }

  /// The function in `abort (SIGABRT)`.
  private static func withoutSignal(_ name: Bytes) -> Bytes {
    guard let mark = name.firstRange(of: " (SIG"), name.last == UInt8(ascii: ")") else { return name }
    return name[..<mark.lowerBound]
  }

  /// Whether a remark follows a quoted name that calls it the place of the crash.
  private static func saysCrash(_ name: Bytes) -> Bool {
    guard let (_, remark) = name.after("`")?.split(at: UInt8(ascii: "`")) else { return false }
    return remark.firstRange(of: "crash") != nil || remark.firstRange(of: "fault") != nil
  }

  /// The quoted function at the end of ``- Exception: `EXC_BREAKPOINT` via `abort```.
  private static func withoutIntroduction(_ name: Bytes) -> Bytes {
    let tick = UInt8(ascii: "`")
    guard name.last == tick, let open = name.dropLast().lastIndex(of: tick) else { return name }
    return name[open...]
  }

  /// The function in `total` (`inlined`) of Markdown.
  private static func withoutTicks(_ name: Bytes) -> Bytes {
    name.after("`")?.split(at: UInt8(ascii: "`"))?.before ?? name
  }

  /// Whether the chain ends in what the functions led to: `f → g → SIGTRAP`.
  private static func isSignal(_ name: Bytes) -> Bool {
    (name.hasPrefix("SIG") || name.hasPrefix("EXC_"))
      && name.allSatisfy { (0x41...0x5a).contains($0) || $0 == 0x5f }
  }

  /// The function in `total() // here`, before the next sentence, and in `abort()`, which has no parentheses in stacks.
  private static func withoutRemark(_ name: Bytes) -> Bytes {
    let end = name.firstRange(of: " // ") ?? name.firstRange(of: ". ")
    let name = (end.map { name[..<$0.lowerBound] } ?? name).trimmed
    return name.equals("abort()") || name.equals("raise()") ? name.dropLast(2) : name
  }

  /// The function and the place in `total()      Cart.swift:12`; a place without a file has that of another line.
  static func columns(_ name: Bytes) -> (function: Bytes, place: (file: String?, line: Int?)?) {
    guard let gap = name.firstRange(of: "  "), case let place = name[gap.upperBound...].trimmed,
      let colon = place.lastIndex(of: UInt8(ascii: ":")), !place.contains(0x20),
      let line = place[(colon + 1)...].decimalValue
    else { return (name, nil) }
    let file = place[..<colon].nonEmptyString
    return (name[..<gap.lowerBound], file.map { ($0, Int(exactly: line)) })
  }

  private static func split(_ text: Bytes, at arrow: StaticString) -> [Bytes] {
    var rest = text
    var parts: [Bytes] = []
    while let found = rest.firstRange(of: arrow) {
      parts.append(rest[..<found.lowerBound].trimmed)
      rest = rest[found.upperBound...]
    }
    return parts + [rest.trimmed]
  }
}
