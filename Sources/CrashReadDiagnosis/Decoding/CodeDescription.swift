internal import CrashReadVerdict

extension Texts {
  /// Describes a number in words.
  func describe(_ number: DecodedNumber, _ codes: CodeTables) -> DecodedCode {
    DecodedCode(
      kind: number.kind, title: title(of: number.kind), value: number.value,
      name: number.names.isEmpty ? nil : number.names.joined(separator: ", "),
      meaning: meaning(of: number.names, group: group(of: number.kind)),
      parts: number.parts.map(describe), sources: codes.sources(of: number))
  }

  /// The parts of a number on one line: `data abort, write, translation fault, level 3`; nil without parts.
  func summary(_ number: DecodedNumber) -> String? {
    guard number.value != nil, !number.parts.isEmpty else { return nil }
    return number.parts.map { part in
      part.group.isEmpty ? "\(fields[part.field] ?? part.field) \(part.text)" : part.text
    }.joined(separator: ", ")
  }

  /// The name of a table or layout: its group, and the rest of its name in parentheses.
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
  /// The links of everything used to decode a number, without duplicates.
  fileprivate func sources(of number: DecodedNumber) -> [String] {
    var sources: [String] = []
    for origin in number.origins {
      let links = (layouts[origin].map { [$0.source] } ?? []) + (tables[origin]?.sources ?? [])
      for link in links where !sources.contains(link) { sources.append(link) }
    }
    return sources
  }
}
