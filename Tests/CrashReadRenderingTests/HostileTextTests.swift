import CrashRead
import CrashReadDiagnosis
import CrashReadVerdict
import Foundation
import Testing

@testable import CrashReadRendering

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Texts with a meaning for a terminal, a CI runner, a browser, or a parser of XML, Markdown or JSON.
private let hostileTexts = [
  "\u{1b}[2J\u{1b}]0;x\u{7}", "\u{9b}2J", "a\rb", "x\u{202e}y\u{2066}z", "b\u{8}", "calm\nThread 9 crashed",
  "::error file=a::b", "\n::error::forged", "a%0A::error::forged", "##[error]x", "###[error]x",
  "\u{a0}::error::x", " ::error::x", ": :error::x", ":::error::x", "a,title=b:c",
  "\n::stop-commands::x",
  "</script><script>alert(1)</script>", "\" onmouseover=\"alert(1)", "' x='", "<!--", "-->", "<img src=x>",
  "]]>", "<![CDATA[", "&lt;&#10;&", "\u{0}\u{fffe}\u{ffff}", "| a | b", "`code` ``` ````", "\n```\n# heading",
  "[a](javascript:x) ![i](y) @team #1 **b** $x$",
  "see GH-7 gh-7, !123 %4 &5, https://example.com www.example.com", "/close", "/assign @me", "- x", "1. x",
  "===", "+ x", "{\"a\": 1}", "\\", "\\u0041", "\"", "%", "\u{2028}", "",
]

@Suite("Hostile texts")
struct HostileTextTests {
  @Test(
    "contain no control sequences and don't change the text direction", arguments: OutputFormat.allCases,
    hostileTexts)
  func areVisible(_ format: OutputFormat, _ text: String) {
    let output = rendered([exampleAnalysis(text)], as: format) { $0.showsAllThreads = true }
    let acting = output.unicodeScalars.filter {
      let category = $0.properties.generalCategory
      return $0 != "\n" && $0 != "\u{200b}" && [.control, .format, .lineSeparator].contains(category)
    }
    // Apple's text has tabs.
    #expect(acting.filter { format != .crash || $0 != "\t" }.isEmpty, "\(acting)")
  }

  /// Control sequences of terminals, and lines that a runner interprets as commands.
  private func dangers(_ output: String, isPage: Bool = false) -> [String] {
    let acting = output.unicodeScalars.filter {
      $0 != "\n" && $0 != "\u{200b}"
        && [.control, .format, .lineSeparator].contains($0.properties.generalCategory)
    }
    let lines = output.split(separator: "\n").filter {
      $0.drop(while: \.isWhitespace).hasPrefix("::") || !isPage && $0.contains("##[")
    }
    return acting.map { "\($0.escaped(asASCII: true))" } + lines.map(String.init)
  }

  @Test("are escaped in a brief answer", arguments: BriefAudience.allCases, hostileTexts)
  func brief(_ audience: BriefAudience, _ text: String) throws {
    for format in [OutputFormat.text, .json] {
      let output = rendered([exampleAnalysis(text)], as: format) { $0.brief = audience }
      #expect(dangers(output) == [])
      if format == .json { _ = try JSONSerialization.jsonObject(with: Data(output.utf8)) }
    }
  }

  @Test("are escaped in groups and their comparison", arguments: SummaryFormat.allCases, hostileTexts)
  func groups(_ format: SummaryFormat, _ text: String) throws {
    func groups(_ text: String) -> CrashGroups {
      var groups = CrashGroups()
      groups.add(CrashOccurrence(input: text, diagnosis: exampleAnalysis(text).diagnosis))
      return groups
    }
    let (mild, wild, style) = (groups("calm"), groups(text), RenderingStyle())
    let outputs = [
      format.text(wild, style: style), format.text(CrashComparison(before: mild, now: wild), style: style),
      format.text(CrashComparison(before: wild, now: mild), style: style),
    ]
    for output in outputs {
      #expect(dangers(output, isPage: format == .html) == [])
      if format == .json { _ = try JSONSerialization.jsonObject(with: Data(output.utf8)) }
      if format == .html { #expect(!output.contains("<script>alert") && !output.contains("<img src=x")) }
    }
  }

  @Test("aren't commands to the CI runner that reads the log", arguments: OutputFormat.allCases, hostileTexts)
  func commands(_ format: OutputFormat, _ text: String) {
    // Reports written back are unchanged, and one form consists of commands.
    if [.ips, .github].contains(format) { return }
    let output = rendered([exampleAnalysis(text), exampleAnalysis("words before " + text)], as: format) {
      ($0.width, $0.showsAllThreads) = (60, true)
    }
    for line in output.split(separator: "\n") {
      #expect(!line.drop(while: \.isWhitespace).hasPrefix("::") && !line.contains("##["), "\(line)")
    }
  }

  @Test("are one GitHub command a report, which the runner reads back", arguments: hostileTexts)
  func github(_ text: String) throws {
    let lines = rendered([exampleAnalysis(text), exampleAnalysis(text)], as: .github).split(separator: "\n")
    #expect(lines.count == 2)
    for line in lines {
      let command = try #require(WorkflowCommand(line))
      #expect(command.name == "error")
      #expect(
        Set(command.properties.keys)
          == (text.isEmpty ? ["line", "col", "title"] : ["file", "line", "col", "title"]))
      if !text.isEmpty { #expect(command.properties["file"] == plainText(text)) }
      #expect(command.message.hasPrefix(plainText(text)))
      #expect(
        !command.message.split(separator: "\n").contains { $0.hasPrefix("::") && !text.hasPrefix("::") })
    }
  }

  @Test(
    "are JSON that another reader reads", arguments: [.json, .ndjson, .gitlab, .sarif] as [OutputFormat],
    hostileTexts)
  func json(_ format: OutputFormat, _ text: String) throws {
    let output = rendered([exampleAnalysis(text)], as: format)
    let value = try JSONSerialization.jsonObject(with: Data(output.utf8))
    #expect(format != .ndjson || output.split(separator: "\n").count == 1)
    if format == .json { #expect((value as? [String: Any])?["input"] as? String == text) }
  }

  @Test("are well-formed XML for another parser", arguments: hostileTexts)
  func junit(_ text: String) throws {
    let output = rendered([exampleAnalysis(text)], as: .junit)
    let reader = ElementReader()
    let parser = XMLParser(data: Data(output.utf8))
    parser.delegate = reader
    #expect(parser.parse(), "\(String(describing: parser.parserError))")
    #expect(
      reader.names == [
        "testsuites", "testsuite", "properties", "testcase", "error", "system-out", "system-err",
      ])
    let message = try #require(reader.attributes["error"]?["message"])
    #expect(message.hasSuffix(plainText(text)))
  }

  @Test("add no tags or attributes to the page", arguments: hostileTexts.filter { !$0.isEmpty })
  func html(_ text: String) {
    // Tags and attributes are those of a page with harmless texts.
    #expect(
      tags(rendered([exampleAnalysis(text)], as: .html))
        == tags(rendered([exampleAnalysis("calm")], as: .html)))
  }

  private func tags(_ page: String) -> [String] {
    let body = page.split(separator: "<body>", maxSplits: 1).last ?? ""
    return body.matches(of: /<[^>]*>/).map {
      String($0.output).replacing(/"[^"]*"/, with: "\"\"")
    }
  }

  @Test("stay inside Markdown's code and escapes", arguments: hostileTexts)
  func markdown(_ text: String) {
    let lines = rendered([exampleAnalysis(text)], as: .markdown).split(
      separator: "\n", omittingEmptySubsequences: false)
    var fence: Substring?
    for line in lines {
      if let open = fence {
        if line == open { fence = nil }
        continue
      }
      if line.hasPrefix("```") {
        fence = line.prefix { $0 == "`" }
        continue
      }
      let bare = line.replacing(/\\[\\`*_\[\]|~$]/, with: "")
      #expect(bare.replacing(/<\/?(code|details|summary)>/, with: "").contains("<") == false, "\(line)")
      #expect(!bare.contains("`") && !bare.contains("["), "\(line)")
      #expect(!bare.contains(/[@#][^\u{200b}# ]/), "\(line)")
      #expect(!bare.contains(/(?i)gh-[0-9]|[!^%][0-9]|&amp;[0-9]|:\/\/|\bwww\./), "\(line)")
      #expect(!line.contains(/^\s*([\/+=]|- [^*]|[0-9]+[.)] )/), "\(line)")
      if line.hasPrefix("|") { #expect(bare.count { $0 == "|" } == 4, "\(line)") }
    }
    #expect(fence == nil)
  }

  @Test("of half a megabyte are truncated in formats for people", arguments: OutputFormat.allCases)
  func size(_ format: OutputFormat) throws {
    let output = rendered([exampleAnalysis(String(repeating: "</script>", count: 60_000))], as: format)
    switch format {
    case .json, .ndjson:
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(output.utf8)) }
    // The path is a URI there, and a truncated one would be that of another file.
    case .sarif: #expect(output.utf8.count < 20_000_000)
    // Programs read these, and an event is read back.
    case .sentry, .sentryEnvelope, .bugsnag:
      for line in output.split(separator: "\n") {
        #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(line.utf8)) }
      }
    case .crash, .ips: break
    default: #expect(output.utf8.count < 500_000)
    }
  }
}

@Suite("Reports that are written back")
struct WrittenBackTests {
  @Test("show characters that control a terminal or a runner, and keep all others")
  func visible() {
    let text = "Process:\tx\r\n ::error::y\na ::b\u{9b}2J\u{202e}z\n##[error]\n"
    #expect(
      visibleReport(text, isJSON: false)
        == "Process:\tx\n :\\u{3a}error::y\na ::b\\u{9b}2J\\u{202e}z\n##\\u{5b}error]\n")
    let json = visibleReport("{\"a\": \"\u{9b}\u{202e}é\"}\n", isJSON: true)
    #expect(json == "{\"a\": \"\\u009b\\u202eé\"}\n")
  }

  @Test("stay one field of a table", arguments: hostileTexts + ["a\tb"])
  func fields(_ text: String) {
    let field = tableField(text)
    #expect(
      !field.unicodeScalars.contains {
        $0.value < 0x20 || (0x7f..<0xa0).contains($0.value) || $0 == "\u{202e}"
      })
    #expect(!field.contains("##["))
  }
}

/// A workflow command, read by the rules of actions/runner (`ActionCommand.TryParseV2`): `::name key=value,…::message`,
/// percent-encoded, and recognised only at the start of a line.
struct WorkflowCommand {
  var name: String
  var properties: [String: String] = [:]
  var message: String

  init?(_ line: some StringProtocol) {
    guard line.hasPrefix("::"), let end = line.dropFirst(2).ranges(of: "::").first else { return nil }
    let head = line.dropFirst(2)[..<end.lowerBound]
    name = String(head.prefix { $0 != " " })
    message = Self.decoded(line[end.upperBound...], [("%0D", "\r"), ("%0A", "\n"), ("%25", "%")])
    for pair in head.dropFirst(name.count).drop(while: { $0 == " " }).split(separator: ",") {
      let parts = pair.split(separator: "=", maxSplits: 1)
      guard parts.count == 2 else { continue }
      properties[String(parts[0])] = Self.decoded(
        parts[1], [("%0D", "\r"), ("%0A", "\n"), ("%3A", ":"), ("%2C", ","), ("%25", "%")])
    }
  }

  private static func decoded(_ text: some StringProtocol, _ codes: [(String, String)]) -> String {
    codes.reduce(String(text)) { $0.replacingOccurrences(of: $1.0, with: $1.1) }
  }
}

/// Notes the elements of a document and their attributes.
private final class ElementReader: NSObject, XMLParserDelegate {
  var names: [String] = []
  var attributes: [String: [String: String]] = [:]

  func parser(
    _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
    attributes: [String: String]
  ) {
    names.append(name)
    self.attributes[name] = attributes
  }
}
