internal import CrashReadReports
internal import CrashReadVerdict

/// All contracts, indexed by the lines that they may match.
///
/// Trying hundreds of contracts on each line, or parsing all of them for one report, would be too slow: the first fixed
/// bytes of each pattern lead to its contract, which is parsed on demand.
struct ContractTable: Sendable {
  /// One of a contract's alternatives.
  struct Position: Sendable, Hashable {
    var contract: Int
    var alternative: Int
  }

  private let index: PatternIndex
  /// All alternatives, in the contracts' order; the index refers to this list.
  private let positions: [Position]
  /// The alternatives without a pattern.
  private let others: [Int]
  private let known: LazyList<Contract>

  /// The contracts built into the program.
  static let embedded = ContractTable(
    EmbeddedDocuments.contracts.elements, parsing: EmbeddedDocuments.contractLines)

  /// Takes contracts in order of priority.
  init(_ elements: [JSONValue]) { self.init(elements, parsing: elements) }

  /// Indexes contracts, which are parsed later from a collection that takes less memory.
  private init<Sources: RandomAccessCollection & Sendable>(_ elements: [JSONValue], parsing sources: Sources)
  where Sources.Element == JSONValue, Sources.Index == Int {
    known = LazyList(sources) { Contract($0, problems: &$1) }
    var index = PatternIndex(capacity: 8 * elements.count)
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

  /// An alternative that may match, and the lines to try its pattern on, as indices in ascending order; nil for all.
  struct Candidate {
    fileprivate var entry: Int
    var position: Position
    var lines: [Int]?
  }

  /// The alternatives whose pattern may match one of the lines, the most important first.
  func candidates(_ lines: [[UInt8]]) -> [Candidate] {
    var found: [(entry: Int, line: Int)] = []
    var entries: [Int] = []
    for (number, line) in lines.enumerated() {
      index.collect(line.span, into: &entries)
      for entry in entries { found.append((entry, number)) }
      entries.removeAll(keepingCapacity: true)
    }
    found.sort { $0 < $1 }
    var candidates = others.map { Candidate(entry: $0, position: positions[$0], lines: nil) }
    for (entry, line) in found {
      if candidates.last?.entry != entry {
        candidates.append(Candidate(entry: entry, position: positions[entry], lines: []))
      }
      if candidates[candidates.count - 1].lines?.last != line {
        candidates[candidates.count - 1].lines?.append(line)
      }
    }
    return candidates.sorted { $0.entry < $1.entry }
  }

  /// A candidate; nil when it is invalid, which a test rules out.
  subscript(position: Position) -> (contract: Contract, alternative: Contract.Alternative)? {
    guard let contract = known[position.contract],
      contract.alternatives.indices.contains(position.alternative)
    else { return nil }
    return (contract, contract.alternatives[position.alternative])
  }
}

extension ContractTable {
  /// All contracts in order of priority; invalid ones are left out.
  var contracts: [Contract] { known.all }

  /// Invalid entries; a test checks that there are none.
  var problems: [String] { known.problems }

  /// The contracts whose message is contained in a line, except those that need a caller or a framework on the stack, or
  /// rely on common words. Those that the message proves come first.
  func contracts(matching line: String) -> [Contract] {
    let bytes = Array(line.utf8)
    let found = candidates([bytes]).map(\.position).filter { position in
      guard let alternative = self[position]?.alternative, alternative.callers.isEmpty,
        !alternative.isWithinFramework, alternative.limit != .hint
      else { return false }
      return alternative.texts.contains { $0.match(bytes) != nil }
    }
    let isProof = { (position: Position) in self[position]?.alternative.limit == nil }
    return distinct(found.filter(isProof) + found.filter { !isProof($0) })
  }

  /// The contracts of an API, by the name of its function, as in `-[UITableView endUpdates]`, or by a part of it.
  func contracts(about name: String) -> [Contract] {
    guard name.utf8.count > PatternIndex.keyLength,
      !name.contains(" ") || name.isMethodName
    else {
      return []
    }
    let bytes = Array(name.utf8)
    let called = candidates([bytes]).map(\.position).filter { position in
      self[position]?.alternative.frames.contains { $0.match(bytes) != nil } ?? false
    }
    // The name alone doesn't show a caller.
    let needsCaller = { (position: Position) in
      self[position].map { !$0.alternative.callers.isEmpty || $0.alternative.isWithinFramework } ?? false
    }
    if !called.isEmpty { return distinct(called.filter { !needsCaller($0) } + called.filter(needsCaller)) }
    return contracts.filter { contract in
      contract.alternatives.contains { $0.frames.contains { $0.mentions(bytes) } }
    }
  }

  private func distinct(_ positions: [Position]) -> [Contract] {
    var seen: Set<Int> = []
    return positions.filter { seen.insert($0.contract).inserted }.compactMap { known[$0.contract] }
  }
}
