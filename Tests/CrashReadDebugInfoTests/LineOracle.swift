import CrashReadCore
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// The Swift toolchain's own symbolizer, which reads the same files with other code.
let symbolizer: URL? = installedProgram("swiftc").map {
  $0.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "llvm-symbolizer")
}.flatMap { FileManager.default.isExecutableFile(atPath: $0.path) ? $0 : installedProgram("llvm-symbolizer") }

/// The relation of an answer to the reference's.
enum Agreement: String {
  case equal
  /// Both name the function by a symbol alone, as there is no DWARF for the address. The reference may add the file
  /// that an ELF symbol table has, which is no more than a name.
  case symbolTableOnly
  /// The reference has no result for an address after the code; ours is the last symbol before it.
  case onlySymbolBefore
  /// The reference names a datum of an ELF file's read-only segment, where there is no function.
  case datum
  /// The reference's outermost function has the symbol table's name, ours DWARF's; all else is equal.
  case outermostNameFromSymbolTable
  /// As before, but the reference has another name of the same address: two functions with the same code became one.
  case outermostIsAlias
  /// As before, and the name says that it is of a part that the compiler moved away: `work.cold`.
  case outermostIsPart
  /// The reference omits the name of the outermost function, which DWARF has; all else is equal.
  case outermostHasNoName
  /// Outside the sections that hold code we have no result; the reference names a symbol, such as `_mh_execute_header`.
  case noCode
  /// Neither has a result.
  case bothUnknown
  case different
}

struct Answer: Equatable, CustomStringConvertible {
  var name: String
  var file: String
  var line: Int
  var column: Int
  var description: String { "\(name) \(file):\(line):\(column)" }
}

/// One line of `llvm-symbolizer --output-style=JSON`.
private struct Reference: Decodable {
  struct Function: Decodable {
    var name: String
    var file: String
    var line: Int
    var column: Int

    enum CodingKeys: String, CodingKey {
      case name = "FunctionName"
      case file = "FileName"
      case line = "Line"
      case column = "Column"
    }
  }

  var functions: [Function]?

  enum CodingKeys: String, CodingKey {
    case functions = "Symbol"
  }

  var answers: [Answer] {
    (functions ?? []).map {
      Answer(name: $0.name, file: normalized($0.file), line: $0.line, column: $0.column)
    }
  }
}

/// Paths without `.`, `..` and doubled slashes; `<compiler-generated>` without the directory the reference puts before.
private func normalized(_ path: String) -> String {
  if path.hasSuffix(">"), let name = path.split(separator: "/").last, name.hasPrefix("<") {
    return String(name)
  }
  var components: [Substring] = []
  for component in path.split(separator: "/") where component != "." {
    if component == "..", components.last.map({ $0 != ".." }) ?? path.hasPrefix("/") {
      _ = components.popLast()
    } else {
      components.append(component)
    }
  }
  return (path.hasPrefix("/") ? "/" : "") + components.joined(separator: "/")
}

/// Compares the answers of one debug file with those of llvm-symbolizer.
struct LineOracle {
  let file: DebugFile
  /// The file that the reference reads.
  let reference: String
  private let names: [UInt64: Set<String>]
  private(set) var counts: [Agreement: Int] = [:]
  /// Addresses at which the reference knows of inlined calls.
  private(set) var inlinedChains = 0

  /// The reference reads the same file, or an equivalent one in a form that it supports.
  init(_ file: DebugFile, reference: String? = nil) {
    self.file = file
    self.reference = reference ?? file.path
    names = Self.symbolNames(file.path)
  }

  /// Compares at random addresses, and returns for how many of the second half the reference has a line.
  mutating func compareThroughout(count: Int) throws -> Int {
    var random = SeededRandom(seed: 7)
    let places = (0..<count).compactMap { _ in
      file.slice.codeRanges.randomElement(using: &random).map { range in
        LinkedAddress(
          .random(in: range.lowerBound.rawValue..<range.upperBound.rawValue, using: &random))
      }
    }
    try #require(places.count == count)
    let covered = try compare(at: places)
    // Small files have little code in their large segment: look again where there is some.
    let near = try (0..<count).map { _ in
      let address = try #require(covered.randomElement(using: &random))
      return LinkedAddress(address.rawValue &+ .random(in: 0...200, using: &random) &- 100)
    }
    return try compare(at: near).count
  }

  private func ask(_ addresses: [LinkedAddress]) throws -> [Reference] {
    let run = try CommandRun(
      program: #require(symbolizer),
      [
        "--obj=" + reference, "--default-arch=" + (file.slice.architecture?.rawValue ?? ""),
        "--output-style=JSON",
        "--no-demangle", "--inlines", "--functions=linkage",
      ], input: addresses.map(\.description).joined(separator: "\n") + "\n")
    try #require(run.outcome == .exited(0))
    return try run.output.split(separator: "\n").map {
      try JSONDecoder().decode(Reference.self, from: Data($0.utf8))
    }
  }

  private func answers(_ frames: [SourceFrame]) -> [Answer] {
    frames.map { frame in
      Answer(
        name: frame.linkageName ?? frame.function ?? "",
        file: normalized(frame.location?.file ?? ""), line: frame.location?.line ?? 0,
        column: frame.location?.column ?? 0)
    }
  }

  private func agreement(_ wanted: [Answer], at address: LinkedAddress) -> Agreement {
    let got = answers(file.frames(at: address))
    if wanted == got { return .equal }
    if !file.slice.codeRanges.contains(where: { $0.contains(address) }) {
      return got.isEmpty ? .noCode : .different
    }
    let symbol = file.symbol(at: address)?.linkageName ?? ""
    guard let last = wanted.last, last.name != "" || last.file != "" else {
      return !got.isEmpty ? .different : symbol == "" ? .bothUnknown : .onlySymbolBefore
    }
    if got.isEmpty, wanted.count == 1 {
      let isNameOnly = last.line == 0 && !last.file.contains("/")
      guard isNameOnly else { return .different }
      return last.name == symbol ? .symbolTableOnly : file.slice.layout == .elf ? .datum : .different
    }
    guard !got.isEmpty else { return .different }
    var renamed = got
    renamed[got.count - 1].name = last.name
    return renamed == wanted ? renaming(got[got.count - 1].name, last.name, at: address) : .different
  }

  /// How two names of the outermost function relate, when all else is equal.
  private func renaming(_ got: String, _ wanted: String, at address: LinkedAddress) -> Agreement {
    let symbol = file.symbol(at: address)
    if wanted == symbol?.linkageName { return .outermostNameFromSymbolTable }
    if wanted.isEmpty { return .outermostHasNoName }
    if wanted.hasPrefix(got + ".") { return .outermostIsPart }
    let entry = symbol?.entry?.rawValue
    return entry.flatMap { names[$0] }?.contains(wanted) == true ? .outermostIsAlias : .different
  }

  /// All names of each address, by another reader of symbol tables; none where it is missing.
  private static func symbolNames(_ path: String) -> [UInt64: Set<String>] {
    guard let nm = installedProgram("nm") ?? installedProgram("llvm-nm"),
      let run = try? CommandRun(program: nm, [path])
    else { return [:] }
    var names: [UInt64: Set<String>] = [:]
    for line in run.output.split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count == 3, let address = UInt64(fields[0], radix: 16) else { continue }
      names[address, default: []].insert(String(fields[2]))
    }
    return names
  }

  /// Compares all answers, and returns the addresses that the reference has a line for.
  private mutating func compare(at addresses: [LinkedAddress]) throws -> [LinkedAddress] {
    let answers = try ask(addresses).map(\.answers)
    try #require(answers.count == addresses.count)
    for (address, wanted) in zip(addresses, answers) {
      let agreement = agreement(wanted, at: address)
      if wanted.count > 1 { inlinedChains += 1 }
      counts[agreement, default: 0] += 1
      if agreement == .different, counts[agreement, default: 0] <= 5 {
        Issue.record(
          """
          \(address): wanted \(wanted), got \(self.answers(file.frames(at: address))), \
          symbol \(file.symbol(at: address)?.linkageName ?? "")
          """)
      }
    }
    return zip(addresses, answers).filter { $1.contains { $0.line > 0 } }.map(\.0)
  }
}
