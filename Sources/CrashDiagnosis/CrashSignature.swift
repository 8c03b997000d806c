internal import CrashReports
internal import Symbolication

/// A text that is the same for the same crash: the kind of the exception and the innermost own functions.
///
/// Nil when no function has a name. The prefix is the version of the way it is made.
func crashSignature(
  of symbolicated: SymbolicatedReport, blamed: BlamedFrame?, facts: CrashFacts, knowledge: Knowledge
) -> String? {
  let frames = signatureFrames(symbolicated, blamed)
  let own = signatureFunctions(frames.filter(\.isInApp), knowledge)
  let functions = own.isEmpty ? signatureFunctions(frames, knowledge) : own
  guard !functions.isEmpty else { return nil }
  return "v1:" + ([signatureKind(facts)] + functions).joined(separator: "|")
}

/// The innermost few functions that are neither machinery nor thunks.
private func signatureFunctions(_ frames: [ResolvedFrame], _ knowledge: Knowledge) -> [String] {
  let mostFunctions = 4
  // Names of deep recursions are all the same, so a bounded look is enough.
  let mostFrames = 256
  var functions: [String] = []
  for name in frames.prefix(mostFrames).flatMap(\.functionNames) where knowledge.isOwnFunction(name) {
    let name = normalizedFunction(name)
    // A closure and its function, or a recursion's turns, count once.
    guard !name.isEmpty, name != functions.last else { continue }
    functions.append(name)
    if functions.count == mostFunctions { break }
  }
  return functions
}

/// The backtrace of the blamed frame, else that of the crashed thread.
func signatureFrames(_ symbolicated: SymbolicatedReport, _ blamed: BlamedFrame?) -> [ResolvedFrame] {
  if let blamed { return symbolicated.frames(of: blamed) }
  guard let thread = symbolicated.report.principalThread,
    symbolicated.threads.indices.contains(thread)
  else { return [] }
  return symbolicated.threads[thread]
}

/// The exception's type; where that says nothing, the signal or the code that ended the process.
private func signatureKind(_ facts: CrashFacts) -> String {
  if let code = facts.values["terminationCode"], facts.has(.exception, "SIGKILL") { return code }
  let type = facts.values["exception"]
  return (type == "EXC_CRASH" ? facts.values["signal"] : nil) ?? type ?? facts.values["signal"]
    ?? facts.words[.kind]?.first { $0.value != ReportKind.crash.rawValue }?.value ?? "unknown"
}

/// A function's name without what changes from build to build or from caller to caller.
func normalizedFunction(_ name: String) -> String {
  var rest = withoutBlockMarks(String(name.unicodeScalars.prefix(2000)))
  while let shorter = withoutLeadingMark(rest) { rest = shorter }
  if rest.hasPrefix("-[") || rest.hasPrefix("+[") { return String(rest) }
  return withoutArguments(rest)
}

/// Takes off what the compiler writes before a function's name: `closure #1 in`, `specialized`, `(2) await resume …`.
private func withoutLeadingMark(_ name: Substring) -> Substring? {
  let plain = [
    "@objc ", "@nonobjc ", "specialized ", "merged ", "partial apply for ", "static ", "virtual thunk to ",
  ]
  for mark in plain where name.hasPrefix(mark) { return name.dropFirst(mark.count) }
  let numbered = [
    (["closure #", "implicit closure #", "local function #"], " in "),
    (["("], ") await resume partial function for "), (["("], ") suspend resume partial function for "),
  ]
  for (starts, end) in numbered where starts.contains(where: name.hasPrefix) {
    let mark = name.prefix(64)
    guard let found = mark.ranges(of: end).first else { continue }
    return name[found.upperBound...]
  }
  return nil
}

/// `__23-[Foo bar]_block_invoke_2` is a block of `-[Foo bar]`.
private func withoutBlockMarks(_ name: String) -> Substring {
  var rest = Substring(name)
  if let block = rest.ranges(of: "_block_invoke").first { rest = rest[..<block.lowerBound] }
  if rest.hasPrefix("__") {
    let inner = rest.dropFirst(2).drop(while: \.isNumber)
    if inner.hasPrefix("-[") || inner.hasPrefix("+[") { rest = inner }
  }
  return rest
}

/// Cuts parameters, result and offset, and takes out generic or template arguments.
///
/// An angle bracket that isn't closed, or belongs to an operator's name, stays.
private func withoutArguments(_ name: Substring) -> String {
  let characters = Array(name)
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
    if " .[$".contains(character), startsTail(characters[index...]) { break }
    result.append(character)
    index += 1
  }
  return result
}

private func startsTail(_ rest: ArraySlice<Character>) -> Bool {
  [" : ", " + ", " -> ", " [", " (", ".cold.", ".llvm.", "[abi:", "$VARIANT$"].contains {
    rest.starts(with: $0)
  }
}

/// Where each `<` is closed; `->` closes nothing.
private func closingBrackets(_ characters: [Character]) -> [Int: Int] {
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
