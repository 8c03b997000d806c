internal import CrashReadCore

/// Sightings as lines of text, which memories are exported and imported as.
///
/// A first line says so. A line with an image's identity stands before those about it; each has where the function begins
/// and how far it was seen to reach, both hexadecimal, the first day since 1970 or `-`, the witnesses, and the name, with
/// tabs between them.
package enum SightingLines {
  /// The first line.
  package static let head = "crashread symbols 1"

  /// A line that is none of these.
  package struct Malformed: Error, Equatable, CustomStringConvertible {
    /// 1-based.
    package var line: Int
    package var description: String { "line \(line) is none of a symbol memory's" }
  }

  /// The lines about some sightings, without the first one; the identity is left out where it is the same as before.
  package static func text(_ sightings: some Sequence<SymbolSighting>) -> String {
    var text = ""
    var image: ImageID?
    for sighting in sightings {
      if sighting.image != image { text += "\(sighting.image)\n" }
      image = sighting.image
      text += sighting.line + "\n"
    }
    return text
  }

  /// Reads lines, with the first one or without.
  /// - Throws: `Malformed` at the first line that is something else.
  package static func sightings(_ text: some StringProtocol) throws(Malformed) -> [SymbolSighting] {
    var found: [SymbolSighting] = []
    var image: ImageID?
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.isEmpty || index == 0 && line == head { continue }
      if let image, let sighting = SymbolSighting(line: Substring(line), image) {
        found.append(sighting)
      } else if let id = ImageID(parsing: line), id.bytes.count == 16 {
        image = id
      } else {
        throw Malformed(line: index + 1)
      }
    }
    return found
  }
}

extension SymbolSighting {
  fileprivate var line: String {
    let witnesses = witnesses.map { String($0, radix: 16) }.joined(separator: ",")
    let parts = [
      String(start, radix: 16), String(extent, radix: 16), day.map(String.init) ?? "-", witnesses, name,
    ]
    return parts.joined(separator: "\t")
  }

  fileprivate init?(line: Substring, _ image: ImageID) {
    let parts = line.split(separator: "\t", omittingEmptySubsequences: false)
    guard parts.count == 5, let start = UInt64(parts[0], radix: 16), let extent = UInt64(parts[1], radix: 16)
    else { return nil }
    let witnesses = parts[3].split(separator: ",").map { UInt32($0, radix: 16) }
    let day = Int64(parts[2])
    guard !witnesses.isEmpty, witnesses.count <= SymbolMemory.maximumWitnesses, !witnesses.contains(nil),
      day != nil || parts[2] == "-"
    else { return nil }
    self.init(
      image: image, start: start, extent: extent, name: String(parts[4]),
      witnesses: witnesses.compactMap(\.self).sorted(), day: day)
  }
}
