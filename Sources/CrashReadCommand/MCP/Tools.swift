internal import CrashRead
internal import CrashReadSystem

/// Every tool, in the order in which a client sees them.
let tools = [analyzeTool, threadTool, lookupTool, explainTool, symbolsTool, listTool, groupTool]

private let reportArguments: [ToolDefinition.Argument] = [
  .init(name: "path", kind: .text, summary: "The report's file, below a root"),
  .init(name: "text", kind: .text, summary: "The report itself, instead of path"),
]

private let symbolPaths = ToolDefinition.Argument(
  name: "symbols", kind: .texts,
  summary: "Debug files, dSYM bundles and directories of them, below a root; besides those the server knows")

private let analyzeTool = ToolDefinition(
  name: "analyze", title: "Analyze a crash report",
  summary: """
    Say where and why a program died: the verdict with its evidence, the blamed line with its source, the frames that \
    matter, variables, and what is missing. Reads Apple's crash reports (.ips, .crash), logs and the reports of crash \
    reporters. Brief unless detail says otherwise.
    """,
  verb: .report,
  arguments: reportArguments + [
    symbolPaths,
    .init(
      name: "detail", kind: .choice(["brief", "text", "json"]),
      summary: "brief is a few lines; text is the full report; json is everything"),
  ],
  optionNames: ["all-threads", "why", "variables", "code", "lang"]
) { (arguments, roots) throws(ToolCall.Refusal) in
  let report = try arguments.report(roots)
  let form: [String]
  switch try arguments.text("detail") ?? "brief" {
  case "brief": form = ["--brief=tools"]
  case "text": form = []
  case "json": form = ["--format=json"]
  case let other: throw .init(message: "detail must be brief, text or json, not \(other)")
  }
  return ToolCall(
    arguments: form + (try arguments.paths("symbols", roots)).map { "--symbols=" + $0 } + ["-"], input: report
  )
}

private let threadTool = ToolDefinition(
  name: "thread", title: "Show a thread of a crash report",
  summary: "The whole backtrace of one thread, with functions, files, lines and variables.",
  verb: .report,
  arguments: reportArguments + [
    symbolPaths,
    .init(name: "number", kind: .number, summary: "The thread's number in the report", isRequired: true),
  ],
  optionNames: ["variables", "lang"]
) { (arguments, roots) throws(ToolCall.Refusal) in
  let number = try arguments.required("number", arguments.number("number"))
  return ToolCall(
    arguments: ["--thread=\(number)"] + (try arguments.paths("symbols", roots)).map { "--symbols=" + $0 } + [
      "-"
    ],
    input: try arguments.report(roots))
}

private let lookupTool = ToolDefinition(
  name: "lookup", title: "Look up addresses",
  summary: """
    Find the functions, files and lines of addresses in a debug file, inlined calls first: link-time addresses, or with \
    load-address those of a crashed process.
    """,
  verb: .lookup,
  arguments: [
    .init(name: "file", kind: .text, summary: "The debug file, below a root", isRequired: true),
    .init(name: "addresses", kind: .texts, summary: "Hexadecimal addresses", isRequired: true),
  ],
  optionNames: ["load-address", "arch", "uuid", "return-addresses"]
) { (arguments, roots) throws(ToolCall.Refusal) in
  let file = try arguments.required("file", arguments.text("file"))
  let path = try arguments.confined { () throws(RootFolders.Refusal) in try roots.debugFile(file) }
  let addresses = try arguments.texts("addresses")
  if addresses.isEmpty { throw .init(message: "addresses is missing") }
  return ToolCall(arguments: ["--", path] + addresses)
}

private let explainTool = ToolDefinition(
  name: "explain", title: "Explain codes and messages",
  summary: """
    What exception types, termination codes, signals, processor state, messages and broken contracts of APIs mean. No \
    report is needed.
    """,
  verb: .explain,
  arguments: [
    .init(
      name: "queries", kind: .texts, summary: "Codes, names or messages: 0x8badf00d, EXC_GUARD, brk 1",
      isRequired: true)
  ],
  optionNames: ["lang"]
) { (arguments, _) throws(ToolCall.Refusal) in
  let queries = try arguments.texts("queries")
  if queries.isEmpty { throw .init(message: "queries is missing") }
  return ToolCall(arguments: ["--"] + queries)
}

private let symbolsTool = ToolDefinition(
  name: "symbols", title: "Find debug files",
  summary: """
    For each image of the app in a report: the debug file it needs, the files that are available and what they are, and \
    how to get the right one.
    """,
  verb: .symbols, arguments: reportArguments + [symbolPaths], optionNames: ["lang"]
) { (arguments, roots) throws(ToolCall.Refusal) in
  ToolCall(
    arguments: ["--for=-", "--"] + (try arguments.paths("symbols", roots)), input: try arguments.report(roots)
  )
}

private let folderArgument = ToolDefinition.Argument(
  name: "path", kind: .text, summary: "The directory, below a root; without it the first root")

private let listTool = ToolDefinition(
  name: "list", title: "List reports",
  summary:
    "The crash reports in a directory, one line each: file, format, subject, process, exception.",
  verb: .kind, arguments: [folderArgument]
) { (arguments, roots) throws(ToolCall.Refusal) in
  // The maximum number of files that are listed: more are of no use to a reader, and don't fit on a command line.
  let maximumFiles = 500
  let files = try arguments.files(roots)
  return ToolCall(arguments: ["--"] + files.suffix(maximumFiles))
}

private let groupTool = ToolDefinition(
  name: "group", title: "Group reports",
  summary: "The crashes in a directory, equal ones grouped, the most frequent first.",
  verb: .batch, arguments: [folderArgument], optionNames: ["lang"]
) { (arguments, roots) throws(ToolCall.Refusal) in
  let files = try arguments.files(roots)
  return ToolCall(
    arguments: ["--summary=text", "--files-from=-", "--null"],
    input: Array(files.map { Array($0.utf8) }.joined(separator: [0])))
}

extension ToolArguments {
  fileprivate func files(_ roots: RootFolders) throws(ToolCall.Refusal) -> [String] {
    let path = try text("path") ?? "."
    let files = try confined { () throws(RootFolders.Refusal) in try roots.files(in: path) }
    if files.isEmpty { throw .init(message: "no file is in \(path)") }
    return files
  }
}

extension RootFolders {
  /// The file at a path, or the only one in the dSYM bundle at the path.
  fileprivate func debugFile(_ path: String) throws(Refusal) -> String {
    guard let bundle = try? realPath(of: path, [.directory]) else { return try realPath(of: path) }
    let folder = bundle + "/Contents/Resources/DWARF"
    let names = (try? directoryEntries(folder)) ?? []
    guard names.count == 1 else {
      throw Refusal(message: "cannot read \(path): it is a directory, and no dSYM bundle of one file")
    }
    return try realPath(of: folder + "/" + names[0])
  }
}
