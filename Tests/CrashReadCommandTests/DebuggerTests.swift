import Foundation
import TestSupport
import Testing

/// Prints only the output of the commands, and reads no user settings.
private let quiet = ["-batch", "-nx", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no"]

/// gdb, if it is installed and may trace: some containers forbid that.
private let debugger: URL? = {
  guard let debugger = installedProgram("gdb"), let harmless = installedProgram("true") else { return nil }
  let run = try? CommandRun(program: debugger, quiet + ["-ex", "run", harmless.path], limit: .seconds(20))
  return run?.output.contains("exited normally") == true ? debugger : nil
}()

/// Compares the variables of samples that really crashed with those that a debugger shows when they crash again.
@Suite("Variables compared with gdb", .enabled(if: debugger != nil, "gdb is not installed, or may not trace"))
struct DebuggerTests {
  /// `file:line` of gdb's `frame`, and `name = value` lines of its `info args` and `info locals`, innermost scope first.
  private func seen(_ name: String) throws -> (place: String, values: [String: String]) {
    let commands = [
      "symbol-file \(Samples.path("symbols/\(name).debug"))", "run", "frame", "info args", "info locals",
    ]
    let run = try CommandRun(
      program: #require(debugger),
      quiet + commands.flatMap { ["-ex", $0] } + [Samples.path("binaries/\(name)")])
    try #require(run.output.contains(" received signal "), "\(run.outcome): \(run.errors)")
    let lines = run.output.split(separator: "\n")
    let frame = try #require(lines.first { $0.hasPrefix("#0 ") }?.split(separator: " ").last)
    var values: [String: String] = [:]
    for line in lines {
      guard let sign = line.firstRange(of: " = ") else { continue }
      let name = String(line[..<sign.lowerBound])
      if values[name] == nil { values[name] = String(line[sign.upperBound...]) }
    }
    return (String(frame), values)
  }

  /// gdb writes `-7 '\371'`, `(const Crate *) 0x1`, `@0x1: …`, `0x0`, `depot::Colour::green`.
  private func normalized(_ value: String) -> String {
    var text = value
    if let quote = text.firstRange(of: " '") { text = String(text[..<quote.lowerBound]) }
    if text.hasPrefix("("), let close = text.firstRange(of: ") ") { text = String(text[close.upperBound...]) }
    if text.hasPrefix("@") { text = String(text.dropFirst().prefix { $0 != ":" }) }
    if text == "0x0" { return "nil" }
    return text.split(separator: ":").last.map(String.init) ?? text
  }

  @Test(arguments: ["vars-c-O2", "vars-c-O0", "vars-cpp-O2", "vars-cpp-O0", "cpp-inline", "c-divide"])
  func sameValues(_ name: String) throws {
    let (place, seen) = try seen(name)
    let run = try CommandRun.crashread(
      atRoot: ["--format", "json", "Samples/reports/text/\(name).crash", "Samples/symbols"])
    let frame = try #require(try Document(run.output).crashedFrames.first)
    // gdb shows the innermost function, but not an inlined one that begins at this very instruction.
    let variables = try #require(frame.locations.first { $0.place == place }?.variables)
    try #require(!variables.isEmpty)
    for variable in variables {
      let wanted = try #require(seen[variable.name])
      switch variable.status {
      case "known":
        // The stack's address differs from run to run.
        if variable.value?.hasPrefix("0x7ff") == true { continue }
        #expect(variable.value == normalized(wanted), "\(variable.name)")
      case "optimizedOut": #expect(wanted == "<optimized out>", "\(variable.name)")
      default: #expect(wanted != "", "\(variable.name)")  // the debugger has memory and all registers
      }
    }
    let missed = seen.filter { $0.value == "<optimized out>" }.keys.filter { name in
      variables.first { $0.name == name }?.status == "known"
    }
    #expect(missed.isEmpty)
  }
}
