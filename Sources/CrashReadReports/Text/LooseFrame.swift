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

  private struct Parts {
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
    fileprivate mutating func take(_ name: Bytes, _ inside: Bytes) {
      guard let plus = inside.firstRange(of: " + 0x"), inside[plus.upperBound...].hexDigitsValue != nil else {
        return
      }
      image = inside[..<plus.lowerBound]
      tail = name.trimmed.equals("n/a") ? [] : name.trimmed
    }
  }

  /// Reads a line; nil when it isn't a frame.
  init?(_ line: Line) {
    var text = Self.withoutSignBlank(line.text)
    for mark: StaticString in ["* ", "-> ", "<- ", "← ", "- ", "• ", "!\t", "! "] {
      text = text.after(mark)?.trimmedStart ?? text
    }
    // Trackers print links to the crash.
    if (text.after("[") ?? text).hasPrefix("http") && text.firstRange(of: "://") != nil { return nil }
    // dyld's list of the paths that it tried, a condition, and a declaration that the Swift compiler was working on.
    let notes: [StaticString] = [" (no such file", " (mach-o file", " == ", " != ", "for '"]
    if notes.contains(where: { text.firstRange(of: $0) != nil }) || Self.isRemark(text) { return nil }
    // Another process's line in a device's log, and the compiler's count: `1 warning generated.`
    if LogHead.isStamped(text) || text.hasSuffix(" generated.") { return nil }
    let index = Self.index(text)
    text = FrameLine.withoutRemark(index.map { Self.withAddressFirst($0.rest) } ?? text)
    if let repeated = SpelledFrame.repetitions(text) { (text, repetitions) = repeated }
    text = SpelledFrame.withPlainOffset(text)
    // A blank keeps trackers from making a link to an issue of the number: `# 0  0x1000 in total ()`.
    if let rest = text.after("# "), rest.first?.isDigit ?? false { text = Bytes([UInt8(ascii: "#")] + rest) }
    // An element of a JSON array, or a row of a table.
    if let inside = text.after("\"") { text = inside.prefix { $0 != UInt8(ascii: "\"") } }
    if text.firstRange(of: " | ") != nil { text = Self.withoutBars(text) }
    if let words = text.after("Thread "), let mark = words.firstRange(of: ": Swift runtime failure: ") {
      text = words[(mark.lowerBound + 2)...]
    }
    // In text copied from a page, the thread's title and its first frame may share a line.
    if let words = text.after("Thread "), case let rest = words.drop(while: \.isDigit),
      rest.startIndex > words.startIndex, rest.first == UInt8(ascii: "#")
    {
      text = rest
    }
    // A row of disassembly: `0x1042c5faa <+10>: testb $0x4, 0x20(%rax)`.
    if text.hasPrefix("0x"), text.firstRange(of: " <+") != nil { return nil }
    // LLDB's note above a stop, and what Mono says of a thread by its address.
    if text.firstRange(of: " was compiled with optimization") != nil || text.hasPrefix("Thread 0x") {
      return nil
    }
    // The headings of threads in LLDB, in Python and on trackers' pages: `#10 Thread`.
    if text.first == UInt8(ascii: "#"), text.hasSuffix(" Thread") { return nil }
    if text.hasPrefix("thread #") || text.hasSuffix("(most recent call first):") { return nil }
    // A register's value, which people write below LLDB's frames: `lr: tide_run + 328`.
    if text.hasPrefix("lr: ") || text.hasPrefix("pc: ") { return nil }
    let printed =
      Self.valgrind(text) ?? Self.zig(text) ?? Self.hotspot(text) ?? Self.dartVM(text)
      ?? Self.backtraceSymbols(text)
    let pasted =
      printed ?? Self.unreal(text) ?? Self.appCenter(text) ?? Self.hockeyApp(text) ?? Self.debugger(text)
      ?? Self.boost(text)
    guard
      let parts = pasted ?? Self.atFrame(text) ?? Self.fileThenFunction(text) ?? Self.fileThenDash(text)
        ?? Self.pathFirst(text)
        ?? Self.numbered(text) ?? Self.unnumbered(text)
    else {
      return nil
    }
    // A table's heading and value: `Crash Item	:	Flutter`.
    if parts.address == nil, parts.tail.hasPrefix(":"), !parts.tail.hasPrefix("::") { return nil }
    let (whole, path) = Self.splitPath(parts.tail)
    let (tail, location) = Self.splitLeadingLocation(whole) ?? Self.splitLocation(whole)
    let image = (parts.image ?? path).flatMap(FrameLine.imageName)
    frame = FrameLine.frame(address: parts.address, tail: Self.separated(tail), image: image)
    frame.number = parts.number ?? index?.value
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
    // Node's own scripts, on the stack of an error in JavaScript: `at open (node:fs:120:3)`.
    if parts.address == nil, frame.reportedFile?.hasPrefix("node:") ?? false { return nil }
    // A time in a log looks like a source location: `start(0x19bb34000) - (Aug 12 2020@22:50:37)`.
    if let file = frame.reportedFile, file.contains(" "), !file.contains("."), !file.contains("/") {
      return nil
    }
    // `Error: ret = HV_BAD_ARGUMENT (at hvf.c:1075)` is a message with a location.
    if parts.address == nil, frame.reportedSymbol?.holds(" = ") == true { return nil }
    // Code that was generated at run time has neither: `4   ???   0x281051a00 0x0 + 10754529792`.
    // LLDB shows only the address of such code.
    let isSomewhere =
      frame.address != nil && (parts.image?.equals("???") == true || parts.isDebugger) || parts.address == 0
    let isStated = frame.reportedSymbol != nil || frame.imageName != nil || parts.isEvident || isSomewhere
    guard isEvident || Self.isName(frame), isStated else { return nil }
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

  /// A frame in another textual form.
  init(_ frame: Frame, isEvident: Bool, repetitions: Int = 1) {
    self.frame = frame
    self.isEvident = isEvident
    self.repetitions = repetitions
  }

  // MARK: - Formats

  /// Reads `/src/cart.zig:12:5: 0x10440ecc3 in total (moon)`, above the line of source, as Zig prints frames; without debug
  /// information the place is `???:?:?`.
  private static func zig(_ text: Bytes) -> Parts? {
    guard let mark = text.firstRange(of: ": 0x"), !text[..<mark.lowerBound].contains(0x20),
      let (number, rest) = text[(mark.upperBound - 2)...].firstWord(), let address = number.prefixedHexValue,
      let named = rest.trimmedStart.after("in "), let (name, image) = named.splitAtLastParentheses(),
      case let place = text[..<mark.lowerBound].split(separator: UInt8(ascii: ":")), place.count == 3
    else { return nil }
    var parts = Parts(address: address, tail: name.trimmed, isEvident: true)
    if !image.equals("???") { parts.image = image }
    if parts.tail.equals("???") { parts.tail = [] }
    if let line = place[1].decimalValue {
      parts.tail = Bytes(Array(parts.tail) + Array(" (".utf8) + Array(place[0]) + Array(":\(line))".utf8))
    }
    return parts
  }

  /// Reads `# C  [libobjc.A.dylib+0x14dd]  objc_msgSend+0x1d`, as the Java VM prints native frames and its own.
  private static func hotspot(_ text: Bytes) -> Parts? {
    let text = text.after("# ") ?? text
    if let parts = hotspotCode(text) { return parts }
    guard let (kind, rest) = text.firstWord(), kind.equals("C") || kind.equals("V"),
      let inside = rest.trimmedStart.after("["), let (location, name) = inside.split(at: UInt8(ascii: "]")),
      let plus = location.lastIndex(of: UInt8(ascii: "+")), location[(plus + 1)...].prefixedHexValue != nil
    else { return nil }
    let symbol = name.trimmed
    let offset = symbol.lastIndex(of: UInt8(ascii: "+")).map { (symbol[..<$0], symbol[$0...]) }
    let tail = offset.map { Array($0.0) + Array(" ".utf8) + Array($0.1) } ?? Array(symbol)
    return Parts(image: location[..<plus], tail: Bytes(tail))
  }

  /// Reads the frames of code that the Java VM made or interpreted: `J 4142 C2 shop.Cart.total(I)I (42 bytes) @ 0x1…`,
  /// `j  shop.Cart.total(I)I+12`, `v  ~StubRoutines::call_stub`.
  private static func hotspotCode(_ text: Bytes) -> Parts? {
    guard let (kind, rest) = text.firstWord(), kind.count == 1, let letter = kind.first,
      letter.isAny(of: "JjvA")
    else { return nil }
    if letter == UInt8(ascii: "v") {
      guard let (name, _) = rest.firstWord(), let stub = name.after("~") else { return nil }
      return Parts(tail: stub, isEvident: true)
    }
    for word in rest.split(separator: 0x20).prefix(4) {
      guard let open = word.firstIndex(of: UInt8(ascii: "(")), open > word.startIndex else { continue }
      let name = word[..<open]
      return name.contains(UInt8(ascii: ".")) && word.contains(UInt8(ascii: ")"))
        ? Parts(tail: name, isEvident: true, isManaged: true) : nil
    }
    return nil
  }

  /// Reads `pc 0x0000000107fe4f34 fp 0x000000016b2162b0 dart::Assert::Fail(char const*, ...) const+0x30`, as the Dart VM
  /// prints its own stack (dart-lang/sdk, runtime/vm/profiler.cc).
  private static func dartVM(_ text: Bytes) -> Parts? {
    guard let rest = text.after("pc 0x"), let (counter, next) = rest.firstWord(),
      let address = counter.hexDigitsValue, let frame = next.trimmedStart.after("fp 0x"),
      let (_, name) = frame.firstWord()
    else { return nil }
    return Parts(address: address, tail: name.trimmed, isEvident: true)
  }

  /// Reads `FCart::Total() Address = 0x102da4f2b [/src/Cart.cpp, line 12] [in Moon-Core.dylib]` of Unreal Engine
  /// (FGenericPlatformStackWalk::SymbolInfoToHumanReadableString); without debug files it has `(filename not found)`.
  private static func unreal(_ text: Bytes) -> Parts? {
    guard let mark = text.firstRange(of: " Address = 0x"),
      let address = text[mark.upperBound...].leadingHexValue
    else { return nil }
    let rest = text[mark.upperBound...]
    var parts = Parts(address: address, tail: text[..<mark.lowerBound], isEvident: true)
    if let module = rest.firstRange(of: "[in ") {
      parts.image = rest[module.upperBound...].prefix { $0 != UInt8(ascii: "]") }
    }
    guard let line = rest.firstRange(of: ", line "), let open = rest.firstIndex(of: UInt8(ascii: "[")),
      open < line.lowerBound, let number = rest[line.upperBound...].prefix(while: \.isDigit).decimalValue
    else { return parts }
    let source = " (".utf8 + rest[(open + 1)..<line.lowerBound] + ":\(number))".utf8
    parts.tail = Bytes(Array(parts.tail) + Array(source))
    return parts
  }

  /// Reads `/lib/libc.so.6(__libc_start_main+0xeb)[0x7f0d8e05a09b]` and `/usr/bin/moon[0x4be18f4]`, as glibc's
  /// `backtrace_symbols` prints frames.
  private static func backtraceSymbols(_ text: Bytes) -> Parts? {
    guard text.last == UInt8(ascii: "]"), let first = text.first, first.isAny(of: "/."),
      let open = text.lastIndex(of: UInt8(ascii: "[")),
      let address = text[(open + 1)...].dropLast().prefixedHexValue
    else { return nil }
    let location = text[..<open].trimmed
    guard location.last == UInt8(ascii: ")"), let start = location.lastIndex(of: UInt8(ascii: "(")) else {
      return Parts(image: fileName(location), address: address, tail: [], isEvident: true)
    }
    let inside = location[(start + 1)...].dropLast()
    let plus = inside.lastIndex(of: UInt8(ascii: "+")) ?? inside.endIndex
    let offset = plus < inside.endIndex ? Array(" + ".utf8) + Array(inside[(plus + 1)...]) : []
    return Parts(
      image: fileName(location[..<start]), address: address,
      tail: plus == inside.startIndex ? [] : Bytes(Array(inside[..<plus]) + offset), isEvident: true)
  }

  /// Reads `Cart.total() (Cart.swift:12);Shop`, from issues that App Center opens.
  private static func appCenter(_ text: Bytes) -> Parts? {
    guard let semicolon = text.lastIndex(of: UInt8(ascii: ";")), text[..<semicolon].last == UInt8(ascii: ")")
    else { return nil }
    let image = text[(semicolon + 1)...]
    return isImageName(withoutBlanks(image)) ? Parts(image: image, tail: text[..<semicolon]) : nil
  }

  /// Reads `SHCart;removeItem:;SHCart.m;31` and `-;Shop.Cart.remove(Int) -> ();Cart.swift;12`, as HockeyApp wrote class,
  /// method, file and line into other trackers' issues; file and line may be empty.
  private static func hockeyApp(_ text: Bytes) -> Parts? {
    guard text.count(where: { $0 == UInt8(ascii: ";") }) == 3 else { return nil }
    let fields = text.split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
    let (type, name, file, line) = (fields[0], fields[1], fields[2], fields[3])
    let isSource = sourceEndings.contains { file.hasSuffix($0) } && line.decimalValue != nil
    guard isSource || file.isEmpty && line.isEmpty, !name.isEmpty, !type.isEmpty,
      type.equals("-") || type.allSatisfy({ $0.isLetter || $0.isDigit || $0.isAny(of: "_.()") })
    else { return nil }
    // The row leaves out the method's sign; most are instance methods.
    var tail = type.equals("-") ? Array(name) : Array("-[".utf8) + type + [0x20] + name + Array("]".utf8)
    if isSource { tail += Array(" (".utf8) + file + Array(":".utf8) + line + Array(")".utf8) }
    return Parts(tail: Bytes(tail), isEvident: true)
  }

  private static func debugger(_ text: Bytes) -> Parts? {
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
    if let (image, name) = tail.split(at: UInt8(ascii: "`")), !image.contains(0x20) {
      parts.image = image
      // LLDB's mark of a method in an image without a module of its own.
      tail = name.after("::").flatMap { $0.beginsWithMethod ? $0 : nil } ?? name
    } else if parts.isDebugger, tail.hasSuffix(".dylib"), !tail.contains(0x20) {
      // LLDB's frame of an image whose functions it doesn't know.
      (parts.image, tail) = (tail, [])
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
  private static func withoutEmptyArguments(_ text: Bytes) -> Bytes {
    text.hasSuffix("-> ()") ? text : text.before(" ()") ?? text
  }

  /// Reads `12# function in /path/of/image` of Boost.Stacktrace.
  private static func boost(_ text: Bytes) -> Parts? {
    guard let number = leadingNumber(text), let rest = number.rest.after("# "),
      let mark = rest.firstRange(of: " in /") ?? rest.firstRange(of: " in ")
    else { return nil }
    let image = fileName(rest[mark.upperBound...])
    return Parts(number: number.value, image: image, tail: rest[..<mark.lowerBound].trimmed)
  }

  /// Reads `at function (File.swift:12)` of Sentry's text, and `at 0   shared  0x104 kfun:f + 1` of Kotlin/Native.
  /// Frames of scripts look similar, but have other file name extensions.
  private static func atFrame(_ text: Bytes) -> Parts? {
    guard let rest = text.after("at ")?.trimmed else { return nil }
    if let parts = numbered(rest), parts.address != nil { return parts }
    guard let (name, inside) = rest.splitAtLastParentheses(), !name.isEmpty else { return nil }
    if inside.equals("<unknown>") || inside.equals("<compiler-generated>") { return Parts(tail: name) }
    // `at _assertionFailure(_:_:file:line:flags:) + 152 (libswiftCore.dylib)`
    if FrameLine.trailingOffset(name.trimmed) != nil, isImageName(withoutBlanks(inside)) {
      return Parts(image: inside, tail: name.trimmed, isEvident: true)
    }
    let file = inside.split(at: UInt8(ascii: ":"))?.before ?? inside
    return sourceEndings.contains { file.hasSuffix($0) } ? Parts(tail: rest) : nil
  }

  private static let sourceEndings: [StaticString] = [
    ".swift", ".m", ".mm", ".c", ".cc", ".cpp", ".h", ".hpp", ".rs",
  ]

  /// Reads `File "Cart.swift", line 87, in Cart.total.getter`, as Sentry writes frames to other trackers' issues, and
  /// Python writes those of scripts.
  private static func fileThenFunction(_ text: Bytes) -> Parts? {
    if let name = text.after("?, in ")?.trimmed, !name.isEmpty { return Parts(tail: name) }
    guard let rest = text.after("File \""), let (file, location) = rest.split(at: UInt8(ascii: "\"")),
      let mark = location.firstRange(of: ", in ") ?? location.firstRange(of: " in ")
    else { return nil }
    let name = Array(location[mark.upperBound...].trimmed)
    if file.equals("<compiler-generated>") { return Parts(tail: Bytes(name)) }
    guard sourceEndings.contains(where: { file.hasSuffix($0) }) else { return nil }
    let line = location[..<mark.lowerBound].after(", line ").map { Array(":".utf8) + Array($0) } ?? []
    return Parts(tail: Bytes(name + Array(" (".utf8) + Array(file) + line + Array(")".utf8)))
  }

  /// Reads `Shop/Cart.swift:27 - total` and `Frameworks/libswiftCore.dylib:0 - function`, as Bugsnag writes frames to
  /// other trackers' issues.
  private static func fileThenDash(_ text: Bytes) -> Parts? {
    guard let mark = text.firstRange(of: " - "), case let name = text[mark.upperBound...].trimmed,
      !name.isEmpty, !name.contains(0x20) || name.beginsWithMethod || name.firstRange(of: ") -> ") != nil,
      let (path, number) = text[..<mark.lowerBound].split(at: UInt8(ascii: ":")), !path.contains(0x20),
      let line = number.decimalValue
    else { return nil }
    if sourceEndings.contains(where: { path.hasSuffix($0) }) {
      let source = Array(" (".utf8) + Array(path) + Array(":\(line))".utf8)
      return Parts(tail: Bytes(Array(name) + source), isEvident: true)
    }
    return line == 0 && (path.contains(UInt8(ascii: "/")) || name.firstRange(of: ") -> ") != nil)
      ? Parts(image: fileName(path), tail: name, isEvident: true) : nil
  }

  /// Reads `Frameworks/UIKit.framework/UIKit -[UIView layout]` and `Shop/Cart.m:50:9 -[Cart total]` of Instabug.
  private static func pathFirst(_ text: Bytes) -> Parts? {
    // React Native's pages leave out the blank: `Cart.m:50:9-[Cart total]`.
    if let sign = text.firstRange(of: "-[") ?? text.firstRange(of: "+["), sign.lowerBound > text.startIndex,
      text[sign.lowerBound - 1].isDigit, !text[..<sign.lowerBound].contains(0x20)
    {
      return pathFirst(Bytes(Array(text[..<sign.lowerBound]) + [0x20] + Array(text[sign.lowerBound...])))
    }
    // A colon ends the path of a file that dyld tried, followed by why it can't be used.
    guard let (path, rest) = text.firstWord(), path.contains(where: { $0.isAny(of: "/:") }),
      path.last != UInt8(ascii: ":"), !path.contains(where: { $0.isAny(of: "()<>[]\"'`,;=*&|") })
    else { return nil }
    let name = rest.trimmed
    guard let first = name.first, first.isLetter || first.isAny(of: "_-+"),
      !name.contains(0x20) || name.contains(where: { $0.isAny(of: "([") })
    else { return nil }
    if path.firstRange(of: ".framework/") != nil || path.hasPrefix("/usr/lib/lib") {
      return Parts(image: fileName(path), tail: name, isEvident: true)
    }
    let parts = path.split(separator: UInt8(ascii: ":"))
    guard parts.count == 3, let line = parts[1].decimalValue, parts[2].decimalValue != nil,
      sourceEndings.contains(where: { parts[0].hasSuffix($0) })
    else { return nil }
    let source = Array(" (".utf8) + Array(parts[0]) + Array(":\(line))".utf8)
    return Parts(tail: Bytes(Array(name) + source), isEvident: true)
  }

  private static func numbered(_ text: Bytes) -> Parts? {
    guard let number = leadingNumber(text) else { return nil }
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

  /// Whether a numbered line is one of the source that debuggers print around a stop, `12    return cart.total;`. Names of
  /// Rust's closures end with a brace, too: `tide::rise::{{closure}}`.
  private static func isSource(_ text: Bytes) -> Bool {
    guard let end = text.last else { return false }
    return end.isAny(of: ";{") || end == UInt8(ascii: "}") && text.firstRange(of: "::{") == nil
  }

  /// Reads Valgrind's `at 0xBD470C: rise (tide.c:871)` and `by 0xBE432F: fall (in /opt/tide/main)`.
  private static func valgrind(_ text: Bytes) -> Parts? {
    guard let rest = text.after("at 0x") ?? text.after("by 0x"), let colon = rest.firstRange(of: ": "),
      let address = rest[..<colon.lowerBound].hexDigitsValue,
      let (name, place) = rest[colon.upperBound...].splitAtLastParentheses()
    else { return nil }
    var parts = Parts(address: address, tail: name.trimmed, isEvident: true)
    if let path = place.after("in ") {
      parts.image = fileName(path)
    } else {
      parts.tail = Bytes(Array(name.trimmed) + Array(" (".utf8) + Array(place) + Array(")".utf8))
    }
    return parts
  }

  /// Reads `Shop<tab>Cart.m:24<tab>-[Cart total] (in Shop)` and `libobjc.A<tab>124<tab>_objc_terminate() (in
  /// libobjc.A.dylib)`, rows that a tracker's page made of the output of `atos`; `missing` stands for no function.
  private static func atosRow(_ text: Bytes) -> Parts? {
    guard isAtosRow(text), case let cells = text.split(separator: 0x09), cells.count == 3,
      let (name, image) = cells[2].splitAtLastParentheses(),
      let file = image.after("in ")
    else { return nil }
    var parts = Parts(image: file, tail: name.trimmed.equals("missing") ? [] : name.trimmed, isEvident: true)
    let place = cells[1].trimmed
    if place.decimalValue == nil {
      parts.tail = Bytes(Array(parts.tail) + Array(" at ".utf8) + Array(place))
    } else if !parts.tail.isEmpty {
      parts.tail = Bytes(Array(parts.tail) + Array(" + ".utf8) + Array(place))
    }
    return parts
  }

  static func isAtosRow(_ text: Bytes) -> Bool {
    text.last == UInt8(ascii: ")") && text.count(where: { $0 == 0x09 }) == 2
      && text.firstRange(of: " (in ") != nil
  }

  private static func unnumbered(_ text: Bytes) -> Parts? {
    // Crashlytics' lines above the frames: `# Date: Mon May 19 2025 22:55:08 GMT+0300 (GMT+03:00)`.
    if text.hasPrefix("# ") { return nil }
    if isMemoryRow(text) { return nil }
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
      return isImageName(withoutBlanks(image)) ? parts : nil
    }
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
      return Parts(image: text[..<gap], tail: text[gap...].trimmed)
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

  private static func sentryPage(_ text: Bytes) -> Parts? {
    guard let (name, file, line) = SentryPage.frame(text) else { return nil }
    let place = line.map { Array(" (".utf8) + Array(file) + Array(":\($0))".utf8) } ?? []
    return Parts(tail: Bytes(Array(name) + place), isEvident: true)
  }

  /// Reads `0x10e120392 - /path/libmonosgen-2.0.dylib : sigabrt_signal_handler` of Mono's native stacktraces.
  private static func mono(_ text: Bytes) -> Parts? {
    guard let (word, rest) = text.firstWord(), let address = word.prefixedHexValue else { return nil }
    if rest.trimmed.equals("- Unknown") { return Parts(address: address, tail: [], isEvident: true) }
    guard let path = rest.trimmedStart.after("- /"), let mark = path.firstRange(of: " : ")
    else { return nil }
    let image = fileName(path[..<mark.lowerBound])
    return Parts(image: image, address: address, tail: path[mark.upperBound...].trimmed)
  }

  /// Reads `0x1a8aeb224 __pthread_kill + 8`, a report's frame without number and image.
  private static func addressFirst(_ text: Bytes) -> Parts? {
    guard let (word, rest) = text.firstWord(), word.count > 10, let address = word.addressValue,
      let (name, _) = FrameLine.trailingOffset(rest), let first = name.trimmed.first,
      first.isLetter || first.isAny(of: "_-+[(<~"), !name.trimmed.hasPrefix("- ")
    else { return nil }
    return Parts(address: address, tail: rest.trimmed)
  }

  /// Reads `Cart::total(int) 0x0000000104b0a3c8`, as hosts of plug-ins and users of JUCE copy a debugger's list.
  private static func addressLast(_ text: Bytes) -> Parts? {
    guard let (name, word) = text.lastWord(), word.count == 18, let address = word.prefixedHexValue,
      address > 0xffff, case let name = name.trimmed, isFunction(name)
    else { return nil }
    return Parts(address: address, tail: name)
  }

  /// Whether a text is a function's name rather than that of a register or a field.
  private static func isFunction(_ name: Bytes) -> Bool {
    guard let first = name.first, first.isLetter || first.isAny(of: "_~"), name.last != UInt8(ascii: ":")
    else { return false }
    if name.contains(UInt8(ascii: "(")) { return true }
    guard !name.contains(0x20) else { return false }
    return name.count > 8 || name.contains(0x5f) || name.firstRange(of: "::") != nil
      || name.equals("abort")
  }

  /// Reads `Image +0x1f0 symbol (file:1)`, as copied from Sentry and Bugsnag.
  private static func offsetFirst(_ text: Bytes) -> Parts? {
    guard let plus = text.firstRange(of: " +0x"),
      let (word, rest) = text[(plus.lowerBound + 1)...].firstWord(),
      word.dropFirst().prefixedHexValue != nil, !rest.trimmed.isEmpty
    else { return nil }
    let image = text[..<plus.lowerBound].trimmed
    return isImageName(withoutBlanks(image)) ? Parts(image: image, tail: rest.trimmed) : nil
  }

  /// Reads `Image!symbol [file.cc : 12 + 0x5]` and `Image + 0x1f0` of Breakpad's `minidump_stackwalk`.
  private static func stackwalk(_ text: Bytes) -> Parts? {
    if let (image, rest) = text.split(at: UInt8(ascii: "!")), !image.isEmpty,
      isImageName(withoutBlanks(image))
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

  private static func withoutBlanks(_ text: Bytes) -> Bytes { Bytes(text.filter { $0 != 0x20 }) }

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

  private static func leadingNumber(_ text: Bytes) -> (value: Int, rest: Bytes)? {
    let digits = text.prefix { $0.isDigit }
    guard digits.count <= 6, let value = digits.decimalValue else { return nil }
    return (Int(value), text[digits.endIndex...])
  }

  /// Whether a text can be an image's name: a file name of a few words, not a sentence.
  private static func isImageName(_ word: Bytes) -> Bool {
    guard let first = word.first, first.isLetter || first == UInt8(ascii: "?") else { return false }
    return word.count > 2 && !word.contains { $0.isAny(of: "()[]<>:@`,;=*&\"'") }
      && word.last != UInt8(ascii: ".") && word.firstRange(of: ". ") == nil && word.count { $0 == 0x20 } < 6
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
    guard let mark = text.firstRange(of: " line "), case let file = text[..<mark.lowerBound],
      file.contains(UInt8(ascii: ".")), !file.contains(0x20)
    else { return nil }
    let digits = text[mark.upperBound...].prefix { $0.isDigit }
    let rest = text[digits.endIndex...]
    guard let line = digits.decimalValue, !rest.trimmed.isEmpty else { return nil }
    return (rest, (file.string, Int(exactly: line)))
  }

  /// Removes the image's path from the end, where Node.js prints it: `V8_Fatal(char const*, ...) [/usr/local/bin/node]`.
  private static func splitPath(_ text: Bytes) -> (rest: Bytes, image: Bytes?) {
    guard text.last == UInt8(ascii: "]"), let open = text.firstRange(of: " [/") else { return (text, nil) }
    return (text[..<open.lowerBound], fileName(text[(open.upperBound - 1)...].dropLast()))
  }

  /// Removes ` at File.swift:12:3` from the end, as debuggers print it.
  private static func splitLocation(_ text: Bytes) -> (rest: Bytes, location: (String?, Int?)?) {
    let text = text.before(" [opt]") ?? text
    guard let (rest, word) = text.lastWord(), let before = rest.trimmedEnd.before(" at") else {
      return (text, nil)
    }
    let parts = word.split(separator: UInt8(ascii: ":"))
    guard parts.count > 1, let line = parts[1].decimalValue else { return (text, nil) }
    return (withoutEmptyArguments(before).trimmed, (parts[0].string, line == 0 ? nil : Int(exactly: line)))
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
