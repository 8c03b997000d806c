import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadReports

/// What is known of one field or heading: `Tests/Inventory/fields.tsv`.
private struct Entry {
  var format: String
  /// Components of a path, of which `*` matches any one and `**` any number; or a heading.
  var pattern: [Substring]
  var isUsed: Bool
  /// The file that reads it, or why nothing does.
  var reason: String

  init?(_ line: Substring) {
    let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard cells.count == 4, ["used", "none"].contains(cells[2]), !cells[3].isEmpty else { return nil }
    (format, reason) = (String(cells[0]), String(cells[3]))
    isUsed = cells[2] == "used"
    pattern = cells[0] == "text" || cells[0] == "spindump" ? [cells[1]] : cells[1].split(separator: ".")
  }

  func matches(_ path: [Substring]) -> Bool { Self.matches(pattern[...], path[...]) }

  private static func matches(_ pattern: ArraySlice<Substring>, _ path: ArraySlice<Substring>) -> Bool {
    guard let first = pattern.first else { return path.isEmpty }
    if first == "**" {
      return matches(pattern.dropFirst(), path) || !path.isEmpty && matches(pattern, path.dropFirst())
    }
    guard let component = path.first, first == "*" || first == component else { return false }
    return matches(pattern.dropFirst(), path.dropFirst())
  }
}

private let lines: [Substring] = {
  let file = Repository.root.appending(path: "Tests/Inventory/fields.tsv")
  return ((try? String(contentsOf: file, encoding: .utf8)) ?? "").split(separator: "\n").dropFirst().map {
    $0
  }
}()
private let inventory = Dictionary(grouping: lines.compactMap(Entry.init), by: \.format)

/// The paths of all members of documents, by format; what an array holds counts as the array's own members.
private struct MemberWalk {
  private(set) var paths: [String: Set<[Substring]>] = [:]

  mutating func add(_ bytes: [UInt8]) {
    var position = 0
    var isBody = false
    while let start = bytes[position...].firstIndex(of: UInt8(ascii: "{")) {
      var reader = JSONReader(bytes[start...])
      let document = reader.readValue() ?? .null
      let isDocument = document.members.count > 0
      if isDocument, let format = isBody ? "ips" : Self.format(document) {
        walk(document, [], format)
        isBody = IPSReport.isHeader(document)
      }
      let line = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.endIndex - 1
      position = max(isDocument ? reader.position : line + 1, start + 1)
    }
  }

  private static func format(_ document: JSONValue) -> String? {
    if SwiftJSON.isReport(document) { return "swift" }
    if IPSReport.isHeader(document) || IPSReport.isBody(document) { return "ips" }
    if MetricKitReport.isDocument(document) { return "metrickit" }
    if KSCrashReport.isDocument(document) { return "kscrash" }
    return SentryEvent.isDocument(document) ? "sentry" : nil
  }

  private mutating func walk(_ value: JSONValue, _ path: [Substring], _ format: String) {
    for element in value.elements { walk(element, path, format) }
    for (name, member) in value.members {
      // A report inside a report is of the same form, and so are frames inside frames.
      let isNested = name == "recrash_report" || name == "subFrames" && path.last == "subFrames"
      let inner = isNested ? path : path + [Substring(name)]
      paths[format, default: []].insert(inner)
      walk(member, inner, format)
    }
  }
}

/// Headings of a text report: the text before a colon at the start of a line, except for free text.
private func headings(_ bytes: [UInt8]) -> Set<Substring> {
  let quoting = ["Application Specific", "Filtered syslog", "kernel messages", "Extra Information", "Notes"]
  var found: Set<Substring> = []
  var isQuoted = false
  for line in String(decoding: bytes, as: UTF8.self).split(
    omittingEmptySubsequences: false, whereSeparator: \.isNewline)
  {
    if line.allSatisfy(\.isWhitespace) { isQuoted = false }
    if line.hasPrefix("System Profile:") || line.hasPrefix("Model: ") { return found }
    guard !isQuoted, let heading = line.wholeMatch(of: /([A-Z][^:]{1,38}):(?: .*|)/)?.1 else { continue }
    found.insert(heading)
    isQuoted = quoting.contains { line.hasPrefix($0) }
  }
  return found
}

/// Whether a pattern matches: `#` is a number, and `*` any text.
private func matches(_ heading: Substring, _ pattern: Substring) -> Bool {
  var rest = heading
  for character in pattern {
    switch character {
    case "*": return true
    case "#": rest = rest.drop { $0.isHexDigit || $0 == "x" }
    default:
      guard rest.first == character else { return false }
      rest = rest.dropFirst()
    }
  }
  return rest.isEmpty
}

private func reportsOfSamples() throws -> [[UInt8]] {
  let folder = Repository.root.appending(path: "Samples/reports")
  let paths = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
  return paths.sorted().compactMap { path in
    (try? Data(contentsOf: folder.appending(path: path))).map(Array.init)
  }
}

private func unknownPaths(_ files: [[UInt8]]) -> [String] {
  var walk = MemberWalk()
  for bytes in files { walk.add(bytes) }
  return walk.paths.flatMap { format, paths in
    paths.filter { path in !(inventory[format] ?? []).contains { $0.matches(path) } }
      .map { format + " " + $0.joined(separator: ".") }
  }
  .sorted()
}

private func unknownHeadings(_ files: [[UInt8]]) -> [Substring] {
  let known = (inventory["text"] ?? []).map { $0.pattern[0] }
  let texts = files.filter { bytes in
    let reports = try? CrashReport.parse(bytes)
    return reports?.allSatisfy { ($0.format == .appleText || $0.format == .ipsText) && $0.kind != .other }
      ?? false
  }
  let found = texts.reduce(into: Set<Substring>()) { $0.formUnion(headings($1)) }
  return found.filter { heading in !known.contains { matches(heading, $0) } }.sorted()
}

@Suite("Inventory of report fields") struct InventoryTests {
  @Test func listIsComplete() {
    #expect(lines.count > 500)
    for line in lines { #expect(Entry(line) != nil, "\(line)") }
    #expect(Set(lines.map { $0.split(separator: "\t").prefix(2) }).count == lines.count)
  }

  @Test("What is listed as used is read by the file that is named")
  func used() throws {
    let folder = Repository.root.appending(path: "Sources/CrashReadReports")
    var sources: [String: String] = [:]
    for path in try FileManager.default.subpathsOfDirectory(atPath: folder.path)
    where path.hasSuffix(".swift") {
      let name = String(path.split(separator: "/").last?.dropLast(6) ?? "")
      sources[name] = try String(contentsOf: folder.appending(path: path), encoding: .utf8)
    }
    for entry in inventory.values.flatMap(\.self) where entry.isUsed {
      let source = sources[entry.reason] ?? ""
      #expect(!source.isEmpty, "\(entry)")
      guard let key = entry.pattern.last, !key.contains("*"), !key.contains("#") else { continue }
      #expect(source.contains(key.contains(" ") ? key.suffix(12) : key), "\(entry)")
    }
  }

  @Test("No field of the samples is unknown") func samples() throws {
    let files = try reportsOfSamples()
    #expect(files.count > 60)
    #expect(unknownPaths(files) == [])
    #expect(unknownHeadings(files) == [])
  }

  @Test("No field of public reports is unknown", .enabled(if: PublicReports.areAvailable))
  func corpus() throws {
    let files = try PublicReports.paths(every: 1, upTo: 1 << 18).map { try PublicReports.bytes($0) }
    #expect(unknownPaths(files) == [])
    #expect(unknownHeadings(files) == [])
  }

  @Test("A new field or heading is found") func newField() throws {
    let ips =
      #"{"bug_type": "309", "os_version": "1"}\#n{"threads": [{"frames": [{"newKey": 1}]}], "usedImages": []}"#
    #expect(unknownPaths([Array(ips.utf8)]) == ["ips threads.frames.newKey"])
    let text = "Process: a [1]\nNew Heading: 1\n\nThread 0 Crashed:\n0   a   0x1000 0x0 + 4096\n"
    #expect(unknownHeadings([Array(text.utf8)]) == ["New Heading"])
  }
}
