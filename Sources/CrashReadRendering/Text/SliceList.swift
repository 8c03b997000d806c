internal import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadSymbolication

/// One binary in a line: file, identity, CPU, form, debug information, cache; a dash for what it hasn't. Scripts read it,
/// so the words are the same in every language.
package func sliceLine(_ candidate: SymbolStore.Candidate, isCached: Bool) -> String {
  let slice = candidate.slice
  return [
    candidate.shownPath + ":", slice.id?.description ?? "-", slice.architecture?.rawValue ?? "-",
    slice.layout == .machO ? "Mach-O" : "ELF", slice.hasDWARF ? "DWARF" : "-", isCached ? "cached" : "-",
  ].joined(separator: " ")
}

/// Binaries as a JSON array; the members are those of `images` in crashread-json(5) where there are such.
package func sliceJSON(_ candidates: [(candidate: SymbolStore.Candidate, isCached: Bool)]) -> String {
  var writer = JSONWriter()
  writer.array(nil, candidates) { json, entry in
    json.object { json in
      let slice = entry.candidate.slice
      json.field("path", entry.candidate.shownPath)
      json.field("id", slice.id?.description)
      json.field("arch", slice.architecture?.rawValue)
      json.field("layout", slice.layout == .machO ? "machO" : "elf")
      json.field("dwarfSize", slice.sizeOfDWARF)
      json.field("cached", entry.isCached)
    }
  }
  return writer.text + "\n"
}
