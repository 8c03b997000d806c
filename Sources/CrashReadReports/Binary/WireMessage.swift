/// A message in the wire format of Protocol Buffers, as a list of fields.
///
/// An embedded message stays a range of bytes until it is read, so the input's nesting depth doesn't matter.
struct WireMessage {
  /// A field's value, by its wire type.
  enum Value {
    case number(UInt64)
    case bytes(Bytes)
  }

  /// Fields in input order; a number can occur several times.
  private(set) var fields: [(number: UInt64, value: Value)] = []
  /// Whether all bytes were read; otherwise the fields are those before the damage.
  private(set) var isWhole = true

  init(_ bytes: Bytes) {
    var rest = bytes
    while !rest.isEmpty {
      guard let key = Self.readVarint(&rest), let value = Self.readValue(type: key & 7, &rest) else {
        isWhole = false
        break
      }
      fields.append((key >> 3, value))
    }
  }

  /// Every length-delimited value of a field.
  func all(_ number: UInt64) -> [Bytes] {
    fields.compactMap { field in
      guard field.number == number, case .bytes(let bytes) = field.value else { return nil }
      return bytes
    }
  }

  /// The last value of a field, which is the one that counts; nil when there is none.
  func message(_ number: UInt64) -> WireMessage? { all(number).last.map(WireMessage.init) }

  /// A text that isn't empty.
  func string(_ number: UInt64) -> String? { all(number).last?.nonEmptyString }

  /// An unsigned number.
  func number(_ number: UInt64) -> UInt64? { numbers(number).last }

  /// All numbers of a field, packed or not.
  func numbers(_ number: UInt64) -> [UInt64] {
    fields.filter { $0.number == number }.flatMap { field in
      switch field.value {
      case .number(let value): return [value]
      case .bytes(var packed):
        var values: [UInt64] = []
        while let value = Self.readVarint(&packed) { values.append(value) }
        return values
      }
    }
  }

  private static func readValue(type: UInt64, _ rest: inout Bytes) -> Value? {
    switch type {
    case 0: readVarint(&rest).map { .number($0) }
    case 1: readFixed(8, &rest).map { .number($0) }
    case 2: readBytes(&rest).map { .bytes($0) }
    case 5: readFixed(4, &rest).map { .number($0) }
    default: nil
    }
  }

  /// Reads a varint: seven bits per byte, least significant first. Nil when it is truncated or longer than ten bytes.
  private static func readVarint(_ rest: inout Bytes) -> UInt64? {
    var value: UInt64 = 0
    for (index, byte) in rest.prefix(10).enumerated() {
      value |= UInt64(byte & 0x7f) << UInt64(7 * index)
      if byte < 0x80 {
        rest = rest.dropFirst(index + 1)
        return value
      }
    }
    return nil
  }

  private static func readFixed(_ size: Int, _ rest: inout Bytes) -> UInt64? {
    guard rest.count >= size else { return nil }
    defer { rest = rest.dropFirst(size) }
    return rest.prefix(size).reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }

  private static func readBytes(_ rest: inout Bytes) -> Bytes? {
    guard let count = readVarint(&rest).flatMap({ Int(exactly: $0) }), count <= rest.count else { return nil }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }
}
