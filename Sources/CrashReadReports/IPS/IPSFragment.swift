internal import CrashReadCore

/// Reads parts of an .ips body that are embedded in other text, or begin or end in the middle of it.
///
/// Complete values are read as JSON. A closing bracket without an opening one shows what the values before it were:
/// members of an object, or elements of an array, which its elements identify.
struct IPSFragment {
  private static let maximumBytes = 1 << 22
  /// Texts that occur only in .ips bodies.
  private static let marks: [StaticString] = [
    "\"imageOffset\"", "\"faultingThread\"", "\"exception\"", "\"termination\"", "\"threads\"", "\"asi\"",
    "\"lastExceptionBacktrace\"", "\"usedImages\"", "\"rpages\"", "\"memoryPages\"", "\"crash\"",
    "\"procName\"", "\"panicString\"",
  ]

  private var members: [(name: String, value: JSONValue)] = []
  private var elements: [JSONValue] = []
  /// Whether a list of frames began before the text.
  private var isCutInside = false

  /// The report made of the parts found in a text; nil when there are none.
  static func report(in bytes: Bytes) -> CrashReport? {
    guard bytes.count <= maximumBytes, marks.contains(where: { bytes.firstRange(of: $0) != nil }) else {
      return nil
    }
    var fragment = IPSFragment()
    fragment.read(withoutTruncatedString(withJoinedKeys(bytes)))
    let body = fragment.body
    if let report = JetsamEvent.report(of: body) { return report }
    if let panic = IPSReport.reports(header: body, body: body).first, panic.kind == .panic { return panic }
    if KSCrashReport.isDocument(body) { return KSCrashReport.reports(in: body).first }
    guard
      body["exception"]["type"].string != nil || body["termination"]["namespace"].string != nil
        || body["threads"].elements.contains(where: { $0["frames"].elements.contains(where: \.isObject) })
        || !body["lastExceptionBacktrace"].elements.isEmpty
        || body["procName"].string != nil && body["captureTime"].string != nil
    else { return nil }
    var report = IPSReport.read(header: body, body: body)
    report.joinNames()
    if report.kind == .other, body["bug_type"].isNull { report.kind = .crash }
    // The text before it states the crashed thread's state: a single thread that was copied together with the exception
    // is the crashed one, unless the text names another one, which was cut off.
    if report.crashedThread == nil, report.threads.count == 1, body["faultingThread"].integer ?? 0 == 0,
      report.exception != nil || bytes.firstRange(of: "\"matchesCrashFrame\"") != nil
    {
      report.threads[0].isCrashed = true
      report.crashedThread = 0
    } else if report.crashedThread == nil,
      let thread = report.threads.firstIndex(where: \.endsProgram)
    {
      report.threads[thread].isCrashed = true
      report.crashedThread = thread
    }
    report.notes.append(ReportNote(line: nil, message: "the text contains parts of an .ips file"))
    if let number = body["faultingThread"].integer, number >= report.threads.count {
      let message = "thread \(number) crashed, which isn't in the text"
      report.notes.append(ReportNote(line: nil, message: message))
    }
    return report
  }

  /// The text with the names of members in one piece: a line break in a name, where JSON allows none (RFC 8259, 7), is
  /// that of the field from which the text was copied.
  private static func withJoinedKeys(_ bytes: Bytes) -> Bytes {
    let breaks = bytes.indices.filter { isBreakInKey(bytes, at: $0) }
    guard !breaks.isEmpty else { return bytes }
    var joined: [UInt8] = []
    var start = bytes.startIndex
    for position in breaks {
      joined += bytes[start..<position]
      start = position + 1
    }
    return Bytes(joined + bytes[start...])
  }

  private static func isBreakInKey(_ bytes: Bytes, at position: Int) -> Bool {
    guard bytes[position] == 0x0a else { return false }
    let before = bytes[..<position].suffix(maximumKey).reversed().prefix(while: \.isLetter).count
    let after = bytes[(position + 1)...].prefix(maximumKey).prefix(while: \.isLetter)
    return before > 0 && !after.isEmpty && bytes[after.endIndex...].hasPrefix("\":")
      && bytes[..<(position - before)].last == UInt8(ascii: "\"")
  }

  private static let maximumKey = 32

  /// The text after a string that began before it: the first quotation mark is taken as its end if no string can begin
  /// there.
  private static func withoutTruncatedString(_ bytes: Bytes) -> Bytes {
    guard let quote = bytes.firstIndex(of: UInt8(ascii: "\"")) else { return bytes }
    let rest = bytes[(quote + 1)...]
    guard let next = rest.first(where: { !$0.isWhitespace }), next.isAny(of: "}],:") else { return bytes }
    return rest
  }

  private mutating func read(_ bytes: Bytes) {
    var position = bytes.startIndex
    while position < bytes.endIndex {
      switch bytes[position] {
      case UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "["):
        position = readValue(bytes[position...])
      case UInt8(ascii: "}"):
        closeObject()
        position += 1
      case UInt8(ascii: "]"):
        closeArray()
        position += 1
      default: position += 1
      }
    }
  }

  /// Reads a member or an element as far as it is complete; returns the position at which to continue.
  private mutating func readValue(_ bytes: Bytes) -> Int {
    var reader = JSONReader(bytes)
    let value = reader.readValue()
    guard let value, value.isString else {
      if let value { elements.append(value) }
      return max(reader.position, bytes.startIndex + 1)
    }
    let rest = bytes[reader.position...].drop(while: \.isWhitespace)
    guard rest.first == UInt8(ascii: ":") else { return reader.position }
    var inner = JSONReader(rest.dropFirst())
    if let member = inner.readValue() { members.append((value.string ?? "", member)) }
    return max(inner.position, rest.startIndex + 1)
  }

  private mutating func closeObject() {
    guard !members.isEmpty else { return }
    // Registers, of which the first ones were left out.
    if members.contains(where: { Self.registers.contains($0.name) && !$0.value["value"].isNull }) {
      members = [("threadState", .object(members))]
      return
    }
    // Something was left out between members of the report and those of a thread.
    let isThread = members.contains { $0.name == "frames" }
    let outer = isThread ? members.filter { Self.reportMembers.contains($0.name) } : []
    elements = [.object(isThread ? members.filter { !Self.reportMembers.contains($0.name) } : members)]
    members = outer
  }

  private mutating func closeArray() {
    guard let name = Self.name(of: elements) else { return }
    if name == "frames", !members.contains(where: { $0.name == "frames" }) { isCutInside = true }
    members.append((name, .array(elements.filter(\.isObject))))
    elements = []
  }

  /// The name of an array that began before the text.
  private static func name(of elements: [JSONValue]) -> String? {
    if elements.contains(where: { !$0["imageOffset"].isNull }) { return "frames" }
    if elements.contains(where: { !$0["frames"].isNull }) { return "threads" }
    return elements.contains { !$0["uuid"].isNull && !$0["base"].isNull } ? "usedImages" : nil
  }

  /// The body that contains the parts; of duplicates, the first is used.
  private var body: JSONValue {
    var rest = self
    if !rest.elements.isEmpty, Self.name(of: rest.elements) != nil { rest.closeArray() }
    var all = rest.members
    for element in rest.elements { all += element.members }
    let document = JSONValue.object(all)
    guard document["threads"].isNull, !document["frames"].isNull else { return document }
    // A list that begins inside its first frame is perhaps the rest of any thread.
    let isWhole = !rest.isCutInside || all.contains { $0.name == "exception" || $0.name == "threadState" }
    let thread = JSONValue.object(
      all.filter { Self.threadMembers.contains($0.name) } + (isWhole ? [("triggered", .true)] : []))
    // A report's own name is that of the process.
    return .object(all.filter { $0.name != "name" } + [("threads", .array([thread]))])
  }

  private static let registers: Set = ["pc", "far", "esr", "rip", "cr2"]

  private static let reportMembers: Set = [
    "exception", "termination", "asi", "faultingThread", "vmRegionInfo",
  ]
  private static let threadMembers: Set = ["frames", "queue", "name", "id", "threadState"]
}

extension CrashReport {
  /// Removes the line breaks of the field from which the text was copied, which JSON doesn't allow in a string (RFC 8259, 7):
  /// the names of functions and images have none.
  fileprivate mutating func joinNames() {
    for thread in threads.indices {
      for frame in threads[thread].frames.indices {
        threads[thread].frames[frame].reportedSymbol = threads[thread].frames[frame].reportedSymbol.map(
          joined)
      }
    }
    for image in images.indices {
      images[image].name = images[image].name.map(joined)
      images[image].path = images[image].path.map(joined)
    }
  }

  private func joined(_ name: String) -> String {
    name.utf8.contains(0x0a) ? name.filter { !$0.isNewline } : name
  }
}

extension ThreadRecord {
  /// Whether its innermost frames are those of a program that ends itself.
  fileprivate var endsProgram: Bool {
    frames.prefix(8).contains { frame in
      guard let name = frame.reportedSymbol.map({ Array($0.utf8)[...] }) else { return false }
      return name.equals("abort") || name.equals("__cxa_throw") || NamedFrame.terminatesProcess(name)
    }
  }
}
