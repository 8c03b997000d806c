internal import CrashReadCore

/// A function's name without what differs between builds, callers or demanglers: parameters and results, generic and
/// template arguments, numbers of closures, blocks and clones, specialisations, resume parts of async functions, thunk
/// prefixes, and discriminators of private names.
func normalizedFunction(_ name: String) -> String {
  // A signature is one line, whatever a name contains.
  let scalars = name.unicodeScalars.prefix(2000).map { $0.value < 0x20 || $0.value == 0x7f ? " " : $0 }
  var rest = withoutBlockMarks(String(String.UnicodeScalarView(scalars)))
  while let shorter = withoutLeadingMark(rest) { rest = shorter }
  if rest.isMethodName { return String(rest) }
  return withoutArguments(withoutDiscriminators(rest))
}

/// A Swift function's name without its module, which only some reporters write.
///
/// A module is named after its image, except for characters that identifiers can't have.
func withoutModule(_ function: String, _ image: String?) -> String {
  guard let image, !image.isEmpty else { return function }
  let library = image.hasSuffix(".debug.dylib") ? image.dropLast(12) : image[...]
  let module = String(library.map { $0.isLetter || $0.isNumber ? $0 : "_" }) + "."
  for start in ["", "-[", "+["] where function.hasPrefix(start + module) {
    return start + function.dropFirst(start.count + module.count)
  }
  return function
}

/// Removes a prefix that demanglers put before a function's name: `closure #1 in`, `specialized`, `(2) await resume …`.
private func withoutLeadingMark(_ name: Substring) -> Substring? {
  let plain = [
    "@objc ", "@nonobjc ", "specialized ", "merged ", "partial apply for ", "static ", "virtual thunk to ",
    "non-virtual thunk to ", "async ", "invocation function for block in ",
    "variable initialization expression of ",
  ]
  for mark in plain where name.begins(with: mark) { return name.dropFirst(mark.count) }
  let numbered = [
    (["closure #", "implicit closure #", "local function #"], " in "), (["default argument "], " of "),
    (
      [
        "generic specialization <", "function signature specialization <", "generic partial specialization <",
      ], "> of "
    ),
    (["("], ") await resume partial function for "), (["("], ") suspend resume partial function for "),
  ]
  for (starts, end) in numbered where starts.contains(where: name.begins) {
    guard let found = name.prefix(512).range(of: end) else { continue }
    return name[found.upperBound...]
  }
  return nil
}

/// `__23-[Foo bar]_block_invoke_2` is a block of `-[Foo bar]`, and `__run_block_invoke` one of `run`.
private func withoutBlockMarks(_ name: String) -> Substring {
  guard let block = name.range(of: "_block_invoke"), name.hasPrefix("__") else { return name[...] }
  let inner = name[..<block.lowerBound].dropFirst(2)
  let method = inner.drop(while: \.isNumber)
  return method.isMethodName ? method : inner
}

/// `Foo.(bar in _1A2B)` is the private `Foo.bar`; a C++ lambda's number only counts those before it.
private func withoutDiscriminators(_ name: Substring) -> Substring {
  var rest = String(name)
  while let mark = rest.range(of: " in _"), let open = rest[..<mark.lowerBound].lastIndex(of: "("),
    let close = rest[mark.upperBound...].firstIndex(of: ")")
  {
    rest.replaceSubrange(open...close, with: rest[rest.index(after: open)..<mark.lowerBound])
  }
  for (start, end) in [
    ("{lambda(", "}"), ("'lambda", ")"), ("$_", "::"), ("{closure#", "}"), ("{{closure", "}}"),
  ] {
    guard let open = rest.range(of: start), let close = rest[open.upperBound...].range(of: end)
    else { continue }
    rest.replaceSubrange(
      open.lowerBound..<(end == "::" ? close.lowerBound : close.upperBound), with: "{lambda}")
  }
  return rest[...]
}

/// Removes parameters, result, offset, and generic or template arguments.
///
/// Angle brackets that aren't closed, or belong to an operator's name, stay.
private func withoutArguments(_ name: Substring) -> String {
  let characters = Array(name.unicodeScalars)
  let closing = closingBrackets(characters)
  var result = ""
  var index = 0
  while index < characters.count {
    let character = characters[index]
    if character == "<", let close = closing[index] {
      index = close + 1
      continue
    }
    if character == "(", !result.isEmpty, !result.hasSuffix("operator"), !result.hasSuffix("::") { break }
    if isTailStart(character), startsTail(characters[index...]) { break }
    result.unicodeScalars.append(character)
    index += 1
  }
  return result
}

private func isTailStart(_ character: Unicode.Scalar) -> Bool {
  switch character {
  case " ", ".", "[", "$", "@": true
  default: false
  }
}

private func startsTail(_ rest: ArraySlice<Unicode.Scalar>) -> Bool {
  let tails = [
    " : ", " + ", " -> ", " [", " (", ".cold", ".llvm.", ".isra.", ".part.", ".constprop.", ".lto_priv.",
    ".resume.",
    ".specialized.", "[abi:", "$VARIANT$", "@@",
  ]
  return tails.contains { rest.starts(with: $0.unicodeScalars) }
}

/// The positions of closing brackets by those of `<`; `->` closes nothing.
private func closingBrackets(_ characters: [Unicode.Scalar]) -> [Int: Int] {
  var open: [Int] = []
  var pairs: [Int: Int] = [:]
  for (index, character) in characters.enumerated() {
    if character == "<" {
      open.append(index)
    } else if character == ">", index == 0 || characters[index - 1] != "-", let start = open.popLast() {
      pairs[start] = index
    }
  }
  return pairs
}

extension StringProtocol {
  /// Whether a function's name is that of an Objective-C method: `-[Cart open]`, `+[Cart new]`.
  var isMethodName: Bool { hasPrefix("-[") || hasPrefix("+[") }
}
