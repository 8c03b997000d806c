import CrashReadInstructions
import Foundation
import TestSupport
import Testing

@Suite("lookup as a replacement for atos and addr2line")
struct LookupFormTests {
  private static let program = "Samples/symbols/vars-c-O2.debug"
  private static let addr2line = installedProgram("addr2line")

  /// Addresses inside functions of a sample: of all, or of the one named.
  private func addresses(of name: Substring? = nil) throws -> [UInt64] {
    let run = try CommandRun(
      program: #require(installedProgram("nm")), [Repository.root.path + "/" + Self.program])
    return run.output.split(separator: "\n").compactMap { line in
      let parts = line.split(separator: " ")
      return parts.count == 3 && parts[1].lowercased() == "t" && (name == nil || parts[2] == name)
        ? UInt64(parts[0], radix: 16).map { $0 + 4 } : nil
    }
  }

  private func lookUp(_ options: [String], _ input: String = "") throws -> CommandRun {
    try CommandRun.crashread(atRoot: ["lookup"] + options + [Self.program], input: input)
  }

  /// Compilers sometimes give code without a line a column, which could be mistaken for the line.
  @Test("a column without a line is not shown")
  func columnWithoutLine() throws {
    let run = try CommandRun.crashread(
      atRoot: ["lookup", "Samples/symbols/HogeApp.app.dSYM", "0x100004100"])
    #expect(run.output.contains("JSON.swift:9:9") && run.output.contains("JSON.swift  [inlined]"))
  }

  @Test("Input without line breaks ends with an error instead of filling the memory")
  func endlessLine() throws {
    let run = try lookUp(["--addresses", "-"], "0x1000\n" + String(repeating: "1", count: 1 << 20))
    #expect(run.outcome == .exited(1))
    #expect(run.errors.contains("line 2 is too long for an address; the rest is not read"))
    #expect(run.output.contains("0x1000"))
  }

  @Test("--format=addr2line prints what addr2line -fip prints", .enabled(if: addr2line != nil))
  func addr2lineForm() throws {
    let words = try addresses().map { "0x" + String($0, radix: 16) }
    let theirs = try CommandRun(
      program: #require(Self.addr2line), ["-fip", "-e", Repository.root.path + "/" + Self.program] + words)
    let ours = try CommandRun.crashread(
      atRoot: ["lookup", "--format=addr2line", "--mangled", Self.program] + words)
    func answers(_ text: String) -> [String] {
      // Discriminators depend on the compiler.
      text.split(separator: "\n").map { String($0).replacing(#/ \(discriminator \d+\)/#, with: "") }
    }
    // The symbol table names a file for the linker's own functions, too, which isn't theirs.
    let pairs = zip(answers(theirs.output), answers(ours.output)).filter { !$0.0.contains("crtstuff.c") }
    #expect(answers(theirs.output).count == answers(ours.output).count)
    #expect(pairs.count > 6)
    for (their, our) in pairs { #expect(our == their) }
  }

  @Test("--code shows the instructions around an address, or why there are none")
  func code() throws {
    let program = "Samples/binaries/vars-c-O2"
    let address = "0x" + String(try #require(try addresses(of: "measure").first), radix: 16)
    let lines = try CommandRun.crashread(atRoot: ["lookup", "--code", program, address]).output.split(
      separator: "\n")
    let marked = lines.filter { $0.hasPrefix("    > ") }
    if InstructionSet.x86_64.missingLibrary == nil {
      #expect(lines.count > 4)
      #expect(marked.count == 1 && marked[0].contains(address + ": "))
    } else {
      #expect(lines.last?.contains("libzydis4.0") == true)
    }
    // The program beside its debug file has the code, whichever of them is opened.
    let directory = try TemporaryDirectory()
    for path in ["binaries/vars-c-O2", "symbols/vars-c-O2.debug"] {
      let name = path.split(separator: "/").last.map(String.init) ?? ""
      try FileManager.default.copyItem(atPath: Samples.path(path), toPath: directory.path(name))
    }
    let both = try CommandRun.crashread(["lookup", "--code", ".", address], in: directory)
    #expect(!both.output.contains("no code") && both.output.contains(":"), "\(both.output)\(both.errors)")
    #expect(both.output.components(separatedBy: "    > ").count == marked.count + 1)
    // The output of objcopy --only-keep-debug has no code.
    if InstructionSet.x86_64.missingLibrary != nil { return }
    #expect(try lookUp(["--code"], address + "\n").output.contains("    no code in this file\n"))
    #expect(try !lookUp([], address + "\n").output.contains("no code"))
  }

  @Test("run-time and return addresses are converted to addresses of the file")
  func moved() throws {
    let address = try #require(try addresses(of: "measure").first)
    let base: UInt64 = 0x7f00_0000_0000
    func word(_ value: UInt64) -> String { "0x" + String(value, radix: 16) }
    let plain = try lookUp(["--format=atos"], word(address) + "\n").output
    let symbols = try CommandRun.crashread(atRoot: ["symbols", Self.program]).output
    let linked = try #require(
      symbols.split(separator: " ").last.flatMap { UInt64($0.dropFirst(2).dropLast(), radix: 16) })
    let loaded = word(address - linked + base)
    #expect(plain.contains(" (in vars-c-O2.debug) ("))
    #expect(try lookUp(["--format=atos", "-l", word(base)], loaded + "\n").output == plain)
    #expect(
      try lookUp(["--format=addr2line", "--return-addresses"], word(address + 1) + "\n").output
        == lookUp(["--format=addr2line"], word(address) + "\n").output)
    #expect(try lookUp(["--format=json"], "").output == "[\n]\n")
    #expect(try lookUp(["--format=json"], "0x0\nx\n0x1").outcome == .exited(1))
  }

  @Test("an address outside the code is noted as a possible run-time address or offset")
  func slide() throws {
    let file = Samples.path("symbols/HogeApp.app.dSYM")
    func notes(_ words: String...) throws -> String {
      let run = try CommandRun.crashread(["lookup", file] + words)
      #expect(run.outcome == .exited(0))
      return run.errors
    }
    #expect(try notes("0x1000040dc") == "")
    #expect(try notes("0x40dc").contains("; as an offset in the image it is 0x1000040dc\n"))
    let run = try notes("0x1022e40dc")
    #expect(
      run.contains("; as an address of a process it fits an image loaded at 0x1022e0000: give its load"))
    #expect(try notes("-l", "0x1022e0000", "0x1022e40dc") == "")
    #expect(try notes("-l", "0x1022e0000", "0x1032e40dc").contains(", which is 0x1022e0000 to 0x1022e"))
    #expect(try notes("0xffffffffffffffff").contains("the file has no code at 0xffffffffffffffff"))
  }

  @Test("an address that no image can contain is noted without a load address")
  func noSlide() throws {
    var builder = MachOBuilder()
    // A segment of code below the image's base.
    builder.segments = [
      .init("__TEXT", at: 0x1_0000_0000, size: 0x1000),
      .init("__LOW", at: 0x1000, size: 0x1000, isCode: true),
    ]
    let directory = try TemporaryDirectory()
    try directory.write(builder.file(), to: "low")
    for (file, address) in [
      (Samples.path("symbols/c-abort.debug"), "0xffffffffffffffff"), (directory.path("low"), "0x3000"),
    ] {
      let run = try CommandRun.crashread(["lookup", file, address])
      #expect(run.outcome == .exited(0), "\(run.errors)")
      #expect(run.errors.contains("the file has no code at \(address)") && !run.errors.contains("; as an"))
    }
  }

  @Test("each address is answered before the next one is read")
  func coprocess() throws {
    let run = try PipedRun(["lookup", "--format=addr2line", Self.program])
    for address in try addresses().prefix(3) {
      run.write(String(address, radix: 16) + "\n")
      #expect(run.line()?.contains(" at ") == true)
    }
    run.closeInput()
    while run.line() != nil {}
    #expect(run.end() == 0)
  }
}

@Suite("Options of other tools")
struct ForeignOptionTests {
  @Test(
    "are answered with the option that is meant",
    arguments: [
      ("--json", "--format=json"), ("--dsym", "--symbols"), ("-arch", "--arch"), ("-dSYM", "--symbols"),
      ("-fip", "--format=addr2line"), ("-e", "crashread lookup FILE ADDRESS"), ("-i", "crashread lookup"),
    ])
  func options(_ typed: String, _ meant: String) throws {
    let run = try CommandRun.crashread([typed, "x"])
    #expect(run.outcome == .exited(2))
    #expect(run.errors.contains("did you mean '\(meant)"), "\(run.errors)")
  }

  @Test(
    "a report that is piped in needs no dash, a few in a directory need no batch, and kind takes a directory")
  func inputs() throws {
    let report = try String(
      contentsOf: Repository.root.appending(path: "Samples/reports/text/HogeApp.crash"), encoding: .utf8)
    #expect(try CommandRun.crashread([], input: report).output.hasPrefix("HogeApp 1.0 (1) crashed"))
    #expect(try CommandRun.crashread([]).outcome == .exited(2))
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("reports")
    // The same report twice is one.
    func copy(_ number: Int) -> String {
      report.replacing("6D1F7A52-0C4E", with: "6D1F7A\(10 + number)-0C4E")
    }
    for number in 1...10 { try folder.write(copy(number), to: "reports/\(number).crash") }
    try folder.write("no report", to: "reports/notes.txt")
    let few = try CommandRun.crashread(["reports"], in: folder)
    #expect(few.outcome == .exited(0) && few.output.ranges(of: "HogeApp 1.0 (1) crashed").count == 10)
    #expect(
      try CommandRun.crashread(["kind", "reports"], in: folder).output.split(separator: "\n").count == 10)
    try folder.write(copy(11), to: "reports/11.crash")
    let many = try CommandRun.crashread(["reports"], in: folder)
    #expect(many.outcome == .exited(2) && many.errors.contains("crashread batch"))
    try folder.makeDirectory("none")
    #expect(try CommandRun.crashread(["kind", "none"], in: folder).outcome == .exited(1))
  }

  @Test("an .ips file with a truncated header line is read")
  func cutHead() throws {
    let text = try String(
      contentsOf: Repository.root.appending(path: "Samples/reports/ips/HogeApp.ips"), encoding: .utf8)
    let run = try CommandRun.crashread(["-"], input: String(text.dropFirst(12)))
    #expect(run.outcome == .exited(0) && run.output.hasPrefix("HogeApp"), "\(run.output) \(run.errors)")
  }
}

@Suite("Debug files that aren't the report's")
struct OtherFileTests {
  private static let report = "Samples/reports/other/HogeApp-other-build.crash"
  private static let build = "Samples/symbols/HogeApp.app.dSYM"
  private static let other = "Samples/symbols/vars-c-O2.debug"

  /// Where the files are given, the exit status, and a part of the first line on standard error; nil for none.
  @Test(
    arguments: [
      ([build], 1, "not used"), ([other], 1, "not used"),
      (["Samples/symbols"], 0, "another build of HogeApp was found"),
      (["--symbols", build], 1, "not used"),
    ])
  func mainJob(_ files: [String], _ status: Int32, _ said: String) throws {
    let run = try CommandRun.crashread(atRoot: [Self.report] + files)
    #expect(run.outcome == .exited(status), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").first?.contains(said) == true, "\(run.errors)")
    #expect(run.errors.contains("--allow-mismatch") == (files != [Self.other]), "\(run.errors)")
    #expect(run.errors.split(separator: "\n").count <= 2, "\(run.errors)")
  }

  @Test func otherProgramsAreNotReported() throws {
    let folder = try TemporaryDirectory()
    try folder.makeDirectory("store")
    for name in ["vars-c-O2.debug", "swift-trap.debug", "causes.debug"] {
      try FileManager.default.copyItem(
        at: Repository.root.appending(path: "Samples/symbols/" + name),
        to: folder.url.appending(path: "store/" + name))
    }
    for environment in [[:], ["CRASHREAD_SYMBOL_PATH": folder.path("store")]] {
      let run = try CommandRun.crashread(
        atRoot: [Self.report] + (environment.isEmpty ? [folder.path("store")] : []), environment: environment)
      #expect(run.outcome == .exited(0) && run.errors == "", "\(run.errors)")
    }
    let strict = try CommandRun.crashread(atRoot: ["--strict", Self.report, "Samples/symbols"])
    #expect(strict.outcome == .exited(1))
  }

  @Test(
    "with --allow-mismatch nothing is certain, and every format names the other build",
    arguments: ["text", "json", "markdown", "html", "github", "gitlab", "sarif", "junit"])
  func honest(_ format: String) throws {
    let run = try CommandRun.crashread(
      atRoot: ["--allow-mismatch", "--format", format, Self.report, "Samples/symbols"])
    #expect(run.outcome == .exited(0))
    #expect(!run.output.contains("certain:") && !run.output.contains("\"certain\""), "\(run.output)")
    #expect(run.output.contains("another build"), "\(run.output)")
  }
}
