/// What identifies a binary and its debug file: a Mach-O `LC_UUID`, or an ELF `NT_GNU_BUILD_ID` note.
public struct ImageID: Hashable, Sendable, CustomStringConvertible {
  /// Nearly all of a report's hundreds of identities have 16 bytes; these need no array.
  private enum Storage: Hashable, Sendable {
    /// The first byte is the most significant.
    case uuid(UInt64, UInt64)
    case other([UInt8])
  }

  private let storage: Storage

  private static let maximumBytes = 64

  /// The identity's bytes in file order; 16 for a UUID, usually 20 for a build-id.
  public var bytes: [UInt8] { (0..<byteCount).map(byte) }

  /// The number of bytes.
  package var byteCount: Int {
    switch storage {
    case .uuid: 16
    case .other(let bytes): bytes.count
    }
  }

  private func byte(_ index: Int) -> UInt8 {
    switch storage {
    case .uuid(let high, let low):
      UInt8(truncatingIfNeeded: (index < 8 ? high : low) >> UInt64(56 - 8 * (index & 7)))
    case .other(let bytes): bytes[index]
    }
  }

  /// An identity of these bytes; nil when there are none, more than 64, or only zeros (which Apple prints for 'unknown').
  package init?(bytes: [UInt8]) {
    guard (1...Self.maximumBytes).contains(bytes.count), bytes.contains(where: { $0 != 0 }) else {
      return nil
    }
    storage =
      bytes.count == 16
      ? .uuid(
        bytes[..<8].reduce(0) { $0 << 8 | UInt64($1) }, bytes[8...].reduce(0) { $0 << 8 | UInt64($1) })
      : .other(bytes)
  }

  /// Reads hexadecimal digits in either case, with or without dashes and `<…>`; nil for anything else.
  package init?(parsing text: some StringProtocol) { self.init(parsing: Array(text.utf8)[...]) }

  /// Reads the same from UTF-8: a report names hundreds of images, and generic code isn't specialised across modules.
  package init?(parsing text: ArraySlice<UInt8>) {
    let text = text.span
    if let digits = text.uuidDigits {
      self.init(digits)
      return
    }
    // The last 32 digits: all of them in a UUID.
    var (high, low, digitCount) = (UInt64(0), UInt64(0), 0)
    for index in text.indices {
      if let digit = text[index].hexDigitValue {
        (high, low) = (high << 4 | low >> 60, low << 4 | UInt64(digit))
        digitCount += 1
      } else if !Self.isMark(text[index]) {
        return nil
      }
    }
    guard digitCount & 1 == 0, digitCount <= 2 * Self.maximumBytes else { return nil }
    guard digitCount == 32 else {
      self.init(bytes: Self.bytes(text))
      return
    }
    self.init((high, low))
  }

  private init?(_ digits: (high: UInt64, low: UInt64)) {
    guard digits.high | digits.low != 0 else { return nil }
    storage = .uuid(digits.high, digits.low)
  }

  /// The bytes of an even number of hexadecimal digits; other characters are skipped.
  private static func bytes(_ text: Span<UInt8>) -> [UInt8] {
    let digits = text.indices.compactMap { text[$0].hexDigitValue }
    return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
  }

  private static func isMark(_ character: UInt8) -> Bool {
    character == UInt8(ascii: "-") || character == UInt8(ascii: "<") || character == UInt8(ascii: ">")
  }

  /// Apple's form for 16 bytes (upper case, dashes), otherwise lower-case digits as `file` and `readelf` print a
  /// build-id.
  public var description: String {
    var buffer = ByteBuffer()
    writeDescription(to: &buffer)
    return buffer.text
  }

  /// Writes the description in ASCII.
  package func writeDescription(to text: inout ByteBuffer) {
    switch storage {
    case .other(let bytes): for byte in bytes { text.appendDigits(of: UInt64(byte), from: 1) }
    case .uuid(let high, let low):
      // Groups of 8, 4, 4, 4 and 12 digits.
      text.appendDigits(of: high >> 32, from: 7, uppercase: true)
      for part in [high >> 16, high, low >> 48] {
        text.append(UInt8(ascii: "-"))
        text.appendDigits(of: part, from: 3, uppercase: true)
      }
      text.append(UInt8(ascii: "-"))
      text.appendDigits(of: low, from: 11, uppercase: true)
    }
  }

  /// Whether a report's identity names the file that has this one.
  ///
  /// Equal bytes do; so does a 16-byte identity in the report that equals the first 16 bytes of a longer build-id, in
  /// file order or in the byte order of a Windows GUID (as Breakpad-style reporters write it).
  package func isNamed(by reported: ImageID) -> Bool {
    reported == self || reportedForms.contains(reported)
  }
}

extension ImageID {
  /// The identity as Breakpad-style reporters write it: the first 16 bytes of a build-id in the byte order of a Windows
  /// GUID.
  package var guid: ImageID {
    byteCount > 16 ? ImageID(bytes: guidOrder(Array(bytes[..<16]))) ?? self : self
  }

  /// Every identity by which a report can name the file that has this one.
  package var reportedForms: [ImageID] {
    guard byteCount > 16 else { return [self] }
    let bytes = bytes
    let prefix = Array(bytes[..<16])
    return [self] + [prefix, guidOrder(prefix)].compactMap { ImageID(bytes: $0) }
  }
}

/// A GUID stores its first three groups little-endian.
private func guidOrder(_ bytes: [UInt8]) -> [UInt8] {
  let order = [3, 2, 1, 0, 5, 4, 7, 6, 8, 9, 10, 11, 12, 13, 14, 15]
  return order.map { bytes[$0] }
}
