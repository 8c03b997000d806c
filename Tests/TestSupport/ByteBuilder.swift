/// Bytes of a file that a test builds, in either byte order.
package struct ByteBuilder {
  package private(set) var bytes: [UInt8] = []
  private let isBigEndian: Bool

  package init(isBigEndian: Bool = false) { self.isBigEndian = isBigEndian }

  package var count: Int { bytes.count }

  package mutating func append(_ value: some FixedWidthInteger) {
    let width = type(of: value).bitWidth
    for shift in stride(from: 0, to: width, by: 8) {
      bytes.append(UInt8(truncatingIfNeeded: value >> (isBigEndian ? width - 8 - shift : shift)))
    }
  }

  /// Appends an address or a size, which takes 8 or 4 bytes.
  package mutating func append(word value: UInt64, is64Bit: Bool) {
    if is64Bit { append(value) } else { append(UInt32(truncatingIfNeeded: value)) }
  }

  package mutating func append(contentsOf more: [UInt8]) { bytes += more }

  /// Appends a text, and zeros up to a length.
  package mutating func append(_ text: String, length: Int) {
    let utf8 = Array(text.utf8.prefix(length))
    bytes += utf8 + [UInt8](repeating: 0, count: length - utf8.count)
  }

  package mutating func pad(to length: Int) {
    if bytes.count < length { bytes += [UInt8](repeating: 0, count: length - bytes.count) }
  }
}
