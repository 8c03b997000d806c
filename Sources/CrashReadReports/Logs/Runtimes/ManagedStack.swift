internal import CrashReadCore

/// Stacks of other languages that a runtime wrote into the message of an exception it raised.
///
/// If the program's own code runs in a virtual machine, or is called by one, the native stack has only the machine's
/// functions. The formats are those of .NET (`System.Exception.ToString`), Java and Kotlin
/// (`Throwable.printStackTrace`), Python (`faulthandler`), JavaScript (V8 and Hermes write `at f (file:1:2)`,
/// JavaScriptCore and React Native `f@file:1:2`) and Dart (`StackTrace.toString`).
enum ManagedStack {
  private static let maximumTextSize = 1 << 18
  private static let maximumLineLength = 4096
  private static let maximumFrames = 512
  private static let maximumStacks = 8

  /// The stacks in a text, each innermost first; what was thrown first comes first in all these languages.
  static func backtraces(in text: String) -> [[Frame]] {
    var stacks: [[Frame]] = [[]]
    let bytes = Bytes(Array(text.utf8)).prefix(maximumTextSize)
    for range in LineRanges(bytes) where !range.isEmpty {
      let line = bytes[range]
      guard mayBeFrame(line), let frame = frame(withoutLogPrefix(line.prefix(maximumLineLength)).string)
      else {
        let isMark = line.trimmed.equals("<asynchronous suspension>")
        if !isMark, stacks.last?.isEmpty == false { stacks.append([]) }
        continue
      }
      guard stacks.count <= maximumStacks else { break }
      if stacks[stacks.count - 1].count < maximumFrames { stacks[stacks.count - 1].append(frame) }
    }
    return stacks.filter(isCredible).map(numbered)
  }

  /// Whether a line can have one of the formats; most lines of messages can't, and aren't converted to strings.
  private static func mayBeFrame(_ line: Bytes) -> Bool {
    let text = withoutLogPrefix(line).trimmedStart
    return text.hasPrefix("at ") || text.hasPrefix("#") || text.hasPrefix("File \"") || text.hasPrefix("c:0")
      || isAppCenterRow(text) || isPlainRow(text)
      || text.firstPosition(of: UInt8(ascii: "@")) != nil
  }

  /// Whether a line is `Shop.Cart.Total (System.Int32 row) <0x1021050f0 + 0x0001a> in <1f22…>:0;Shop.iOS` or has `[0x00001]` in
  /// place of the address: Mono's row and its assembly, in an issue that App Center opened.
  private static func isAppCenterRow(_ text: Bytes) -> Bool {
    text.firstPosition(of: UInt8(ascii: ";")) != nil
      && (text.firstRange(of: ") <0x") ?? text.firstRange(of: ") [0x")) != nil
  }

  /// A line without the prefix of `NSLog` and of GLib, through which Mono prints on devices: `2024-05-01 10:00:00.000
  /// Shop.iOS[12:34] critical:   at Shop.Cart.Total ()`.
  private static func withoutLogPrefix(_ line: Bytes) -> Bytes {
    line.firstRange(of: "] critical: ").map { line[$0.upperBound...] } ?? line
  }

  /// Whether a line is a frame that other readers would take for native code, or don't know: Dart's with its location in a
  /// package, Ruby's, and .NET's as printed by programs compiled ahead of time.
  static func isFrame(_ line: Bytes) -> Bool {
    if line.hasPrefix("c:0") { return line.count <= maximumLineLength && rubyFrame(line.string[...]) != nil }
    if isPlainRow(line) { return line.count <= maximumLineLength }
    let isCandidate =
      line.first == UInt8(ascii: "#") && line.last == UInt8(ascii: ")")
      || line.hasPrefix("at ")
        && (line.firstRange(of: ") + 0x") ?? line.firstRange(of: "!<BaseAddress>+0x")) != nil
    guard isCandidate, line.count <= maximumLineLength else { return false }
    let text = line.string.trimmingSpaces
    return text.hasPrefix("#")
      ? dartFrame(text) != nil : compiledNetFrame(text.dropFirst(3).trimmingSpaces) != nil
  }

  /// A stack whose frames are listed in JSON, as strings or objects.
  static func backtrace(_ list: JSONValue) -> [Frame] {
    numbered(Array(list.elements.prefix(maximumFrames).compactMap(frame)))
  }

  /// Whether lines are certainly frames: a single line without a file can look like one by chance.
  private static func isCredible(_ frames: [Frame]) -> Bool {
    frames.count > 1 || frames.contains { $0.reportedFile != nil }
  }

  private static func numbered(_ frames: [Frame]) -> [Frame] {
    var frames = frames
    for index in frames.indices { frames[index].number = index }
    return frames
  }

  private static func frame(_ source: JSONValue) -> Frame? {
    if let line = source.string { return frame(line) }
    func text(_ names: String...) -> String? { names.lazy.compactMap { source[$0].string }.first }
    let line = source["lineNumber"].integer ?? source["line"].integer ?? source["lineno"].integer
    return makeFrame(
      text("methodName", "function", "name", "method"),
      SourcePosition(file: text("file", "fileName", "filename"), line: line))
  }

  private static func frame(_ line: String) -> Frame? {
    let line = line.trimmingSpaces
    if line.hasPrefix("at ") { return atFrame(line.dropFirst(3).trimmingSpaces) }
    if line.hasPrefix("#") { return dartFrame(line) }
    if line.hasPrefix("File \"") { return pythonFrame(line) }
    if line.hasPrefix("c:0") { return rubyFrame(line) }
    if line.contains(") <0x") || line.contains(") [0x"), let end = line.lastIndex(of: ";") {
      return netFrame(line[..<end])
    }
    if isPlainRow(Bytes(line.utf8)) { return atFrame(line) }
    guard let sign = line.firstIndex(of: "@"), !line[..<sign].contains(" ") else { return nil }
    let location = line[line.index(after: sign)...]
    if location == "[native code]" { return makeFrame(String(line[..<sign]), SourcePosition()) }
    return SourcePosition(position: location).flatMap {
      $0.line == nil ? nil : makeFrame(String(line[..<sign]), $0)
    }
  }
}

extension ManagedStack {
  private struct SourcePosition {
    var file: String?
    var line: Int?

    init(file: String? = nil, line: Int? = nil) {
      self.file = file
      self.line = line.flatMap { $0 > 0 ? $0 : nil }
    }

    /// Reads `file`, `file:12`, `file:12:34` and `file:line 12`; React Native omits the file.
    init?(position: Substring) {
      var parts = position.split(separator: ":", omittingEmptySubsequences: false)
      var numbers: [Int] = []
      while numbers.count < 2, let last = parts.last, let number = Self.number(last) {
        numbers.insert(number, at: 0)
        parts.removeLast()
      }
      let file = parts.joined(separator: ":")
      if file.isEmpty, numbers.count < 2 { return nil }
      self.init(file: file.isEmpty ? nil : file, line: numbers.first)
    }

    private static func number(_ text: Substring) -> Int? {
      Int(text.hasPrefix("line ") ? text.dropFirst(5) : text)
    }
  }

  private static func makeFrame(_ name: String?, _ location: SourcePosition) -> Frame? {
    guard name != nil || location.line != nil else { return nil }
    var frame = Frame(kind: .returnAddress, address: nil)
    frame.isManaged = true
    frame.reportedSymbol = name.flatMap { $0.isEmpty ? nil : $0 } ?? "<anonymous>"
    frame.reportedFile = location.file
    frame.reportedLine = location.line
    return frame
  }

  /// Reads `Shop.Cart.Total() + 0x2c`, and `Shop!<BaseAddress>+0x1a2b3c` where the program was stripped: NativeAOT,
  /// dotnet/runtime, `DeveloperExperience.CreateStackTraceString`.
  private static func compiledNetFrame(_ text: Substring) -> Frame? {
    if let mark = text.range(of: "!<BaseAddress>+0x"),
      let offset = UInt64(text[mark.upperBound...], radix: 16)
    {
      var frame = makeFrame(String(text[mark.lowerBound...].dropFirst()), SourcePosition())
      frame?.imageName = String(text[..<mark.lowerBound])
      frame?.imageOffset = ImageOffset(offset)
      return frame
    }
    guard let mark = text.range(of: ") + 0x"), let open = text.firstIndex(of: "("),
      let offset = UInt64(text[mark.upperBound...].prefix { $0.isHexDigit }, radix: 16)
    else { return nil }
    let name = text[..<open].trimmingSpaces
    guard name.contains("."), !name.contains(" ") else { return nil }
    let location = text[mark.upperBound...].range(of: " in ").flatMap {
      SourcePosition(position: text[$0.upperBound...])
    }
    var frame = makeFrame(String(name), location ?? SourcePosition())
    frame?.reportedSymbolOffset = offset
    return frame
  }

  /// Reads `File "/path/file.py", line 12 in f` of Python's `faulthandler`, which prints the innermost call first.
  ///
  /// Tracebacks print the outermost one first, and have a comma after the line number.
  private static func pythonFrame(_ line: Substring) -> Frame? {
    let text = line.dropFirst("File \"".count)
    guard let quote = text.firstIndex(of: "\"") else { return nil }
    let words = text[quote...].split(separator: " ")
    guard words.count == 5, words[1] == "line", words[3] == "in", let number = Int(words[2]) else {
      return nil
    }
    return makeFrame(String(words[4]), SourcePosition(file: String(text[..<quote]), line: number))
  }

  /// Reads `c:0009 p:---- s:0030 e:000029 CFUNC  :paint` and `c:0006 p:0045 s:0018 e:000017 METHOD /src/tide.rb:172 [FINISH]`,
  /// which Ruby prints for a bug of its own (ruby, vm_dump.c, `control_frame_dump`), innermost first.
  private static func rubyFrame(_ line: Substring) -> Frame? {
    let words = line.split(separator: " ", maxSplits: 5)
    guard words.count == 6, words[1].hasPrefix("p:"), words[2].hasPrefix("s:") else { return nil }
    var place = words[5].trimmingSpaces
    if place.hasSuffix("[FINISH]") { place = place.dropLast("[FINISH]".count).trimmingSpaces }
    if words[4] == "CFUNC" {
      return place.first == ":" ? makeFrame(String(place.dropFirst()), SourcePosition()) : nil
    }
    return SourcePosition(position: place).flatMap { position in
      let file = position.file?.split(separator: "/").last ?? ""
      return position.line == nil ? nil : makeFrame("\(words[4].lowercased()) in \(file)", position)
    }
  }

  /// Reads what follows `at`: .NET has the location after `in`, the others in the last parentheses.
  private static func atFrame(_ text: Substring) -> Frame? {
    if let frame = netFrame(text) ?? compiledNetFrame(text) { return frame }
    let text = withoutWrapper(text)
    guard text.last == ")", let open = text.lastIndex(of: "(") else {
      guard !text.contains(" "), let location = SourcePosition(position: text), location.line != nil else {
        return nil
      }
      return makeFrame(nil, location)
    }
    let name = text[..<open].trimmingSpaces
    guard !name.isEmpty else { return nil }
    var inside = text[text.index(after: open)...].dropLast()
    if inside.hasPrefix("address at ") { inside = inside.dropFirst(11) }
    if ["Native Method", "Unknown Source", "native", "<anonymous>"].contains(String(inside)) {
      return makeFrame(String(name), SourcePosition())
    }
    if !inside.contains(" "), let location = SourcePosition(position: inside), location.line != nil {
      return makeFrame(name.hasPrefix("async ") ? String(name.dropFirst(6)) : String(name), location)
    }
    // In .NET the parentheses contain the parameter types.
    return name.contains(".") && !name.contains(" ") ? makeFrame(String(name), SourcePosition()) : nil
  }

  /// The method behind `(wrapper managed-to-native)`, the code by which Mono calls it.
  private static func withoutWrapper(_ text: Substring) -> Substring {
    text.hasPrefix("(wrapper ") ? text.drop { $0 != ")" }.dropFirst().trimmingSpaces : text
  }

  /// Whether a line is Mono's row without `at`, as App Center's pages have it: `TideRenderer.Rise (System.Object moon,
  /// System.Int32 row)`. Each parameter has a type and a name.
  private static func isPlainRow(_ text: Bytes) -> Bool {
    let text = text.trimmed
    if text.hasPrefix("(wrapper managed-to-native) ") { return text.last == UInt8(ascii: ")") }
    guard text.last == UInt8(ascii: ")"), let open = text.firstRange(of: " ("),
      case let name = text[..<open.lowerBound], !name.contains(0x20), name.contains(UInt8(ascii: ".")),
      name.first?.isLetter ?? false, case let inside = text[open.upperBound...].dropLast(), !inside.isEmpty
    else { return false }
    return inside.split(separator: UInt8(ascii: ",")).allSatisfy { parameter in
      let words = parameter.trimmed.split(separator: 0x20)
      return words.count == 2 && words[0].contains(UInt8(ascii: "."))
        && words[0].last != UInt8(ascii: ".")
        && words.allSatisfy { $0.first?.isLetter ?? false }
    }
  }

  /// Reads `Type.Method (parameters) [0x00007] in /path/File.cs:115`.
  private static func netFrame(_ text: Substring) -> Frame? {
    let text = withoutWrapper(text)
    guard let open = text.dropFirst().firstIndex(of: "("), let close = text.lastIndex(of: ")") else {
      return nil
    }
    let name = text[..<open].trimmingSpaces
    let rest = text[text.index(after: close)...].trimmingSpaces
    guard open < close, name.contains(where: { $0 == "." || $0 == ":" }), !name.contains(" "),
      rest.hasPrefix("in ") || rest.hasPrefix("[0x") || rest.hasPrefix("<0x")
    else { return nil }
    guard let mark = rest.range(of: "in ") else { return makeFrame(String(name), SourcePosition()) }
    let location = SourcePosition(position: rest[mark.upperBound...].trimmingSpaces)
    // A module without debug information has a hash as its name: `<b1c0…>:0`, `<filename unknown>:0`.
    let isKnown = location?.file?.hasPrefix("<") == false
    return makeFrame(String(name), isKnown ? location ?? SourcePosition() : SourcePosition())
  }

  /// Reads `#0      main.<anonymous closure> (package:app/main.dart:10:5)`.
  private static func dartFrame(_ line: Substring) -> Frame? {
    let digits = line.dropFirst().prefix { $0.isWholeNumber }
    let rest = line[digits.endIndex...].trimmingSpaces
    guard !digits.isEmpty, rest.last == ")", let open = rest.lastIndex(of: "("),
      let location = SourcePosition(position: rest[rest.index(after: open)...].dropLast()),
      let file = location.file,
      file.hasPrefix("package:") || file.hasPrefix("dart:") || file.hasPrefix("file:")
    else { return nil }
    return makeFrame(String(rest[..<open].trimmingSpaces), location)
  }
}

extension StringProtocol {
  var trimmingSpaces: Substring {
    let start = drop { $0 == " " || $0 == "\t" }
    guard let last = start.lastIndex(where: { $0 != " " && $0 != "\t" && $0 != "\r" }) else { return "" }
    return Substring(start[...last])
  }

  fileprivate func range(of mark: String) -> Range<Index>? {
    var position = startIndex
    while position < endIndex {
      if self[position...].hasPrefix(mark) { return position..<index(position, offsetBy: mark.count) }
      position = index(after: position)
    }
    return nil
  }
}

extension CrashReport {
  /// The report with the stacks of other languages in its messages.
  func withManagedStacks() -> CrashReport {
    guard format != .sanitizer, kind != .panic else { return self }
    let information = applicationSpecificInformation.joined(separator: "\n")
    let texts = [uncaughtException?.reason, exception?.message, information]
    var report = self
    for stack in texts.compactMap(\.self).flatMap(ManagedStack.backtraces)
    where !report.applicationSpecificBacktraces.contains(stack) {
      report.applicationSpecificBacktraces.append(stack)
    }
    return report
  }
}
