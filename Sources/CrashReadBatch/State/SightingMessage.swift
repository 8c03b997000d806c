internal import CrashRead
internal import CrashReadCore
internal import CrashReadSymbolication

/// The binary form in which a worker sends sightings to the batch.
///
/// For each: the length of the image's identity and the identity, or 0 if it is the same as before; start, day, length of
/// the name and number of witnesses, 64 bits each, little-endian; the name; number and extent of each witness, 32 bits
/// each.
enum SightingMessage {
  /// Encodes sightings.
  static func bytes(_ sightings: [SymbolSighting]) -> [UInt8] {
    var bytes: [UInt8] = []
    var image: ImageID?
    for sighting in sightings {
      let (function, witnesses) = (sighting.function, sighting.witnesses)
      let isSame = function.image == image
      bytes.append(UInt8(isSame ? 0 : function.image.byteCount))
      if !isSame { bytes += function.image.bytes }
      image = function.image
      bytes.append(littleEndian: function.start)
      bytes.append(littleEndian: UInt64(bitPattern: witnesses.day ?? .min))
      bytes.append(littleEndian: UInt64(function.name.utf8.count))
      bytes.append(littleEndian: UInt64(witnesses.all.count))
      bytes += function.name.utf8
      for witness in witnesses.all {
        bytes.append(littleEndian: witness.number)
        bytes.append(littleEndian: witness.extent)
      }
    }
    return bytes
  }

  /// Decodes a message, up to the first malformed sighting.
  static func sightings(_ message: [UInt8]) -> [SymbolSighting] {
    var reader = MessageReader(bytes: message)
    var found: [SymbolSighting] = []
    var image: ImageID?
    do throws(TruncationError) {
      while reader.position < message.count {
        let size = Int(try reader.integer(UInt8.self))
        if size > 0 { image = ImageID(bytes: Array(try reader.bytes(size))) }
        guard let id = image else { return found }
        found.append(try reader.sighting(in: id))
      }
    } catch {
      return found
    }
    return found
  }
}

private struct MessageReader {
  let bytes: [UInt8]
  private(set) var position = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  mutating func sighting(in image: ImageID) throws(TruncationError) -> SymbolSighting {
    let start = try integer(UInt64.self)
    let day = Int64(bitPattern: try integer(UInt64.self))
    let (length, count) = (try integer(UInt64.self), try integer(UInt64.self))
    let name = try self.bytes(Int(clamping: length))
    let function = SightedFunction(image: image, start: start, name: String(decoding: name, as: UTF8.self))
    var witnesses: [FunctionWitnesses.Witness] = []
    for _ in 0..<min(count, UInt64(FunctionWitnesses.maximumCount)) {
      witnesses.append(.init(try integer(UInt32.self), extent: try integer(UInt32.self)))
    }
    return SymbolSighting(function, FunctionWitnesses(witnesses, day: day == .min ? nil : day))
  }

  mutating func integer<T: FixedWidthInteger & UnsignedInteger>(_ type: T.Type) throws(TruncationError) -> T {
    defer { position += T.bitWidth / 8 }
    return try bytes.span.integer(type, at: position)
  }

  mutating func bytes(_ count: Int) throws(TruncationError) -> ArraySlice<UInt8> {
    guard count <= bytes.count - position else { throw TruncationError(offset: position) }
    defer { position += count }
    return bytes[position..<position + count]
  }
}
