internal import CrashReadCore

// Titles of the lists in a text.

extension PastedText {
  /// Reads `* thread #3, queue = 'com.apple.main-thread', stop reason = …` of LLDB.
  static func threadTitle(_ text: Bytes) -> (Int, Bytes)? {
    if let name = crashedName(text) { return (0, name) }
    if let copied = copiedTitle(text) ?? stateTitle(text) ?? namedTitle(text) ?? markedTitle(text) {
      return copied
    }
    guard let rest = (text.after("* ") ?? text).after("thread #") else { return nil }
    let digits = rest.prefix { $0.isDigit }
    return digits.decimalValue.flatMap { Int(exactly: $0) }.map { ($0, rest[digits.endIndex...]) }
  }

  /// The number and queue in `Thread 5 Queue : com.example.work (serial)`, as Xcode's navigator copies a stack; the name
  /// has the form in which LLDB prints it.
  private static func copiedTitle(_ text: Bytes) -> (Int, Bytes)? {
    guard let rest = text.after("Thread ") else { return nil }
    let digits = rest.prefix(while: \.isDigit)
    let words = rest[digits.endIndex...]
    guard let number = digits.decimalValue.flatMap({ Int(exactly: $0) }),
      let label = words.after(", Queue : ") ?? words.after(" Queue : ") ?? words.after(" Queue: ")
        ?? words.after("Queue : ")
    else { return nil }
    let name = label.before(" (serial)") ?? label.before(" (concurrent)") ?? label.trimmed
    return (number, Bytes(Array(" queue = '".utf8) + Array(name) + Array("'".utf8)))
  }

  /// The number and name in `Thread 14 name: io.worker.3`, above a list without a heading that says more.
  private static func namedTitle(_ text: Bytes) -> (Int, Bytes)? {
    guard let rest = text.after("Thread "), case let digits = rest.prefix(while: \.isDigit),
      let number = digits.decimalValue.flatMap({ Int(exactly: $0) }),
      let name = rest[digits.endIndex...].after(" name:")?.trimmed, !name.isEmpty
    else { return nil }
    return (number, Bytes(Array(" name = '".utf8) + Array(name) + Array("'".utf8)))
  }

  /// The number and name in `Thread 14 Crashed:: io.worker`, of a report whose list was shortened to names.
  private static func markedTitle(_ text: Bytes) -> (Int, Bytes)? {
    guard case .thread(let title)? = ThreadTitle.read(text),
      isCrashedTitle(text) || title.isCrashed && text.firstRange(of: " Crashed::") != nil
    else { return nil }
    let name = title.name.map { " name = '\($0)'" } ?? ""
    let queue = title.queue.map { " queue = '\($0)'" } ?? ""
    return (title.index, Bytes(Array((name + queue).utf8)))
  }

  /// The number in `Thread 4 - (TH_STATE_WAITING)`, the state that the kernel gives (`thread_basic_info`).
  private static func stateTitle(_ text: Bytes) -> (Int, Bytes)? {
    guard let rest = text.after("Thread "), text.firstRange(of: "(TH_STATE_") != nil,
      case let digits = rest.prefix(while: \.isDigit), rest[digits.endIndex...].hasPrefix(" - ")
    else { return nil }
    return digits.decimalValue.flatMap { Int(exactly: $0) }.map { ($0, []) }
  }

  /// Whether a line is `Thread 0 crashed:`, or `Thread (crashed):` of Sentry's text without the number.
  static func isCrashedTitle(_ text: Bytes) -> Bool {
    if text.equals("Thread (crashed):") || text.equals("MAIN THREAD - CRASHED") { return true }
    guard let rest = text.after("Thread ") else { return false }
    let tail = rest.drop(while: \.isDigit)
    let words = tail.last == UInt8(ascii: ":") ? tail.dropLast() : tail
    return words.startIndex > rest.startIndex
      && ([" Crashed", " crashed", " CRASHED"] as [StaticString]).contains { words.equals($0) }
  }

  /// The queue in `**Faulting thread:** `com.example.work`` of a report's summary, in the form in which LLDB prints it.
  private static func crashedName(_ text: Bytes) -> Bytes? {
    let isMarked = text.contains(UInt8(ascii: "*")) || text.contains(UInt8(ascii: "`"))
    let plain = isMarked ? Bytes(text.filter { !$0.isAny(of: "*`") }).trimmed : text
    let words = plain.after("- ") ?? plain
    let marks: [StaticString] = [
      "Faulting thread: ", "Faulting queue: ", "Crashed queue: ", "Thread : Crashed: ", "Crashed: ",
    ]
    for mark in marks {
      guard let name = words.after(mark), name.contains(UInt8(ascii: ".")), !name.contains(0x20) else {
        continue
      }
      return Bytes(Array(" queue = '".utf8) + Array(name) + Array("'".utf8))
    }
    return nil
  }

  static func quoted(_ mark: StaticString, in text: Bytes) -> String? {
    guard let start = text.firstRange(of: mark) else { return nil }
    return text[start.upperBound...].split(at: UInt8(ascii: "'"))?.before.nonEmptyString
  }
}
