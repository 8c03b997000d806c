internal import CrashReadCore

// Exceptions of Objective-C and other languages.

extension Statement {
  static func exception(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    if let rest = text.after("FAULT: ") { return named(rest) }
    // A handler of uncaught exceptions that is copied into many apps: `NSLog(@"CRASH: %@", exception)`.
    if let rest = text.after("CRASH: ") {
      // Trackers that read Markdown take the asterisks for marks.
      let printed = rest.firstRange(of: " Stack Trace: (").map { rest[..<$0.lowerBound] } ?? rest
      let words = printed.drop { $0.isAny(of: "*\\ ") }
      if words.beginsWithMethod { return .exception(name: nil, reason: "*** " + words.string, isNamed: true) }
    }
    if let rest = text.after("Fatal "), isExceptionName(rest.prefix { $0 != UInt8(ascii: ":") }) {
      return named(rest)
    }
    if let rest = text.after("Exception Name:") ?? text.after("Exception name:") {
      return .exception(name: rest.trimmed.nonEmptyString, reason: nil, isNamed: true)
    }
    if let rest = text.after("Exception Reason:") ?? text.after("Exception reason:") {
      return .exception(name: nil, reason: unquoted(rest), isNamed: true)
    }
    return uncaught(text, pairs) ?? unhandled(text) ?? bridged(text, pairs) ?? field(text) ?? named(text)
      ?? managed(text)
  }

  /// Reads `… uncaught exception 'X', reason: 'Y'`, in the words of a program or a reporter.
  static func uncaught(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    // Unity's handler: `Uncaught exception: NSRangeException: *** -[…]` (CrashReporter.mm).
    if let rest = text.after("Uncaught exception: "), let (name, reason) = rest.split(at: UInt8(ascii: ":")),
      isExceptionName(name)
    {
      return .exception(name: name.string, reason: unquoted(reason))
    }
    guard let open = text.firstRange(of: "ncaught exception '", pairs),
      let (name, rest) = text[open.upperBound...].split(at: UInt8(ascii: "'"))
    else { return nil }
    let reason = rest.firstRange(of: "reason: ").map { rest[$0.upperBound...] }
    return .exception(name: name.nonEmptyString, reason: reason.flatMap(unquoted))
  }

  /// Reads `An unhandled exception of type 'X' occurred in Shop.dll: 'Y'` of .NET's debugger.
  private static func unhandled(_ text: Bytes) -> Statement? {
    guard let rest = text.after("An unhandled exception of type '"),
      let (name, place) = rest.split(at: UInt8(ascii: "'")), place.hasPrefix(" occurred in ")
    else { return nil }
    let reason = place.firstRange(of: ": ").flatMap { unquoted(place[$0.upperBound...]) }
    return .exception(name: name.nonEmptyString, reason: reason, isNamed: true)
  }

  /// Reads `Objective-C exception thrown.  Name: X Reason: Y` of .NET.
  private static func bridged(_ text: Bytes, _ pairs: PairFilter) -> Statement? {
    guard let name = text.firstRange(of: "Name: ", pairs),
      let reason = text.firstRange(of: " Reason: ", pairs),
      name.upperBound < reason.lowerBound,
      name.lowerBound == text.startIndex || text.firstRange(of: "xception") != nil
    else { return nil }
    return .exception(
      name: text[name.upperBound..<reason.lowerBound].trimmed.nonEmptyString,
      reason: text[reason.upperBound...].trimmed.nonEmptyString, isNamed: true)
  }

  /// Reads `name = NSRangeException` and `reason = …`, as handlers print an exception's members; also
  /// `Exception type: NSRangeException` and `Reason: *** -[…]`.
  private static func field(_ text: Bytes) -> Statement? {
    if let name = (text.after("name = ") ?? text.after("Exception type: "))?.trimmed, isExceptionName(name) {
      return .exception(name: name.nonEmptyString, reason: nil, isNamed: true)
    }
    if let reason = text.after("reason = ") {
      return .exception(name: nil, reason: unquoted(reason), isNamed: true)
    }
    guard let reason = text.after("Reason: "),
      ["*** ", "-[", "+["].contains(where: reason.hasPrefix)
    else { return nil }
    return .exception(name: nil, reason: unquoted(reason), isNamed: true)
  }

  /// Reads `NSRangeException: reason`, a reporter's heading of an exception.
  static func named(_ text: Bytes) -> Statement? {
    guard let (name, rest) = text.split(at: UInt8(ascii: ":")), isExceptionName(name.trimmed) else {
      if let dashed = dashed(text) { return dashed }
      // Alone on its line, with the reason below.
      return isExceptionName(text) && !isTypeName(text)
        ? .exception(name: text.nonEmptyString, reason: nil, isNamed: true) : nil
    }
    // The assertion's file and line, as AppKit's `FAULT:` prints them.
    let end = rest.firstRange(of: "; {")?.lowerBound ?? rest.endIndex
    return .exception(
      name: name.trimmed.nonEmptyString, reason: unquoted(rest[..<end]), isNamed: true)
  }

  /// Reads `NSRangeException` — reason` and `NSRangeException - *** -[NSArray …`, as people and trackers write it.
  private static func dashed(_ text: Bytes) -> Statement? {
    let name = text.prefix { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") }
    let rest = text[name.endIndex...].drop { $0.isAny(of: "`* ") }
    // An ordinary hyphen may also separate the columns of a list.
    let words =
      rest.after("— ") ?? rest.after("– ") ?? rest.after("- ").flatMap { $0.hasPrefix("*** ") ? $0 : nil }
    guard let reason = words, isExceptionName(name) else { return nil }
    return .exception(name: name.nonEmptyString, reason: unquoted(reason), isNamed: true)
  }

  /// Objective-C's exceptions have a prefix in capitals; other languages' names are types, often with dots.
  static func isExceptionName(_ name: Bytes) -> Bool {
    if otherNames.contains(where: { name.equals($0) }) { return true }
    if isTypeName(name) { return true }
    guard name.hasSuffix("Exception"),
      name.allSatisfy({ $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "_") })
    else { return false }
    return name.drop { $0 == UInt8(ascii: "_") }.prefix(2).allSatisfy { (0x41...0x5a).contains($0) }
  }
}

extension Statement {
  /// Whether a name is a type with its package, as in other languages: `kotlin.RuntimeException`,
  /// `System.NullReferenceException`.
  static func isTypeName(_ name: Bytes) -> Bool {
    guard name.hasSuffix("Exception") || name.hasSuffix("Error"), name.contains(UInt8(ascii: ".")),
      let type = name.split(separator: UInt8(ascii: ".")).last?.first, (0x41...0x5a).contains(type)
    else { return false }
    return name.allSatisfy { $0.isLetter || $0.isDigit || $0.isAny(of: "._$") }
      && name.first?.isLetter == true
  }

  /// Names of exceptions that don't have the form of one.
  private static let otherNames: [StaticString] = [
    "com.apple.coreaudio.avfaudio", "UIViewControllerHierarchyInconsistency",
    "UIApplicationInvalidInterfaceOrientation",
    "CALayerInvalid", "CALayerInvalidGeometry", "CALayerInvalidTree", "com.firebase.core",
    "com.firebase.firestore",
  ]
}
