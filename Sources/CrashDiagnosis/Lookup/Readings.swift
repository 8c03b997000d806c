/// One way to understand a part of a phrase.
enum Reading: Sendable, Hashable {
  case number(DecodedNumber, subcode: UInt64?)
  case name(String)
}

extension CodeTables {
  /// All that a bare number can mean, by the tables' order.
  ///
  /// Numbers of several parts fit many bit patterns, so they count only where no table has the number.
  func readings(of number: UInt64) -> [DecodedNumber] {
    let named = order.compactMap { name in
      tables[name]?.words.isEmpty == false ? decode(number, in: name) : nil
    }
    if !named.isEmpty { return named }
    return layouts.keys.sorted().filter { layouts[$0]?.standsAlone == true }.compactMap { layout in
      decode(number, as: layout).flatMap { isPlausible($0) ? $0 : nil }
    }
  }

  /// All that a name can mean, by the tables' order; in upper and lower case.
  func readings(ofName name: String) -> [DecodedNumber] {
    let wanted = name.lowercased()
    let found = order.flatMap { table -> [DecodedNumber] in
      guard let entries = tables[table] else { return [] }
      let spellings = Array(entries.numbers.keys) + Array(entries.aliases.keys)
      let spelling = spellings.first { $0.lowercased() == wanted } ?? name
      guard let main = entries.mainName(spelling), let number = entries.numbers[main] else { return [] }
      return [DecodedNumber(kind: table, value: number, names: [main], origins: [table])]
    }
    guard found.isEmpty else { return found }
    let kinds = kinds(calledBy: name).sorted().filter { layouts[$0] != nil }
    return kinds.map { DecodedNumber(kind: $0, origins: [$0]) }
  }

  /// What a phrase says: numbers by the words in front of them, then names by themselves.
  func readings(of phrase: Phrase) -> [Reading] {
    var numbers: [Reading] = []
    var names: [(word: String, isUsed: Bool)] = []
    var kinds: Set<String> = []
    for (index, token) in phrase.tokens.enumerated() {
      switch token {
      case .word(let word):
        let own = self.kinds(calledBy: word)
        let common = kinds.intersection(own)
        if !own.isEmpty { kinds = common.isEmpty ? own : common }
        if !own.isEmpty || isName(word) { names.append((word, false)) }
      case .number(let number):
        // A second number goes with the first: an address, or `code[1]`.
        if index > 0, case .number = phrase.tokens[index - 1], !numbers.isEmpty { continue }
        let subcode = subcode(behind: index, in: phrase)
        let found = decode(number, asOneOf: kinds, subcode: subcode)
        if found.isEmpty, kinds.isEmpty {
          numbers += readings(of: number).map { .number($0, subcode: nil) }
        }
        guard !found.isEmpty else { continue }
        numbers += found.map { .number($0, subcode: subcode) }
        for name in names.indices { names[name].isUsed = true }
        return numbers + names.filter { !$0.isUsed }.map { .name($0.word) }
      }
    }
    return numbers + names.map { .name($0.word) }
  }

  /// The tables and layouts whose numbers people announce by a word.
  private func kinds(calledBy word: String) -> Set<String> {
    let word = word.lowercased()
    func isCalled(_ words: [String]) -> Bool { words.contains { $0.lowercased() == word } }
    return Set(tables.filter { isCalled($0.value.words) }.keys)
      .union(layouts.filter { isCalled($0.value.words) }.keys)
  }

  /// Whether a word of a longer text is meant as a name; plain words stand in every text.
  private func isName(_ word: String) -> Bool {
    word.contains { $0.isUppercase } && !word.contains { $0.isLowercase } && !readings(ofName: word).isEmpty
  }

  private func subcode(behind index: Int, in phrase: Phrase) -> UInt64? {
    phrase.tokens[(index + 1)...].lazy.compactMap { if case .number(let number) = $0 { number } else { nil } }
      .first
  }

  private func decode(_ number: UInt64, asOneOf kinds: Set<String>, subcode: UInt64?) -> [DecodedNumber] {
    let inTables = order.filter { kinds.contains($0) }.compactMap { decode(number, in: $0) }
    let inLayouts = kinds.sorted().compactMap { decode(number, as: $0, subcode: subcode) }
    return inTables + inLayouts.filter { $0.parts.first?.names.isEmpty == false }
  }

  /// Whether every part that has a table has a name in it, and nothing lies outside the parts.
  private func isPlausible(_ number: DecodedNumber) -> Bool {
    let highest = layouts[number.kind]?.fields.map(\.bits.upperBound).max() ?? 0
    let fits = highest >= 63 || (number.value ?? 0) >> UInt64(highest + 1) == 0
    return fits && number.parts.count > 1 && number.parts.allSatisfy { $0.group.isEmpty || !$0.names.isEmpty }
  }
}
