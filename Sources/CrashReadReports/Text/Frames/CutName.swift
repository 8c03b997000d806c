internal import CrashReadCore

/// The name in the last line of a text that was cut off inside it: the function that it begins is unknown, or has only lost
/// what stood behind its name.
private struct CutName {
  /// The part that is the function's whole name; nil if there is none.
  let whole: String?

  /// Examines a name at the end of a text; nil when it isn't evidently cut.
  init?(_ name: Bytes) {
    // LLDB's place, cut before its line.
    for end: StaticString in ["] at ", ") at "] {
      guard let mark = name.firstRange(of: end) else { continue }
      whole = name[...mark.lowerBound].string
      return
    }
    if let last = name.last, last.isAny(of: ":.<,&") {
      whole = nil
    } else if let block = Self.block(name) {
      whole = block
    } else if let open = Self.openBracket(name) {
      let head = name[..<open].trimmedEnd
      let isWhole = head.last.map { $0.isLetterOrDigit || $0 == UInt8(ascii: "]") } ?? false
      let isFunction = name[open] == UInt8(ascii: "(") && isWhole && !head.equals("decltype")
      whole = isFunction ? head.string : nil
    } else {
      return nil
    }
  }

  /// The block of `__31-[Cart total]_bl`: nothing but `_block_invoke` follows a method's bracket.
  private static func block(_ name: Bytes) -> String? {
    guard name.hasPrefix("__"), let close = name.lastIndex(of: UInt8(ascii: "]")) else { return nil }
    let (head, tail, whole) = (name[...close], name[(close + 1)...], Array("_block_invoke".utf8))
    guard !tail.isEmpty, tail.count < whole.count, whole.starts(with: tail) else { return nil }
    return head.string + String(decoding: whole, as: UTF8.self)
  }

  /// The position of the outermost bracket that isn't closed. The arrow of Swift's types and C++'s operators hold angles, too.
  private static func openBracket(_ name: Bytes) -> Int? {
    if name.firstRange(of: "operator<") != nil { return nil }
    var open: [Int] = []
    var previous: UInt8 = 0
    for index in name.indices {
      switch name[index] {
      case UInt8(ascii: "("), UInt8(ascii: "["), UInt8(ascii: "<"): open.append(index)
      case UInt8(ascii: ")"), UInt8(ascii: "]"): _ = open.popLast()
      case UInt8(ascii: ">") where previous != UInt8(ascii: "-"): _ = open.popLast()
      default: break
      }
      previous = name[index]
    }
    return open.first
  }
}

extension CrashReport {
  /// The report without the name that the end of the text has cut off.
  func withoutCutName(atEndOf text: Bytes) -> CrashReport {
    guard let line = Self.lastLine(text) else { return self }
    var report = self
    // Nearly no list ends so, and writing to one copies all frames of the report.
    for (index, thread) in threads.enumerated() {
      if let frames = thread.frames.withoutCutName(line) { report.threads[index].frames = frames }
    }
    report.lastExceptionBacktrace = lastExceptionBacktrace.withoutCutName(line) ?? lastExceptionBacktrace
    for (index, frames) in applicationSpecificBacktraces.enumerated() {
      if let frames = frames.withoutCutName(line) { report.applicationSpecificBacktraces[index] = frames }
    }
    return report
  }

  private static let maximumLine = 4096

  private static func lastLine(_ text: Bytes) -> Bytes? {
    guard let last = text.lastIndex(where: { !$0.isWhitespace }) else { return nil }
    let end = text[...last].suffix(maximumLine)
    let start = end.lastIndex { $0 == 0x0a || $0 == 0x0d }
    return end[(start.map { $0 + 1 } ?? end.startIndex)...].trimmedStart
  }
}

extension [Frame] {
  /// The frames without what the last line of the text has cut off; nil if that is nothing.
  fileprivate func withoutCutName(_ line: Bytes) -> [Frame]? {
    guard count > 1, let last = self.last else { return nil }
    guard let symbol = last.reportedSymbol else { return endsInCut(line, last) ? dropLast() : nil }
    guard last.reportedSymbolOffset == nil, last.reportedFile == nil else { return nil }
    let name = Bytes([UInt8](symbol.utf8))
    // Arguments of the name may have been left out.
    let end = name.lastWord()?.word ?? name
    guard line.count > end.count, line.suffix(end.count).elementsEqual(end), let cut = CutName(name) else {
      return nil
    }
    if cut.whole == nil, last.imageName == nil, last.address == nil { return dropLast() }
    var frames = self
    frames[count - 1].reportedSymbol = cut.whole
    return frames
  }

  /// Whether the line ends within the image or the offset of the last frame, which has no name.
  private func endsInCut(_ line: Bytes, _ last: Frame) -> Bool {
    if let image = last.imageName, last.address == nil, last.imageOffset == nil, isCutImage(image),
      line.count > image.utf8.count, line.suffix(image.utf8.count).elementsEqual(image.utf8)
    {
      return true
    }
    guard let offset = last.imageOffset?.rawValue, let word = line.lastWord()?.word else { return false }
    return word.prefixedHexValue == offset && isCutOffset(offset, last.imageName)
  }

  /// Whether an offset is in the header of its image, where no code is, and other frames of the image have one in its code.
  private func isCutOffset(_ offset: UInt64, _ image: String?) -> Bool {
    offset < 0x100
      && dropLast().contains { frame in
        frame.imageName == image && frame.imageOffset?.rawValue ?? 0 >= 0x1000
      }
  }

  /// Whether a name is the beginning of another image's.
  private func isCutImage(_ name: String) -> Bool {
    dropLast().contains { frame in
      frame.imageName.map { $0.utf8.count > name.utf8.count && $0.hasPrefix(name) } ?? false
    }
  }
}
