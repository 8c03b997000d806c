internal import CrashReadCore

// Rows as crash trackers' pages show them, and as trackers write them into issues.

extension LooseFrame {
  /// Reads `Cart.total() (Cart.swift:12);Shop`, from issues that App Center opens.
  static func appCenter(_ text: Bytes) -> Parts? {
    guard let semicolon = text.lastIndex(of: UInt8(ascii: ";")), text[..<semicolon].last == UInt8(ascii: ")")
    else { return nil }
    let image = text[(semicolon + 1)...]
    return isImageName(withoutBlanks(image)) ? Parts(image: image, tail: text[..<semicolon]) : nil
  }

  /// Reads `SHCart;removeItem:;SHCart.m;31` and `-;Shop.Cart.remove(Int) -> ();Cart.swift;12`, as HockeyApp wrote class,
  /// method, file and line into other trackers' issues; file and line may be empty.
  static func hockeyApp(_ text: Bytes) -> Parts? {
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

  /// Reads `at function (File.swift:12)` of Sentry's text, and `at 0   shared  0x104 kfun:f + 1` of Kotlin/Native.
  /// Frames of scripts look similar, but have other file name extensions.
  static func atFrame(_ text: Bytes) -> Parts? {
    guard let rest = text.after("at ")?.trimmed else { return nil }
    if let parts = numbered(rest), parts.address != nil { return parts }
    guard let (name, inside) = rest.splitAtLastParentheses(), !name.isEmpty else { return nil }
    // Sentry's shared page: `at null.objc_exception_throw(null:null)`, without a module and a file.
    if inside.equals("null:null") { return Parts(tail: name.after("null.") ?? name, isEvident: true) }
    if inside.equals("<unknown>") || inside.equals("<compiler-generated>") { return Parts(tail: name) }
    // `at _assertionFailure(_:_:file:line:flags:) + 152 (libswiftCore.dylib)`
    if FrameLine.trailingOffset(name.trimmed) != nil, isImageName(withoutBlanks(inside)) {
      return Parts(image: inside, tail: name.trimmed, isEvident: true)
    }
    let file = inside.split(at: UInt8(ascii: ":"))?.before ?? inside
    return sourceEndings.contains { file.hasSuffix($0) } ? Parts(tail: rest) : nil
  }

  static let sourceEndings: [StaticString] = [
    ".swift", ".m", ".mm", ".c", ".cc", ".cpp", ".h", ".hpp", ".rs",
  ]

  /// Reads `File "Cart.swift", line 87, in Cart.total.getter`, as Sentry writes frames to other trackers' issues, and
  /// Python writes those of scripts.
  static func fileThenFunction(_ text: Bytes) -> Parts? {
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
  static func fileThenDash(_ text: Bytes) -> Parts? {
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
  static func pathFirst(_ text: Bytes) -> Parts? {
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

  static func sentryPage(_ text: Bytes) -> Parts? {
    guard let (name, file, line) = SentryPage.frame(text) else { return nil }
    let place = line.map { Array(" (".utf8) + Array(file) + Array(":\($0))".utf8) } ?? []
    return Parts(tail: Bytes(Array(name) + place), isEvident: true)
  }

  /// Reads `Image +0x1f0 symbol (file:1)`, as copied from Sentry, and `Image +0x1f0 symbol file.c:1` of Bugsnag.
  static func offsetFirst(_ text: Bytes) -> Parts? {
    guard let plus = text.firstRange(of: " +0x"),
      let (word, rest) = text[(plus.lowerBound + 1)...].firstWord(),
      word.dropFirst().prefixedHexValue != nil, !rest.trimmed.isEmpty
    else { return nil }
    let image = text[..<plus.lowerBound].trimmed
    guard isImageName(withoutBlanks(image)) else { return nil }
    if let placed = withPlace(rest.trimmed) { return Parts(image: image, tail: placed, isEvident: true) }
    return Parts(image: image, tail: rest.trimmed)
  }

  /// `symbol (file.c:1)` for `symbol file.c:1`; nil for a name without a place.
  private static func withPlace(_ text: Bytes) -> Bytes? {
    guard let blank = text.lastIndex(of: 0x20), case let place = text[(blank + 1)...],
      let colon = place.lastIndex(of: UInt8(ascii: ":")), place[(colon + 1)...].decimalValue != nil,
      place[..<colon].contains(UInt8(ascii: ".")), !place.contains(UInt8(ascii: "("))
    else { return nil }
    return Bytes(Array(text[..<blank]) + Array(" (".utf8) + Array(place) + Array(")".utf8))
  }

  /// Reads `(Shop + 0x0012f090 ) -[Cart total]`, as tools that symbolicate exported reports print frames.
  static func imageFirst(_ text: Bytes) -> Parts? {
    guard let (inside, name) = text.after("(")?.split(at: UInt8(ascii: ")")), !name.trimmed.isEmpty,
      let plus = inside.firstRange(of: " + 0x"), inside[plus.upperBound...].trimmed.hexDigitsValue != nil,
      case let image = inside[..<plus.lowerBound], isImageName(withoutBlanks(image))
    else { return nil }
    return Parts(image: image, tail: name.trimmed, isEvident: true)
  }

  /// Reads `Shop<tab>Cart.m:24<tab>-[Cart total] (in Shop)` and `libobjc.A<tab>124<tab>_objc_terminate() (in
  /// libobjc.A.dylib)`, rows that a tracker's page made of the output of `atos`; `missing` stands for no function.
  static func atosRow(_ text: Bytes) -> Parts? {
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
}
