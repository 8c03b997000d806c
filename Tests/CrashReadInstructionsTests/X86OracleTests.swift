import CrashReadInstructions
import Foundation
import TestSupport
import Testing

/// Compares with llvm-objdump, which shares no code with Zydis.
@Suite("x86-64 instructions against llvm-objdump")
struct X86OracleTests {
  private static let objdump = Arm64OracleTests.tools?[1]

  /// The samples' code, and some of the system's: compiled, and hand-written assembly.
  private static let binaries: [URL] = {
    let samples = try? FileManager.default.contentsOfDirectory(
      at: Repository.root.appending(path: "Samples/binaries"), includingPropertiesForKeys: nil)
    let isFull = ProcessInfo.processInfo.environment["CRASHREAD_FULL"] != nil
    let system = isFull ? ["libcrypto.so.3", "libstdc++.so.6"] : ["libgcc_s.so.1"]
    return (samples ?? [])
      + system.map { URL(filePath: "/lib/x86_64-linux-gnu/" + $0).resolvingSymlinksInPath() }
      .filter { FileManager.default.fileExists(atPath: $0.path) }
  }()

  @Test(
    "have the same length, memory operands and targets",
    .enabled(if: hasZydis && objdump != nil, "libzydis4.0 or llvm-objdump isn't installed"))
  func same() throws {
    var (count, wrong) = (0, [String]())
    for binary in Self.binaries {
      for expected in try Self.disassembled(binary) {
        count += 1
        let found = X86Decoder.instructions(expected.bytes[...], at: expected.address).first
        if let difference = found.map({ expected.difference($0) }) ?? "not read" {
          wrong.append("\(expected.text) | \(found?.text ?? ""): \(difference)")
        }
      }
    }
    #expect(count > 15_000)
    #expect(wrong.count * 10_000 < count, "\(wrong.count) of \(count): \(wrong.prefix(20))")
  }

  /// An instruction as llvm-objdump prints it.
  struct Line {
    var address: UInt64
    var bytes: [UInt8]
    var text: String

    /// The difference; nil for none.
    func difference(_ found: Instruction) -> String? {
      if found.length != bytes.count { return "length \(found.length)" }
      if let target, [.jump(target), .call(target)].contains(found.flow) == false {
        guard case .branch(target, _) = found.flow else { return "target" }
      }
      let places = text.split(separator: "[").dropFirst().compactMap { $0.split(separator: "]").first }
      guard let place = places.first, !text.contains("nop"), !text.hasPrefix("lea"),
        !text.hasPrefix("prefetch")
      else { return nil }
      guard let operand = found.memory.first(where: { !$0.isPartial }) ?? found.memory.first else {
        return "no memory"
      }
      if operand.isPartial {
        return text.contains("fs:") || text.contains("gs:") || isOdd(place) ? nil : "partial"
      }
      return written(operand) == normal(place)
        ? size(operand) : "place \(written(operand)), not \(normal(place))"
    }

    private func isOdd(_ place: Substring) -> Bool {
      ["mm", "e", "r8d"].contains { place.contains($0) }
    }

    private var target: UInt64? {
      let words = text.split(separator: " ")
      guard words.count == 2, words[0].hasPrefix("j") || words[0] == "call", words[1].hasPrefix("0x") else {
        return nil
      }
      return UInt64(words[1].dropFirst(2), radix: 16)
    }

    private func size(_ operand: MemoryOperand) -> String? {
      let sizes = [
        "byte ptr": 1, "word ptr": 2, "dword ptr": 4, "qword ptr": 8, "xmmword ptr": 16, "ymmword ptr": 32,
        "zmmword ptr": 64,
      ]
      let before = text.prefix { $0 != "[" }.split(separator: " ").suffix(2).joined(separator: " ")
        .split(separator: ",").last.map { $0.trimmingCharacters(in: .whitespaces) }
      guard let before, let size = sizes[before], size != operand.size else { return nil }
      return "size \(operand.size)"
    }

    /// `rax + 8*rcx - 0x10` in parts.
    private func normal(_ place: Substring) -> Set<String> {
      let parts = place.replacingOccurrences(of: " - ", with: " + -").components(separatedBy: " + ")
      var set: Set<String> = []
      for part in parts {
        if let number = Self.number(part) {
          if number != 0 { set.insert(String(number)) }
        } else {
          let scaled = part.split(separator: "*")
          set.insert(scaled.count == 2 && scaled[0] == "1" ? String(scaled[1]) : part)
        }
      }
      // Counted from the program counter.
      if set.remove("rip") != nil {
        let distance = set.first.flatMap { Int64($0) } ?? 0
        return [String(Int64(bitPattern: address) + Int64(bytes.count) + distance)]
      }
      if set.remove("riz") != nil { return set }
      return set
    }

    private func written(_ operand: MemoryOperand) -> Set<String> {
      var set: Set<String> = []
      let names = InstructionSet.x86_64
      if let base = operand.base { set.insert(names.name(of: base)) }
      if let index = operand.index {
        let name = names.name(of: index.register)
        set.insert(index.shift == 0 ? name : "\(1 << index.shift)*\(name)")
      }
      if operand.displacement != 0 { set.insert(String(operand.displacement)) }
      return set
    }

    private static func number(_ text: String) -> Int64? {
      let isNegative = text.hasPrefix("-")
      let digits = isNegative ? String(text.dropFirst()) : text
      let value = digits.hasPrefix("0x") ? Int64(digits.dropFirst(2), radix: 16) : Int64(digits)
      return value.map { isNegative ? -$0 : $0 }
    }
  }

  private static func disassembled(_ binary: URL) throws -> [Line] {
    let tool = try #require(objdump)
    let run = try CommandRun(
      program: tool, ["-d", "--x86-asm-syntax=intel", binary.path])
    return run.output.split(separator: "\n").compactMap { line in
      let columns = line.split(separator: "\t", omittingEmptySubsequences: false)
      guard columns.count >= 2, let colon = columns[0].firstIndex(of: ":"),
        let address = UInt64(columns[0][..<colon].drop { $0 == " " }, radix: 16)
      else { return nil }
      let digits = columns[0][columns[0].index(after: colon)...].split(separator: " ")
      let bytes = digits.compactMap { UInt8($0, radix: 16) }
      let text = columns[1...].joined(separator: " ").prefix { $0 != "#" && $0 != "<" }
        .split(separator: " ").joined(separator: " ")
      return line.contains("<unknown>") || bytes.isEmpty
        ? nil : Line(address: address, bytes: bytes, text: text)
    }
  }
}
