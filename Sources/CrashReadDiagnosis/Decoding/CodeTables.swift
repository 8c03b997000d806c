internal import CrashReadReports

/// The numbers of the system's headers and their names: `codes.json`.
///
/// A table's name states what its numbers are: `signal`, `code.EXC_BAD_ACCESS.x86`, `termination.DYLD`. The part before
/// the first dot is its group; texts explain names by group.
struct CodeTables: Sendable {
  let tables: LazyTable<CodeTable>
  /// The tables' names, the most likely ones for a bare number first.
  let order: [String]
  /// How numbers of several parts are put together; a layout is named like a table.
  let layouts: LazyTable<BitLayout>

  init(_ document: JSONValue) {
    tables = LazyTable(document["tables"]) { CodeTable($0) }
    order = tables.names
    layouts = LazyTable(document["layouts"]) { BitLayout($0) }
  }

  /// Invalid entries; a test checks that there are none.
  var problems: [String] { (tables.unreadable + layouts.unreadable).map { "codes.json: \($0)" } }

  /// The name of a number, searched first in the table of a variant, such as a CPU; nil when neither table has it.
  func name(of number: UInt64, in table: String, variant: String? = nil) -> String? {
    variant.flatMap { tables[table + "." + $0]?.name(of: number) } ?? tables[table]?.name(of: number)
  }

  /// Whether the table has the name, or an alias of it.
  func has(_ name: String, in table: String) -> Bool { tables[table]?.mainName(name) != nil }

  /// The table's spelling of a name: the main name of an alias, otherwise the name itself.
  func mainName(_ name: String, in table: String) -> String { tables[table]?.mainName(name) ?? name }

  /// The number with a name; nil when the table doesn't have it.
  func number(of name: String?, in table: String) -> UInt64? {
    name.flatMap { tables[table]?.mainName($0) }.flatMap { tables[table]?.numbers[$0] }
  }

  /// The name of a code with which the system kills processes, in any namespace; nil when unknown.
  func killCode(_ code: UInt64) -> String? { killCodeTable(code).flatMap { tables[$0]?.name(of: code) } }

  /// The table that contains such a code, which is or was documented.
  func killCodeTable(_ code: UInt64) -> String? {
    ["termination", "termination.archived"].first { tables[$0]?.name(of: code) != nil }
  }

  /// Whether a word is the name of an exception code of any CPU.
  func isCode(_ name: String) -> Bool {
    !name.isEmpty && order.contains { $0.hasPrefix("code.") && tables[$0]?.numbers[name] != nil }
  }
}

/// One table: numbers of one kind and their names.
final class CodeTable: Sendable {
  /// Links to where the numbers are defined.
  let sources: [String]
  /// The numbers by name; for a range with one name, its lowest number.
  let numbers: [String: UInt64]
  /// Aliases, with the main names.
  let aliases: [String: String]
  /// Words that usually precede such a number in text; empty when it is only part of another.
  let words: [String]
  /// The prefix of its names in headers.
  let prefix: String
  /// Whether each bit has a name of its own.
  let isFlags: Bool
  private let names: [UInt64: String]
  private let ranges: [NamedRange]

  private struct NamedRange: Sendable {
    var numbers: ClosedRange<UInt64>
    var name: String
  }

  /// Parses a table; nil when one of its entries is invalid.
  init?(_ source: JSONValue) {
    sources = source["source"].strings
    words = source["words"].strings
    prefix = source["prefix"].string ?? ""
    isFlags = source["flags"].isTrue
    aliases = source["aliases"].members.reduce(into: [:]) { $0[$1.name] = $1.value.string }
    var (numbers, names, ranges) = ([String: UInt64](), [UInt64: String](), [NamedRange]())
    for (key, label) in source["names"].members {
      guard let range = closedRange(key), let label = label.string else { return nil }
      numbers[label] = min(numbers[label] ?? .max, range.lowerBound)
      if range.count == 1 {
        names[range.lowerBound] = label
      } else {
        ranges.append(NamedRange(numbers: range, name: label))
      }
    }
    (self.numbers, self.names, self.ranges) = (numbers, names, ranges)
  }

  /// All numbers with a name of their own, and all ranges.
  var entries: [(numbers: ClosedRange<UInt64>, name: String)] {
    names.map { ($0.key...$0.key, $0.value) } + ranges.map { ($0.numbers, $0.name) }
  }

  /// The number's own name, otherwise that of its range.
  func name(of number: UInt64) -> String? {
    names[number] ?? ranges.first { $0.numbers.contains(number) }?.name
  }

  /// The number's name; for flags, the names of all bits set, or none when one has no name.
  func names(of number: UInt64) -> [String] {
    guard isFlags else { return name(of: number).map { [$0] } ?? [] }
    let bits = (0..<UInt64.bitWidth).map { 1 << UInt64($0) }.filter { number & $0 != 0 }
    let known = bits.compactMap { names[$0] }
    return known.count == bits.count ? known : []
  }

  /// The table's own spelling of a name, which can be an alias or have the headers' prefix; nil for others.
  func mainName(_ name: String) -> String? {
    let bare = !prefix.isEmpty && name.hasPrefix(prefix) ? String(name.dropFirst(prefix.count)) : name
    return aliases[bare] ?? (numbers[bare] == nil ? nil : bare)
  }
}

extension JSONValue {
  /// The texts of a list; a single text counts as a list of one.
  fileprivate var strings: [String] { string.map { [$0] } ?? elements.compactMap(\.string) }
}

/// A number in decimal, or in hexadecimal after `0x`; nil for anything else.
func unsigned(_ text: some StringProtocol) -> UInt64? {
  text.utf8.starts(with: "0x".utf8) ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
}

/// `5` or `0x10-0x1f`; nil for anything else.
func closedRange(_ text: String) -> ClosedRange<UInt64>? {
  if let number = unsigned(text) { return number...number }
  let bounds = text.utf8.split(separator: UInt8(ascii: "-"), maxSplits: 1).map { unsigned(Substring($0)) }
  guard bounds.count == 2, let first = bounds[0], let last = bounds[1], first <= last else { return nil }
  return first...last
}
