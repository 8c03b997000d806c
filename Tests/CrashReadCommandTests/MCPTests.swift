import Foundation
import TestSupport
import Testing

/// `crashread mcp` of the built program.
@Suite struct MCPTests {
  /// What the server responded with to some lines, one after another.
  private func serve(
    _ lines: [String], _ arguments: [String] = ["--root", Samples.path("")]
  ) throws -> [[String: Any]] {
    let run = try CommandRun.crashread(
      ["mcp"] + arguments, input: lines.map { $0 + "\n" }.joined())
    #expect(run.outcome == .exited(0))
    #expect(run.errors == "")
    return try run.output.split(separator: "\n").map {
      try #require(try JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])
    }
  }

  private func call(_ id: Int, _ tool: String, _ arguments: String) -> String {
    #"{"jsonrpc":"2.0","id":\#(id),"method":"tools/call","params":{"name":"\#(tool)","arguments":\#(arguments)}}"#
  }

  /// The text of a tool's answer, and whether it is an error.
  private func content(_ answer: [String: Any]) throws -> (text: String, isError: Bool) {
    let result = try #require(answer["result"] as? [String: Any])
    let content = try #require(result["content"] as? [[String: Any]])
    return (try #require(content.first?["text"] as? String), result["isError"] as? Bool == true)
  }

  private func code(_ answer: [String: Any]) -> Int? {
    (answer["error"] as? [String: Any])?["code"] as? Int
  }

  @Test func sessionFindsTheLine() throws {
    let answers = try serve(
      [
        #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#,
        #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#,
        call(2, "list", #"{"path":"reports/ips"}"#),
        call(3, "analyze", #"{"path":"reports/ips/HogeApp.ips"}"#),
        call(4, "thread", #"{"path":"reports/ips/HogeApp.ips","number":1}"#),
        call(5, "lookup", #"{"file":"symbols/HogeApp.app.dSYM","addresses":["0x1000040dc"]}"#),
        call(6, "explain", #"{"queries":["0x8badf00d"],"lang":"ja"}"#),
        call(7, "symbols", #"{"path":"reports/ips/HogeApp.ips"}"#),
        call(8, "group", #"{"path":"reports/ips"}"#),
      ],
      ["--root", Samples.path(""), "--root", Samples.path("sources"), "--symbols", Samples.path("symbols")])
    #expect(answers.map { "\($0["id"] ?? "none")" } == ["a", "1", "2", "3", "4", "5", "6", "7", "8"])
    let start = try #require(answers[0]["result"] as? [String: Any])
    #expect(start["protocolVersion"] as? String == "2025-06-18")
    #expect((start["serverInfo"] as? [String: Any])?["name"] as? String == "crashread")
    let list = try #require((answers[1]["result"] as? [String: Any])?["tools"] as? [[String: Any]])
    #expect(
      list.map { $0["name"] as? String } == [
        "analyze", "thread", "lookup", "explain", "symbols", "list", "group",
      ])
    let texts = try answers.dropFirst(2).map { try content($0) }
    #expect(texts.allSatisfy { !$0.isError })
    #expect(texts[0].text.contains("HogeApp.ips: ips crash HogeApp 1.0 EXC_BREAKPOINT (SIGTRAP)\n"))
    #expect(texts[1].text.contains("Fuga.swift:17:31\n") && texts[1].text.utf8.count <= 4096)
    #expect(texts[1].text.contains("> 17:         return value(of: name)!"))
    #expect(texts[1].text.contains("thread {number} (3)"))
    #expect(texts[2].text == "Thread 1\n    0  libsystem_pthread.dylib  start_wqthread + 0\n")
    #expect(texts[3].text.hasPrefix("0x1000040dc"))
    #expect(texts[4].text.contains("メインスレッド"))
    #expect(texts[5].text.hasPrefix("HogeApp 1.0 (1): its debug file is available\n"))
    #expect(texts[6].text.hasPrefix("7 reports in 7 groups\n"))
  }

  @Test(arguments: [
    ("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"), ("1999-01-01", "2025-11-25"),
    ("2026-07-28", "2025-11-25"),
  ])
  func handshakeNegotiatesARevision(_ asked: String, _ agreed: String) throws {
    let answers = try serve([
      #"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"\#(asked)"}}"#
    ])
    #expect((answers[0]["result"] as? [String: Any])?["protocolVersion"] as? String == agreed)
  }

  /// The revision of 2026-07-28: no handshake, and each request states its revision.
  @Test func requestsWithoutHandshakeAreServed() throws {
    func meta(_ version: String) -> String {
      #""_meta":{"io.modelcontextprotocol/protocolVersion":"\#(version)","io.modelcontextprotocol/clientCapabilities":{}}"#
    }
    let answers = try serve([
      #"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{\#(meta("2026-07-28"))}}"#,
      #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"explain","arguments":{"queries":["brk 1"]},\#(meta("2026-07-28"))}}"#,
      #"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{\#(meta("2099-01-01"))}}"#,
    ])
    let discovered = try #require(answers[0]["result"] as? [String: Any])
    #expect((discovered["supportedVersions"] as? [String])?.last == "2026-07-28")
    #expect(discovered["resultType"] as? String == "complete" && discovered["ttlMs"] != nil)
    #expect((answers[1]["result"] as? [String: Any])?["resultType"] as? String == "complete")
    #expect(code(answers[2]) == -32022)
  }

  @Test func requestsStayInRootsAndServerSurvives() throws {
    let directory = try TemporaryDirectory()
    for name in ["outside", "root"] { try directory.makeDirectory(name) }
    try directory.write("secret", to: "outside/secret.crash")
    try directory.write("inside", to: "root/inside.crash")
    let root = directory.url.appending(path: "root")
    try directory.link("root/link", to: directory.path("outside"))
    try directory.link("root/file.crash", to: "../outside/secret.crash")
    try directory.makePipe("root/pipe")
    let paths = [
      "../outside/secret.crash", "link/secret.crash", "file.crash", "/etc/passwd", "pipe", ".",
      root.path + "/../outside/secret.crash", "nothing", "inside.crash\\u0000", "/dev/zero",
    ]
    var lines = paths.enumerated().map { call($0.offset, "analyze", #"{"path":"\#($0.element)"}"#) }
    lines += [
      call(20, "analyze", #"{"path":"inside.crash","--output":"x"}"#), call(21, "analyze", "[]"),
      call(22, "thread", #"{"path":"inside.crash","number":-1}"#),
      call(23, "lookup", #"{"file":"inside.crash","addresses":["--output=x"]}"#),
      call(24, "explain", #"{"queries":["--list"]}"#), call(25, "list", #"{"path":"link"}"#),
      call(26, "analyze", #"{"text":"x","lang":"en --output=x"}"#),
    ]
    let bad: [(line: String, code: Int)] = [
      ("{", -32700), ("[]", -32600), ("1", -32600), (#"{"id":1,"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#, -32600),
      (#"{"jsonrpc":"2.0","id":1,"method":"none"}"#, -32601), (call(1, "none", "{}"), -32602),
      (String(repeating: "[", count: 100_000), -32700),
    ]
    lines += bad.map(\.line) + [#"{"jsonrpc":"2.0","id":99,"method":"ping"}"#]
    let answers = try serve(lines, ["--root", root.path])
    try #require(answers.count == lines.count)
    for answer in answers.prefix(paths.count + 7) {
      let content = try content(answer)
      #expect(content.isError, "\(answer)")
      #expect(!content.text.contains("root:") && !content.text.contains("\"secret\""))
    }
    #expect(answers.dropFirst(paths.count + 7).dropLast().map { code($0) } == bad.map(\.code))
    #expect(answers.last?["id"] as? Int == 99 && answers.last?["result"] != nil)
  }

  @Test func overlongMessagesAndReportsAreRejected() throws {
    let long = call(1, "analyze", #"{"text":"\#(String(repeating: "a", count: 300_000))"}"#)
    let answers = try serve(
      [long, #"{"jsonrpc":"2.0","id":2,"method":"ping"}"#], ["--limit", "report-size=65536"])
    #expect(answers.map { code($0) } == [-32600, nil])
    let small = try serve(
      [call(1, "analyze", #"{"path":"reports/ips/HogeApp.ips","detail":"json"}"#)],
      ["--root", Samples.path(""), "--max-result-size", "1K"])
    #expect(try content(small[0]).isError)
  }
}
