internal import CrashReadCore

/// Reads one line of a backtrace in the formats that debuggers print and people paste, with or without an address.
///
/// `FrameLine` reads the format of Apple's reports. Here a name suffices: `0 CoreFoundation __exceptionPreprocess +
/// 164`, `frame #1: 0x104 Lib`f + 12 at F.swift:3:4` (LLDB), `#0 0x104 in f () at F.swift:12` (Xcode, GDB), `at f
/// (F.swift:12)` (Sentry), `-[Cart remove:] + 12`.
struct LooseFrame {
  private(set) var frame: Frame
  /// Whether the line is almost certainly a frame, even in other text.
  private(set) var isEvident: Bool
  /// How often the line says that the frame repeats.
  private(set) var repetitions = 1

  struct Parts {
    var number: Int?
    var image: Bytes?
    var address: UInt64?
    var tail: Bytes
    /// Whether the format alone identifies it as a frame.
    var isEvident = false
    /// Whether it is a call in a language that runs in a virtual machine.
    var isManaged = false
    /// Whether LLDB printed it.
    var isDebugger = false

    /// Reads `libmoon.so + 0x150312` after a name, or after `n/a`, as systemd's `coredumpctl` prints frames.
    mutating func take(_ name: Bytes, _ inside: Bytes) {
      guard let plus = inside.firstRange(of: " + 0x"), inside[plus.upperBound...].hexDigitsValue != nil else {
        return
      }
      image = inside[..<plus.lowerBound]
      tail = name.trimmed.equals("n/a") ? [] : name.trimmed
    }
  }

  /// A line without what stands around a frame.
  private struct Row {
    var text: Bytes
    /// The number in brackets before it.
    var index: Int?
    var repetitions = 1
  }

  /// Reads a line; nil when it isn't a frame.
  init?(_ line: Line) {
    guard let row = Self.row(line.text), let parts = Self.parts(row.text) else { return nil }
    // A table's heading and value: `Crash Item	:	Flutter`.
    if parts.address == nil, parts.tail.hasPrefix(":"), !parts.tail.hasPrefix("::") { return nil }
    let (whole, path) = Self.splitPath(parts.tail)
    let (tail, location) = Self.splitLeadingLocation(whole) ?? Self.splitLocation(whole)
    let image = (parts.image ?? path).flatMap(FrameLine.imageName)
    repetitions = row.repetitions
    frame = FrameLine.frame(
      address: parts.address, tail: Self.withoutAlternative(Self.separated(tail)), image: image)
    frame.number = parts.number ?? row.index
    // The debugger's innermost frame is where the program stopped; no other frame can be at address 0.
    if frame.number == 0, parts.address == 0 || parts.isDebugger { frame.kind = .programCounter }
    frame.line = line.number
    frame.isManaged = parts.isManaged
    if let name = frame.reportedSymbol, Self.rawNames.contains(name) {
      frame.reportedSymbol = String(name.dropFirst())
    }
    if let location { (frame.reportedFile, frame.reportedLine) = location }
    isEvident = parts.isEvident || parts.address != nil || Self.isEvident(parts.image, frame)
    takeDecimalAddress()
    if line.text.firstRange(of: " image offset ") != nil { takeImageOffset(parts) }
    guard isStated(parts) else { return nil }
  }

  /// Whether what was read is a frame and not another line in the same form.
  private func isStated(_ parts: Parts) -> Bool {
    // Node's own scripts, on the stack of an error in JavaScript: `at open (node:fs:120:3)`.
    if parts.address == nil, frame.reportedFile?.hasPrefix("node:") ?? false { return false }
    // A time in a log looks like a source location: `start(0x19bb34000) - (Aug 12 2020@22:50:37)`.
    if let file = frame.reportedFile, file.contains(" "), !file.contains("."), !file.contains("/") {
      return false
    }
    // `Error: ret = HV_BAD_ARGUMENT (at hvf.c:1075)` is a message with a location.
    if parts.address == nil, frame.reportedSymbol?.holds(" = ") == true { return false }
    // Code that was generated at run time has neither: `4   ???   0x281051a00 0x0 + 10754529792`.
    // LLDB shows only the address of such code.
    let isSomewhere =
      frame.address != nil && (parts.image?.equals("???") == true || parts.isDebugger) || parts.address == 0
    // Rust's backtraces have an address for each frame, and names of only some.
    let isUnnamed = parts.address != nil && frame.number != nil && parts.tail.equals("<unknown>")
    let isPlaced =
      frame.reportedSymbol != nil || frame.imageName != nil || parts.isEvident || isSomewhere || isUnnamed
    return isPlaced && (isEvident || Self.isName(frame))
  }

  /// Removes the marks of lists, tables and pages around a frame; nil for a line that says something else.
  private static func row(_ line: Bytes) -> Row? {
    var text = withoutSignBlank(withoutLocals(line))
    // The last two are Erlang's: `in call from user_drv:init/1 (user_drv.erl, line 171)`.
    for mark: StaticString in [
      "* ", "-> ", "<- ", "← ", "- ", "• ", "!\t", "! ", "in function ", "in call from ",
    ] {
      text = text.after(mark)?.trimmedStart ?? text
    }
    // Dots stand for the number and the image that somebody left out.
    if let rest = text.after("... 0x") { text = text[(rest.startIndex - 2)...] }
    if isNote(text) || isSummary(text) { return nil }
    let index = index(text)
    var row = Row(
      text: FrameLine.withoutRemark(index.map { withAddressFirst($0.rest) } ?? text), index: index?.value)
    if let repeated = SpelledFrame.repetitions(row.text) { (row.text, row.repetitions) = repeated }
    row.text = withoutTable(SpelledFrame.withPlainOffset(row.text))
    return isDebuggerNote(row.text) ? nil : row
  }

  /// Whether somebody summed up several frames in one row: `0-2:  Moon::rise()`.
  private static func isSummary(_ text: Bytes) -> Bool {
    let rest = text.drop(while: \.isDigit)
    guard rest.startIndex > text.startIndex, let end = rest.after("-") else { return false }
    let mark = end.drop(while: \.isDigit)
    return mark.startIndex > end.startIndex && mark.hasPrefix(": ")
  }

  /// `#2  0x1000 in rise () at tide.c:12` without the first local variable, which GDB's `bt full` has on the next line: a copy
  /// can have lost the line break.
  private static func withoutLocals(_ text: Bytes) -> Bytes {
    guard text.first == UInt8(ascii: "#"), let mark = text.firstRange(of: " at "),
      let (word, rest) = text[mark.upperBound...].firstWord(),
      let colon = word.lastIndex(of: UInt8(ascii: ":")), word[(colon + 1)...].decimalValue != nil,
      rest.hasPrefix("  "), rest.firstRange(of: " = ") != nil
    else { return text }
    return text[..<word.endIndex]
  }

  private static func withoutTable(_ text: Bytes) -> Bytes {
    var text = text
    // A blank keeps trackers from making a link to an issue of the number: `# 0  0x1000 in total ()`.
    if let rest = text.after("# "), rest.first?.isDigit ?? false { text = Bytes([UInt8(ascii: "#")] + rest) }
    // An element of a JSON array, or a row of a table.
    if let inside = text.after("\"") {
      text = inside.prefix { $0 != UInt8(ascii: "\"") }
      // There, functions of C have parentheses, too, and linkage names.
      if text.hasSuffix("()"), let name = text.lastWord()?.word, name.first == UInt8(ascii: "_") {
        text = text.dropLast(2)
      }
    }
    if text.firstRange(of: " | ") != nil { text = withoutBars(text) }
    // LLDB's list whose first row lost the line break after its heading: `Thread#0<tab>0x1ab2b19d4 in total ()`.
    if let rest = text.after("Thread#"), rest.first?.isDigit ?? false {
      return Bytes([UInt8(ascii: "#")] + rest)
    }
    // Xcode's copy of a thread, with the thread's name before the first frame: `Tide Thread 0x4 (18)#0<tab>0x1000 in rise()`.
    if let mark = text.firstRange(of: "#0\t0x"), mark.lowerBound > text.startIndex {
      return text[mark.lowerBound...]
    }
    guard let words = text.after("Thread ") else { return text }
    if let mark = words.firstRange(of: ": Swift runtime failure: ") { return words[(mark.lowerBound + 2)...] }
    // In text copied from a page, the thread's title and its first frame may share a line.
    let rest = words.drop(while: \.isDigit)
    return rest.startIndex > words.startIndex && rest.first == UInt8(ascii: "#") ? rest : text
  }

  /// Whether a line is a link, a remark or a log's, before anything is removed from it.
  private static func isNote(_ text: Bytes) -> Bool {
    // Trackers print links to the crash.
    if (text.after("[") ?? text).hasPrefix("http") && text.firstRange(of: "://") != nil { return true }
    // dyld's list of the paths that it tried, a condition, and a declaration that the Swift compiler was working on.
    let notes: [StaticString] = [" (no such file", " (mach-o file", " == ", " != ", "for '"]
    if notes.contains(where: { text.firstRange(of: $0) != nil }) || isRemark(text) || isTableOfWords(text) {
      return true
    }
    // Another process's line in a device's log, the compiler's count: `1 warning generated.`, and the title on Bugly's pages,
    // which repeats the first frame before the button that folds it.
    return LogHead.isStamped(text) || text.hasSuffix(" generated.") || text.hasSuffix("收起")
  }

  /// Whether a line is a row of a table of words or versions: `| name | version |`.
  private static func isTableOfWords(_ text: Bytes) -> Bool {
    guard let cells = text.after("|")?.trimmedStart, cells.last == UInt8(ascii: "|") else { return false }
    return !(cells.first?.isDigit ?? true) && cells.firstRange(of: "0x") == nil
      && !cells.contains { $0.isAny(of: "([_:+") }
  }

  /// Whether a line is one that debuggers print around frames.
  private static func isDebuggerNote(_ text: Bytes) -> Bool {
    // A row of disassembly: `0x1042c5faa <+10>: testb $0x4, 0x20(%rax)`.
    if text.hasPrefix("0x"), text.firstRange(of: " <+") != nil { return true }
    // LLDB's note above a stop, and what Mono says of a thread by its address.
    if text.firstRange(of: " was compiled with optimization") != nil || text.hasPrefix("Thread 0x") {
      return true
    }
    // The headings of threads in LLDB, in Python and on trackers' pages: `#10 Thread`.
    if text.first == UInt8(ascii: "#"), text.hasSuffix(" Thread") { return true }
    if text.hasPrefix("thread #") || text.hasSuffix("(most recent call first):") { return true }
    // A register's value, which people write below LLDB's frames: `lr: tide_run + 328`.
    return text.hasPrefix("lr: ") || text.hasPrefix("pc: ")
  }

  /// The parts of a row in the first form that it has: those with marks of their own before those that only a number or a
  /// name begins.
  private static func parts(_ text: Bytes) -> Parts? {
    valgrind(text) ?? zig(text) ?? hotspot(text) ?? dartVM(text) ?? wine(text) ?? backtraceSymbols(text)
      ?? unreal(text) ?? marked(text) ?? plain(text)
  }

  private static func plain(_ text: Bytes) -> Parts? { framed(text) ?? numbered(text) ?? unnumbered(text) }

  private static func marked(_ text: Bytes) -> Parts? {
    backward(text) ?? appCenter(text) ?? hockeyApp(text) ?? debugger(text) ?? boost(text) ?? atFrame(text)
      ?? fileThenFunction(text) ?? fileThenDash(text) ?? pathFirst(text) ?? imageFirst(text)
  }

  /// `-[UIView layout]` for `- [UIView layout]`, as some people write a method's name.
  private static func withoutSignBlank(_ text: Bytes) -> Bytes {
    guard text.hasPrefix("- [") || text.hasPrefix("+ ["), let close = text.firstIndex(of: UInt8(ascii: "]")),
      case let inside = text[(text.startIndex + 3)..<close], inside.first?.isLetter ?? false,
      inside.count(where: \.isBlank) == 1, close + 1 == text.endIndex || text[close + 1].isBlank
    else { return text }
    return Bytes([text[text.startIndex]] + Array(text[(text.startIndex + 2)...]))
  }

  /// Whether a line is a remark or source rather than a name: `Expectation failed: (total → 1)`, `2 arguments passed to
  /// .Internal(match)`, `cart?.clear()`.
  static func isRemark(_ text: Bytes) -> Bool {
    guard let open = text.firstIndex(of: UInt8(ascii: "(")) else { return false }
    let head = text[..<open].trimmedEnd
    let isLabel = head.last == UInt8(ascii: ":") && head.dropLast().last?.isLetter ?? false
    return isLabel && !text[open...].hasPrefix("(anonymous") || head.firstRange(of: "?.") != nil
      || head.firstRange(of: " passed to ") != nil || text[open...].firstRange(of: "); ") != nil
  }

  /// `[3] Cart::total()` of Godot, which puts a number in brackets before the text from `backtrace_symbols`.
  private static func index(_ text: Bytes) -> (value: Int, rest: Bytes)? {
    guard let inside = text.after("[")?.trimmedStart, let number = leadingNumber(inside),
      let rest = number.rest.after("] ")
    else {
      return nil
    }
    return (number.value, rest.trimmedStart)
  }

  /// `0x1017a088c rise() (in moon) + 104` for `1017a088c - rise() (in moon) + 104`, which newer versions of Godot write; they
  /// put the address before a row of `backtrace_symbols`, too.
  private static func withAddressFirst(_ text: Bytes) -> Bytes {
    guard let (word, rest) = text.firstWord(), word.count > 6, word.hexDigitsValue != nil,
      let row = rest.trimmedStart.after("- ")?.trimmedStart
    else { return text }
    return row.first?.isDigit ?? false ? row : Bytes(Array("0x".utf8) + Array(word) + [0x20] + Array(row))
  }

  /// Takes the address from the front of the name, where old pages of Crashlytics have it in decimal form.
  private mutating func takeDecimalAddress() {
    guard frame.address == nil, frame.number != nil, let symbol = frame.reportedSymbol,
      let blank = symbol.firstIndex(of: " "), let number = UInt64(symbol[..<blank]), number >= 1 << 32
    else { return }
    frame.address = RuntimeAddress(number)
    frame.reportedSymbol = String(symbol[blank...].dropFirst())
  }

  /// Takes the name for the image's in `Moon image offset 1402256`. In `Moon + 1402256` it can be that of the nearest exported
  /// function.
  private mutating func takeImageOffset(_ parts: Parts) {
    guard parts.image == nil, frame.address == nil, frame.imageName == nil, let name = frame.reportedSymbol,
      let offset = frame.reportedSymbolOffset
    else { return }
    (frame.imageName, frame.imageOffset) = (name, ImageOffset(offset))
    (frame.reportedSymbol, frame.reportedSymbolOffset) = (nil, nil)
  }

  /// A frame in another textual form.
  init(_ frame: Frame, isEvident: Bool, repetitions: Int = 1) {
    self.frame = frame
    self.isEvident = isEvident
    self.repetitions = repetitions
  }

  // MARK: - Formats

  static func numbered(_ text: Bytes) -> Parts? {
    guard let number = leadingNumber(text) ?? hashedNumber(text) else { return nil }
    // Crashlytics once printed dots for folded frames: `0 ...    CoreFoundation  __exceptionPreprocess + 162`.
    let rest = number.rest.after(":") ?? number.rest.after(" ...") ?? number.rest
    guard let blank = rest.first, blank.isBlank else { return nil }
    if isSource(rest) { return nil }
    // Xcode's organizer names no image: `0  (null) in closure #1 in Cart.remove() ()`.
    let text = rest.trimmed.after("(null) in ").map(withoutEmptyArguments) ?? rest.trimmed
    var parts = columns(text)
    parts.number = number.value
    return parts.tail.isEmpty && parts.address == nil ? nil : parts
  }

  /// The number in `#2  Shop  0x1234 rise()`, in columns; other texts have it before an issue's title.
  static func hashedNumber(_ text: Bytes) -> (value: Int, rest: Bytes)? {
    guard let number = text.after("#").flatMap(leadingNumber), number.rest.hasPrefix("  "),
      let (image, address, _) = FrameLine.splitAtAddress(number.rest), address > 0xffff,
      isImageName(image)
    else { return nil }
    return number
  }

  /// Whether a numbered line is one of the source that debuggers print around a stop, `12    return cart.total;`. Names of
  /// Rust's closures end with a brace, too: `tide::rise::{{closure}}`.
  private static func isSource(_ text: Bytes) -> Bool {
    guard let end = text.last else { return false }
    return end.isAny(of: ";{") || end == UInt8(ascii: "}") && text.firstRange(of: "::{") == nil
  }

  private static func unnumbered(_ text: Bytes) -> Parts? {
    // Crashlytics' lines above the frames: `# Date: Mon May 19 2025 22:55:08 GMT+0300 (GMT+03:00)`.
    if text.hasPrefix("# ") { return nil }
    if isMemoryRow(text) { return nil }
    // A debugger's frame without a name, in a list with addresses at the ends of its rows.
    if let address = text.after("<unknown> ")?.trimmed.prefixedHexValue {
      return Parts(address: address, tail: [], isEvident: true)
    }
    if let parts = sentryPage(text) { return parts }
    if text.beginsWithMethod {
      // Followed by a colon, the method's name begins a message: `-[NSArray objectAtIndex:]: index 0 beyond bounds`.
      return text.firstRange(of: "]: ") == nil ? Parts(tail: text) : nil
    }
    if text.hasPrefix("Swift runtime failure: ") { return Parts(tail: text) }
    let columnless =
      addressFirst(text) ?? addressLast(text) ?? stackwalk(text) ?? offsetFirst(text) ?? mono(text)
      ?? atosRow(text)
    if let columnless { return columnless }
    let parts = columns(text)
    if let image = parts.image, parts.address != nil {
      if image.contains(where: \.isBlank), isProse(parts.tail) { return nil }
      return isImageName(withoutBlanks(image)) && !endsInPreposition(image) ? parts : nil
    }
    // A list of versions: `gtk4  4.4`.
    if parts.tail.first?.isDigit ?? false, FrameLine.trailingOffset(parts.tail) == nil { return nil }
    // `total in heap  [0x14a0,0x14b8] = 24` of the Java VM describes compiled code.
    // So does a log: `runningboardd  [Moon:12] Memory Limits: active 90`.
    if parts.tail.first == UInt8(ascii: "["), !parts.tail.hasPrefix("[inlined") { return nil }
    guard let image = parts.image, isImageName(image) || FrameLine.trailingOffset(text) != nil,
      text.firstRange(of: "  ") != nil || text.contains(0x09) || image.hasSuffix(".dylib")
        || isLabelled(text)
    else {
      if isCall(text) || hasPlainOffset(text) { return Parts(tail: text) }
      let hasSource = FrameLine.frame(address: nil, tail: text).reportedFile != nil
      return FrameLine.trailingOffset(text) != nil || hasSource && text.first != UInt8(ascii: "(")
        ? Parts(tail: text) : nil
    }
    return parts
  }

  /// Whether what follows an address goes on with a sentence: `An object 0x1044 of class Moon was freed`.
  private static func isProse(_ text: Bytes) -> Bool {
    guard let (word, rest) = text.firstWord(), !rest.isEmpty,
      word.allSatisfy({ (0x61...0x7a).contains($0) })
    else { return false }
    return text.last == UInt8(ascii: ".")
      || FrameLine.trailingOffset(text) == nil && proseWords.contains { word.equals($0) }
  }

  private static let proseWords: [StaticString] = [
    "of", "is", "was", "has", "had", "in", "with", "and", "which",
  ]

  /// Whether the words before an address are a sentence's: `Memory fault at 0x0 (pc=0x1044)`.
  private static func endsInPreposition(_ words: Bytes) -> Bool {
    guard let (_, last) = words.lastWord() else { return false }
    let prepositions: [StaticString] = ["at", "address", "to", "from", "of", "is", "in"]
    return prepositions.contains { last.equals($0) }
  }

  /// Whether a text is `AppKit: -[NSView layout] + 24`: an image's name with a colon, and a function with an offset.
  private static func isLabelled(_ text: Bytes) -> Bool {
    text.firstWord()?.word.last == UInt8(ascii: ":") && FrameLine.trailingOffset(text) != nil
  }

  /// Whether a text is `_CF_forwarding_prep_0 +92` or `Cart.remove(at:) +276`: a function's name and an offset without a
  /// blank between.
  private static func hasPlainOffset(_ text: Bytes) -> Bool {
    guard let (name, word) = text.lastWord(), word.after("+")?.decimalValue != nil else { return false }
    let function = name.trimmed
    return function.last == UInt8(ascii: ")") || !function.contains(0x20) && isFunction(function)
  }

  /// Whether a text is a row of a report's table of memory regions, which may be truncated, or its title.
  private static func isMemoryRow(_ text: Bytes) -> Bool {
    text.hasPrefix("REGION TYPE ") || text.hasPrefix("GAP OF 0x") || text.firstRange(of: " SHRMOD ") != nil
      || text.firstRange(of: " SM=") != nil || holdsRegion(text)
  }

  /// Whether a row of that table is truncated after the size: `VM_ALLOCATE 112900000-112980000 [  512K]`.
  private static func holdsRegion(_ text: Bytes) -> Bool {
    guard text.last == UInt8(ascii: "]"), let size = text.firstRange(of: " ["),
      let (_, range) = text[..<size.lowerBound].lastWord(),
      let (start, end) = range.split(at: UInt8(ascii: "-"))
    else { return false }
    return start.hexDigitsValue != nil && end.hexDigitsValue != nil
  }

  /// Splits the text after the number: image, address, symbol.
  private static func columns(_ text: Bytes) -> Parts {
    if text.hasPrefix("Swift runtime failure: ") { return Parts(tail: text) }
    if let (name, address, tail) = FrameLine.splitAtAddress(text) {
      // Rust's backtraces have a dash there, and the name's hash at the end.
      return Parts(
        image: name.isEmpty ? nil : name, address: address, tail: withoutHash(tail.after("- ") ?? tail))
    }
    if let parts = stackwalk(text) ?? offsetFirst(text) { return parts }
    if let gap = text.firstIndex(of: 0x09) ?? text.firstRange(of: "  ")?.lowerBound {
      let (name, tail) = (text[..<gap], text[gap...].trimmed)
      // Only the place is in a column of its own: `Cart::total() const   (Cart.h:12)`.
      let isPlaced = tail.first == UInt8(ascii: "(") && name.contains { $0.isAny(of: "(:") }
      return isPlaced
        ? Parts(tail: Bytes(Array(name) + [0x20] + Array(tail))) : Parts(image: name.trimmedEnd, tail: tail)
    }
    guard let (first, rest) = text.firstWord() else { return Parts(tail: text) }
    let isNamed = first.last == UInt8(ascii: ":") && !rest.trimmed.isEmpty
    let word = isNamed ? first.dropLast() : first
    guard isImageName(word) else { return Parts(tail: withoutHash(text)) }
    // A single word is an image if it begins with a capital letter, as names of frameworks do and those of functions
    // rarely.
    if rest.isEmpty, (0x41...0x5a).contains(word[word.startIndex]) || word.hasSuffix(".dylib") {
      return Parts(image: word, tail: rest)
    }
    guard !rest.trimmed.isEmpty,
      !functionWords.contains(where: { word.equals($0) }),
      !rest.trimmed.hasPrefix("+ ") || word.contains(0x2e)
    else { return Parts(tail: withoutHash(text)) }
    return Parts(image: word, tail: rest.trimmed)
  }

  /// Whether a text is a function's name rather than that of a register or a field.
  static func isFunction(_ name: Bytes) -> Bool {
    guard let first = name.first, first.isLetter || first.isAny(of: "_~"), name.last != UInt8(ascii: ":")
    else { return false }
    if name.contains(UInt8(ascii: "(")) { return true }
    guard !name.contains(0x20) else { return false }
    return name.count > 8 || name.contains(0x5f) || name.firstRange(of: "::") != nil
      || name.equals("abort")
  }

}

extension LooseFrame {
  /// Prefixes of Swift's demangled names.
  private static let functionWords: [StaticString] = [
    "specialized", "closure", "partial", "thunk", "static", "protocol", "one-time", "implicit", "merged",
    "outlined", "reabstraction", "generic", "dynamic", "dispatch", "type", "lazy", "key", "default", "async",
  ]

  /// Whether a text is a name followed by parentheses: `runtime.cgocall(...)`, `ns::f(int)`.
  private static func isCall(_ text: Bytes) -> Bool {
    guard text.last == UInt8(ascii: ")"), let open = text.firstIndex(of: UInt8(ascii: "(")) else {
      return false
    }
    let name = text[..<open]
    // In source, arguments have values: `cart.remove(at: index)`.
    if text[open...].firstRange(of: ": ") != nil { return false }
    return name.firstRange(of: "::") != nil || name.contains(UInt8(ascii: ".")) && !name.contains(0x20)
  }

  static func withoutBlanks(_ text: Bytes) -> Bytes { Bytes(text.filter { $0 != 0x20 }) }

  private static func withoutBars(_ text: Bytes) -> Bytes {
    Bytes(text.map { $0 == UInt8(ascii: "|") ? 0x20 : $0 }).trimmed
  }

  /// Rust's names end with `::h` and sixteen digits that distinguish builds.
  private static func withoutHash(_ name: Bytes) -> Bytes {
    let end = name.suffix(19)
    guard end.hasPrefix("::h"), end.dropFirst(3).allSatisfy({ $0.isHexDigit }), end.count == 19
    else {
      return name
    }
    return name.dropLast(19)
  }

  static func leadingNumber(_ text: Bytes) -> (value: Int, rest: Bytes)? {
    let digits = text.prefix { $0.isDigit }
    guard digits.count <= 6, let value = digits.decimalValue else { return nil }
    return (Int(value), text[digits.endIndex...])
  }

  /// Whether a text can be an image's name: a file name of a few words, not a sentence.
  static func isImageName(_ word: Bytes) -> Bool {
    guard let first = word.first, first.isLetter || first == UInt8(ascii: "?") else { return false }
    return word.count > 2 && !word.contains { $0.isAny(of: "()[]<>:@`,;=*&\"'") }
      && word.last != UInt8(ascii: ".") && word.firstRange(of: ". ") == nil && word.count { $0 == 0x20 } < 6
  }

  /// The first of two names in `malloc_report / malloc_vreport`, where people leave out what both say.
  private static func withoutAlternative(_ text: Bytes) -> Bytes {
    guard let slash = text.firstRange(of: " / "), case let first = text[..<slash.lowerBound],
      [first, text[slash.upperBound...]].allSatisfy({ name in
        name.count > 2 && name.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
      })
    else { return text }
    return first
  }

  /// The text with blanks around an offset's plus: `+44` is an offset as well as `+ 44`.
  private static func separated(_ text: Bytes) -> Bytes {
    guard let (rest, word) = text.lastWord(), let digits = word.after("+"), digits.numberValue != nil else {
      return text
    }
    return Bytes(Array(rest) + Array("+ ".utf8) + Array(digits))
  }

  /// Removes `Cart.m line 12` from the start, as in text copied from Crashlytics' pages: the function follows without a
  /// blank.
  private static func splitLeadingLocation(_ text: Bytes) -> (rest: Bytes, location: (String?, Int?)?)? {
    // Crashlytics' pages and mails: `Cart.swift - Line 12 Cart.total() + 12`, `<compiler-generated> - Line 0 …`.
    guard let mark = text.firstRange(of: " - Line ") ?? text.firstRange(of: " line "),
      case let file = text[..<mark.lowerBound], !file.contains(0x20),
      file.contains(UInt8(ascii: ".")) || file.equals("<compiler-generated>")
    else { return nil }
    let digits = text[mark.upperBound...].prefix { $0.isDigit }
    let rest = text[digits.endIndex...]
    guard let line = digits.decimalValue, !rest.trimmed.isEmpty else { return nil }
    // Crashlytics repeats the line's number behind the name.
    let sum = Bytes(Array(" + ".utf8) + Array(digits))
    let name = rest.trimmedStart
    let ending = name.suffix(sum.count)
    if ending.elementsEqual(sum) {
      let known = file.first == UInt8(ascii: "<") ? nil : (file.string, Int(exactly: line))
      return (name.dropLast(sum.count), known)
    }
    if file.first == UInt8(ascii: "<") { return (name, nil) }
    // New Relic's pages repeat the place behind the name: `Cart.m line 12 in -[Cart total] (Cart.m:12)`.
    return (name.after("in ") ?? rest, (file.string, Int(exactly: line)))
  }

  /// Removes the image's path from the end, where Node.js prints it: `V8_Fatal(char const*, ...) [/usr/local/bin/node]`.
  private static func splitPath(_ text: Bytes) -> (rest: Bytes, image: Bytes?) {
    guard text.last == UInt8(ascii: "]") else { return (text, nil) }
    // A function without a name leaves the path alone.
    if text.hasPrefix("[/") { return (text.prefix(0), fileName(text.dropFirst().dropLast())) }
    guard let open = text.firstRange(of: " [/") else { return (text, nil) }
    return (text[..<open.lowerBound], fileName(text[(open.upperBound - 1)...].dropLast()))
  }

  private static func isEvident(_ image: Bytes?, _ frame: Frame) -> Bool {
    if let image, image.hasSuffix(".dylib") { return true }
    // People who shorten a list omit the file name extension as well.
    if let image, frame.number != nil, runtimeImages.contains(where: image.hasPrefix) { return true }
    guard let symbol = frame.reportedSymbol else { return frame.imageOffset != nil }
    return symbol.hasPrefix("-[") || symbol.hasPrefix("+[") || frame.reportedSymbolOffset != nil
      || frame.reportedFile != nil || symbol.hasPrefix("Swift runtime failure: ")
      || frame.number != nil && !symbol.contains(" ")
        && (runtimeNames.contains(where: symbol.hasPrefix) || image != nil && symbol.holds("::"))
  }

  /// Functions on the stack of every abort, with the underscore that symbol tables put before C names. Nothing else has
  /// these names.
  private static let rawNames: Set<String> = ["___pthread_kill", "_pthread_kill", "_abort"]

  /// Prefixes of the file names of runtimes.
  private static let runtimeImages: [StaticString] = ["libsystem_", "libswift", "libobjc", "libdispatch"]

  /// Prefixes of functions of runtimes that are certain signs of a frame in a numbered list.
  private static let runtimeNames = [
    "_dispatch_", "dispatch_", "_swift_", "swift_", "objc_msgSend", "objc_retain", "objc_release",
    "objc_exception_", "__pthread_kill", "__exceptionPreprocess", "__abort_with_payload", "_assertionFailure",
    "core::panicking::", "std::panicking::", "__rustc::rust_begin_unwind", "rust_begin_unwind",
  ]

  /// Whether a text can be a symbol: prose has blanks, and lacks the punctuation of names.
  private static func isName(_ frame: Frame) -> Bool {
    guard let symbol = frame.reportedSymbol else { return false }
    return !symbol.utf8.contains(0x20) || symbol.utf8.contains { $0.isAny(of: "([<") } || symbol.holds("::")
      || NamedFrame.isPartOfFunction(symbol)
  }
}
