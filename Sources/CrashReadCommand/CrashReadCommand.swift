internal import CrashRead
internal import CrashReadBatch
internal import CrashReadCore
internal import CrashReadSystem

/// The program `crashread`: parses, runs, exits.
#if !FUZZING  // libFuzzer's library has `main`
  @main
#endif
enum CrashReadCommand {
  static let summary = "say where an Apple program died, and why"

  static func main() {
    BatchWorker.runIfRequested()
    MappingGuard.install()
    var console = Console()
    var arguments = Array(CommandLine.arguments.dropFirst())
    let refusals = CrashRecovery.refusals(from: &arguments)
    let isGathered = arguments.first == CrashRecovery.gatheredArgument
    if isGathered { arguments.removeFirst() }
    let status = run(arguments, without: refusals, isGathered: isGathered, on: &console)
    exitProcess(console.finish(status).code)
  }

  private static func run(
    _ arguments: [String], without refusals: SymbolStore.Refusals, isGathered: Bool,
    on console: inout Console
  ) -> ExitStatus {
    var options: Options
    do throws(UsageError) {
      options = try parse(arguments)
      (options.refusals, options.isGathered) = (refusals, isGathered)
    } catch {
      console.error(error.message)
      console.error(error.hint)
      return .usage
    }
    guard let printout = options.printout else { return perform(options, on: &console) }
    console.write(text(of: printout, for: options.verb, columns: console.width))
    return .success
  }

  /// A report on a pipe needs no `-` on the command line.
  private static func parse(_ arguments: [String]) throws(UsageError) -> Options {
    do throws(UsageError) {
      return try parseArguments(arguments)
    } catch {
      guard case .operand(.missing, of: .report) = error, hasPipedInput() else { throw error }
      return try parseArguments(arguments + ["-"])
    }
  }

  private static func text(of printout: Printout, for verb: Verb, columns: Int?) -> String {
    // Long lines are hard to read, and short ones break the columns of help.
    let width = min(max(columns ?? 80, 60), 100)
    return switch printout {
    case .shortHelp: Help(verb: verb, isLong: false, width: width).text
    case .longHelp: Help(verb: verb, isLong: true, width: width).text
    case .version: Version.text + "\n"
    case .generated(.man): ManPage().text
    case .generated(.bash): bashCompletion()
    case .generated(.zsh): zshCompletion()
    case .generated(.fish): fishCompletion()
    }
  }
}

/// Runs the job given by the options.
func perform(_ options: Options, on console: inout Console) -> ExitStatus {
  switch options.verb {
  case .report, .help:
    var job = ReportJob(options, console.environment)
    return job.run(on: &console)
  case .ci:
    var job = CIJob(options, console.environment)
    return job.run(on: &console)
  case .batch: return BatchJob.run(options, on: &console)
  case .lookup:
    var job = LookupJob(options)
    return job.run(on: &console)
  case .symbols: return SymbolsJob(options).run(on: &console)
  case .kind:
    var job = KindJob(options)
    return job.run(on: &console)
  case .mcp: return MCPServer.run(options, on: &console)
  case .anonymize:
    var job = AnonymizeJob(options)
    return job.run(on: &console)
  case .explain: return ExplainJob(options, console.environment).run(on: &console)
  }
}
