internal import CrashRead
internal import CrashReadCore

/// The binary form in which a worker sends sightings to the batch.
///
/// For each: the length of the image's identity and the identity, or 0 if it is the same as before; start, extent,
/// witness, day and length of the name, 64 bits each, little-endian; the name. There are about as many as frames: parsing
/// `SightingLines` would cost more than everything else about learning.
enum SightingMessage {
  /// Encodes sightings of one witness each.
  static func bytes(_ sightings: [SymbolSighting]) -> [UInt8] {
    var bytes: [UInt8] = []
    var image: ImageID?
    for sighting in sightings {
      guard let witness = sighting.witnesses.all.first else { continue }
      let (function, isSame) = (sighting.function, sighting.function.image == image)
      bytes.append(UInt8(isSame ? 0 : function.image.bytes.count))
      if !isSame { bytes += function.image.bytes }
      image = function.image
      bytes.append(littleEndian: function.start)
      bytes.append(littleEndian: witness.extent)
      bytes.append(littleEndian: UInt64(witness.number))
      bytes.append(littleEndian: UInt64(bitPattern: sighting.witnesses.day ?? .min))
      bytes.append(littleEndian: UInt64(function.name.utf8.count))
      bytes += function.name.utf8
    }
    return bytes
  }

  /// Decodes a message, up to the first malformed sighting.
  static func sightings(_ message: [UInt8]) -> [SymbolSighting] {
    var found: [SymbolSighting] = []
    var (rest, image) = (message[...], ImageID?.none)
    while let size = rest.popFirst() {
      if size > 0 { image = ImageID(bytes: Array(rest.removeHead(Int(size)) ?? [])) }
      guard let id = image, let start = rest.removeNumber(), let extent = rest.removeNumber(),
        let number = rest.removeNumber().flatMap({ UInt32(exactly: $0) }), let day = rest.removeNumber(),
        let length = rest.removeNumber().flatMap({ Int(exactly: $0) }), let name = rest.removeHead(length)
      else { break }
      let date = Int64(bitPattern: day)
      found.append(
        SymbolSighting(
          SightedFunction(image: id, start: start, name: String(decoding: name, as: UTF8.self)),
          FunctionWitnesses([.init(number, extent: extent)], day: date == .min ? nil : date)))
    }
    return found
  }
}

extension ArraySlice<UInt8> {
  /// Removes and returns the first bytes; nil if there are fewer.
  fileprivate mutating func removeHead(_ size: Int) -> Self? {
    guard size >= 0, size <= count else { return nil }
    defer { self = self[(startIndex + size)...] }
    return self[..<(startIndex + size)]
  }

  fileprivate mutating func removeNumber() -> UInt64? {
    removeHead(8)?.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}
