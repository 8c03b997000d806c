package import CrashReadReports

/// A JSON value that can be changed.
package enum JSONTree: Sendable {
  case null
  case bool(Bool)
  case unsigned(UInt64)
  case negative(Int64)
  case real(Double)
  case string(String)
  case array([JSONTree])
  case object([(name: String, value: JSONTree)])

  /// The value of a text.
  package init(_ value: JSONValue) {
    switch value.bytes.first {
    case UInt8(ascii: "{"): self = .object(value.members.map { ($0.name, JSONTree($0.value)) })
    case UInt8(ascii: "["): self = .array(value.elements.map { JSONTree($0) })
    case UInt8(ascii: "\""): self = .string(value.string ?? "")
    case UInt8(ascii: "t"), UInt8(ascii: "f"): self = .bool(value.isTrue)
    case UInt8(ascii: "n"), nil: self = .null
    default: self = Self.number(value)
    }
  }

  private static func number(_ value: JSONValue) -> JSONTree {
    let text = String(decoding: value.bytes, as: UTF8.self)
    if let number = UInt64(text) { return .unsigned(number) }
    return Int64(text).map { .negative($0) } ?? .real(Double(text) ?? 0)
  }

  /// The members of an object; empty for anything else.
  var members: [(name: String, value: JSONTree)] {
    if case .object(let members) = self { members } else { [] }
  }

  /// The elements of an array; empty for anything else.
  var elements: [JSONTree] { if case .array(let elements) = self { elements } else { [] } }
}
