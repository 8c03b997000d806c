internal import CrashReadCore

/// Walks the object graph of a result bundle for reports: attachments of tests, files collected beside them, and the
/// crashes that Xcode recorded in words.
package struct ResultBundle {
  /// One of an object's two files.
  package enum Part: String {
    /// The object, or an attachment's bytes.
    case data
    /// The identifiers of the objects it refers to, in order.
    case refs
  }

  /// Something that may be a report.
  package struct Item {
    /// Its location, and what it belongs to.
    package var location: ContainerLocation
    /// The object with its bytes; nil for a crash that Xcode recorded in words.
    package var id: String?
    /// The report of a crash that Xcode recorded in words; otherwise nil.
    package var recorded: CrashReport?
  }

  /// The items found, tests' attachments first.
  package private(set) var items: [Item] = []
  /// How many referenced objects are missing or damaged.
  package private(set) var missingObjectCount = 0
  /// When the test runs began and ended, as written.
  package private(set) var runs: [(start: String, end: String)] = []

  private let read: (Part, String) -> [UInt8]?
  private var seen: Set<String> = []
  private var issues: [Item] = []
  private var recordedCount = 0
  /// Collected directories, kept until the tests' own attachments are known.
  private var collected: [(id: String, context: Context)] = []

  /// The maximum number of objects that are visited; no test run has as many.
  private static let maximumObjects = 200_000
  private static let maximumItems = 100_000
  private static let maximumRecorded = 10_000
  private static let maximumDepth = 64

  /// Walks the graph.
  ///
  /// - Parameters:
  ///   - root: The identifier of the first object.
  ///   - read: Reads a part of an object, expanded; nil when it is missing or damaged.
  package init(root: String, read: @escaping (Part, String) -> [UInt8]?) {
    self.read = read
    follow(root, Context(), depth: 0)
    for (id, context) in collected { list(id, context, path: "", depth: 0) }
    if !items.contains(where: { $0.recorded != nil }) { items += issues }
  }

  /// What the enclosing objects state about an object.
  private struct Context {
    var location = ContainerLocation(kind: .xcresult, path: "")
    var device = RunDevice()
    var host = RunDevice()
  }

  private mutating func follow(_ id: String, _ context: Context, depth: Int) {
    guard depth < Self.maximumDepth, seen.count < Self.maximumObjects, seen.insert(id).inserted else {
      return
    }
    guard let bytes = read(.data, id), let object = ResultObject.read(bytes) else {
      missingObjectCount += 1
      return
    }
    visit(object, context, depth: depth + 1)
  }

  private mutating func visit(_ value: JSONValue, _ context: Context, depth: Int) {
    guard depth < Self.maximumDepth else { return }
    for element in value.elements { visit(element, context, depth: depth + 1) }
    guard value.isObject else { return }
    var context = context
    switch value[ResultObject.typeName].string {
    case "ActionRecord": enterRun(value, &context)
    case "ActionTestPlanRunSummary": context.location.configuration = shortName(value["name"])
    case "ActionTestSummary":
      context.location.test = shortName(value["identifier"]) ?? shortName(value["name"])
    case "ActionTestFailureSummary": addRecorded(value, message: value["message"], context, to: \.items)
    case "TestFailureIssueSummary", "IssueSummary": addIssue(value, context)
    case "ActionTestAttachment": return addAttachment(value, context)
    default: break
    }
    for (name, member) in value.members { visit(member, named: name, context, depth: depth + 1) }
  }

  private mutating func visit(_ member: JSONValue, named name: String, _ context: Context, depth: Int) {
    switch name {
    case "testsRef", "summaryRef":
      if let id = member["id"].string { follow(id, context, depth: depth) }
    case "diagnosticsRef":
      if let id = member["id"].string { collected.append((id, context)) }
    // Build logs, console output and the like aren't part of a crash.
    case "logRef", "timelineRef", "consoleLogRef", "coverage", "metadataRef": break
    default: visit(member, context, depth: depth)
    }
  }

  private mutating func enterRun(_ record: JSONValue, _ context: inout Context) {
    let destination = record["runDestination"]
    context.device = RunDevice(destination["targetDeviceRecord"])
    context.host = RunDevice(destination["localComputerRecord"])
    context.location.device = context.device.description
    if let start = record["startedTime"].string, let end = record["endedTime"].string {
      runs.append((start, end))
    }
  }
}

/// A name, truncated if it is longer than any real one, since it is repeated in the names of everything nested in it.
private func shortName(_ value: JSONValue) -> String? {
  let maximumLength = 1024
  return value.string.map {
    $0.utf8.count <= maximumLength ? $0 : String(decoding: $0.utf8.prefix(maximumLength), as: UTF8.self)
  }
}

// MARK: - Items

extension ResultBundle {
  private mutating func addAttachment(_ attachment: JSONValue, _ context: Context) {
    guard let id = attachment["payloadRef"]["id"].string, !isPicture(attachment) else { return }
    let name = shortName(attachment["filename"]) ?? shortName(attachment["name"]) ?? "attachment"
    var location = context.location
    location.path = location.test.map { "\($0)/\(name)" } ?? name
    add(Item(location: location, id: id))
  }

  /// Whether an attachment is a picture or a recording, as most are.
  private func isPicture(_ attachment: JSONValue) -> Bool {
    let type = attachment["uniformTypeIdentifier"].string ?? ""
    let kinds = [
      "png", "jpeg", "heic", "heif", "tiff", "image", "movie", "mpeg", "quicktime", "video", "audio",
    ]
    return kinds.contains { type.contains($0) }
  }

  private mutating func addRecorded(
    _ failure: JSONValue, message: JSONValue, _ context: Context,
    to list: WritableKeyPath<ResultBundle, [Item]>
  ) {
    guard let text = message.string, recordedCount < Self.maximumRecorded,
      let report = RecordedCrash.report(text, failure, on: context.device)
    else { return }
    var location = context.location
    recordedCount += 1
    location.path = location.test ?? "failure"
    self[keyPath: list].append(Item(location: location, recorded: report))
  }

  private mutating func addIssue(_ issue: JSONValue, _ context: Context) {
    var context = context
    context.location.test = shortName(issue["testCaseName"])
    addRecorded(issue, message: issue["message"], context, to: \.issues)
  }

  /// Walks a collected directory: a JSON array of names and types (1 a file, 2 a directory), whose contents are
  /// referenced in the same order.
  private mutating func list(_ id: String, _ context: Context, path: String, depth: Int) {
    guard depth < Self.maximumDepth, seen.count < Self.maximumObjects, seen.insert(id).inserted else {
      return
    }
    guard let bytes = read(.data, id), let names = JSONValue(document: bytes)?.elements,
      let references = read(.refs, id).flatMap(Self.references)
    else {
      missingObjectCount += 1
      return
    }
    if references.count != names.count { missingObjectCount += 1 }
    for (entry, reference) in zip(names, references) {
      guard let name = shortName(entry["name"]), let reference else { continue }
      let inner = path.isEmpty ? name : "\(path)/\(name)"
      // The maximum length of a path on any of the systems.
      guard inner.utf8.count < 4096 else { continue }
      if entry["type"].integer == 2 {
        list(reference, context, path: inner, depth: depth + 1)
      } else if isNamedAsReport(name) {
        add(Item(location: location(of: inner, context), id: reference))
      }
    }
  }

  /// The location of a collected file. `simctl diagnose` collects the reports of the Mac that runs the simulators;
  /// other folders are named after their device.
  private func location(of path: String, _ context: Context) -> ContainerLocation {
    var location = context.location
    location.path = path
    let parts = path.split(separator: "/")
    let isHostReport = parts.first == "simctl_diagnostics" && parts.dropFirst().first == "DiagnosticReports"
    let owner = [context.device, context.host].first { device in
      device.identifier.map { id in parts.dropLast().contains { $0.hasSuffix(id) } } ?? false
    }
    location.device = (isHostReport ? context.host : owner)?.description
    location.configuration = nil
    return location
  }

  private mutating func add(_ item: Item) {
    guard let id = item.id, items.count < Self.maximumItems, seen.insert(id).inserted else { return }
    items.append(item)
  }

  /// The identifiers in a part `refs`: their count (as a DER length), then each with its size, the version and a
  /// hash; nil for an empty one.
  static func references(_ bytes: [UInt8]) -> [String?]? {
    guard let first = bytes.first else { return nil }
    var (count, position) = (Int(first), 1)
    if first >= 0x80 {
      let size = Int(first & 0x7f)
      guard (1...4).contains(size), bytes.count > size else { return nil }
      count = bytes[1...size].reduce(0) { $0 << 8 | Int($1) }
      position += size
    }
    guard count <= bytes.count - position else { return nil }
    var references: [String?] = []
    for _ in 0..<count {
      guard position < bytes.count else { return nil }
      let end = position + 1 + Int(bytes[position])
      guard end <= bytes.count else { return nil }
      references.append(identifier(bytes[(position + 1)..<end]))
      position = end
    }
    return references
  }

  private static func identifier(_ bytes: ArraySlice<UInt8>) -> String? {
    guard let version = bytes.first else { return nil }
    return "\(version)~" + base64URL(bytes.dropFirst())
  }
}

/// Whether a file has the name of a report of Apple's systems.
package func isNamedAsReport(_ name: String) -> Bool {
  let name = name.lowercased()
  return [
    ".ips", ".crash", ".panic", ".spin", ".hang", ".diag", ".ips.beta", ".ips.synced", ".ips.ca.synced",
  ]
  .contains { name.hasSuffix($0) }
}

/// Base64 with the URL and file name safe alphabet (RFC 4648, section 5).
private func base64URL(_ bytes: ArraySlice<UInt8>) -> String {
  let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  var text: [UInt8] = []
  for start in stride(from: bytes.startIndex, to: bytes.endIndex, by: 3) {
    let part = bytes[start..<min(start + 3, bytes.endIndex)]
    let bits = part.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - part.count))
    for index in 0..<4 {
      text.append(index <= part.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
    }
  }
  return String(decoding: text, as: UTF8.self)
}
