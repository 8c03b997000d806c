internal import CrashReadCore

/// A function's name without the parts that differ between builds, callers or demanglers: parameters and results,
/// generic and template arguments, numbers of closures, blocks and clones, specialisations, resume parts of async
/// functions, thunk prefixes, and discriminators of private names.
func normalizedFunction(_ name: String) -> String {
  var rest = withoutBlockMarks(oneLine(name))
  while let shorter = withoutLeadingMark(rest) { rest = shorter }
  if rest.isMethodName { return String(rest) }
  return withoutArguments(withoutDiscriminators(rest))
}

/// A name on one line, as a signature needs it: control characters become blanks, and a very long name is truncated.
private func oneLine(_ name: String) -> String {
  let maximum = 2000
  let isPlain = name.utf8.count <= maximum && !name.utf8.contains { $0 < 0x20 || $0 == 0x7f }
  if isPlain { return name }
  let scalars = name.unicodeScalars.prefix(maximum).map { $0.value < 0x20 || $0.value == 0x7f ? " " : $0 }
  return String(String.UnicodeScalarView(scalars))
}

/// A Swift function's name without its module, which only some reporters write.
///
/// A module has the name of its image, except for characters that identifiers can't contain.
func withoutModule(_ function: String, _ image: String?) -> String {
  guard let image, !image.isEmpty else { return function }
  // The first letter differs for nearly all functions.
  let name = function.isMethodName ? function.dropFirst(2) : function[...]
  guard name.first == image.first || image.first.map({ !$0.isLetter }) ?? true else { return function }
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

/// The method or function of a block: `-[Foo bar]` of `__23-[Foo bar]_block_invoke_2`, and `run` of
/// `__run_block_invoke`.
private func withoutBlockMarks(_ name: String) -> Substring {
  guard let block = name.range(of: "_block_invoke"), name.hasPrefix("__") else { return name[...] }
  let inner = name[..<block.lowerBound].dropFirst(2)
  let method = inner.drop(while: \.isNumber)
  return method.isMethodName ? method : inner
}

/// The name without discriminators: `Foo.bar` of `Foo.(bar in _1A2B)`. The number of a C++ lambda only counts those
/// before it.
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
  let bytes = Array(name.utf8)
  let closing = closingBrackets(bytes)
  var result: [UInt8] = []
  var index = 0
  while index < bytes.count {
    let byte = bytes[index]
    if byte == UInt8(ascii: "<"), let close = closing[index] {
      index = close + 1
      continue
    }
    if byte == UInt8(ascii: "("), !result.isEmpty, !ends(result, with: "operator"), !ends(result, with: "::")
    {
      break
    }
    if isTailStart(byte), startsTail(bytes.span.extracting(index...)) { break }
    result.append(byte)
    index += 1
  }
  return String(decoding: result, as: UTF8.self)
}

private func ends(_ bytes: [UInt8], with text: StaticString) -> Bool {
  bytes.count >= text.utf8CodeUnitCount
    && bytes.span.extracting(last: text.utf8CodeUnitCount).begins(with: text)
}

private func isTailStart(_ byte: UInt8) -> Bool {
  switch byte {
  case UInt8(ascii: " "), UInt8(ascii: "."), UInt8(ascii: "["), UInt8(ascii: "$"), UInt8(ascii: "@"): true
  default: false
  }
}

private func startsTail(_ rest: Span<UInt8>) -> Bool {
  for tail in tails where rest.begins(with: tail) { return true }
  return false
}

private let tails: [StaticString] = [
  " : ", " + ", " -> ", " [", " (", ".cold", ".llvm.", ".isra.", ".part.", ".constprop.", ".lto_priv.",
  ".resume.", ".specialized.", "[abi:", "$VARIANT$", "@@",
]

/// The positions of closing brackets by those of `<`; `->` closes nothing.
func closingBrackets(_ bytes: [UInt8]) -> [Int: Int] {
  var open: [Int] = []
  var pairs: [Int: Int] = [:]
  for (index, byte) in bytes.enumerated() {
    if byte == UInt8(ascii: "<") {
      open.append(index)
    } else if byte == UInt8(ascii: ">"), index == 0 || bytes[index - 1] != UInt8(ascii: "-"),
      let start = open.popLast()
    {
      pairs[start] = index
    }
  }
  return pairs
}

extension StringProtocol {
  /// Whether a function's name is that of an Objective-C method: `-[Cart open]`, `+[Cart new]`.
  var isMethodName: Bool { hasPrefix("-[") || hasPrefix("+[") }
}
