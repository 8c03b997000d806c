internal import CrashReadCore

/// A number of a report decoded by the code tables.
struct DecodedNumber: Sendable, Hashable {
  /// One part of the number.
  struct Part: Sendable, Hashable {
    /// Its name, such as `access`; a key of `fields` in the texts.
    var field: String
    /// Its bits; nil if it was read from text.
    var value: UInt64?
    /// The table's name of the value; for flags, every one that is set. Empty where no table has it.
    var names: [String]
    /// The group of the table, whose texts explain the names; empty without a table.
    var group = ""
    /// The format of a value without a name: `hex`, or a unit; nil for a bare decimal.
    var unit: String?

    /// The names, or the number.
    var text: String {
      guard names.isEmpty, let value else { return names.joined(separator: ", ") }
      switch unit {
      case "hex": return hexadecimal(value)
      case "%", "/s": return String(value) + (unit ?? "")
      case let unit?: return "\(value) \(unit)"
      case nil: return String(value)
      }
    }
  }

  /// The layout or the table that decoded it.
  var kind: String
  /// The number itself; nil if the report only states a name, since systems number some names differently.
  var value: UInt64?
  /// For a number that a table names as a whole, its name; for flags, all names that are set.
  var names: [String] = []
  /// In the layout's order, each followed by those it adds; empty for a number named as a whole.
  var parts: [Part] = []
  /// The layouts and tables used, the number's own first.
  var origins: [String]

  /// The part of a field; nil when the number has none.
  func part(_ field: String) -> Part? { parts.first { $0.field == field } }

  /// The name of a field's value; nil when the number has no such field, or it has no name.
  func name(of field: String) -> String? { part(field)?.names.first }
}

extension CodeTables {
  /// Decodes a number by a layout; nil if the layout doesn't exist.
  ///
  /// - Parameters:
  ///   - number: The number, such as `code[0]` of a Mach exception.
  ///   - layout: The layout's name.
  ///   - subcode: The second number, such as `code[1]`.
  /// - Returns: The parts; values outside their table keep their number.
  func decode(_ number: UInt64, as layout: String, subcode: UInt64? = nil) -> DecodedNumber? {
    guard layouts[layout] != nil else { return nil }
    var decoded = DecodedNumber(kind: layout, value: number, origins: [])
    add(layout, of: number, subcode, to: &decoded)
    return decoded
  }

  /// Names a number by one table; nil when the table doesn't have it.
  func decode(_ number: UInt64, in table: String) -> DecodedNumber? {
    guard let names = tables[table]?.names(of: number), !names.isEmpty else { return nil }
    return DecodedNumber(kind: table, value: number, names: names, origins: [table])
  }

  private func add(_ layout: String, of number: UInt64, _ subcode: UInt64?, to decoded: inout DecodedNumber) {
    // A cyclic layout would never end.
    guard let fields = layouts[layout]?.fields, !decoded.origins.contains(layout) else { return }
    decoded.origins.append(layout)
    for field in fields {
      let value = field.value(in: number)
      let table = field.table ?? ""
      let names = tables[table]?.names(of: value) ?? []
      // Of flags, and of kinds without a name for 0, only non-zero values are listed.
      if field.table != nil, names.isEmpty, value == 0 { continue }
      decoded.parts.append(
        .init(field: field.name, value: value, names: names, group: group(of: table), unit: field.unit))
      if !names.isEmpty { decoded.origins.append(table) }
      for name in names { add("\(table).\(name)", of: number, subcode, to: &decoded) }
    }
    if let subcode { add(layout + ".subcode", of: subcode, nil, to: &decoded) }
  }
}

/// The part of a table's name before the first dot.
func group(of table: String) -> String { String(table.prefix { $0 != "." }) }
