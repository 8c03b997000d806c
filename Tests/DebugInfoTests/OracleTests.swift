import BinaryIdentity
import Foundation
import TestSupport
import Testing

@testable import DebugInfo

/// The Swift toolchain's own symbolizer, which reads the same files by other code.
private let symbolizer: URL? = installedProgram("swiftc").map {
  $0.resolvingSymlinksInPath().deletingLastPathComponent().appending(path: "llvm-symbolizer")
}.flatMap { FileManager.default.isExecutableFile(atPath: $0.path) ? $0 : installedProgram("llvm-symbolizer") }

/// Debug files with DWARF: our own, and public ones where they lie beside the repository.
let debugFiles: [String] = {
  let own = Samples.symbols.map { Repository.root.appending(path: $0).path }
  let shared = Samples.shared.map { root in
    Samples.files(below: root, "symbols").map { root.appending(path: $0).path }
  }
  return own + (shared ?? []).filter { isBinary($0) }
}()

/// How an answer of ours stands to the reference's.
private enum Agreement: String {
  case equal
  /// Both name the function by a symbol alone, as there is no DWARF for the address. The reference may add the file
  /// that an ELF symbol table has, which is no more than a name.
  case symbolTableOnly
  /// The reference says nothing of an address behind the code; we say which symbol is the last before it.
  case onlySymbolBefore
  /// The reference names a datum of an ELF file's read-only segment, where there is no function.
  case datum
  /// The reference gives the outermost function the symbol table's name, we DWARF's; all else is equal.
  case outermostNameFromSymbolTable
  /// Outside the sections that hold code we say nothing; the reference names a symbol, such as `_mh_execute_header`.
  case noCode
  /// Neither knows anything.
  case bothUnknown
  case different
}

private struct Answer: Equatable, CustomStringConvertible {
  var name: String
  var file: String
  var line: Int
  var description: String { "\(name) \(file):\(line)" }
}

/// One line of `llvm-symbolizer --output-style=JSON`.
private struct Reference: Decodable {
  struct Function: Decodable {
    var name: String
    var file: String
    var line: Int

    enum CodingKeys: String, CodingKey {
      case name = "FunctionName"
      case file = "FileName"
      case line = "Line"
    }
  }

  var functions: [Function]?

  enum CodingKeys: String, CodingKey {
    case functions = "Symbol"
  }

  var answers: [Answer] {
    (functions ?? []).map { Answer(name: $0.name, file: normalized($0.file), line: $0.line) }
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

@Suite("Compared with llvm-symbolizer")
struct OracleTests {
  private func addresses(in slice: BinarySlice, seed: UInt64) -> [LinkedAddress] {
    var random = SeededRandom(seed: seed)
    return (0..<2000).compactMap { _ in
      guard let range = slice.codeRanges.randomElement(using: &random) else { return nil }
      return LinkedAddress(.random(in: range.lowerBound.rawValue..<range.upperBound.rawValue, using: &random))
    }
  }

  private func reference(
    _ path: String, _ slice: BinarySlice, _ addresses: [LinkedAddress]
  ) throws -> [Reference] {
    let run = try CommandRun(
      program: #require(symbolizer),
      [
        "--obj=" + path, "--default-arch=" + (slice.architecture?.rawValue ?? ""), "--output-style=JSON",
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
        file: normalized(frame.location?.file ?? ""), line: frame.location?.line ?? 0)
    }
  }

  private func agreement(_ wanted: [Answer], _ file: DebugFile, at address: LinkedAddress) -> Agreement {
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
    renamed[got.count - 1].name = symbol
    return renamed == wanted ? .outermostNameFromSymbolTable : .different
  }

  /// Compares all answers, and returns the addresses that the reference has a line for.
  private func compare(
    _ file: DebugFile, at addresses: [LinkedAddress], counts: inout [Agreement: Int]
  ) throws -> [LinkedAddress] {
    let reference = try reference(file.path, file.slice, addresses).map(\.answers)
    try #require(reference.count == addresses.count)
    for (address, wanted) in zip(addresses, reference) {
      let agreement = agreement(wanted, file, at: address)
      counts[agreement, default: 0] += 1
      if agreement == .different, counts[agreement, default: 0] <= 5 {
        Issue.record(
          """
          \(address): wanted \(wanted), got \(answers(file.frames(at: address))), \
          symbol \(file.symbol(at: address)?.linkageName ?? "")
          """)
      }
    }
    return zip(addresses, reference).filter { $1.contains { $0.line > 0 } }.map(\.0)
  }

  @Test(
    "functions, files and lines of inline chains are equal", .enabled(if: symbolizer != nil),
    arguments: debugFiles)
  func chains(_ path: String) throws {
    for slice in try BinarySlice.all(in: path) where slice.hasDWARF {
      let file = try DebugFile(path: path, slice: slice)
      let addresses = addresses(in: slice, seed: 7)
      try #require(addresses.count == 2000)
      var counts: [Agreement: Int] = [:]
      let covered = try compare(file, at: addresses, counts: &counts)
      // Small files have little code in their large segment: look again where there is some.
      var random = SeededRandom(seed: 8)
      let near = try (0..<2000).map { _ in
        let address = try #require(covered.randomElement(using: &random))
        return LinkedAddress(address.rawValue &+ .random(in: 0...200, using: &random) &- 100)
      }
      let coveredNear = try compare(file, at: near, counts: &counts)
      #expect(coveredNear.count > 300)
      #expect(counts[.different] == nil, "\(counts)")
      #expect(counts[.datum, default: 0] < 400, "\(counts)")
    }
  }
}
