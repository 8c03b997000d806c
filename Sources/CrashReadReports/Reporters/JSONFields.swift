internal import CrashReadCore

/// An object's members by name, regardless of spelling: `frameAddress` and `frame_address` are the same.
struct JSONFields {
  private var values: [String: JSONValue] = [:]

  /// In larger objects the names mean something else.
  private static let maximumMembers = 64

  init(_ object: JSONValue) {
    for (name, value) in object.members.prefix(Self.maximumMembers) where !value.isNull {
      let plain = String(name.lowercased().filter { $0.isLetter || $0.isNumber })
      if values[plain] == nil { values[plain] = value }
    }
  }

  /// The first member with one of these names.
  subscript(names: [String]) -> JSONValue { names.lazy.compactMap { values[$0] }.first ?? .null }

  /// An address; nil for zero, which writers use for unknown.
  func address(_ names: [String]) -> UInt64? { self[names].bits.flatMap { $0 == 0 ? nil : $0 } }
}
