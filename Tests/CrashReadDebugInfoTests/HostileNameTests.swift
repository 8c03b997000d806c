import CrashReadCore
import CrashReadSystem
import Foundation
import TestSupport
import Testing

@testable import CrashReadDebugInfo

@Suite("Hostile mangled names")
struct HostileNameTests {
  /// `f` of a function type with two parameters of the type before, so many levels deep.
  static func doubled(_ levels: Int) -> String {
    let references = (0..<levels).map { level -> String in
      let part = level == 0 ? "S_" : "S" + String(level - 1, radix: 36).uppercased() + "_"
      return "Fv" + part + part + "E"
    }
    return "_Z1f1x" + references.joined()
  }

  @Test("A C++ name that doubles at every level is left mangled", arguments: [16, 22, 30, 60, 200])
  func gigabytes(levels: Int) {
    #expect(demangle(Self.doubled(levels)) == nil)
  }

  @Test("A doubling name that stays short is demangled", arguments: 1...6)
  func short(levels: Int) throws {
    #expect(try #require(demangle(Self.doubled(levels))).hasPrefix("f(x, void (x, x)"))
  }

  /// Ways to double, one per kind of part that refers to another: their texts are gigabytes.
  @Test(
    "Substitutions of every kind count towards the bound",
    arguments: [
      ("1aI", "E"), ("Fv", "E"), ("PFv", "E"), ("N1b1cI", "EE"), ("KFv", "E"), ("1aIJ", "EE"), ("A_Fv", "E"),
      ("DpFv", "E"),
    ])
  func kinds(open: String, close: String) throws {
    // What parts there are after each level differs; the last one is always the whole level.
    func name(_ levels: Int) throws -> String {
      var name = "_Z1f1x"
      for _ in 0..<levels {
        var growth = CxxNameGrowth(name)
        _ = try growth.readEncoding()
        let last = growth.parts.count - 1
        let part = last == 0 ? "S_" : "S" + String(last - 1, radix: 36).uppercased() + "_"
        name += open + part + part + close
      }
      return name
    }
    #expect(try CxxNameGrowth.bound(name(2)) < 0x10_0000)
    #expect(try demangle(name(2)) != nil)
    #expect(try CxxNameGrowth.bound(name(40)) > 1e9)
    #expect(try demangle(name(40)) == nil)
  }

  @Test(
    "Unknown parts count with the longest text they could stand for",
    arguments: [("_ZcvT_I1aE", 1e5), ("_Z\u{1F600}SSSSSSSSSSSSSSSSSSSSSSSSS", 1e9), ("_Z?DpDpDpDpDpDp", 1e6)])
  func unknown(name: String, least: Double) {
    if least > 1e5 {
      #expect(CxxNameGrowth.bound(name) > least)
    } else {
      #expect(CxxNameGrowth.bound(name) < least)
    }
  }

  /// Each of a binary's names is read; none is longer than its bound.
  @Test("The bound holds for real names")
  func realNames() throws {
    let library = "/usr/lib/x86_64-linux-gnu/libstdc++.so.6"
    guard let tool = installedProgram("nm"), FileManager.default.fileExists(atPath: library) else {
      print("skipped: needs nm and libstdc++")
      return
    }
    let names = try CommandRun(program: tool, ["-D", library]).output.split(separator: "\n").compactMap {
      line in
      line.split(separator: " ").last.map { String($0.prefix { $0 != "@" }) }
    }.filter { $0.hasPrefix("_Z") }
    #expect(names.count > 1000)
    for name in names {
      let text = try #require(demangle(name), "\(name)")
      #expect(Double(text.utf8.count) <= CxxNameGrowth.bound(name), "\(name)")
      #expect(CxxNameGrowth.bound(name) < 0x10_0000, "\(name)")
    }
  }

  /// Parts nested in one another, tens of thousands of levels deep.
  static let nestings = [
    ("$s1a1bV", "m", "", ""), ("$sSi", "fd", "", ""), ("$sSi", "fE", "", ""), ("$s1a1byyF", "fi", "", ""),
    ("$s1a1byy", "y", "Si", "c"), ("$s1a1byy", "y", "Si", "XE"), ("$s", "Ta", "", ""), ("$sSi", "QO", "", ""),
    ("$sSi", "TA", "", ""), ("$sSi", "Sg", "", "D"), ("$s", "Say", "Si", "G"), ("$s", "SDySi", "Si", "G"),
    ("$s1a1bV", "1aV", "", ""), ("$sSi", "Xp", "", "D"), ("$sSi", "z", "", "D"), ("$sSi", "Tm", "", ""),
    ("$s1a1byyF", "U_", "", ""), ("$s1a1byyF", "yyXEfU_", "", ""), ("$sSi", "Qz", "", ""),
    ("$sSi", "Xo", "", "D"),
    ("$sSi", "Yb", "", ""), ("$s1a", "1bO1cC", "", "N"), ("$sSi", "_t", "", "D"), ("$sSi", "_", "", "t"),
    ("_Z1f", "P", "i", ""), ("_Z1f", "PK", "i", ""), ("_Z1f", "G", "i", ""), ("_Z1f", "1aI", "i", "E"),
    ("_Z1f", "PFv", "i", "E"), ("_Z", "Z", "1fv", "E1x"), ("_Z1fIX", "ng", "Li1E", ""), ("_ZN", "1a", "", ""),
    ("_RNvC1a1bI", "R", "l", ""), ("_RI", "I", "C1a", "lE"), ("_RINvC1a1b", "T", "l", "E"),
    ("_RINvC1a1b", "F", "Eu", "E"),
    ("_RNvC1a1b", "N", "", ""), ("_RINvC1a1b", "D", "C1a", "EL_"),
  ]

  @Test("Deep nesting is handled, also on small stacks", arguments: nestings, [512 << 10, 1 << 20])
  func deep(nesting: (String, String, String, String), stack: Int) {
    let (start, open, middle, close) = nesting
    for levels in [60, 120, 1000, 30_000] {
      let name =
        start + String(repeating: open, count: levels) + middle + String(repeating: close, count: levels)
        + "Z"
      let length = onThread(stack: stack) { [start, name].map { demangle($0)?.utf8.count ?? 0 } }
      #expect(length?.allSatisfy { $0 <= 65_536 } == true)
    }
  }
}

/// No name that a file can't have is requested from a server.
@Test func longNamesAreNoPartOfAnAddress() throws {
  let server = try #require(SymbolServer(parsing: "breakpad=https://example.com"))
  let id = try #require(ImageID(bytes: [UInt8](1...16)))
  for (length, count) in [(255, 1), (256, 0), (1 << 20, 0)] {
    #expect(server.addresses(of: id, name: String(repeating: "n", count: length)).count == count)
  }
}
