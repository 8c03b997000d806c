internal import CrashReadCore

/// The text format in which symbol memories are exported and imported.
///
/// After the first line, `head`, a line with the identity of an image precedes the lines of its functions. These have five
/// fields separated by tabs: the start and the extent, both hexadecimal; the day of the earliest report, in days since
/// 1970, or `-`; the witnesses, separated by commas; the name.
package enum SightingLines {
  /// The first line.
  package static let head = "crashread symbols 1"

  /// A line that doesn't follow the format.
  package struct Malformed: Error, Equatable, CustomStringConvertible {
    /// 1-based.
    var line: Int
    package var description: String { "line \(line) isn't from an exported symbol memory" }
  }

  /// The lines of some sightings, without the first line; consecutive sightings of an image share the line with its identity.
  package static func text(_ sightings: some Sequence<SymbolSighting>) -> [UInt8] {
    var text: [UInt8] = []
    var image: ImageID?
    for sighting in sightings {
      if sighting.function.image != image {
        image = sighting.function.image
        text += "\(sighting.function.image)\n".utf8
      }
      sighting.appendLines(to: &text)
    }
    return text
  }

  /// Parses lines; the first line is optional.
  /// - Throws: `Malformed` for the first line that doesn't follow the format.
  package static func sightings(_ text: [UInt8]) throws(Malformed) -> [SymbolSighting] {
    var found: [SymbolSighting] = []
    var image: ImageID?
    var (number, start) = (0, text.startIndex)
    while start < text.endIndex {
      let end = text[start...].firstIndex(of: UInt8(ascii: "\n")) ?? text.endIndex
      let line = text[start..<end]
      (number, start) = (number + 1, end + 1)
      if line.isEmpty || number == 1 && line.elementsEqual(head.utf8) { continue }
      if let image, let sighting = SymbolSighting(line: line, image) {
        found.append(sighting)
      } else if let id = ImageID(parsing: line), id.byteCount == 16 {
        image = id
      } else {
        throw Malformed(line: number)
      }
    }
    return found
  }
}

extension SymbolSighting {
  /// Writes the lines of a sighting; witnesses of the same extent share a line.
  fileprivate func appendLines(to text: inout [UInt8]) {
    let tab = UInt8(ascii: "\t")
    var last: UInt64?
    for witness in witnesses.all {
      if witness.extent == last {
        text.append(UInt8(ascii: ","))
        text.append(hex: UInt64(witness.number))
        continue
      }
      if last != nil { appendName(to: &text) }
      last = witness.extent
      text.append(hex: function.start)
      text.append(tab)
      text.append(hex: witness.extent)
      text.append(tab)
      text += (witnesses.day.map(String.init) ?? "-").utf8
      text.append(tab)
      text.append(hex: UInt64(witness.number))
    }
    if last != nil { appendName(to: &text) }
  }

  private func appendName(to text: inout [UInt8]) {
    text.append(UInt8(ascii: "\t"))
    text += function.name.utf8
    text.append(UInt8(ascii: "\n"))
  }

  fileprivate init?(line: ArraySlice<UInt8>, _ image: ImageID) {
    let parts = line.split(separator: UInt8(ascii: "\t"), omittingEmptySubsequences: false)
    guard parts.count == 5, let start = UInt64(hex: parts[0]), let extent = UInt64(hex: parts[1]) else {
      return nil
    }
    let numbers = parts[3].split(separator: UInt8(ascii: ",")).map {
      UInt64(hex: $0).flatMap { UInt32(exactly: $0) }
    }
    let day = Int64(String(decoding: parts[2], as: UTF8.self))
    guard !numbers.isEmpty, numbers.count <= FunctionWitnesses.maximumCount, !numbers.contains(nil),
      day != nil || parts[2].elementsEqual("-".utf8)
    else { return nil }
    self.init(
      SightedFunction(image: image, start: start, name: String(decoding: parts[4], as: UTF8.self)),
      FunctionWitnesses(numbers.compactMap(\.self).map { .init($0, extent: extent) }, day: day))
  }
}

extension [UInt8] {
  fileprivate mutating func append(hex number: UInt64) { self += String(number, radix: 16).utf8 }
}

extension UInt64 {
  fileprivate init?(hex digits: ArraySlice<UInt8>) {
    self.init(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
