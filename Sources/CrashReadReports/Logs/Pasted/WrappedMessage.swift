internal import CrashReadCore

/// Messages that a narrow field or an assistant broke into lines, recognised by an open quotation or method name.
enum WrappedMessage {
  static let maximumLines = 6

  /// Whether a message in the line ends on a later one.
  static func isOpen(_ text: Bytes) -> Bool {
    if let assertion = text.firstRange(of: "failed assertion `") {
      return !text[assertion.upperBound...].contains { $0.isAny(of: "'`") }
    }
    if let name = text.firstRange(of: "ncaught exception '") {
      return isOpenException(text[name.upperBound...])
    }
    // LLDB's frame, before the place in its source.
    if text.hasSuffix(" at"), text.hasPrefix("frame #") || text.hasPrefix("* frame #") { return true }
    if isOpenMisuse(text) { return true }
    // Foundation's assertion, before the file and the line.
    if text.last == UInt8(ascii: ","), text.hasPrefix("*** Assertion failure in ") { return true }
    if text.hasSuffix("erminating app due to uncaught") || text.hasSuffix("due to uncaught exception") {
      return true
    }
    // libc++abi's, before the exception's type or its message.
    if let type = text.firstRange(of: "ncaught exception of type") {
      return type.upperBound == text.endIndex || text.last == UInt8(ascii: ":")
    }
    if isReceiver(text) { return true }
    if text.last == UInt8(ascii: ":"), text.firstRange(of: "Uncaught Kotlin exception: ") != nil {
      return true
    }
    // The place in Swift's or GLib's code (`ERROR:tide.c:12:pour:`), with the message below; in a sentence it is the place
    // of something else.
    if text.last == UInt8(ascii: ":"), !text.contains(0x20),
      text.firstRange(of: ".swift:") != nil || text.firstRange(of: "ERROR:") != nil
    {
      return true
    }
    // The allocator's message, without its verb.
    if let pointer = text.firstRange(of: "*** error for object ").flatMap({ mark in
      text[mark.upperBound...].firstRange(of: ": pointer being")
    }) {
      return text[pointer.upperBound...].firstRange(of: " not allocated") == nil
    }
    // Swift's resource bundle accessor lists the searched paths on further lines.
    return endsInMethod(text) || text.hasSuffix("Fatal error: could not load resource bundle:")
  }

  /// Whether a line is a method before `unrecognized selector sent to instance`.
  private static func isReceiver(_ text: Bytes) -> Bool { text.beginsWithMethod && text.hasSuffix("]:") }

  /// A message with the next line, where a mail program broke it: the next word didn't fit into the last line any more.
  static func joinedAtWidth(_ begun: Line, last: Line, _ next: Line) -> Line? {
    guard begun.text.count < maximumLength, let word = next.text.firstWord()?.word,
      last.text.count + 1 + word.count > minimumWidth, isOpen(begun.text)
    else { return nil }
    return joined(begun, next)
  }

  private static let maximumLength = 4096

  /// The narrowest width at which mail programs break lines (RFC 3676, 4.2: 72 characters at most are advised).
  private static let minimumWidth = 72

  /// Whether the message of a check in a system library, whose caller is at fault, or of Swift's, may have been broken at a
  /// page's width.
  private static func isOpenMisuse(_ text: Bytes) -> Bool {
    text.count > 50 && text.last?.isLetter ?? false
      && (text.firstRange(of: "BUG IN CLIENT OF ") ?? text.firstRange(of: ": Fatal error: ")) != nil
  }

  /// A message's line with the one that continues it; nil if that one can't.
  static func joined(_ begun: Line, _ next: Line) -> Line? {
    guard canContinue(next.text) else { return nil }
    if isReceiver(begun.text), !next.text.hasPrefix("unrecognized selector sent to ") { return nil }
    // Without the closing mark in the next line, this is other text; the message's own mark was lost.
    if begun.text.firstRange(of: "failed assertion `") != nil, next.number > begun.number + 1,
      !next.text.contains(where: { $0.isAny(of: "'`") })
    {
      return nil
    }
    // Only these have no mark of their end, so the next line must show that it is within a sentence.
    if isOpenMisuse(begun.text), let first = next.text.first,
      !first.isLetter || first.isUppercase || next.text.firstRange(of: ": ") != nil
    {
      return nil
    }
    return begun.with(text: Bytes(Array(begun.text) + [UInt8(ascii: " ")] + Array(next.text)))
  }

  /// Whether a line can continue a message: it isn't a frame, a heading, or another message.
  private static func canContinue(_ text: Bytes) -> Bool {
    // `[METAL] Command buffer execution failed` is a message; `[12:34]` and `[ERROR:shell.cc(108)]`, with which the logs of
    // Chromium and Flutter begin another one, are not.
    if let tag = text.after("["), let first = tag.first {
      return (first.isLetter || first == UInt8(ascii: "_")) && !text.contains(0x09)
        && text.firstRange(of: ")] ") == nil
    }
    // A parenthesis within a sentence, unlike a list of addresses: `(0 inserted, 1 deleted) and plus or minus`.
    if let inside = text.after("("), let first = inside.first, first.isLetter || first.isDigit,
      inside.firstRange(of: "0x") == nil
    {
      return true
    }
    guard let first = text.first, !first.isAny(of: "*(#[{|"), !text.hasPrefix("0x") else { return false }
    if first.isDigit, text.drop(while: \.isDigit).first?.isBlank ?? true { return false }
    return !["Thread ", "Last Exception", "Exception ", "libc++abi", "frame #", "Frame "].contains {
      text.hasPrefix($0)
    }
  }

  /// A reason with its next line: after a blank where a narrow field or a hand has broken a sentence, else after a line
  /// break.
  static func reason(_ before: String, _ line: Bytes) -> String {
    let text = line.trimmedStart
    let last = before.utf8.lastIndex(of: 0x0a).map { before.utf8[$0...].dropFirst() } ?? before.utf8[...]
    guard !before.isEmpty, endsInside(last, text) || continuesUpdate(last, text) else {
      return before + (before.isEmpty ? "" : "\n") + line.string
    }
    return before + (last.last == 0x20 ? "" : " ") + text.string
  }

  private static func endsInside(_ last: Substring.UTF8View, _ text: Bytes) -> Bool {
    guard let end = last.last, let first = text.first else { return false }
    if last.count >= minimumSentence, end.isAny(of: ":,(") { return !text.hasPrefix("<") }
    let isWord = end.isLetter || end == 0x20
    let isLong = last.count >= minimumBroken || last.count >= minimumSentence && isWord
    return isLong && (0x61...0x7a).contains(first) || last.count >= minimumFull && isWord
  }

  /// The sentences of UIKit's message about an update stand on one line.
  private static func continuesUpdate(_ last: Substring.UTF8View, _ text: Bytes) -> Bool {
    text.hasPrefix("The number of ") && last.starts(with: "Invalid update: invalid number of ".utf8)
  }

  /// The minimum length of a line, in bytes, that a narrow text field may have broken before a small letter.
  private static let minimumBroken = 40
  /// The same of a line that ends within a sentence: after a letter, not after punctuation.
  private static let minimumSentence = 20
  /// The same before any character.
  private static let minimumFull = 60

  /// Frames that lost the breaks between them: `0 libobjc.A.dylib objc_release 1 Foundation -[Cart dealloc] 2 …`, also
  /// after Crashlytics' title, `Crashed: com.example.work 0 libobjc …`; nil for other lines.
  static func joinedFrames(_ text: Bytes) -> [Bytes]? {
    if let title = text.firstRange(of: "Crashed: "),
      let first = text[title.upperBound...].firstRange(of: " 0 "),
      let frames = joinedFrames(text[(first.lowerBound + 1)...], minimum: 2)
    {
      return [text[title.lowerBound..<first.lowerBound]] + frames
    }
    return joinedFrames(text, minimum: 3)
  }

  private static func joinedFrames(_ text: Bytes, minimum: Int) -> [Bytes]? {
    guard text.count > minimumJoinedLength, text.first?.isDigit ?? false,
      let blank = text.firstIndex(of: 0x20),
      var number = text[..<blank].decimalValue, number < 64,
      // Reports separate columns by more blanks.
      text[blank...].dropFirst().first?.isBlank == false
    else { return nil }
    var frames: [Bytes] = []
    var start = text.startIndex
    var previous = text[..<blank]
    for word in text[blank...].split(separator: 0x20) {
      // After a plus it is an offset.
      if word.decimalValue == number + 1, !previous.equals("+"), word.startIndex > start {
        frames.append(text[start..<word.startIndex].trimmed)
        start = word.startIndex
        number += 1
      }
      previous = word
    }
    frames.append(text[start...])
    // Each consists of a number, an image and a name.
    guard frames.count >= minimum, frames.allSatisfy({ $0.count { $0 == 0x20 } > 1 }) else { return nil }
    return frames
  }

  private static let minimumJoinedLength = 60

  private static func isOpenException(_ text: Bytes) -> Bool {
    if let reason = text.firstRange(of: "reason: \"") {
      return text[reason.upperBound...].last != UInt8(ascii: "\"")
    }
    guard let reason = text.firstRange(of: "reason: '") else {
      return text.last == UInt8(ascii: ",") || text.hasSuffix("reason:")
    }
    return text[reason.upperBound...].last != UInt8(ascii: "'")
  }

  /// Whether a text ends within a method's name, `'-[AGXG14FamilyCommandBuffer`, with the selector on the next line.
  private static func endsInMethod(_ text: Bytes) -> Bool {
    guard let open = text.firstRange(of: "-[") ?? text.firstRange(of: "+["),
      case let name = text[open.upperBound...], !name.isEmpty, !name.contains(UInt8(ascii: "]")),
      name.allSatisfy({ $0.isLetter || $0.isDigit || $0.isAny(of: "_.") })
    else { return false }
    return open.lowerBound == text.startIndex || text[open.lowerBound - 1].isAny(of: "' `")
  }
}
