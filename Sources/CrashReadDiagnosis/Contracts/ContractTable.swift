internal import CrashReadCore
internal import CrashReadReports
internal import Synchronization

/// All contracts, and which of them a line could be about.
///
/// A table of hundreds must not be gone through for each line, nor be read as a whole for one report: the first bytes of
/// each pattern lead to its contract, which is read then.
struct ContractTable: Sendable {
  /// An alternative of a contract.
  struct Position: Sendable, Hashable {
    var contract: Int
    var alternative: Int
  }

  private let sources: [JSONValue]
  /// By the first bytes of a pattern that a line must begin with, and of one that can stand anywhere in it.
  private let starts: PatternIndex
  private let parts: PatternIndex
  /// Those that no pattern leads to.
  private let others: [Position]
  private let known = KnownContracts()

  /// The contracts built into the program.
  static let embedded = ContractTable(EmbeddedDocuments.contracts.elements)

  /// Takes contracts in order of priority.
  init(_ elements: [JSONValue]) {
    sources = elements
    var index = ContractIndex()
    for (contract, element) in elements.enumerated() {
      for (alternative, source) in element["when"].elements.enumerated() {
        index.add(Position(contract: contract, alternative: alternative), source)
      }
    }
    (starts, parts, others) = (PatternIndex(index.starts), PatternIndex(index.parts), index.others)
  }

  /// The alternatives whose pattern could match one of the lines, the most important first.
  func candidates(_ lines: some Sequence<[UInt8]>) -> [Position] {
    var found = Set(others)
    for line in lines where line.count >= PatternIndex.keyLength {
      var key = PatternIndex.key(line[..<PatternIndex.keyLength])
      found.formUnion(starts[key])
      found.formUnion(parts[key])
      for byte in line[PatternIndex.keyLength...] {
        key = key << 8 | UInt32(byte)
        found.formUnion(parts[key])
      }
    }
    return found.sorted { ($0.contract, $0.alternative) < ($1.contract, $1.alternative) }
  }

  /// A candidate; nil when it can't be read, which a test rules out.
  subscript(position: Position) -> (contract: Contract, alternative: Contract.Alternative)? {
    guard let contract = contract(at: position.contract),
      contract.alternatives.indices.contains(position.alternative)
    else { return nil }
    return (contract, contract.alternatives[position.alternative])
  }

  private func contract(at index: Int) -> Contract? {
    known.contracts.withLock { known in
      if let contract = known[index] { return contract }
      var problems: [String] = []
      let contract = Contract(sources[index], problems: &problems)
      known[index] = .some(contract)
      return contract
    }
  }
}

/// Contracts that were read, by their number; nil for one that can't be.
private final class KnownContracts: Sendable {
  let contracts = Mutex<[Int: Contract?]>([:])
}

/// Collects what `PatternIndex` finds.
private struct ContractIndex {
  var starts: [(key: UInt32, position: ContractTable.Position)] = []
  var parts: [(key: UInt32, position: ContractTable.Position)] = []
  var others: [ContractTable.Position] = []

  mutating func add(_ position: ContractTable.Position, _ alternative: JSONValue) {
    let patterns = alternative[alternative["text"].isNull ? "frame" : "text"].elements
    let beginnings = patterns.map { TextPattern.beginning(of: $0.bytes, PatternIndex.keyLength) }
    if beginnings.isEmpty || beginnings.contains(where: { $0 == nil }) { return others.append(position) }
    for case let beginning? in beginnings {
      let key = PatternIndex.key(beginning.bytes)
      if beginning.startsLine { starts.append((key, position)) } else { parts.append((key, position)) }
    }
  }
}

/// Alternatives by the first bytes of their patterns.
private struct PatternIndex: Sendable {
  /// How many bytes of a pattern lead to it.
  static let keyLength = 4

  private let keys: [UInt32]
  private let positions: [ContractTable.Position]
  /// For a hash of a key, whether there is any with it: nearly all bytes of a report begin no pattern.
  private var filter = [Bool](repeating: false, count: 1 << 13)

  init(_ entries: [(key: UInt32, position: ContractTable.Position)]) {
    let entries = entries.sorted { $0.key < $1.key }
    keys = entries.map(\.key)
    positions = entries.map(\.position)
    for key in keys { filter[Self.hash(key)] = true }
  }

  private static func hash(_ key: UInt32) -> Int { Int((key &* 0x9e37_79b1) >> 19) }

  static func key(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  subscript(key: UInt32) -> ArraySlice<ContractTable.Position> {
    guard filter[Self.hash(key)] else { return [] }
    let first = keys.partitioningIndex { $0 >= key }
    let end = keys[first...].firstIndex { $0 != key } ?? keys.endIndex
    return positions[first..<end]
  }
}

extension ContractTable {
  /// All contracts in order of priority; those that can't be read are left out.
  var contracts: [Contract] { sources.indices.compactMap { contract(at: $0) } }

  /// Entries that can't be read; a test sees to it that there are none.
  var problems: [String] {
    var problems: [String] = []
    for source in sources { _ = Contract(source, problems: &problems) }
    return problems
  }

  /// The contracts whose message a line holds; those that need a caller on the stack can't be told by it, nor those that
  /// guess from words which many messages have.
  func contracts(saidIn line: String) -> [Contract] {
    let bytes = Array(line.utf8)
    return distinct(
      candidates([bytes]).filter { position in
        guard let alternative = self[position]?.alternative, alternative.callers.isEmpty,
          alternative.limit != .hint
        else { return false }
        return alternative.texts.contains { $0.match(bytes) != nil }
      })
  }

  /// The contracts of an API, by the name of its function, as in `-[UITableView endUpdates]`, or of a part of it.
  func contracts(about name: String) -> [Contract] {
    guard name.utf8.count > PatternIndex.keyLength,
      !name.contains(" ") || name.hasPrefix("-[") || name.hasPrefix("+[")
    else {
      return []
    }
    let bytes = Array(name.utf8)
    let called = distinct(
      candidates([bytes]).filter { position in
        self[position]?.alternative.frames.contains { $0.match(bytes) != nil } ?? false
      })
    if !called.isEmpty { return called }
    return contracts.filter { contract in
      contract.alternatives.contains { $0.frames.contains { $0.mentions(bytes) } }
    }
  }

  private func distinct(_ positions: [Position]) -> [Contract] {
    var seen: Set<Int> = []
    return positions.filter { seen.insert($0.contract).inserted }.compactMap { contract(at: $0.contract) }
  }
}
