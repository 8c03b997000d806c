internal import CrashReadCore

/// Reads one line of a backtrace: number, image, address, and what the reporter knew about the address.
///
/// Image names and symbols contain blanks, `+` and parentheses. So parsing starts at the address: the name precedes
/// it, and everything after it is parsed from the right, where the grammar is strict.
package struct FrameLine {
  private(set) var frame: Frame

  /// Reads a line; nil when it isn't a frame.
  init?(_ line: Line) {
    // Some people mark the frame that they mean: `*8  Shop  0x1234 main + 12`.
    let isMarked = line.text.first.map { $0.isAny(of: "#*") } ?? false
    let text = isMarked ? line.text.dropFirst() : line.text
    guard let (number, rest) = text.firstWord(), number.count <= 6, let value = number.decimalValue,
      let (name, address, tail) = Self.splitAtAddress(rest)
    else { return nil }
    frame = Frame(kind: .returnAddress, address: RuntimeAddress(address))
    frame.number = Int(value)
    frame.line = line.number
    frame.imageName = Self.imageName(name)
    readTail(tail)
  }

  /// Reads the text after a frame's address, or in its position if there is none.
  static func frame(address: UInt64?, tail: Bytes, image: String? = nil) -> Frame {
    var line = FrameLine(address)
    line.frame.imageName = image
    line.readTail(tail)
    return line.frame
  }

  private init(_ address: UInt64?) {
    frame = Frame(kind: .returnAddress, address: address.map { RuntimeAddress($0) })
  }

  /// The part of a frame's line that is kept when names are inserted after its address.
  package struct Head {
    /// The text before the number: indentation, and `#` in old reports.
    package var indentation: ArraySlice<UInt8>
    package var number: ArraySlice<UInt8>
    /// From the number's end to the address's end.
    package var rest: ArraySlice<UInt8>
  }

  /// Splits a line into its head and what follows the address; nil when it isn't a frame.
  package static func head(of line: ArraySlice<UInt8>) -> Head? {
    let text = line.trimmedStart.drop(atMost: 1, UInt8(ascii: "#"))
    guard let (number, rest) = text.firstWord(), number.decimalValue != nil,
      let (_, _, tail) = splitAtAddress(rest)
    else { return nil }
    let end = tail.isEmpty ? line.trimmedEnd.endIndex : tail.startIndex
    return Head(
      indentation: line[..<number.startIndex], number: number,
      rest: line[number.endIndex..<end].trimmedEnd)
  }

  /// Finds the first word that is an address.
  static func splitAtAddress(_ text: Bytes) -> (name: Bytes, address: UInt64, tail: Bytes)? {
    var rest = text
    while let (word, after) = rest.firstWord() {
      // After a plus it is an offset.
      if let address = word.addressValue, !text[..<word.startIndex].hasSuffix(" + ") {
        return (text[..<word.startIndex].trimmed, address, after.trimmed)
      }
      rest = after
    }
    return nil
  }

  static func imageName(_ name: Bytes) -> String? {
    var name = name.hasSuffix(" (*)") ? name.dropLast(4).trimmedEnd : name
    // A tool for jailbroken devices puts the mark of the app's images there, too.
    name = name.after("+ ")?.trimmedStart ?? name
    // Rosetta's own code has no image, and a placeholder that is none either.
    let isPlaceholder =
      name.equals("???") || name.equals("(null)") || name.hasPrefix("<<")
      || name.equals("<translation info unavailable>")
    return isPlaceholder ? nil : name.nonEmptyString
  }

  private mutating func readTail(_ tail: Bytes) {
    var text = Self.withoutMissingLibrary(Self.withoutRemark(Self.withoutSeparator(tail)))
    if let rest = text.after("in ") { text = rest }
    if text.hasSuffix("[inlined]") {
      frame.isInlined = true
      text = text.dropLast(9).trimmedEnd
    } else if let rest = text.after("[inlined] ") {
      frame.isInlined = true
      text = rest.trimmedStart
    }
    guard let mark = text.firstRange(of: "\t// ") ?? text.firstRange(of: " // ") else {
      return readLocation(text)
    }
    let place = text[..<mark.lowerBound].trimmedEnd
    guard let base = Self.placeInImage(place) else { return readLocation(place) }
    readLocation(base)
    readSymbol(text[mark.upperBound...].trimmed)
  }

  /// `0x104cac000 + 0x131ce8` before the name that follows two slashes, without the beginning of that name, which some tools
  /// leave before it: `__63-[ATSearchRepositories 0x104cac000 + 0x131ce8 // __63-[ATSearchRepositories reload]_block_invoke`.
  /// Nil behind a name, where the slashes begin a remark.
  private static func placeInImage(_ text: Bytes) -> Bytes? {
    guard let (word, _) = text.firstWord() else { return text }
    if word.numberValue != nil { return text }
    guard let (name, _) = trailingOffset(text), let (_, base) = name.lastWord(), base.prefixedHexValue != nil
    else { return nil }
    return text[base.startIndex...]
  }

  /// Crashlytics puts a library and a dot before the functions of other languages, and has none for Dart's:
  /// `(null)._onError (lib/ui/hooks.dart:307)`, `(null). #3      _onError (lib/ui/hooks.dart:307:38)`.
  private static func withoutMissingLibrary(_ text: Bytes) -> Bytes {
    guard let rest = text.after("(null).")?.trimmedStart else { return text }
    guard let number = rest.after("#") else { return rest }
    return number.drop(while: \.isDigit).trimmedStart
  }

  /// Removes what somebody wrote after an arrow: `-[Cart total] + 12  <- crashes here`.
  static func withoutRemark(_ text: Bytes) -> Bytes {
    // Nearly all frames end with an offset or a location, and so without a remark.
    let marks = [UInt8(ascii: "<"), firstByteOfArrows]
    guard let last = text.last, !last.isDigit,
      last != UInt8(ascii: ")") || text.contains(where: marks.contains)
    else { return text }
    for arrow: StaticString in ["<-", "<=", "← ", "⬅"] {
      guard let mark = text.firstRange(of: arrow) else { continue }
      let before = text[..<mark.lowerBound]
      // Swift's operators: `<- infix<A>(_:_:)`.
      if !(before.last?.isBlank ?? true) || text[mark.upperBound...].hasPrefix(" infix") { continue }
      return before.trimmedEnd
    }
    return text
  }

  /// The first byte of the arrows in UTF-8, U+2190 and U+2B05.
  private static let firstByteOfArrows: UInt8 = 0xe2

  /// Reads what follows the address: `0xBASE + offset`, `symbol + offset (file:line)`, or both.
  private mutating func readLocation(_ text: Bytes) {
    let base = text.firstWord()
    guard let (word, rest) = base, word.numberValue != nil, let (offset, more) = Self.leadingOffset(rest)
    else {
      return readSymbol(text)
    }
    // A base of zero means that no image contains the address.
    if word.numberValue != 0 { frame.imageOffset = ImageOffset(offset) }
    let symbol = more.trimmed
    if symbol.first == UInt8(ascii: "("), symbol.last == UInt8(ascii: ")") {
      readSymbol(symbol.dropFirst().dropLast())
    }
  }

  /// Reads `+ N`, and returns what follows.
  private static func leadingOffset(_ text: Bytes) -> (offset: UInt64, rest: Bytes)? {
    guard let (plus, after) = text.firstWord(), plus.equals("+"), let (number, rest) = after.firstWord(),
      let offset = number.numberValue
    else { return nil }
    return (offset, rest)
  }

  /// Reads `symbol + N (in Image) (file:line)`; all but the symbol may be absent.
  private mutating func readSymbol(_ text: Bytes) {
    if isNamedByOtherImage(text) { return }
    let (rest, isPiped) = Self.withoutPipe(takeBracketedPlace(text))
    var text = takeSource(rest)
    if isPiped { frame.reportedFile = "<stdin>" }
    text = takeSourceOfAtos(withoutImageName(text))
    var offset: UInt64?
    if let (before, number) = Self.trailingOffset(text) {
      offset = isPiped ? nil : number
      if let name = takeAtosName(before) {
        (text, offset) = name
      } else {
        text = withoutImageRemark(before)
      }
    }
    if text.isEmpty, let offset, frame.address == nil { frame.imageOffset = ImageOffset(offset) }
    if offset == nil { text = Self.withoutCutOffset(text) }
    guard Self.isName(text) else { return }
    frame.reportedSymbol = Self.withBlockMark(Self.withoutRepository(Self.withoutEmbeddedOffset(text))).string
    frame.reportedSymbolOffset = offset ?? frame.reportedSymbolOffset
    // Crashlytics repeats the line as the offset, and where it knew none, the offset as the line.
    if let line = frame.reportedLine, offset == UInt64(line), let file = frame.reportedFile,
      file == "<compiler-generated>" || line > Self.longestFile && file.hasSuffix(".swift")
    {
      frame.reportedLine = nil
    }
  }

  /// Removes `+ [ : 136]`, an offset, or `+ [Cart.m : 32]` from the end, as a tracker's table was copied.
  private mutating func takeBracketedPlace(_ text: Bytes) -> Bytes {
    guard text.last == UInt8(ascii: "]"), let open = text.firstRange(of: " + ["),
      let (file, number) = text[open.upperBound...].dropLast().split(at: UInt8(ascii: ":")),
      let line = number.trimmed.decimalValue
    else { return text }
    let name = text[..<open.lowerBound]
    if file.trimmed.isEmpty {
      return Bytes(Array(name) + Array(" + ".utf8) + Array(number.trimmed))
    }
    (frame.reportedFile, frame.reportedLine) = (file.trimmed.string, Int(exactly: line))
    return name
  }

  /// More lines than files in Swift have.
  private static let longestFile = 5000

  /// Removes the comma after `main + 42,`: a printed array of frames (`po Thread.callStackSymbols`) separates them so.
  private static func withoutSeparator(_ text: Bytes) -> Bytes {
    guard text.last == UInt8(ascii: ","), text.dropLast().last?.isDigit ?? false else { return text }
    return text.dropLast()
  }

  /// Removes an offset that was cut off with what followed it, or whose digits were left out: `main + 410 (Ca`,
  /// `main + 36 at Car`, `main + 0x...`, `main +`.
  private static func withoutCutOffset(_ text: Bytes) -> Bytes {
    if text.hasSuffix(" +") { return text.dropLast(2).trimmedEnd }
    guard let mark = text.firstRange(of: " + "), let (number, rest) = text[mark.upperBound...].firstWord()
    else { return text }
    let tail = rest.trimmed
    let isOpen = tail.first == UInt8(ascii: "(") && !tail.contains(UInt8(ascii: ")"))
    let isCut = number.numberValue != nil && (isOpen || tail.hasPrefix("at "))
    return isCut || number.equals("0x...") && tail.isEmpty ? text[..<mark.lowerBound].trimmedEnd : text
  }

  /// `0x0 + 0`, `+ 0 …`, `???`, `<redacted>`, `<unknown>` and remarks such as `(Missing UUID 0123)` aren't names.
  private static func isName(_ text: Bytes) -> Bool {
    if text.isEmpty || text.hasPrefix("+ ") || text.numberValue != nil { return false }
    // Whoever copies a list writes an ellipsis for what is left out.
    if text.equals("...") || text.equals("…") { return false }
    if text.equals("???") || text.hasPrefix("<redacted>") || text.equals("<unknown>") { return false }
    // Sentry's symbolicator: `<symbols missing for uuid: d3e5…>`.
    if text.hasPrefix("<symbols missing for ") { return false }
    return text.splitAtLastParentheses().map { !$0.before.isEmpty } ?? true
  }

  /// Removes `(<stdin>:3100912)` from the end, and says whether it was there: a module compiled from a pipe has no
  /// file, and the number, which Crashlytics also puts in place of the offset, is not a line.
  private static func withoutPipe(_ text: Bytes) -> (rest: Bytes, isPiped: Bool) {
    guard text.last == UInt8(ascii: ")"), let mark = text.firstRange(of: " (<stdin>:") else {
      return (text, false)
    }
    return (text[..<mark.lowerBound], true)
  }

  /// The ends of files' names that stand without a line, where the reporter knows none.
  private static let sourceEndings: [StaticString] = [".swift", ".m", ".mm", ".c", ".cpp", ".cc"]

  /// Removes ` at /path with blanks/Cart.m:83` from the end, as Xcode prints its own uncaught exceptions.
  private mutating func takePath(_ text: Bytes) -> Bytes {
    guard let mark = text.firstRange(of: " at /"), let colon = text.lastIndex(of: UInt8(ascii: ":")),
      colon > mark.upperBound, let line = text[(colon + 1)...].decimalValue,
      case let path = text[(mark.upperBound - 1)..<colon],
      Self.sourceEndings.contains(where: { path.hasSuffix($0) })
    else { return text }
    frame.reportedFile = path.string
    frame.reportedLine = line == 0 ? nil : Int(exactly: line)
    return text[..<mark.lowerBound].trimmedEnd
  }

  /// Removes `(file:line)`, or `(file)` after a blank, from the end.
  ///
  /// Line 0 and line -1 mean unknown.
  private mutating func takeSource(_ text: Bytes) -> Bytes {
    guard text.last == UInt8(ascii: ")"), let open = text.lastIndex(of: UInt8(ascii: "(")) else {
      return takeBareSource(text)
    }
    var inside = text[(open + 1)...].dropLast()
    guard var colon = inside.lastIndex(of: UInt8(ascii: ":")) else {
      let isFile = text[..<open].last == 0x20 && Self.sourceEndings.contains { inside.hasSuffix($0) }
      guard isFile || inside.equals("<compiler-generated>") else { return text }
      frame.reportedFile = inside.string
      return text[..<open].trimmedEnd
    }
    // A column can follow the line.
    if inside[(colon + 1)...].decimalValue != nil,
      let line = inside[..<colon].lastIndex(of: UInt8(ascii: ":")),
      inside[(line + 1)..<colon].decimalValue != nil
    {
      inside = inside[..<colon]
      colon = line
    }
    let number = inside[(colon + 1)...]
    guard number.equals("-1") || number.decimalValue != nil else { return text }
    // The name of a file that Apple has hidden in an app built with bitcode, as it hid those of functions.
    if inside[..<colon].firstRange(of: "_hidden#") != nil { return text[..<open].trimmedEnd }
    frame.reportedFile = inside[..<colon].nonEmptyString
    frame.reportedLine = number.decimalValue.flatMap { $0 == 0 ? nil : Int(exactly: $0) }
    return text[..<open].trimmedEnd
  }

  /// Removes `Cart.swift:33` from the end of `total + 36 Cart.swift:33`, as Datadog's pages print frames.
  private mutating func takeBareSource(_ text: Bytes) -> Bytes {
    guard text.last?.isDigit ?? false, let (rest, word) = text.lastWord(),
      let colon = word.lastIndex(of: UInt8(ascii: ":")), let line = word[(colon + 1)...].decimalValue,
      case let file = word[..<colon],
      file.equals("<compiler-generated>") || file.firstPosition(of: UInt8(ascii: ".")) != nil
    else { return text }
    let isPlace =
      Self.sourceEndings.contains { file.hasSuffix($0) } && Self.isWholeName(rest.trimmedEnd)
    guard isPlace || Self.trailingOffset(rest.trimmedEnd) != nil else { return text }
    frame.reportedFile = file.string
    let isUnknown = line == 0 || file.equals("<compiler-generated>")
    frame.reportedLine = isUnknown ? nil : Int(exactly: line)
    return rest.trimmedEnd
  }

  /// Whether a text is a function's name as a whole, with the closing bracket of a method, or with a C++ class.
  private static func isWholeName(_ text: Bytes) -> Bool {
    if text.beginsWithMethod { return text.last == UInt8(ascii: "]") }
    return !text.contains(0x20) && text.firstRange(of: "::") != nil
  }

  /// Whether `(in Image)` names another image than the line does: an app's symbols were applied to a library's address.
  /// A bundle identifier, which text reports of macOS print, needs not resemble the image's name, and HockeyApp wrote the
  /// app's UUID there, and `libobjc.dylib` for `libobjc.A.dylib`.
  private func isNamedByOtherImage(_ text: Bytes) -> Bool {
    guard let image = frame.imageName, let mark = text.firstRange(of: " (in "),
      let named = text[mark.upperBound...].split(separator: UInt8(ascii: ")")).first?.string,
      !image.contains(".") || image.hasSuffix(".dylib")
    else { return false }
    if named.utf8.count == 32, named.allSatisfy(\.isHexDigit) { return false }
    let stem = named.prefix { $0 != "." }
    return !image.hasSuffix(named) && !image.hasPrefix(stem) && !named.hasPrefix(image)
  }

  /// Removes the `(in Image)` of `atos` from the end, which may be the only statement of the image.
  private mutating func withoutImageRemark(_ text: Bytes) -> Bytes {
    guard text.last == UInt8(ascii: ")"), let open = text.lastIndex(of: UInt8(ascii: "(")),
      let image = text[(open + 1)...].after("in ")
    else { return text }
    if frame.imageName == nil, frame.address == nil {
      frame.imageName = image.dropLast().nonEmptyString
    }
    return text[..<open].trimmedEnd
  }

  /// Removes `(Shop)` from the end, the frame's image, as New Relic's pages print frames of images without lines.
  private func withoutImageName(_ text: Bytes) -> Bytes {
    guard text.last == UInt8(ascii: ")"), let image = frame.imageName,
      let (name, inside) = text.splitAtLastParentheses(), !name.isEmpty, text[name.endIndex] == 0x20,
      inside.elementsEqual(image.utf8)
    else { return text }
    return name
  }

  /// Removes the `(in Image)` of `atos` from the end, and the place before it that has no parentheses: `-[Cart total]
  /// Cart.m:31 (in Shop)`, and without debug information `_objc_release :16 (in libobjc.A.dylib)`, where the number counts
  /// from the symbol, which has the underscore of C.
  private mutating func takeSourceOfAtos(_ text: Bytes) -> Bytes {
    let name = takePath(withoutImageRemark(text))
    guard name.count < text.count, frame.reportedFile == nil, let (rest, word) = name.lastWord(),
      let (file, number) = word.split(at: UInt8(ascii: ":")), let line = number.decimalValue
    else { return name }
    if file.isEmpty {
      frame.reportedSymbolOffset = line
      let symbol = rest.trimmedEnd
      return symbol.first == UInt8(ascii: "_") ? symbol.dropFirst() : symbol
    }
    guard file.contains(UInt8(ascii: ".")) else { return name }
    frame.reportedFile = file.string
    frame.reportedLine = line == 0 ? nil : Int(exactly: line)
    return rest.trimmedEnd
  }

  /// Takes what `atos` found, if somebody put it in place of the name, before the offset in the image: `f() (in Shop) +
  /// 216 + 11495940`, `f() (in Shop) (Cart.swift:12) + 726220`.
  private mutating func takeAtosName(_ text: Bytes) -> (name: Bytes, offset: UInt64?)? {
    guard text.firstRange(of: " (in ") != nil else { return nil }
    let unplaced = takeSource(text)
    let (rest, offset) = Self.trailingOffset(unplaced) ?? (unplaced, nil)
    let name = withoutImageRemark(rest)
    guard name.count < rest.count, rest.count < text.count else { return nil }
    return (name, offset)
  }

  /// Removes `+ N` from the end.
  static func trailingOffset(_ text: Bytes) -> (before: Bytes, offset: UInt64)? {
    guard let (rest, number) = text.lastWord(), let offset = number.numberValue,
      let (before, plus) = rest.lastWord(), plus.equals("+")
    else { return nil }
    return (before.trimmedEnd, offset)
  }

  /// Repairs `_31-[Cart total]_block_invoke`: Instabug leaves out the first of a block's two underscores.
  private static func withBlockMark(_ symbol: Bytes) -> Bytes {
    guard symbol.first == UInt8(ascii: "_"), symbol.dropFirst().first?.isDigit ?? false,
      symbol.firstRange(of: "]_block_invoke") != nil
    else { return symbol }
    return Bytes([UInt8(ascii: "_")] + symbol)
  }

  /// Repairs `closure tide/moon#2 in Cart.total()`: when an issue moves to another repository, GitHub takes `#2` for an issue
  /// of the old one.
  private static func withoutRepository(_ symbol: Bytes) -> Bytes {
    guard symbol.contains(UInt8(ascii: "/")), symbol.firstRange(of: "closure ") != nil else { return symbol }
    var words = symbol.split(separator: 0x20, omittingEmptySubsequences: false)
    for index in words.indices.dropFirst() where words[index - 1].hasSuffix("closure") {
      guard let (name, number) = words[index].split(at: UInt8(ascii: "#")), number.decimalValue != nil,
        name.contains(UInt8(ascii: "/"))
      else { continue }
      words[index] = words[index][name.endIndex...]
    }
    return Bytes(words.joined(separator: [0x20]))
  }

  /// Repairs `-[NSObject+ 193960 (NSObject) x]`: iOS 13 and 14 print the image offset into the middle of some names.
  private static func withoutEmbeddedOffset(_ symbol: Bytes) -> Bytes {
    guard let plus = symbol.firstRange(of: "+ "), plus.lowerBound > symbol.startIndex,
      !symbol[plus.lowerBound - 1].isBlank, let (number, rest) = symbol[plus.upperBound...].firstWord(),
      number.decimalValue != nil, rest.hasPrefix(" (")
    else { return symbol }
    return Bytes(Array(symbol[..<plus.lowerBound]) + Array(rest.dropFirst()))
  }
}
