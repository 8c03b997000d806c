package import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadSymbolication

/// A binary on one line: file, identity, CPU, kind, debug information, cache, and the address it is linked to; a dash
/// for what it lacks. Scripts read it, so the words are the same in every language.
package func sliceLine(
  _ candidate: SymbolStore.Candidate, isCached: Bool, base: LinkedAddress? = nil
) -> String {
  let slice = candidate.slice
  return [
    candidate.shownPath + ":", slice.id?.description ?? "-", slice.architecture?.rawValue ?? "-",
    slice.layout.title, slice.hasDWARF ? "DWARF" : "-", isCached ? "cached" : "-",
    base?.description ?? "-",
  ].joined(separator: " ")
}

/// Binaries as a JSON array; members that `images` in crashread-json(5) has, too, are the same.
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
