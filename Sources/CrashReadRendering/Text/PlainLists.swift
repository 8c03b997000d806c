package import CrashReadCore
package import CrashReadDebugInfo
package import CrashReadReports
package import CrashReadSymbolication

/// A binary on one line: file, identity, CPU, kind, debug information, cache, and linked address; a dash for a missing
/// value. Scripts read it, so the words are the same in every language.
package func sliceLine(
  _ candidate: SymbolStore.Candidate, isCached: Bool, base: LinkedAddress?
) -> String {
  let slice = candidate.slice
  return [
    candidate.shownPath + ":", slice.id?.description ?? "-", slice.architecture?.rawValue ?? "-",
    slice.layout.title, slice.hasDWARF ? "DWARF" : "-", isCached ? "cached" : "-",
    base?.description ?? "-",
  ].joined(separator: " ")
}

/// Binaries as a JSON array; members that also exist in `images` of crashread-json(5) are the same.
package func sliceJSON(_ candidates: [(candidate: SymbolStore.Candidate, isCached: Bool)]) -> String {
  var writer = JSONWriter()
  writer.array(nil, candidates) { json, entry in
    json.object { json in
      let slice = entry.candidate.slice
      json.field("path", entry.candidate.shownPath)
      json.field("id", slice.id?.description)
      json.field("arch", slice.architecture?.rawValue)
      json.field("layout", slice.layout.rawValue)
      json.field("dwarfSize", slice.sizeOfDWARF)
      json.field("cached", entry.isCached)
    }
  }
  return writer.text + "\n"
}

extension BinarySlice.Layout {
  fileprivate var title: String {
    switch self {
    case .machO: "Mach-O"
    case .elf: "ELF"
    case .sharedCache: "dyld-cache"
    case .symbolPack: "pack"
    case .breakpad: "Breakpad"
    case .gsym: "GSYM"
    case .symCache: "SymCache"
    }
  }
}

/// A look-up as a JSON object: the address, `locations` and `foldedNames` as in crashread-json(5), and the lines of a
/// listing, if any, as `code`.
package func lookupJSON(
  _ address: LinkedAddress, _ frames: [SourceFrame], foldedNames: [String] = [], code: [String] = []
) -> String {
  var writer = JSONWriter()
  writer.object { json in
    json.field("address", address.description)
    json.array("locations", frames) { json, frame in json.object { writeLocation(frame, to: &$0) } }
    if !foldedNames.isEmpty { json.strings("foldedNames", foldedNames) }
    if !code.isEmpty { json.strings("code", code) }
  }
  return writer.text
}

/// A report on one line: file, format, kind, process with version, exception; a dash for a value that isn't stated.
package func kindLine(_ file: String, _ report: CrashReport) -> String {
  let process = [report.header.process ?? "-", report.header.version ?? "-"]
  let signal = report.exception?.signal.map { " (\($0))" } ?? ""
  let exception = report.exception.flatMap { $0.type.map { $0 + signal } ?? $0.signal } ?? "-"
  return ([file + ":", report.format.rawValue, report.kind.rawValue] + process + [exception]).joined(
    separator: " ")
}

/// Reports as a JSON array: for each report `input` and those members of `report` and `exception` of crashread-json(5)
/// that identify its kind.
package func kindJSON(_ reports: [(file: String, report: CrashReport)]) -> String {
  var writer = JSONWriter()
  writer.array(nil, reports) { json, entry in
    json.object { json in
      json.field("input", entry.file)
      json.field("format", entry.report.format.rawValue)
      json.field("kind", entry.report.kind.rawValue)
      json.field("process", entry.report.header.process)
      json.field("version", entry.report.header.version)
      guard let exception = entry.report.exception else { return }
      json.object("exception") {
        $0.field("type", exception.type)
        $0.field("signal", exception.signal)
      }
    }
  }
  return writer.text + "\n"
}
