internal import CrashRead
internal import CrashReadCore
internal import CrashReadRendering
internal import CrashReadSystem

/// `crashread mcp`: the Model Context Protocol on standard input and output, one message per line.
///
/// Each tool is a command line of this program that runs in a process of its own, with limits, so that no report can
/// harm the server.
struct MCPServer {
  private let runner: ToolRunner
  private var version = ProtocolVersion.lastWithHandshake

  /// The maximum size of a message in bytes. JSON at most doubles the size of a text, when it consists of newlines and
  /// quotation marks.
  private let messageLimit: Int

  /// Serves until standard input ends, or the client closes standard output.
  static func run(_ options: Options, on console: inout Console) -> ExitStatus {
    for path in options.roots + options.symbols where (try? fileKind(path)) == nil {
      console.error("there is no such file or directory", file: path)
      return .failure
    }
    var server = MCPServer(options)
    return server.serve(&console)
  }

  /// A server. Changes the working directory to `/`, so that relative paths resolve to nothing useful.
  private init(_ options: Options) {
    messageLimit = 2 * options.limits.reportSize + 65_536
    runner = ToolRunner(options)
    changeToRootDirectory()
  }

  private mutating func serve(_ console: inout Console) -> ExitStatus {
    var lines = LineReader(
      descriptor: standardInput, separator: UInt8(ascii: "\n"), limit: messageLimit)
    while true {
      var reply: String?
      switch lines.next() {
      case .wait: waitForBytes(standardInput, milliseconds: -1)
      case .end: return .success
      case .failed: return .failure
      case .tooLong: reply = rpcAnswer(.null, .failure(.tooLong))
      case .line(let line): reply = answer(line)
      }
      if let reply, !console.write(lines: Array((reply + "\n").utf8)) { return .success }
    }
  }

  /// The response to a line; nil when there is none.
  mutating func answer(_ line: [UInt8]) -> String? {
    if line.allSatisfy(\.isWhitespace) { return nil }
    guard let message = JSONValue(document: line) else { return rpcAnswer(.null, .failure(.parse)) }
    let messages = message.elements
    guard version.hasBatches, !messages.isEmpty else { return answer(message) }
    let answers = messages.compactMap { answer($0) }
    return answers.isEmpty ? nil : "[" + answers.joined(separator: ",") + "]"
  }

  private mutating func answer(_ message: JSONValue) -> String? {
    do throws(RPCError) {
      let request = try RPCRequest(message)
      guard let id = request.id else { return nil }
      do throws(RPCError) {
        return rpcAnswer(id, .success(try result(of: request)))
      } catch {
        return rpcAnswer(id, .failure(error))
      }
    } catch {
      return rpcAnswer(RPCIdentity(message["id"]) ?? .null, .failure(error))
    }
  }

  private mutating func result(of request: RPCRequest) throws(RPCError) -> String {
    let style = try ResultStyle(of: request)
    switch request.method {
    case "initialize":
      version = .negotiated(request.params["protocolVersion"].string)
      return style.document { json in
        json.field("protocolVersion", version.rawValue)
        writeServer(to: &json)
      }
    case "server/discover":
      return style.document(isCacheable: true) { json in
        json.strings("supportedVersions", ProtocolVersion.allCases.map(\.rawValue))
        writeServer(to: &json)
      }
    case "ping": return style.document { _ in }
    case "tools/list":
      return style.document(isCacheable: true) { json in
        json.array("tools", tools) { json, tool in json.object { tool.write(to: &$0) } }
      }
    case "tools/call": return try call(request.params, style)
    default: throw .unknownMethod(request.method)
    }
  }

  private func call(_ params: JSONValue, _ style: ResultStyle) throws(RPCError) -> String {
    guard let name = params["name"].string, let tool = tools.first(where: { $0.name == name }) else {
      throw .invalidParams("unknown tool")
    }
    let outcome = runner.run(tool, params["arguments"])
    return style.document { json in
      json.array("content", [outcome.text]) { json, text in
        json.object { json in
          json.field("type", "text")
          json.field("text", text)
        }
      }
      json.field("isError", outcome.isError)
    }
  }

  private func writeServer(to json: inout JSONWriter) {
    json.object("capabilities") { $0.object("tools") { _ in } }
    json.object("serverInfo") { writeIdentity(to: &$0) }
    json.field("instructions", instructions)
  }

  private var instructions: String {
    let roots = runner.roots.paths.joined(separator: ", ")
    return
      "Reads crash reports and debug files below: \(roots.isEmpty ? "nothing; give reports as text" : roots). "
      + "Begin with analyze; it is brief, and says how to get more. Everything is read only."
  }
}

/// The server's name and version.
private func writeIdentity(to json: inout JSONWriter) {
  json.field("name", "crashread")
  json.field("version", Version.number)
}

/// Members that a result needs in revisions without a handshake.
private struct ResultStyle {
  private let isStateless: Bool

  init(of request: RPCRequest) throws(RPCError) {
    let asked = request.params["_meta"][ProtocolVersion.metaKey]
    guard let text = asked.anyText else {
      isStateless = request.method == "server/discover"
      return
    }
    guard ProtocolVersion(rawValue: text) != nil else { throw .unsupportedVersion(text) }
    isStateless = text == ProtocolVersion.july2026.rawValue || request.method == "server/discover"
  }

  func document(isCacheable: Bool = false, _ body: (inout JSONWriter) -> Void) -> String {
    var writer = JSONWriter(isOneLine: true)
    writer.object { json in
      body(&json)
      guard isStateless else { return }
      json.field("resultType", "complete")
      if isCacheable {
        json.field("ttlMs", 3_600_000)
        json.field("cacheScope", "private")
      }
      json.object("_meta") { json in
        json.object("io.modelcontextprotocol/serverInfo") { writeIdentity(to: &$0) }
      }
    }
    return writer.text
  }
}
