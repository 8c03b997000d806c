internal import CrashReadCore

// Rows as runtimes, engines and their handlers of signals print them.

extension LooseFrame {
  /// Reads `/src/cart.zig:12:5: 0x10440ecc3 in total (moon)`, above the line of source, as Zig prints frames; without debug
  /// information the place is `???:?:?`.
  static func zig(_ text: Bytes) -> Parts? {
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
  static func hotspot(_ text: Bytes) -> Parts? {
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
  static func dartVM(_ text: Bytes) -> Parts? {
    guard let rest = text.after("pc 0x"), let (counter, next) = rest.firstWord(),
      let address = counter.hexDigitsValue, let frame = next.trimmedStart.after("fp 0x"),
      let (_, name) = frame.firstWord()
    else { return nil }
    // The VM's words for a frame without a name.
    let tail = name.trimmed.equals("Unknown symbol") ? [] : withSpacedOffset(name.trimmed)
    return Parts(address: address, tail: tail, isEvident: true)
  }

  /// `Dart_Invoke + 0x1f` for `Dart_Invoke+0x1f`.
  private static func withSpacedOffset(_ name: Bytes) -> Bytes {
    guard let plus = name.lastIndex(of: UInt8(ascii: "+")), name[(plus + 1)...].prefixedHexValue != nil else {
      return name
    }
    return Bytes(Array(name[..<plus]) + Array(" + ".utf8) + Array(name[(plus + 1)...]))
  }

  /// Reads `=>0 0x01fc9328 rise+0x304bf() in tide (0x0021ee1c)` of Wine's debugger, which marks the frame that it shows, and
  /// puts the frame's own address last (wine, programs/winedbg/stack.c).
  static func wine(_ text: Bytes) -> Parts? {
    guard let number = leadingNumber(text.after("=>") ?? text), let (word, rest) = number.rest.firstWord(),
      let address = word.prefixedHexValue, let (place, frame) = rest.splitAtLastParentheses(),
      frame.prefixedHexValue != nil, let mark = place.firstRange(of: " in "),
      let (module, _) = place[mark.upperBound...].firstWord()
    else { return nil }
    let name = place[..<mark.lowerBound].trimmed
    return Parts(
      number: number.value, image: module, address: address,
      tail: withSpacedOffset(name.splitAtLastParentheses()?.before ?? name), isEvident: true)
  }

  /// Reads `FCart::Total() Address = 0x102da4f2b [/src/Cart.cpp, line 12] [in Moon-Core.dylib]` of Unreal Engine
  /// (FGenericPlatformStackWalk::SymbolInfoToHumanReadableString); without debug files it has `(filename not found)`.
  ///
  /// On Macs `[Callstack] 0x108c7b940 Moon!ATide::Tick() [UnknownFile])`, with the file and the line in the brackets where
  /// they are known (FGenericPlatformStackWalk::ProgramCounterToHumanReadableString).
  static func unreal(_ text: Bytes) -> Parts? {
    if let row = unrealCallstack(text.after("[Callstack] ") ?? text) { return row }
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

  private static func unrealCallstack(_ text: Bytes) -> Parts? {
    guard let (word, rest) = text.firstWord(), let address = word.prefixedHexValue,
      let (module, name) = rest.trimmedStart.split(at: UInt8(ascii: "!")), isImageName(module),
      !module.contains(0x20), let place = name.firstRange(of: " [")
    else { return nil }
    let function = name[..<place.lowerBound]
    var parts = Parts(image: module, address: address, tail: function, isEvident: true)
    let source = name[place.upperBound...].prefix { $0 != UInt8(ascii: "]") }
    if let colon = source.lastIndex(of: UInt8(ascii: ":")), source[(colon + 1)...].decimalValue != nil {
      parts.tail = Bytes(Array(function) + Array(" (".utf8) + Array(source) + Array(")".utf8))
    }
    return parts
  }

  /// Reads `/lib/libc.so.6(__libc_start_main+0xeb)[0x7f0d8e05a09b]` and `/usr/bin/moon[0x4be18f4]`, as glibc's
  /// `backtrace_symbols` prints frames.
  static func backtraceSymbols(_ text: Bytes) -> Parts? {
    guard text.last == UInt8(ascii: "]"), let first = text.first, first.isAny(of: "/.~"),
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

  /// Reads `12# function in /path/of/image` of Boost.Stacktrace.
  static func boost(_ text: Bytes) -> Parts? {
    guard let number = leadingNumber(text), let rest = number.rest.after("# "),
      let mark = rest.firstRange(of: " in /") ?? rest.firstRange(of: " in ")
    else { return nil }
    let image = fileName(rest[mark.upperBound...])
    return Parts(number: number.value, image: image, tail: rest[..<mark.lowerBound].trimmed)
  }

  /// Reads Valgrind's `at 0xBD470C: rise (tide.c:871)` and `by 0xBE432F: fall (in /opt/tide/main)`.
  static func valgrind(_ text: Bytes) -> Parts? {
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

  /// Reads `#3    Object "/opt/tide/main", at 0x100003100, in rise() + 40` and, where it has the source, `#2    Source
  /// "/src/tide.cpp", line 88, in fall()` of backward-cpp (bombela/backward-cpp, class Printer).
  static func backward(_ text: Bytes) -> Parts? {
    guard let numbered = text.after("#"), let number = leadingNumber(numbered),
      case let rest = number.rest.drop(while: { $0.isBlank || $0 == UInt8(ascii: "|") }),
      let quoted = rest.after("Object \"") ?? rest.after("Source \""),
      let (path, place) = quoted.split(at: UInt8(ascii: "\"")), let mark = place.firstRange(of: ", in ")
    else { return nil }
    let name = place[mark.upperBound...].trimmed
    var parts = Parts(number: number.value, tail: name, isEvident: true)
    if let address = place.after(", at ")?.prefix(while: { $0 != UInt8(ascii: ",") }).prefixedHexValue {
      (parts.image, parts.address) = (fileName(path), address)
      // Without a symbol it prints the image once more.
      if name.firstWord()?.word == fileName(path) { parts.tail = name.drop { $0 != 0x20 }.trimmed }
    } else if let line = place.after(", line ")?.prefix(while: \.isDigit), !line.isEmpty {
      let source = Array(path) + [UInt8(ascii: ":")] + Array(line)
      parts.tail = Bytes(Array(name) + Array(" (".utf8) + source + Array(")".utf8))
    }
    return parts
  }

  /// Reads `0x10e120392 - /path/libmonosgen-2.0.dylib : sigabrt_signal_handler` of Mono's native stacktraces.
  static func mono(_ text: Bytes) -> Parts? {
    guard let (word, rest) = text.firstWord(), let address = word.prefixedHexValue else { return nil }
    if rest.trimmed.equals("- Unknown") { return Parts(address: address, tail: [], isEvident: true) }
    guard let path = rest.trimmedStart.after("- /"), let mark = path.firstRange(of: " : ")
    else { return nil }
    let image = fileName(path[..<mark.lowerBound])
    return Parts(image: image, address: address, tail: path[mark.upperBound...].trimmed)
  }
}
