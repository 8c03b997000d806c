internal import CrashReadCore

/// Reads an object of a result bundle (format version 3) as a JSON value.
///
/// An object is in brackets: its type (`T` with a definition, `S` and a name for one that occurred before), then
/// members (`K` and a name, then an object), elements (objects), or a value (`K2:_v`, then `V` and a string). Every
/// string is preceded by its length in bytes and a colon: `[S6:StringK2:_vV5:hello]`. The types are those that
/// `xcrun xcresulttool formatDescription` lists (a copy: FormatDescriptions in ChargePoint/xcparse).
struct ResultObject {
  /// The member that holds an object's type.
  static let typeName = "_type"
  /// The maximum nesting depth of objects that Xcode writes.
  private static let maximumDepth = 200

  private let bytes: [UInt8]
  private var position = 0
  /// The JSON for what was read so far.
  private var json: [UInt8] = []

  /// Reads an object; nil for bytes that aren't one, or are truncated.
  static func read(_ bytes: [UInt8]) -> JSONValue? {
    guard bytes.first == UInt8(ascii: "[") else { return nil }
    var reader = ResultObject(bytes)
    return reader.object(depth: 0) ? JSONValue(document: reader.json) : nil
  }

  private init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The kind of contents found in the brackets so far.
  private enum Contents { case nothing, members, elements, value }

  /// Converts the contents of brackets; false when they are invalid or truncated.
  private mutating func object(depth: Int) -> Bool {
    guard depth < Self.maximumDepth, take("[") else { return false }
    var (type, contents) = ("", Contents.nothing)
    while !take("]") {
      if take("T") {
        guard let name = definition(depth: depth + 1) else { return false }
        type = name
      } else if take("S") {
        guard let name = sizedText() else { return false }
        type = name
      } else if take("K") {
        guard member(type, &contents, depth) else { return false }
      } else {
        guard element(&contents, depth) else { return false }
      }
    }
    close(contents, type)
    return true
  }

  private mutating func member(_ type: String, _ contents: inout Contents, _ depth: Int) -> Bool {
    guard let name = sizedText() else { return false }
    if name == "_v", take("V") {
      guard contents == .nothing, let text = sizedText() else { return false }
      contents = .value
      write(text)
      return true
    }
    guard contents == .nothing || contents == .members else { return false }
    if contents == .nothing { open(type) }
    contents = .members
    json.append(UInt8(ascii: ","))
    write(name)
    json.append(UInt8(ascii: ":"))
    guard take("V") else { return object(depth: depth + 1) }
    guard let text = sizedText() else { return false }
    write(text)
    return true
  }

  private mutating func element(_ contents: inout Contents, _ depth: Int) -> Bool {
    guard contents == .nothing || contents == .elements else { return false }
    json.append(contents == .nothing ? UInt8(ascii: "[") : UInt8(ascii: ","))
    contents = .elements
    return object(depth: depth + 1)
  }

  private mutating func open(_ type: String) {
    json.append(UInt8(ascii: "{"))
    write(Self.typeName)
    json.append(UInt8(ascii: ":"))
    write(type)
  }

  private mutating func close(_ contents: Contents, _ type: String) {
    switch contents {
    case .value: break
    case .elements: json.append(UInt8(ascii: "]"))
    case .members: json.append(UInt8(ascii: "}"))
    case .nothing where type == "Array": json += Array("[]".utf8)
    case .nothing:
      open(type)
      json.append(UInt8(ascii: "}"))
    }
  }

  /// The name in a type's definition, which can name its supertypes.
  private mutating func definition(depth: Int) -> String? {
    guard depth < Self.maximumDepth, take("[") else { return nil }
    var found: String?
    while !take("]") {
      guard take("K"), let name = sizedText() else { return nil }
      if take("V") {
        guard let text = sizedText() else { return nil }
        if name == "_n" { found = text }
      } else if definition(depth: depth + 1) == nil {
        return nil
      }
    }
    return found
  }

  private mutating func write(_ text: String) {
    json.append(UInt8(ascii: "\""))
    for byte in text.utf8 {
      if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { json.append(UInt8(ascii: "\\")) }
      if byte >= 0x20 { json.append(byte) } else { json += Array(Self.escape(byte).utf8) }
    }
    json.append(UInt8(ascii: "\""))
  }

  private static func escape(_ byte: UInt8) -> String {
    let hex = String(byte, radix: 16)
    return "\\u00" + (hex.count == 1 ? "0" : "") + hex
  }

  private mutating func take(_ sign: Character) -> Bool {
    guard position < bytes.count, bytes[position] == sign.asciiValue else { return false }
    position += 1
    return true
  }

  /// `5:hello`; nil for anything else.
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
