/// A possible meaning of a part of a phrase.
enum Reading: Sendable, Hashable {
  case number(DecodedNumber, subcode: UInt64?)
  case name(String)
}

extension CodeTables {
  /// All possible meanings of a bare number, in the tables' order.
  ///
  /// Almost any number fits a bit layout, so layouts are used only when no table has the number.
  func readings(of number: UInt64) -> [DecodedNumber] {
    let named = order.compactMap { name in
      // Only single flags: any small number would be some combination of them.
      tables[name].flatMap { $0.words.isEmpty ? nil : $0.name(of: number) }.map {
        DecodedNumber(kind: name, value: number, names: [$0], origins: [name])
      }
    }
    if !named.isEmpty { return named }
    return layouts.names.sorted().filter { layouts[$0]?.isStandalone == true }.compactMap { layout in
      decode(number, as: layout).flatMap { isPlausible($0) ? $0 : nil }
    }
  }

  /// All possible meanings of a name, in the tables' order; case-insensitive.
  func readings(ofName name: String) -> [DecodedNumber] {
    let wanted = name.lowercased()
    let found = order.flatMap { table -> [DecodedNumber] in
      guard let entries = tables[table] else { return [] }
      let spellings = Array(entries.numbers.keys) + Array(entries.aliases.keys)
      let spelling = spellings.first { $0.lowercased() == wanted } ?? name
      guard let main = entries.mainName(spelling), let number = entries.numbers[main] else { return [] }
      // Most signals have the same number on Linux and Apple's systems.
      let isSame = table.hasSuffix(".Linux") && tables[String(table.dropLast(6))]?.numbers[main] == number
      return isSame ? [] : [DecodedNumber(kind: table, value: number, names: [main], origins: [table])]
    }
    guard found.isEmpty else { return found }
    let kinds = kinds(calledBy: name).sorted().filter { layouts[$0] != nil }
    return kinds.map { DecodedNumber(kind: $0, origins: [$0]) }
  }

  /// The meanings of a phrase: of its first number, by the words before it, and of the names that don't label a number.
  ///
  /// Empty when the number isn't of a kind that labels it, or when one of the names is unknown.
  func readings(of phrase: Phrase) -> [Reading] {
    guard let (number, index) = phrase.firstCode else {
      return phrase.words[...].filter(isName).map { .name($0) }
    }
    let before = phrase.words(before: index)
    let names = phrase.words.filter(isName)
    guard let kinds = kinds(announcedBy: before) else {
      if before.contains(where: { looksLikeName($0) && !isName($0) }) { return [] }
      // After a name or inside a sentence, only a number that has the same meaning everywhere is recognised.
      let endsPhrase = index == phrase.tokens.count - 1
      let isAlone = names.isEmpty && (endsPhrase || phrase.words.count <= Self.maximumLabelWords)
      let unambiguous = readings(of: number).filter {
        isAlone || number > 0xffff && group(of: $0.kind) == "termination"
      }
      return unambiguous.map { .number($0, subcode: nil) } + names.map { .name($0) }
    }
    let subcode = phrase.number(after: index)
    let found = decode(number, asOneOf: kinds, subcode: subcode)
    let others = names.filter { self.kinds(calledBy: $0).isDisjoint(with: kinds) && !before.contains($0) }
    return found.isEmpty ? [] : found.map { .number($0, subcode: subcode) } + others.map { .name($0) }
  }

  /// The maximum number of words around a number that can be its label; in a sentence it can be anything.
  private static let maximumLabelWords = 3

  /// The kinds of number that the words before it indicate: those of the last such word, narrowed down by the words
  /// before that; nil when no word indicates any.
  private func kinds(announcedBy words: [String]) -> Set<String>? {
    words.reduce(nil) { kinds, word in
      let own = self.kinds(calledBy: word)
      let common = own.intersection(kinds ?? own)
      // A namespace without codes of its own only shows who assigned the number.
      if own.isEmpty { return isName(word) ? nil : kinds }
      return common.isEmpty ? own : common
    }
  }

  /// The tables and layouts whose numbers people label with a word.
  private func kinds(calledBy word: String) -> Set<String> {
    let word = word.lowercased()
    func isCalled(_ words: [String]) -> Bool { words.contains { $0.lowercased() == word } }
    return Set(
      tables.names.filter { isCalled(tables[$0]?.words ?? []) }
        + layouts.names.filter { isCalled(layouts[$0]?.words ?? []) })
  }

  /// Whether a word of a longer text is a name; ordinary words occur in every text.
  private func isName(_ word: String) -> Bool { looksLikeName(word) && !readings(ofName: word).isEmpty }

  private func looksLikeName(_ word: String) -> Bool {
    word.utf8.count > 2 && word.contains { $0.isUppercase } && !word.contains { $0.isLowercase }
  }

  private func decode(_ number: UInt64, asOneOf kinds: Set<String>, subcode: UInt64?) -> [DecodedNumber] {
    let inTables = order.filter { kinds.contains($0) }.compactMap { decode(number, in: $0) }
    let inLayouts = kinds.sorted().compactMap { decode(number, as: $0, subcode: subcode) }
    return inTables + inLayouts.filter { $0.parts.first?.names.isEmpty == false }
  }

  /// Whether every part with a table has a name in it, and no bits are set outside of the parts.
  private func isPlausible(_ number: DecodedNumber) -> Bool {
    let highest = layouts[number.kind]?.fields.map(\.bits.upperBound).max() ?? 0
    let fits = highest >= 63 || (number.value ?? 0) >> UInt64(highest + 1) == 0
    return fits && number.parts.count > 1 && number.parts.allSatisfy { $0.group.isEmpty || !$0.names.isEmpty }
  }
}
