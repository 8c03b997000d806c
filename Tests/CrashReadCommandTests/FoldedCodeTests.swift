import TestSupport
import Testing

@testable import CrashReadCommand

/// Two functions with identical code, of which the linker kept one: the symbol table has both at one address.
@Suite("Folded functions")
struct FoldedCodeTests {
  private static let report = """
    Incident Identifier: 1
    Process:             Shop [1]
    Path:                /private/var/containers/Bundle/Application/X/Shop.app/Shop
    Identifier:          com.example.Shop
    Version:             1.0 (1)
    Code Type:           ARM-64
    Date/Time:           2026-01-01 00:00:00 +0000
    OS Version:          iPhone OS 18.0 (22A1)

    Exception Type:  EXC_BAD_ACCESS (SIGSEGV)
    Exception Codes: KERN_INVALID_ADDRESS at 0x0000000000000000
    Triggered by Thread:  0

    Thread 0 Crashed:
    0   Shop  0x100000014 0x100000000 + 20
    1   Shop  0x100000048 0x100000000 + 72

    Binary Images:
    0x100000000 - 0x10000ffff Shop arm64  <0102030405060708090a0b0c0d0e0f10> /private/var/containers/Bundle/Application/X/Shop.app/Shop
    """

  /// A program with these functions at one address, and a caller.
  private func program(_ names: [String], in directory: TemporaryDirectory) throws {
    var program = MachOBuilder()
    program.fileType = 2
    program.segments = [.init("__TEXT", at: 0x1_0000_0000, size: 0x1000, isCode: true)]
    program.symbols = names.map { .init($0, at: 0x1_0000_0010) } + [.init("_main", at: 0x1_0000_0040)]
    try directory.write(program.file(), to: "Shop")
    try directory.write(Array(Self.report.utf8), to: "report.crash")
  }

  private func crashread(_ arguments: String..., in directory: TemporaryDirectory) throws -> String {
    try CommandRun.crashread(["--cache=off"] + arguments, in: directory).output
  }

  @Test func allNamesAreShown() throws {
    let directory = try TemporaryDirectory()
    try program(["__Z6sizeOfP4Cart", "__Z7countOfP5Order"], in: directory)
    let text = try crashread("report.crash", "Shop", in: directory)
    #expect(text.contains("in sizeOf(Cart*), or with identical code countOf(Order*)"))
    #expect(text.contains("it may be any of countOf(Order*), sizeOf(Cart*)"))
    let document = try Document(crashread("-f", "json", "report.crash", "Shop", in: directory))
    #expect(document.threads[0].frames[0].foldedNames == ["countOf(Order*)", "sizeOf(Cart*)"])
    #expect(document.threads[0].frames[1].foldedNames == nil)
    let japanese = try crashread("--lang=ja", "report.crash", "Shop", in: directory)
    #expect(japanese.contains("関数 sizeOf(Cart*)（同一コードの countOf(Order*) の可能性もあり）"))
    for format in ["markdown", "html"] {
      let output = try crashread("-f", format, "report.crash", "Shop", in: directory)
      #expect(output.contains("folded by the linker"), "\(format)")
    }
    let lookup = try crashread("lookup", "-f", "json", "Shop", "100000014", in: directory)
    #expect(lookup.contains("foldedNames"))
  }

  /// It is arbitrary which one the linker keeps, and which one comes first in the table.
  @Test func groupIsIndependentOfTheKeptName() throws {
    let names = ["__Z6sizeOfP4Cart", "__Z7countOfP5Order"]
    let signatures = try [names, names.reversed()].map { names in
      let directory = try TemporaryDirectory()
      try program(names, in: directory)
      return try Document(crashread("-f", "json", "report.crash", "Shop", in: directory)).signature
    }
    #expect(signatures[0] == signatures[1] && signatures[0]?.contains("countOf") == true)
  }

  /// The complete and the base constructor, a thunk of Swift's, and the same name twice aren't different functions.
  @Test(arguments: [
    ["__ZN4CartC1Ev", "__ZN4CartC2Ev"], ["_$s4Shop4CartC3addyyF", "_$s4Shop4CartCAA5StoreA2aDP3addyyFTW"],
    ["_add", "_add"],
  ])
  func aliasesAreNotFoldedFunctions(_ names: [String]) throws {
    let directory = try TemporaryDirectory()
    try program(names, in: directory)
    let document = try Document(crashread("-f", "json", "report.crash", "Shop", in: directory))
    #expect(!document.threads[0].frames[0].locations.isEmpty)
    #expect(document.threads[0].frames[0].foldedNames == nil)
  }
}
