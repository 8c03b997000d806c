import CrashRead
import CrashReadCore
import Testing

@testable import CrashReadCommand

/// A valid command line, and the values that differ from the defaults.
struct ParserCase: Sendable, CustomTestStringConvertible {
  var arguments: [String]
  var set: @Sendable (inout Options) -> Void

  init(_ arguments: String..., set: @escaping @Sendable (inout Options) -> Void) {
    self.arguments = arguments
    self.set = set
  }

  var testDescription: String { "crashread " + arguments.joined(separator: " ") }
}

/// An invalid command line, and the complete message.
struct MistakeCase: Sendable, CustomTestStringConvertible {
  var arguments: [String]
  var message: String

  init(_ arguments: String..., message: String) {
    self.arguments = arguments
    self.message = message
  }

  var testDescription: String { "crashread " + arguments.joined(separator: " ") }
}

private let formats =
  "text, json, ndjson, markdown, html, github, gitlab, sarif, junit, sentry, sentry-envelope, bugsnag, crash, ips"

@Suite struct OptionParserTests {
  static let right: [ParserCase] = [
    ParserCase("a.ips", "b.dSYM") { $0.operands = ["a.ips", "b.dSYM"] },
    ParserCase("-") { $0.operands = ["-"] },
    ParserCase("a.ips", "-o", "-") { ($0.operands, $0.outputs) = (["a.ips"], ["-"]) },
    ParserCase("--format=json", "a") { ($0.operands, $0.format) = (["a"], .report(.json)) },
    ParserCase("--format", "json", "a") { ($0.operands, $0.format) = (["a"], .report(.json)) },
    ParserCase("-f", "json", "a") { ($0.operands, $0.format) = (["a"], .report(.json)) },
    ParserCase("-fjson", "a") { ($0.operands, $0.format) = (["a"], .report(.json)) },
    ParserCase("-afjson", "a") {
      ($0.operands, $0.format, $0.showsAllThreads) = (["a"], .report(.json), true)
    },
    ParserCase("-af", "json", "a") {
      ($0.operands, $0.format, $0.showsAllThreads) = (["a"], .report(.json), true)
    },
    ParserCase("-f", "json", "-f", "text", "a") { ($0.operands, $0.format) = (["a"], .report(.text)) },
    ParserCase("a", "-a", "b") { ($0.operands, $0.showsAllThreads) = (["a", "b"], true) },
    ParserCase("-o", "x", "--output=y", "a") { ($0.operands, $0.outputs) = (["a"], ["x", "y"]) },
    ParserCase("-o", "--strict", "a") { ($0.operands, $0.outputs) = (["a"], ["--strict"]) },
    ParserCase("--output=a=b", "a") { ($0.operands, $0.outputs) = (["a"], ["a=b"]) },
    ParserCase("--", "-a", "--help") { $0.operands = ["-a", "--help"] },
    ParserCase("a", "--", "--") { $0.operands = ["a", "--"] },
    ParserCase("--color=never", "a") { ($0.operands, $0.color) = (["a"], .never) },
    ParserCase("--source-root=a", "--source-root", "b", "c") {
      ($0.operands, $0.sourceRoots) = (["c"], ["a", "b"])
    },
    ParserCase("--path-map=/a=/b=c", "r") { options in
      options.operands = ["r"]
      options.pathMaps = [.init(old: "/a", new: "/b=c")]
    },
    ParserCase("--limit=threads=5", "--limit", "report-size=9", "r") { options in
      options.operands = ["r"]
      (options.limits.threads, options.limits.reportSize) = (5, 9)
    },
    ParserCase("--symbols", "d", "r") { ($0.operands, $0.symbols) = (["r"], ["d"]) },
    ParserCase("--allow-mismatch", "--strict", "--mangled", "r") {
      ($0.allowsMismatch, $0.isStrict, $0.showsLinkageNames, $0.operands) = (true, true, true, ["r"])
    },

    ParserCase("batch") { $0.verb = .batch },
    ParserCase("batch", "d", "--isolate", "-0j3") {
      ($0.verb, $0.operands, $0.isolation, $0.hasZeroSeparatedLists, $0.jobs) = (.batch, ["d"], .on, true, 3)
    },
    ParserCase("batch", "--isolate=off", "--files-from", "-", "--state=s") {
      ($0.verb, $0.isolation, $0.inputLists, $0.state) = (.batch, .off, ["-"], "s")
    },
    ParserCase(
      "batch", "--memory=512M", "--limit=report-size=3072", "--max-result-size=17", "--timeout=9", "--records"
    ) {
      ($0.verb, $0.workerLimits.memory, $0.limits.reportSize, $0.workerLimits.resultSize) = (
        .batch, 512 << 20, 3072, 17
      )
      ($0.workerLimits.seconds, $0.readsRecords) = (9, true)
    },

    ParserCase("lookup", "f", "0x10", "fF") {
      ($0.verb, $0.operands, $0.addresses) = (.lookup, ["f"], [LinkedAddress(0x10), LinkedAddress(0xff)])
    },
    ParserCase("lookup", "f", "--addresses=-", "-ftsv") {
      ($0.verb, $0.operands, $0.addressFiles, $0.format) = (.lookup, ["f"], ["-"], .lookup(.tsv))
    },
    ParserCase("--format=tsv", "lookup", "f", "ffffffffffffffff") {
      ($0.verb, $0.operands, $0.addresses, $0.format) = (.lookup, ["f"], [LinkedAddress(.max)], .lookup(.tsv))
    },
    ParserCase("lookup", "--arch=arm64e", "--uuid", "11ce3f57-6264-3e8d-8a89-86894d83b974", "f", "1") {
      ($0.verb, $0.operands, $0.addresses) = (.lookup, ["f"], [LinkedAddress(1)])
      ($0.architecture, $0.uuid) = (.arm64e, ImageID(parsing: "11CE3F5762643E8D8A8986894D83B974"))
    },
    ParserCase("./lookup", "f") { $0.operands = ["./lookup", "f"] },
    ParserCase("--", "lookup", "f") { $0.operands = ["lookup", "f"] },
    ParserCase("f", "lookup") { $0.operands = ["f", "lookup"] },
    ParserCase("report", "f") { $0.operands = ["report", "f"] },

    ParserCase("--help") { $0.printout = .longHelp },
    ParserCase("-h") { $0.printout = .shortHelp },
    ParserCase("help") { $0.printout = .longHelp },
    ParserCase("help", "lookup") { ($0.verb, $0.printout) = (.lookup, .longHelp) },
    ParserCase("lookup", "-h") { ($0.verb, $0.printout) = (.lookup, .shortHelp) },
    ParserCase("-V") { $0.printout = .version },
    ParserCase("--generate=zsh") { $0.printout = .generated(.zsh) },
  ]

  @Test(arguments: right) func validCommandLine(_ example: ParserCase) throws {
    var expected = Options()
    example.set(&expected)
    #expect(try parseArguments(example.arguments) == expected)
  }

  static let wrong: [MistakeCase] = [
    MistakeCase("--frmat=json", message: "unknown option '--frmat'; did you mean '--format'?"),
    MistakeCase("--form", "json", message: "unknown option '--form'; did you mean '--format'?"),
    MistakeCase("--colour=never", message: "unknown option '--colour'; did you mean '--color'?"),
    MistakeCase("--all-thraeds", message: "unknown option '--all-thraeds'; did you mean '--all-threads'?"),
    MistakeCase("--quiet", message: "unknown option '--quiet'"),
    MistakeCase("--=x", message: "unknown option '--'"),
    MistakeCase("-x", message: "unknown option '-x'"),
    MistakeCase("-ax", message: "unknown option '-x'"),
    MistakeCase("-strict", message: "unknown option '-s'; did you mean '--strict'?"),
    MistakeCase("--format", message: "option '--format' needs a value: FORMAT"),
    MistakeCase("a", "-o", message: "option '-o' needs a value: [FORMAT=]FILE"),
    MistakeCase("--strict=yes", "a", message: "option '--strict' takes no value, but 'yes' was given"),
    MistakeCase("--strict=", "a", message: "option '--strict' takes no value, but '' was given"),
    MistakeCase("-f", "xml", "a", message: "option '-f': 'xml' is not one of \(formats)"),
    MistakeCase(
      "--format=tsv", "a",
      message:
        "option '--format': 'tsv' is not one of \(formats); it belongs to 'crashread lookup'"),
    MistakeCase("--format=", "a", message: "option '--format': '' is not one of \(formats)"),
    MistakeCase("--color=red", "a", message: "option '--color': 'red' is not one of auto, always, never"),
    MistakeCase("--output=", "a", message: "option '--output': '' is not a path"),
    MistakeCase("--path-map=/a", "a", message: "option '--path-map': '/a' is not OLD=NEW"),
    MistakeCase(
      "--limit=threads=0", "a",
      message:
        "option '--limit': 'threads=0' is not report-size=N, reports=N, threads=N, frames=N, images=N, "
        + "json-depth=N, inline-depth=N, unit-size=N, archive-size=N"),
    MistakeCase(
      "--limit=depth=1", "a",
      message:
        "option '--limit': 'depth=1' is not report-size=N, reports=N, threads=N, frames=N, images=N, "
        + "json-depth=N, inline-depth=N, unit-size=N, archive-size=N"),
    MistakeCase("--path-map==/b", "a", message: "option '--path-map': '=/b' is not OLD=NEW"),
    MistakeCase(
      "--arch=arm64", "a",
      message:
        "option '--arch' can't be used with 'crashread'; it belongs to 'crashread lookup' and 'crashread symbols'"
    ),
    MistakeCase(
      "lookup", "-a", "f", "1",
      message:
        "option '-a' can't be used with 'crashread lookup'; it belongs to 'crashread' and 'crashread ci'"),
    MistakeCase(
      "lookup", "--uuid=xyz", "f", "1", message: "option '--uuid': 'xyz' is not a UUID or a build-id"),
    MistakeCase(
      "lookup", "--arch=", "f", "1", message: "option '--arch': '' is not a name such as arm64"),
    MistakeCase(
      message: "no report given; usage: crashread [OPTION]... REPORT... [DEBUGFILE|DIRECTORY]..."),
    MistakeCase(
      "lookup", message: "no debug file given; usage: crashread lookup [OPTION]... DEBUGFILE [ADDRESS]..."),
    MistakeCase("lookup", "f", "main", message: "lookup: 'main' is not a hexadecimal address"),
    MistakeCase("lookup", "f", "0x", message: "lookup: '0x' is not a hexadecimal address"),
    MistakeCase("lookup", "f", "+1", message: "lookup: '+1' is not a hexadecimal address"),
    MistakeCase(
      "lookup", "f", "10000000000000000", message: "lookup: '10000000000000000' is not a hexadecimal address"),
    MistakeCase(
      "batch", "-", message: "batch: '-' is not a path; --files-from=- and --records read standard input"),
    MistakeCase("batch", "-j0", "r", message: "option '-j': '0' is not a number from 1 to 1024"),
    MistakeCase(
      "batch", "--memory=9Z", message: "option '--memory': '9Z' is not a size such as 65536, 512M or 2G"),
    MistakeCase(
      "batch", "--memory=99999999999G",
      message: "option '--memory': '99999999999G' is not a size such as 65536, 512M or 2G"),
    MistakeCase("batch", "--isolate=no", message: "option '--isolate': 'no' is not one of on, off"),
    MistakeCase("batch", "-ox", "-oy", "r", message: "batch: unexpected operand '--output=y'"),
    MistakeCase("help", "lokup", message: "help: there is no command 'lokup'; did you mean 'lookup'?"),
    MistakeCase("help", "dance", message: "help: there is no command 'dance'"),
    MistakeCase("help", "lookup", "me", message: "help: unexpected operand 'me'"),
  ]

  @Test(arguments: wrong) func invalidCommandLine(_ example: MistakeCase) {
    let error = #expect(throws: UsageError.self) { try parseArguments(example.arguments) }
    #expect(error?.message == example.message)
  }

  @Test func hintNamesTheVerb() {
    let lookup = #expect(throws: UsageError.self) { try parseArguments(["lookup"]) }
    #expect(lookup?.hint == "Try 'crashread lookup --help'.")
    let main = #expect(throws: UsageError.self) { try parseArguments([]) }
    #expect(main?.hint == "Try 'crashread --help'.")
  }

  @Test func longUnknownOptionsHaveNoSuggestion() {
    let name = String(repeating: "format", count: 100_000)
    #expect(throws: UsageError.unknownOption("--" + name, nearest: nil)) { try parseArguments(["--" + name]) }
  }
}
