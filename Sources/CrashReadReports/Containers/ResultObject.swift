internal import CrashReadCore

/// Reads an object of a result bundle (format version 3) into the same values as JSON's.
///
/// An object stands in brackets: its type (`T` with a definition, `S` and a name for one that occurred before), then
/// members (`K` and a name, then an object), elements (objects), or a value (`K2:_v`, then `V` and a text). Every text has
/// its length in bytes and a colon before it: `[S6:StringK2:_vV5:hello]`. The types are those that
/// `xcrun xcresulttool formatDescription` lists (a copy: FormatDescriptions in ChargePoint/xcparse).
struct ResultObject {
  /// The member under which an object's type stands.
  static let typeName = "_type"
  /// Deeper objects are none of Xcode's.
  private static let mostDepth = 200

  private let bytes: [UInt8]
  private var position = 0

  /// Nil for bytes that are no such object, or break off.
  static func read(_ bytes: [UInt8]) -> JSONValue? {
    guard bytes.first == UInt8(ascii: "[") else { return nil }
    var reader = ResultObject(bytes)
    return reader.object(depth: 0)
  }

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  private mutating func object(depth: Int) -> JSONValue? {
    guard depth < Self.mostDepth, take("[") else { return nil }
    var (type, text): (String?, String?)
    var members: [(name: String, value: JSONValue)] = []
    var elements: [JSONValue] = []
    while !take("]") {
      if take("T") {
        guard let definition = object(depth: depth + 1) else { return nil }
        type = definition["_n"].string
      } else if take("S") {
        guard let name = sizedText() else { return nil }
        type = name
      } else if take("K") {
        guard let name = sizedText() else { return nil }
        guard let value = take("V") ? sizedText().map(JSONValue.string) : object(depth: depth + 1) else {
          return nil
        }
        if name == "_v", case .string(let value) = value {
          text = value
        } else {
          members.append((name, value))
        }
      } else {
        guard let element = object(depth: depth + 1) else { return nil }
        elements.append(element)
      }
    }
    if let text { return .string(text) }
    if type == "Array" { return .array(elements) }
    return .object([(Self.typeName, type.map(JSONValue.string) ?? .null)] + members)
  }

  private mutating func take(_ sign: Character) -> Bool {
    guard position < bytes.count, bytes[position] == sign.asciiValue else { return false }
    position += 1
    return true
  }

  /// `5:hello`; nil when it isn't so.
  private mutating func sizedText() -> String? {
    var size = 0
    while position < bytes.count, bytes[position].isDigit, size < bytes.count {
      size = size * 10 + Int(bytes[position] - UInt8(ascii: "0"))
      position += 1
    }
    guard take(":"), size <= bytes.count - position else { return nil }
    defer { position += size }
    return String(decoding: bytes[position..<position + size], as: UTF8.self)
  }
}
