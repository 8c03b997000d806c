internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSystem

/// A result bundle (`.xcresult`) as a folder: `Info.plist`, which names the root object, and `Data`, which holds a file
/// for each object and one for its references, plain or compressed by zstd.
struct ResultBundleFolder {
  private let folder: ConfinedFolder
  /// The bundle's path in the folder: empty, or ending with a slash.
  let path: String
  private let root: String?

  private static let maximumListSize = 1 << 20

  /// Nil when the folder is no such bundle.
  init?(_ folder: ConfinedFolder, _ path: String) {
    guard folder.realPath(of: path + "Data", .directory) != nil,
      let bytes = try? folder.readFile(path + "Info.plist", limit: Self.maximumListSize)
    else { return nil }
    let list = String(decoding: bytes, as: UTF8.self)
    root = Self.text(in: list, after: "<key>rootId</key>").flatMap { $0.contains("/") ? nil : $0 }
    // Bundles of other kinds have a folder of this name, too.
    guard root != nil || list.holds("fileBacked") else { return nil }
    self.folder = folder
    self.path = path
  }

  /// Reads the bundle's reports.
  func contents(_ limits: Limits) -> (found: [ContainedReports], problems: [String]) {
    let objects = BundleObjects(folder, path, limits)
    let bundle = root.map { ResultBundle(root: $0, read: objects.read) }
    var found = (bundle?.items ?? []).compactMap { reports($0, objects, limits) }
    let lost = (bundle?.missingObjectCount ?? 1) + objects.lost
    if lost > 0 { found += unnamed(objects, limits) }
    matchTests(&found)
    for index in found.indices { found[index].markRun(bundle?.runs ?? []) }
    return (found, problems(lost, objects))
  }

  private func problems(_ lost: Int, _ objects: BundleObjects) -> [String] {
    var problems: [String] = []
    if root == nil {
      problems.append(
        "the bundle's Info.plist doesn't name the root object; only complete reports in it were searched for")
    } else if lost > 0 {
      problems.append(
        "the bundle is damaged or incomplete: \(lost) of its objects \(lost == 1 ? "is" : "are") missing or unreadable"
      )
    }
    if objects.isExhausted {
      problems.append("more than \(BundleObjects.maximumBytes) bytes: the rest was left out")
    }
    return problems
  }

  private func reports(
    _ item: ResultBundle.Item, _ objects: BundleObjects, _ limits: Limits
  ) -> ContainedReports? {
    if let report = item.recorded { return ContainedReports(location: item.location, reports: [report]) }
    guard let id = item.id, let bytes = objects.read(.data, id) else {
      if item.id != nil { objects.lost += 1 }
      return nil
    }
    let text = ReportText(bytes)
    guard let reports = try? CrashReport.parse(text, limits: limits) else { return nil }
    return ContainedReports(location: item.location, text: text, reports: reports)
  }

  /// Reports in a bundle whose object graph is damaged.
  private func unnamed(_ objects: BundleObjects, _ limits: Limits) -> [ContainedReports] {
    let names = (try? directoryEntries(folder.path + "/" + path + "Data")) ?? []
    return names.sorted().compactMap { name in
      guard name.hasPrefix("data."), let bytes = objects.readUnseen(String(name.dropFirst(5))),
        beginsAsReport(bytes)
      else { return nil }
      let text = ReportText(bytes)
      guard let reports = try? CrashReport.parse(text, limits: limits) else { return nil }
      return ContainedReports(
        location: ContainerLocation(kind: .xcresult, path: "Data/" + name), text: text, reports: reports)
    }
  }

  /// The beginnings of all reports of Apple's systems; anything else would be a guess.
  private func beginsAsReport(_ bytes: [UInt8]) -> Bool {
    let head = String(decoding: bytes.prefix(4096), as: UTF8.self)
    return head.hasPrefix("Incident Identifier:") || head.hasPrefix("Process: ")
      || head.hasPrefix("{\"") && head.contains("\"bug_type\"")
  }

  /// Assigns a report to the test whose crash Xcode recorded for the same process, in place of that record.
  private func matchTests(_ found: inout [ContainedReports]) {
    let records = found.filter { $0.text == nil }
    var tests: [RunProcess: String?] = [:]
    for record in records {
      for process in record.processes { tests.updateValue(record.location.test, forKey: process) }
    }
    var reported: (tests: Set<String>, processes: Set<RunProcess>) = ([], [])
    for index in found.indices where found[index].text != nil {
      let known = found[index].processes.filter { tests[$0] != nil }
      reported.processes.formUnion(known)
      if let test = found[index].location.test {
        reported.tests.insert(test)
      } else {
        found[index].location.test = known.compactMap { tests[$0] ?? nil }.last
      }
    }
    let reportedLocations = Set(
      records.filter { record in
        record.processes.contains(where: reported.processes.contains)
          || record.location.test.map(reported.tests.contains) ?? false
      }.map(\.location))
    found.removeAll { $0.text == nil && reportedLocations.contains($0.location) }
  }

  /// The first string of a key in a property list.
  private static func text(in list: String, after key: String) -> String? {
    guard let start = list.range(of: key)?.upperBound,
      let open = list[start...].range(of: "<string>")?.upperBound,
      let close = list[open...].range(of: "</string>")?.lowerBound
    else { return nil }
    return String(list[open..<close])
  }
}

/// A process, as reports name it.
private struct RunProcess: Hashable {
  var pid: Int
  var name: String?
}

extension ContainedReports {
  /// The processes of the reports.
  fileprivate var processes: [RunProcess] {
    reports.compactMap { report in report.header.pid.map { RunProcess(pid: $0, name: report.header.process) }
    }
  }

  /// Sets whether the crash happened while the tests ran, from the dates in the report and in the bundle.
  fileprivate mutating func markRun(_ runs: [(start: String, end: String)]) {
    guard let date = reports.first?.header.date.flatMap({ secondsSince1970($0) }) else { return }
    let spans = runs.compactMap { run -> ClosedRange<Int64>? in
      guard let start = secondsSince1970(run.start), let end = secondsSince1970(run.end), start <= end else {
        return nil
      }
      return start...end
    }
    if !spans.isEmpty { location.isDuringRun = spans.contains { $0.contains(date) } }
  }
}

/// Reads a bundle's objects, within limits for all of them.
private final class BundleObjects {
  /// The maximum size that all objects together may expand to, in bytes.
  static let maximumBytes = 1 << 30

  private let folder: ConfinedFolder
  private let path: String
  private let limits: Limits
  private var bytesLeft = BundleObjects.maximumBytes
  private var seen: Set<String> = []
  /// The number of objects that were missing.
  var lost = 0

  init(_ folder: ConfinedFolder, _ path: String, _ limits: Limits) {
    (self.folder, self.path, self.limits) = (folder, path, limits)
  }

  /// Whether the limit was reached.
  var isExhausted: Bool { bytesLeft <= 0 }

  func read(_ part: ResultBundle.Part, _ id: String) -> [UInt8]? {
    guard !isExhausted, !id.contains("/") else { return nil }
    let limit = min(limits.reportSize, bytesLeft)
    if part == .data { seen.insert(id) }
    guard let bytes = try? folder.readFile("\(path)Data/\(part.rawValue).\(id)", limit: limit) else {
      return nil
    }
    return try? expanded(bytes, limit: limit, spending: &bytesLeft)
  }

  func readUnseen(_ id: String) -> [UInt8]? { seen.contains(id) ? nil : read(.data, id) }
}
