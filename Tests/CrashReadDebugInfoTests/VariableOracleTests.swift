import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

private let dump = installedProgram("llvm-dwarfdump-19") ?? installedProgram("llvm-dwarfdump")

/// One binary with variables: our own, and public ones if they are beside the repository.
private struct DumpedFile: Sendable, CustomTestStringConvertible {
  var path: String
  var architecture: String
  var testDescription: String { "\(path.split(separator: "/").last ?? "") \(architecture)" }

  static let all: [DumpedFile] = {
    let shared = Samples.shared.map { root in
      Samples.files(below: root, "symbols").map { root.appending(path: $0).path }
    }
    let paths = Samples.symbols.map { Repository.root.appending(path: $0).path } + (shared ?? [])
    // The dump of a larger file takes a minute to read here.
    return paths.filter { isBinary($0) && fileSize($0) < 2 << 20 }.flatMap { path in
      ((try? BinarySlice.all(in: path)) ?? []).filter(\.hasDWARF).map {
        DumpedFile(path: path, architecture: $0.architecture?.rawValue ?? "")
      }
    }
  }()
}

private func fileSize(_ path: String) -> Int {
  (try? FileManager.default.attributesOfItem(atPath: path)[.size] as? Int) ?? 0
}

/// An entry as llvm-dwarfdump prints it.
private struct DumpedEntry {
  var tag = ""
  var depth = 0
  var name: String?
  var ranges: [Range<UInt64>] = []
  var frameBase: String?
  /// Expressions with where they hold; nil everywhere in the scope.
  var locations: [(range: Range<UInt64>?, expression: String)] = []
  var hasConstant = false
  var isDeclaration = false

  func expression(at address: UInt64) -> String? {
    locations.first { $0.range?.contains(address) ?? true }?.expression
  }
}

/// Reads the text of `llvm-dwarfdump --debug-info`.
private struct DumpReader {
  var entries: [DumpedEntry] = []
  private var low: UInt64?
  private var attribute = ""

  init(_ text: String) {
    for line in text.utf8.split(separator: UInt8(ascii: "\n")) { read(String(Substring(line))) }
  }

  private mutating func read(_ line: String) {
    if line.hasPrefix("0x"), let tag = line.firstRange(of: "DW_TAG_") {
      var entry = DumpedEntry()
      entry.tag = String(line[tag.lowerBound...])
      entry.depth = line.distance(from: line.startIndex, to: tag.lowerBound)
      entries.append(entry)
      low = nil
      return
    }
    guard !entries.isEmpty else { return }
    let text = line.drop { $0 == " " }
    if text.hasPrefix("DW_AT_") {
      attribute = String(text.prefix { $0 != "\t" })
      let value = text.drop { $0 != "(" }.dropFirst()
      readValue(value.hasSuffix(")") ? value.dropLast() : value)
    } else if text.hasPrefix("[") {
      readRange(text)
    }
  }

  private mutating func readValue(_ value: Substring) {
    let last = entries.count - 1
    switch attribute {
    case "DW_AT_name": entries[last].name = quoted(value)
    case "DW_AT_abstract_origin" where entries[last].name == nil: entries[last].name = quoted(value)
    case "DW_AT_low_pc": low = number(value)
    case "DW_AT_high_pc":
      if let low, let high = number(value), high > low { entries[last].ranges = [low..<high] }
    case "DW_AT_frame_base": entries[last].frameBase = String(value)
    case "DW_AT_const_value": entries[last].hasConstant = true
    case "DW_AT_declaration": entries[last].isDeclaration = true
    case "DW_AT_location" where !value.hasPrefix("0x"):
      entries[last].locations.append((nil, String(value)))
    default: break
    }
  }

  /// `[0x1, 0x2)` of a range, or `[0x1, 0x2): DW_OP_reg0 W0` of a location.
  private mutating func readRange(_ text: Substring) {
    let parts = text.dropFirst().split(separator: ",", maxSplits: 1)
    guard parts.count == 2, let low = number(parts[0]),
      let high = number(parts[1].drop { $0 == " " }.prefix { $0 != ")" }), low <= high
    else { return }
    let last = entries.count - 1
    if attribute == "DW_AT_ranges" { entries[last].ranges.append(low..<high) }
    guard attribute == "DW_AT_location", let colon = text.firstRange(of: ": ") else { return }
    var expression = text[colon.upperBound...]
    // The last one closes the attribute's parenthesis.
    let opened = expression.count { $0 == "(" }
    if expression.hasSuffix(")"), expression.count(where: { $0 == ")" }) > opened {
      expression = expression.dropLast()
    }
    entries[last].locations.append((low..<high, String(expression)))
  }

  private func quoted(_ value: Substring) -> String? {
    guard let first = value.firstIndex(of: "\""), let last = value.lastIndex(of: "\""), first < last else {
      return nil
    }
    return String(value[value.index(after: first)..<last])
  }

  private func number(_ text: Substring) -> UInt64? {
    text.hasPrefix("0x") ? UInt64(text.dropFirst(2).prefix { $0.isHexDigit }, radix: 16) : nil
  }
}

/// The result of the reference's expression if registers have the values of `register(_:)`.
private enum Wanted: Equatable {
  case value(UInt64), memory(UInt64?), notAvailable, nowhere
  /// An expression that the reader here doesn't evaluate.
  case other
}

/// LLVM's name of a register, by which a report has it: its printed names come from a table of its own.
private func reportName(_ name: Substring) -> String {
  let lower = name.lowercased()
  switch lower {
  case "w29": return "fp"
  case "w30": return "lr"
  case "wsp": return "sp"
  default: return lower.hasPrefix("w") ? "x" + lower.dropFirst() : lower
  }
}

/// Registers with distinct values.
private let registers: [String: UInt64] = {
  let amd64 = ["rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp"] + (8...15).map { "r\($0)" }
  let arm64 = (0...28).map { "x\($0)" } + ["fp", "lr", "sp"]
  return Dictionary(
    uniqueKeysWithValues: (amd64 + arm64).enumerated().map {
      ($1, 0x7010_0000_8090 + UInt64($0) * 0x1_0101_0110)
    })
}()

private func evaluate(_ expression: String?, frameBase: String?) -> Wanted {
  guard let expression, !expression.isEmpty else { return .nowhere }
  let operations = expression.split(separator: ", ")
  if expression.contains("DW_OP_entry_value") { return .notAvailable }
  if operations.count == 1 { return simple(operations[0], frameBase) }
  guard operations.count == 2, operations[1] == "DW_OP_stack_value" else { return .other }
  if case .memory(let value?) = simple(operations[0], frameBase) { return .value(value) }
  let words = operations[0].split(separator: " ")
  let operand = words.last.map { $0.hasPrefix("+") ? $0.dropFirst() : $0 } ?? ""
  switch words[0] {
  case "DW_OP_constu", "DW_OP_consts", "DW_OP_const1u", "DW_OP_const1s":
    if operand.hasPrefix("0x") {
      return UInt64(operand.dropFirst(2), radix: 16).map { .value($0) } ?? .other
    }
    return Int64(operand).map { .value(UInt64(bitPattern: $0)) } ?? .other
  default:
    let literal = words[0].hasPrefix("DW_OP_lit") ? UInt64(words[0].dropFirst(9)) : nil
    return literal.map { .value($0) } ?? .other
  }
}

/// `DW_OP_reg0 RAX`, `DW_OP_breg7 RSP+8`, `DW_OP_fbreg -24`, `DW_OP_addr 0x10`.
private func simple(_ operation: Substring, _ frameBase: String?) -> Wanted {
  let words = operation.split(separator: " ")
  guard words.count == 2 else { return .other }
  if words[0].hasPrefix("DW_OP_reg"), words[0] != "DW_OP_regx" {
    return registers[reportName(words[1])].map { .value($0) } ?? .notAvailable
  }
  if words[0].hasPrefix("DW_OP_breg") {
    let name = words[1].prefix { $0 != "+" && $0 != "-" }
    guard let offset = Int64(words[1].dropFirst(name.count)), let base = registers[reportName(name)] else {
      return .other
    }
    return .memory(base &+ UInt64(bitPattern: offset))
  }
  if words[0] == "DW_OP_fbreg" {
    guard let offset = Int64(words[1]), let frameBase else { return .other }
    if case .value(let base) = simple(frameBase[...], nil) {
      return .memory(base &+ UInt64(bitPattern: offset))
    }
    return .memory(nil)  // DW_OP_call_frame_cfa
  }
  if words[0] == "DW_OP_addr" {
    return UInt64(words[1].dropFirst(2), radix: 16).map { .memory($0) } ?? .other
  }
  return .other
}

@Suite("Variables compared with llvm-dwarfdump", .enabled(if: dump != nil))
struct VariableOracleTests {
  /// llvm-dwarfdump's variables at an address: by function, the concrete one first, and by name.
  private func reference(_ entries: [DumpedEntry], at address: UInt64, function: Int) -> [[String: Wanted]] {
    var scopes: [(depth: Int, function: Int)] = [(entries[function].depth, 0)]
    var variables: [[String: Wanted]] = [[:]]
    for entry in entries[(function + 1)...] {
      guard entry.depth > entries[function].depth else { break }
      while let scope = scopes.last, entry.depth <= scope.depth { scopes.removeLast() }
      guard let scope = scopes.last else { break }
      switch entry.tag {
      case "DW_TAG_inlined_subroutine", "DW_TAG_lexical_block":
        guard entry.depth == scope.depth + 2, entry.ranges.contains(where: { $0.contains(address) }) else {
          continue
        }
        if entry.tag == "DW_TAG_inlined_subroutine" { variables.append([:]) }
        scopes.append((entry.depth, variables.count - 1))
      case "DW_TAG_formal_parameter", "DW_TAG_variable":
        guard entry.depth == scope.depth + 2, let name = entry.name, !entry.isDeclaration else { continue }
        variables[scope.function][name] =
          entry.hasConstant
          ? .other : evaluate(entry.expression(at: address), frameBase: entries[function].frameBase)
      default: break
      }
    }
    return variables
  }

  /// Whether a result is the expected one; a value is compared by its low bytes, as its type may be narrower.
  private func fits(_ variable: Variable, _ wanted: Wanted) -> Bool {
    switch (variable.value, wanted) {
    case (_, .other): return true
    case (.known(_, let pointer?), .value(let bits)): return pointer == bits
    case (.known(let text, _), .value(let bits)):
      guard let number = Int64(text.prefix { $0 != " " }) else { return true }  // no plain number
      return [1, 2, 4, 8].contains { size in
        number == signExtended(masked(bits, size: size), size: size)
          || UInt64(bitPattern: number) == masked(bits, size: size)
      }
    case (.inMemory(let address), .memory(let wanted)): return address?.rawValue == wanted
    case (.optimizedOut, .nowhere), (.notAvailable, .notAvailable): return true
    // A type wider than the register, or of unknown size.
    case (.notAvailable, .value): return true
    default: return false
    }
  }

  @Test("values and locations are equal at random addresses", arguments: DumpedFile.all)
  private func values(_ dumped: DumpedFile) throws {
    // For ELF files llvm-dwarfdump prints nothing if the CPU is specified.
    let choice = dumped.path.hasSuffix(".debug") ? [] : ["--arch=\(dumped.architecture)"]
    let run = try CommandRun(program: #require(dump), ["--debug-info", dumped.path] + choice)
    let entries = DumpReader(run.output).entries
    let slice = try #require(
      BinarySlice.all(in: dumped.path).first { $0.architecture?.rawValue == dumped.architecture })
    let file = try DebugFile(path: dumped.path, slice: slice)
    let functions = entries.indices.filter {
      entries[$0].tag == "DW_TAG_subprogram"
        && entries[$0].ranges.contains { isCode($0.lowerBound, in: slice.codeRanges) }
    }
    try #require(!functions.isEmpty)
    var random = SeededRandom(seed: 5)
    var counts = ["compared": 0, "known": 0, "other": 0, "wide": 0]
    for _ in 0..<400 {
      let function = try #require(functions.randomElement(using: &random))
      let range = try #require(entries[function].ranges.randomElement(using: &random))
      let address = UInt64.random(in: range, using: &random)
      guard isCode(address, in: slice.codeRanges) else { continue }
      let wanted = reference(entries, at: address, function: function)
      let got = Array(
        file.variables(at: LinkedAddress(address), in: VariableContext(registers: registers)).reversed())
      // Two functions of the file can claim one address; the other's chain is also valid.
      guard got.count == wanted.count else { continue }
      for (variables, wanted) in zip(got, wanted) {
        #expect(Set(variables.map(\.name)) == Set(wanted.keys), "\(String(address, radix: 16))")
        for variable in variables {
          let wanted = wanted[variable.name] ?? .other
          counts["compared", default: 0] += 1
          if wanted == .other { counts["other", default: 0] += 1 }
          if case .known = variable.value { counts["known", default: 0] += 1 }
          if case (.notAvailable, .value) = (variable.value, wanted) { counts["wide", default: 0] += 1 }
          #expect(fits(variable, wanted), "\(String(address, radix: 16)) \(variable) \(wanted)")
        }
      }
    }
    let isOurs = dumped.path.hasPrefix(Samples.directory.path)
    #expect(!isOurs || counts["compared", default: 0] > 50, "\(counts)")
  }
}
