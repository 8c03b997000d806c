internal import CrashReadCore

/// The form of a function's name that the knowledge's patterns are written for: that of Apple's reports, without generic
/// parameters. `Dictionary.init(uniqueKeysWithValues:)` stands for the same function with `<A>` before its parameters,
/// and for `Swift.Dictionary.init<A where …>(uniqueKeysWithValues: A) -> Swift.Dictionary<B, C>`, as LLDB writes it.
///
/// C++ and Rust names keep their arguments, which tell functions apart.
func patternForm(of name: String) -> String {
  // A block of C++ is part of the function that contains it.
  let block = "invocation function for block in "
  if name.begins(with: block) { return nameForm(of: String(name.utf8.dropFirst(block.utf8.count)) ?? name) }
  return nameForm(of: name)
}

private func nameForm(of name: String) -> String {
  // Most names have none of these bytes.
  guard name.utf8.span.holds(byteIn: UInt8(ascii: ":")...UInt8(ascii: ">")), name.utf8.count <= maximumLength,
    !name.isMethodName, !name.holds("::")
  else { return name }
  let isLong = name.holds(" -> ") || name.holds(" : ")
  guard isLong || name.utf8.contains(UInt8(ascii: "<")) else { return name }
  let plain = withSpecializationMarks(withoutGenericArguments(name))
  // Thunks are named after types, whose conventions they state: `@escaping @callee_guaranteed () -> ()`.
  return isLong && plain.lastIndex(of: "@") ?? plain.startIndex == plain.startIndex ? shortForm(plain) : plain
}

/// The maximum length of a name that is shortened, in bytes; patterns match the start of longer ones.
private let maximumLength = 8192

private func withoutGenericArguments(_ name: String) -> String {
  let bytes = Array(name.utf8)
  let closing = closingBrackets(bytes)
  var result: [UInt8] = []
  var index = 0
  while index < bytes.count {
    if let close = closing[index] {
      index = close + 1
    } else {
      result.append(bytes[index])
      index += 1
    }
  }
  return String(decoding: result, as: UTF8.self)
}

/// `specialized` for `generic specialization <…> of`, whose arguments have been removed.
private func withSpecializationMarks(_ name: String) -> String {
  var rest = name[...]
  for mark in ["function signature specialization  of ", "generic specialization  of "]
  where rest.begins(with: mark) {
    rest = rest.dropFirst(mark.utf8.count)
  }
  return rest.utf8.count == name.utf8.count ? name : "specialized " + rest
}

/// Shortens each scope of `closure #1 (Swift.Int) -> () in Module.Type.function(label: Swift.Int) -> ()`.
private func shortForm(_ name: String) -> String {
  let scopes = parts(of: name[...], at: " in ")
  let inner = scopes.dropLast().map { scope in
    // Its number identifies a closure or a local function; parameters and result follow.
    scope.split(separator: " ", maxSplits: 2).prefix(2).joined(separator: " ")
  }
  return (inner + [scopes.last.map(shortFunction) ?? ""]).joined(separator: " in ")
}

private func shortFunction(_ name: Substring) -> String {
  var (marks, rest) = ("", name)
  while let mark = leadingMarks.first(where: { rest.begins(with: $0.long) }) {
    marks += mark.short
    rest = rest.dropFirst(mark.long.count)
  }
  if rest.begins(with: "(extension in "), let end = rest.range(of: "):") { rest = rest[end.upperBound...] }
  if let type = rest.range(of: " : ") { rest = rest[..<type.lowerBound] }
  guard let open = parameterList(in: rest) else { return marks + withoutModule(rest) }
  let list = rest[rest.index(after: open)...]
  let end = parts(of: list, at: ")").first?.endIndex ?? list.endIndex
  return marks + withoutModule(rest[..<open]) + "(" + labels(list[..<end]) + ")"
}

private let leadingMarks: [(long: String, short: String)] = [
  ("static ", "static "), ("specialized ", "specialized "), ("@objc ", "@objc "), ("merged ", "merged "),
  ("partial apply forwarder for ", "partial apply for "), ("protocol witness for ", "protocol witness for "),
  ("dispatch thunk of ", "dispatch thunk of "),
]

/// The parenthesis that opens the parameters; one after a dot encloses a private name and its file's discriminator.
private func parameterList(in name: Substring) -> Substring.Index? {
  name.indices.first { index in
    name[index] == "(" && index > name.startIndex && name[name.index(before: index)] != "."
  }
}

private func withoutModule(_ name: Substring) -> String {
  guard let dot = name.firstIndex(of: "."), name.index(after: dot) < name.endIndex else {
    return String(name)
  }
  return String(name[name.index(after: dot)...])
}

/// The labels of parameters: `_:with:` of `Swift.Int, with: (Swift.Int) -> ()`.
private func labels(_ list: Substring) -> String {
  if list.isEmpty { return "" }
  return parts(of: list, at: ", ").map { parameter in
    let label = parameter.prefix { $0.isLetter || $0.isNumber || $0 == "_" }
    return (parameter.dropFirst(label.count).first == ":" ? label : "_") + ":"
  }.joined()
}

/// Splits a text where a separator isn't inside parentheses or brackets; a closing one without its opening ends the last
/// part if it is the separator.
private func parts(of text: Substring, at separator: String) -> [Substring] {
  var (parts, start, depth): ([Substring], Substring.Index, Int) = ([], text.startIndex, 0)
  var index = text.startIndex
  while index < text.endIndex {
    if depth == 0, text[index...].begins(with: separator) {
      parts.append(text[start..<index])
      index = text.index(index, offsetBy: separator.count)
      start = index
      continue
    }
    switch text[index] {
    case "(", "[": depth += 1
    case ")", "]": depth = max(depth - 1, 0)
    default: break
    }
    index = text.index(after: index)
  }
  return parts + [text[start...]]
}
