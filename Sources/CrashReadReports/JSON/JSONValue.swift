/// One JSON value.
///
/// Numbers stay exact: addresses use all 64 bits.
package enum JSONValue: Sendable {
  case null
  case bool(Bool)
  case unsigned(UInt64)
  case negative(Int64)
  case real(Double)
  case string(String)
  case array([JSONValue])
  /// Members in the document's order; a name can occur twice.
  case object([(name: String, value: JSONValue)])
}

extension JSONValue {
  /// A member of an object, the first of that name; `.null` when there is none.
  package subscript(name: String) -> JSONValue { members.first { $0.name == name }?.value ?? .null }

  /// The members of an object; empty for anything else.
  package var members: [(name: String, value: JSONValue)] {
    if case .object(let members) = self { members } else { [] }
  }

  /// The elements of an array; empty for anything else.
  package var elements: [JSONValue] {
    if case .array(let elements) = self { elements } else { [] }
  }

  var isObject: Bool {
    if case .object = self { true } else { false }
  }

  var isNull: Bool {
    if case .null = self { true } else { false }
  }

  /// A text that isn't empty.
  package var string: String? {
    if case .string(let text) = self, !text.isEmpty { text } else { nil }
  }

  /// A text, or a number in decimal: some writers quote what others don't.
  var text: String? {
    switch self {
    case .string: string
    case .unsigned(let value): String(value)
    case .negative(let value): String(value)
    case .null, .bool, .real, .array, .object: nil
    }
  }

  /// 64 bits: from a number (a negative one as its two's complement), or from a text like `0x10` or `16`.
  var bits: UInt64? {
    switch self {
    case .unsigned(let value): value
    case .negative(let value): UInt64(bitPattern: value)
    case .string(let text): Bytes(Array(text.utf8)).trimmed.numberValue
    case .null, .bool, .real, .array, .object: nil
    }
  }

  /// A number that fits in `Int`.
  package var integer: Int? {
    switch self {
    case .unsigned(let value): Int(exactly: value)
    case .negative(let value): Int(exactly: value)
    case .string: bits.flatMap { Int(exactly: $0) }
    case .null, .bool, .real, .array, .object: nil
    }
  }

  /// True, or a number other than 0.
  package var isTrue: Bool {
    switch self {
    case .bool(let value): value
    case .unsigned(let value): value != 0
    case .null, .negative, .real, .string, .array, .object: false
    }
  }
}
