internal import CrashRead
internal import CrashReadSystem

/// Runs tools, each in a process of its own.
struct ToolRunner {
  let roots: RootFolders
  private let options: Options

  init(_ options: Options) {
    var options = options
    options.roots = options.roots.map(canonicalPath)
    options.symbols = options.symbols.map(canonicalPath)
    roots = RootFolders(options.roots)
    // Source lines are shown only of files below the roots.
    options.sourceRoots = roots.paths
    if let cache = options.cache, cache != "off" { options.cache = canonicalPath(cache) }
    self.options = options
  }

  /// The result of a tool.
  struct Outcome: Equatable {
    var text: String
    var isError = false
  }

  func run(_ tool: ToolDefinition, _ arguments: JSONValue) -> Outcome {
    do throws(ToolCall.Refusal) {
      let known = tool.arguments.map(\.name) + tool.options.map(\.long)
      if let other = arguments.members.first(where: { !known.contains($0.name) }) {
        throw .init(
          message: "\(tool.name) takes no \(other.name.prefix(100)), only \(known.joined(separator: ", "))")
      }
      let taken = ToolArguments(values: arguments, sizeLimit: options.limits.reportSize)
      let call = try tool.call(taken, roots)
      var commandLine = tool.verb == .report ? [] : [tool.verb.rawValue]
      commandLine += options.arguments(for: tool.verb)
      for option in tool.options { commandLine += try option.arguments(for: arguments[option.long]) }
      let symbolPaths = tool.verb == .symbols ? options.symbols : []
      return outcome(of: commandLine + call.arguments + symbolPaths, call.input)
    } catch {
      return Outcome(text: error.message, isError: true)
    }
  }

  private func outcome(of commandLine: [String], _ input: [UInt8]) -> Outcome {
    do throws(UsageError) { _ = try parseArguments(commandLine) } catch {
      return Outcome(text: error.message, isError: true)
    }
    let messages = TemporaryFile()
    let end = runProgram(
      [ownProgram] + commandLine, variables: ["SWIFT_BACKTRACE": "enable=no"],
      inherits: { !Self.locationVariables.contains(String($0)) }, input: input, errors: messages.stream,
      seconds: Self.timeFactor * options.workerLimits.seconds, limit: limit)
    let printed = messages.take()
    switch end {
    case .exited(let code, let output):
      let text = String(decoding: output, as: UTF8.self)
      if text.isEmpty { return Outcome(text: printed, isError: code != 0) }
      return Outcome(text: text)
    case .signalled:
      return Outcome(text: "the process that read it was terminated by a signal", isError: true)
    case .stopped:
      return Outcome(
        text:
          "it took more than \(Self.timeFactor * options.workerLimits.seconds) seconds, or the result is larger "
          + "than \(limit) bytes: request less", isError: true)
    case .failed(let error): return Outcome(text: "cannot start a process: \(error.reason)", isError: true)
    }
  }

  private var limit: Int { options.workerLimits.resultSize ?? WorkerLimits.resultSizeOfTool }

  /// The multiple of a report's time limit that a tool may take: a report that takes too long is read once more without
  /// debug files.
  private static let timeFactor = 3
  /// Variables that name paths outside the roots, or that change the output.
  private static let locationVariables: Set = [
    "CRASHREAD_SYMBOL_PATH", "GITHUB_WORKSPACE", "CI_PROJECT_DIR", "GITHUB_ACTIONS", "GITLAB_CI", "COLUMNS",
  ]
}
