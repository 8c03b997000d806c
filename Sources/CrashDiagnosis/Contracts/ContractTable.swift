internal import CrashReports

/// All contracts, and which of them a line could be about.
///
/// A table of hundreds must not be gone through for each line, so the first bytes of each pattern lead to it.
struct ContractTable: Sendable {
  /// In order of priority.
  private(set) var contracts: [Contract] = []
  /// Entries that could not be read and were left out; a test sees to it that there are none.
  private(set) var problems: [String] = []

  /// An alternative of a contract.
  struct Position: Sendable, Hashable {
    var contract: Int
    var alternative: Int
  }

  /// By the first bytes of a pattern that a line must begin with, and of one that can stand anywhere in it.
  private var starts: [UInt32: [Position]] = [:]
  private var parts: [UInt32: [Position]] = [:]
  /// Those that no pattern leads to.
  private var others: [Position] = []

  /// How many bytes of a pattern lead to it.
  private static let keyLength = 4

  /// The contracts built into the program.
  static let embedded = ContractTable(EmbeddedDocuments.contracts.elements)

  /// Reads contracts in order of priority.
  init(_ elements: [JSONValue]) {
    for element in elements {
      guard let contract = Contract(element, problems: &problems) else { continue }
      contracts.append(contract)
      for index in contract.alternatives.indices {
        add(Position(contract: contracts.count - 1, alternative: index), contract.alternatives[index])
      }
    }
  }

  private mutating func add(_ position: Position, _ alternative: Contract.Alternative) {
    let patterns = alternative.texts.isEmpty ? alternative.frames : alternative.texts
    let beginnings = patterns.map { $0.beginning(Self.keyLength) }
    if beginnings.isEmpty || beginnings.contains(where: { $0 == nil }) { return others.append(position) }
    for case let beginning? in beginnings {
      let key = Self.key(beginning.bytes)
      if beginning.startsLine {
        starts[key, default: []].append(position)
      } else {
        parts[key, default: []].append(position)
      }
    }
  }

  /// The alternatives whose pattern could match one of the lines, the most important first.
  func candidates(_ lines: some Sequence<[UInt8]>) -> [Position] {
    var found = Set(others)
    for line in lines where line.count >= Self.keyLength {
      found.formUnion(starts[Self.key(line[..<Self.keyLength])] ?? [])
      var key = Self.key(line[..<(Self.keyLength - 1)])
      for byte in line[(Self.keyLength - 1)...] {
        key = key << 8 | UInt32(byte)
        if let positions = parts[key] { found.formUnion(positions) }
      }
    }
    return found.sorted { ($0.contract, $0.alternative) < ($1.contract, $1.alternative) }
  }

  private static func key(_ bytes: some Sequence<UInt8>) -> UInt32 {
    bytes.reduce(0) { $0 << 8 | UInt32($1) }
  }

  subscript(position: Position) -> (contract: Contract, alternative: Contract.Alternative) {
    let contract = contracts[position.contract]
    return (contract, contract.alternatives[position.alternative])
  }
}
