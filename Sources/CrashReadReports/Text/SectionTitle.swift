internal import CrashReadCore

/// The title of a section of a text report.
enum SectionTitle {
  /// `Thread 0 Crashed:: name Dispatch queue: label`, followed by frames.
  case thread(ThreadTitle)
  /// `Thread 0 name:  Dispatch queue: label`, which precedes the thread's own title.
  case threadName(ThreadTitle)
  /// `Thread 0 crashed with ARM Thread State (64-bit):`; the number is nil for an unknown thread.
  case registers(thread: Int?, flavor: String)
  /// `Thread 0 instruction stream:`.
  case code(thread: Int)
  /// `Call stack:` of Cr4shed, for the thread that the header names.
  case triggeredThread
  /// `Last Exception Backtrace:`.
  case exceptionBacktrace
  /// `Application Specific Backtrace 1:`.
  case applicationBacktrace
  /// `Application Specific Information:`, rarely with text after it.
  case applicationInformation(Bytes)
  /// `CrashDoctor Diagnosis: text` or `Xamarin Exception Stack:`; the title is part of the text.
  case reporterText
  /// `Fatal Exception: NAME`, `Non-fatal Exception: NAME` or `Crashed: QUEUE` of Crashlytics.
  case crashlytics(CrashlyticsSection.Title)
  /// `Dyld Error Message:`.
  case dyldMessage
  /// `VM Region Info: text` or `VM Regions Near 0x1:`.
  case vmRegions(Bytes)
  /// `Kernel Triage:` and other sections of the system's notes; the value is the heading of its remarks.
  case remarks(String)
  /// `Binary Images:`, also with a word in parentheses: reporters of jailbroken devices list packages separately.
  case images
  /// A section that the model doesn't cover.
  case other

  /// Recognises a title; nil for any other line.
  init?(_ text: Bytes) {
    // Most lines are frames and images, which begin with a digit.
    guard let first = text.first, first.isLetter || first.isAny(of: "#`") else { return nil }
    let text = CrashlyticsSection.withoutNumber(text)
    guard text.first?.isLetter ?? false, let title = ThreadTitle.read(text) ?? Self.known(text) else {
      return nil
    }
    self = title
  }

  private static let others: [StaticString] = [
    "External Modification Warnings:", "Filtered syslog:", "VM Region Summary:",
    "Error Formulating Crash Report:", "Extra Information:", "Stack Dump (",
    "Notable Addresses:", "System Profile:",
    "kernel messages:", "Model: ", "Backtrace not available", "Binary images description not available",
  ]

  private static func known(_ text: Bytes) -> SectionTitle? {
    switch text.first {
    case UInt8(ascii: "A"):
      if let rest = text.after("Application Specific Information:") { return .applicationInformation(rest) }
      if text.hasPrefix("Application Specific Backtrace") { return .applicationBacktrace }
      if text.hasPrefix("Application Specific Signatures:") { return .remarks(SystemRemark.signatures) }
    case UInt8(ascii: "B"):
      if isImageTitle(text) { return .images }
    case UInt8(ascii: "C"):
      if let queue = text.after("Crashed: ") { return .crashlytics(.crashed(queue: queue.string)) }
      if text.equals("Call stack:") { return .triggeredThread }
    case UInt8(ascii: "F"):
      if let name = text.after("Fatal Exception: ") {
        return CrashlyticsSection.Title(exception: name).map(SectionTitle.crashlytics)
      }
    case UInt8(ascii: "D"):
      if text.hasPrefix("Dyld Error Message:") { return .dyldMessage }
    case UInt8(ascii: "E"):
      if text.hasPrefix("External Modification Summary:") {
        return .remarks(SystemRemark.externalModification)
      }
    case UInt8(ascii: "K"):
      if text.hasPrefix("Kernel Triage:") { return .remarks(SystemRemark.kernelTriage) }
    case UInt8(ascii: "L"):
      if text.hasPrefix("Last Exception Backtrace:") { return .exceptionBacktrace }
    case UInt8(ascii: "N"):
      if let error = text.after("Non-fatal Exception: ") {
        return .crashlytics(.recorded(error: error.string))
      }
    case UInt8(ascii: "V"):
      if let rest = text.after("VM Region Info:") { return .vmRegions(rest.trimmedStart) }
      if text.hasPrefix("VM Regions Near ") { return .vmRegions(text) }
    default: break
    }
    if text.hasSuffix("Thread State:"), text.count < 32 {
      return .registers(thread: nil, flavor: text.dropLast().string)
    }
    if text.hasPrefix("CrashDoctor Diagnosis:") || text.hasPrefix("Xamarin Exception Stack:") {
      return .reporterText
    }
    return others.contains { text.hasPrefix($0) } ? .other : nil
  }
}

extension SectionTitle {
  private static func isImageTitle(_ text: Bytes) -> Bool {
    guard let rest = text.after("Binary Images") else { return false }
    return rest.first == UInt8(ascii: ":") || rest.hasPrefix(" Description:")
      || rest.hasPrefix(" (") && rest.hasSuffix("):")
  }
}

/// The contents of a thread's title.
struct ThreadTitle {
  var index: Int
  var isCrashed = false
  var name: String?
  var queue: String?

  /// Reads a line that begins with `Thread N`, or names an unknown thread's registers.
  static func read(_ text: Bytes) -> SectionTitle? {
    if let rest = text.after("Unknown thread crashed with ") {
      return .registers(thread: nil, flavor: flavor(rest))
    }
    guard let (number, rest) = text.after("Thread ")?.firstWord() else { return nil }
    let digits = number.prefix { $0.isDigit }
    guard let value = digits.decimalValue, let index = Int(exactly: value) else { return nil }
    return read(index, text[digits.endIndex..<rest.endIndex])
  }

  private static func read(_ index: Int, _ tail: Bytes) -> SectionTitle? {
    let words = tail.trimmedStart
    if let rest = words.after("crashed with ") ?? words.after("Crashed with ") {
      return .registers(thread: index, flavor: flavor(rest))
    }
    if let rest = words.after("name:") {
      // Sentry's text has no title of its own for the thread.
      guard let name = rest.before(" Crashed:"), rest.hasSuffix(" Crashed:") else {
        return .threadName(ThreadTitle(index: index, naming: rest))
      }
      var title = ThreadTitle(index: index, naming: name)
      title.isCrashed = true
      return .thread(title)
    }
    if words.hasPrefix("instruction stream") { return .code(thread: index) }
    // Instabug: `Thread 0 Queue 1: com.apple.main-thread (serial):`
    if let rest = words.after("Queue "), case let digits = rest.prefix(while: \.isDigit), !digits.isEmpty,
      let label = rest[digits.endIndex...].after(": ")
    {
      let name = label.firstRange(of: " (").map { label[..<$0.lowerBound] } ?? label
      var title = ThreadTitle(index: index, naming: Bytes(Array("Dispatch queue: ".utf8) + Array(name)))
      title.isCrashed = label.hasSuffix(" Crashed:")
      return .thread(title)
    }
    // Some people write headings of their own: `Thread 0 — com.apple.main-thread (triggered):`
    for dash: StaticString in ["— ", "– ", "- "] {
      guard let rest = words.after(dash), rest.trimmed.last == UInt8(ascii: ":") else { continue }
      let label = rest.firstRange(of: " (").map { rest[..<$0.lowerBound] } ?? rest.dropLast()
      var title = ThreadTitle(index: index, naming: Bytes(Array("Dispatch queue: ".utf8) + Array(label)))
      title.isCrashed = ["(triggered", "(crashed", "(faulting"].contains { rest.firstRange(of: $0) != nil }
      return .thread(title)
    }
    for mark: StaticString in ["Crashed", "CRASHED", "Attributed", "(crashed)"] {
      guard let rest = words.after(mark) else { continue }
      var title = ThreadTitle(index: index, naming: rest)
      title.isCrashed = true
      return .thread(title)
    }
    // Prose can begin with 'Thread 3' as well. A title continues with a colon or the queue, or ends there.
    guard words.isEmpty || tail.first == UInt8(ascii: ":") || words.hasPrefix("Dispatch queue:") else {
      return nil
    }
    if tail.hasPrefix(": "), !tail.hasPrefix(":: "), let words = tail.after(": "),
      Statement(threadStop: words) != nil
    {
      return nil
    }
    return .thread(ThreadTitle(index: index, naming: tail))
  }

  /// Reads `:: name Dispatch queue: label`; each part may be absent.
  init(index: Int, naming text: Bytes) {
    self.index = index
    // Names can begin with a colon as well.
    let text = text.drop(atMost: 2, UInt8(ascii: ":"))
    guard let mark = text.firstRange(of: "Dispatch queue:") ?? text.firstRange(of: "Dispatch Queue:") else {
      name = text.trimmed.nonEmptyString
      return
    }
    name = text[..<mark.lowerBound].trimmed.nonEmptyString
    queue = text[mark.upperBound...].trimmed.nonEmptyString
  }

  private static func flavor(_ text: Bytes) -> String {
    (text.last == UInt8(ascii: ":") ? text.dropLast() : text).string
  }
}
