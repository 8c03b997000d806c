internal import CrashReadCore

/// The members of an object by what their names mean, however they are spelled: `frameAddress` and `frame_address` are one.
struct JSONFields {
  private var values: [String: JSONValue] = [:]

  /// Names of longer objects mean something else.
  private static let mostMembers = 64

  init(_ object: JSONValue) {
    for (name, value) in object.members.prefix(Self.mostMembers) where !value.isNull {
      let plain = String(name.lowercased().filter { $0.isLetter || $0.isNumber })
      if values[plain] == nil { values[plain] = value }
    }
  }

  /// The first member that has one of these names.
  subscript(names: [String]) -> JSONValue { names.lazy.compactMap { values[$0] }.first ?? .null }

  /// Not zero, which writers use for what they don't know.
  func address(_ names: [String]) -> UInt64? { self[names].bits.flatMap { $0 == 0 ? nil : $0 } }
}
