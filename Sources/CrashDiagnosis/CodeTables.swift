internal import CrashReports

/// Numbers and their names from the system's headers: `codes.json`.
///
/// A table's name says what its numbers are: `signal`, `code.EXC_BAD_ACCESS.x86`, `termination.DYLD`.
struct CodeTables: Sendable {
  /// One table.
  struct Table: Sendable, Hashable {
    /// A link to where the numbers are defined.
    var source: String
    var names: [UInt64: String]
    /// Other names that mean the same, with the name used here.
    var aliases: [String: String]
  }

  private(set) var tables: [String: Table] = [:]

  /// Reads the tables; what can't be read is left out and reported.
  init(_ document: JSONValue, problems: inout [String]) {
    for (name, value) in document["tables"].members {
      var table = Table(source: value["source"].string ?? "", names: [:], aliases: [:])
      for (number, label) in value["names"].members {
        guard let number = unsigned(number), let label = label.string else {
          problems.append("codes.json: \(name): \(number)")
          continue
        }
        table.names[number] = label
      }
      for (alias, label) in value["aliases"].members { table.aliases[alias] = label.string }
      tables[name] = table
    }
  }

  /// The name of a number, by a variant's own table (such as a CPU's) first; nil when neither has it.
  func name(of number: UInt64, in table: String, variant: String? = nil) -> String? {
    variant.flatMap { tables[table + "." + $0]?.names[number] } ?? tables[table]?.names[number]
  }

  /// Whether a table has the name, or another name for it.
  func has(_ name: String, in table: String) -> Bool {
    guard let table = tables[table] else { return false }
    return table.aliases[name] != nil || table.names.values.contains(name)
  }

  /// The name as the table has it: another name's main name, else the name itself.
  func mainName(_ name: String, in table: String) -> String { tables[table]?.aliases[name] ?? name }

  /// The name of a code by which the system kills processes, whatever the namespace; nil when it isn't known.
  func killCode(_ code: UInt64) -> String? {
    killCodeTables.lazy.compactMap { tables[$0]?.names[code] }.first
  }

  /// Whether a word is the name of an exception code of any CPU.
  func isCode(_ name: String) -> Bool {
    !name.isEmpty && tables.contains { $0.key.hasPrefix("code.") && $0.value.names.values.contains(name) }
  }
}

/// Documented now, and documented once.
private let killCodeTables = ["termination", "termination.archived"]

/// A number in decimal, or in hexadecimal behind `0x`; nil for anything else.
func unsigned(_ text: some StringProtocol) -> UInt64? {
  text.hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
}
