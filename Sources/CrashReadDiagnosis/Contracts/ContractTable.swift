internal import CrashReadReports

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
  private let index: PatternIndex
  /// All alternatives, in the contracts' order; the index leads to their places in this list.
  private let positions: [Position]
  /// Those that no pattern leads to.
  private let others: [Int]
  private let known: LazyList<Contract>

  /// The contracts built into the program.
  static let embedded = ContractTable(EmbeddedDocuments.contracts.elements)

  /// Takes contracts in order of priority.
  init(_ elements: [JSONValue]) {
    sources = elements
    known = LazyList(elements) { source in
      var problems: [String] = []
      return Contract(source, problems: &problems)
    }
    var index = PatternIndex(capacity: 2 * elements.count)
    var (positions, others) = ([Position](), [Int]())
    for (contract, element) in elements.enumerated() {
      for (alternative, source) in element["when"].elements.enumerated() {
        let texts = source["text"]
        if !index.add(texts.isNull ? source["frame"] : texts, of: positions.count) {
          others.append(positions.count)
        }
        positions.append(Position(contract: contract, alternative: alternative))
      }
    }
    (self.positions, self.others) = (positions, others)
    self.index = index
  }

  /// The alternatives whose pattern could match one of the lines, the most important first.
  func candidates(_ lines: some Sequence<[UInt8]>) -> [Position] {
    var found = others
    for line in lines { index.collect(line, into: &found) }
    return found.sortedWithoutRepetitions.map { positions[$0] }
  }

  /// A candidate; nil when it can't be read, which a test rules out.
  subscript(position: Position) -> (contract: Contract, alternative: Contract.Alternative)? {
    guard let contract = known[position.contract],
      contract.alternatives.indices.contains(position.alternative)
    else { return nil }
    return (contract, contract.alternatives[position.alternative])
  }
}

extension ContractTable {
  /// All contracts in order of priority; those that can't be read are left out.
  var contracts: [Contract] { known.all }

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
    return positions.filter { seen.insert($0.contract).inserted }.compactMap { known[$0.contract] }
  }
}
