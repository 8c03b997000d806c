/// A number or name of the system taken apart, in words of one language.
public struct DecodedCode: Sendable, Hashable {
  /// One part of a number.
  public struct Part: Sendable, Hashable {
    /// What it is, such as `access`; the same in every language.
    public var field: String
    /// The same in words.
    public var label: String
    /// Its bits, moved to the right; nil for what was read from text.
    public var value: UInt64?
    /// Its name, such as `write`, or the number with its unit.
    public var text: String
    /// What the name means; nil for a plain number.
    public var meaning: String?
  }

  /// What kind of number it is, such as `signal` or `termination.DYLD`; the same in every language.
  public var kind: String
  /// The same in words.
  public var title: String
  /// The number; nil when only its name is known, which systems can number differently.
  public var value: UInt64?
  /// Its name, such as `SIGTRAP`; nil for a number that only its parts explain.
  public var name: String?
  /// What the name means.
  public var meaning: String?
  /// The parts of a number that is made of several, or of a message; else empty.
  public var parts: [Part]
  /// Links to where the numbers are defined.
  public var sources: [String]
}

extension Texts {
  /// Puts a number into words.
  func describe(_ number: DecodedNumber, _ codes: CodeTables) -> DecodedCode {
    DecodedCode(
      kind: number.kind, title: title(of: number.kind), value: number.value,
      name: number.names.isEmpty ? nil : number.names.joined(separator: ", "),
      meaning: meaning(of: number.names, group: group(of: number.kind)),
      parts: number.parts.map(describe), sources: codes.sources(of: number))
  }

  /// What the parts of a number say, in one line: `data abort, write, translation fault, level 3`; nil without parts.
  func summary(_ number: DecodedNumber) -> String? {
    guard number.value != nil, !number.parts.isEmpty else { return nil }
    return number.parts.map { part in
      part.group.isEmpty ? "\(fields[part.field] ?? part.field) \(part.text)" : part.text
    }.joined(separator: ", ")
  }

  /// What a table or layout is called: its group, and the rest of its name in parentheses.
  func title(of kind: String) -> String {
    let group = group(of: kind)
    let rest = kind.dropFirst(group.count + 1).split(separator: ".").joined(separator: ", ")
    return (kinds[group]?.title ?? group) + (rest.isEmpty ? "" : " (\(rest))")
  }

  private func describe(_ part: DecodedNumber.Part) -> DecodedCode.Part {
    DecodedCode.Part(
      field: part.field, label: fields[part.field] ?? part.field, value: part.value, text: part.text,
      meaning: meaning(of: part.names, group: part.group))
  }

  private func meaning(of names: [String], group: String) -> String? {
    let known = names.compactMap { name in meanings[group]?[name].flatMap { $0 == name ? nil : $0 } }
    return known.isEmpty ? nil : known.joined(separator: " ")
  }
}

extension CodeTables {
  /// Links to all that a number was read by, each once.
  fileprivate func sources(of number: DecodedNumber) -> [String] {
    var sources: [String] = []
    for origin in number.origins {
      let links = (layouts[origin].map { [$0.source] } ?? []) + (tables[origin]?.sources ?? [])
      for link in links where !sources.contains(link) { sources.append(link) }
    }
    return sources
  }
}
