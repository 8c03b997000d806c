internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadVerdict

/// Writes a test result in the XML of Apache Ant's JUnit task: one suite per report, with one test that ended in an
/// error.
///
/// The test is the one that crashed, or else stands for the process. Reports don't state how long a test ran.
struct JUnitRenderer: Renderer {
  private let style: RenderingStyle
  private var count = 0

  /// A renderer in a style's language.
  init(style: RenderingStyle) { self.style = style.forCheckouts }

  /// Opens the document.
  mutating func begin(into output: inout String) {
    output += #"<?xml version="1.0" encoding="UTF-8"?>"# + "\n<testsuites>\n"
  }

  /// Writes one test suite.
  mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    let view = ReportView(analysis, style)
    let process = token(view.report.header.process ?? view.labels.unknownProcess)
    let test = view.analysis.test
    let suite = [
      ("name", process), ("package", process), ("id", String(count)),
      ("timestamp", timestamp(view.report.header.date)),
      ("hostname", "localhost"), ("tests", "1"), ("failures", "0"), ("errors", "1"), ("time", "0"),
    ]
    let testCase = [
      ("name", test.map { token($0.name) } ?? process), ("classname", test?.suite.map(token) ?? process),
      ("time", "0"),
    ]
    let error = [("message", view.headline), ("type", view.explanation.rule ?? view.report.kind.rawValue)]
    output += """
        <testsuite\(attributes(suite))>
          <properties/>
          <testcase\(attributes(testCase))>
            <error\(attributes(error))>\(body(view))</error>
          </testcase>
          <system-out/>
          <system-err/>
        </testsuite>

      """
    count += 1
  }

  /// Closes the document.
  mutating func end(into output: inout String) { output += "</testsuites>\n" }

  private func body(_ view: ReportView) -> String {
    let lines = TextPage(view).text.split(separator: "\n", omittingEmptySubsequences: false)
    // The text is escaped already, and each line is short enough to stay whole.
    return lines.map { markup(code: String($0)) }.joined(separator: "\n")
  }

  private func attributes(_ attributes: [(String, String)]) -> String {
    attributes.map { " \($0.0)=\"\(markup($0.1))\"" }.joined()
  }

  /// A text without leading or trailing blanks, which the schema forbids, and never empty.
  private func token(_ text: String) -> String {
    let words = plainText(text).split(separator: " ").joined(separator: " ")
    return words.isEmpty ? "???" : words
  }
}

/// The date and time of a report, as `2025-01-01T09:00:12`; the schema requires one, so a missing one is the start of
/// 1970.
func timestamp(_ date: String?) -> String {
  let parts = Array((date ?? "").utf8.prefix(19))
  let pattern = Array("0000-00-00 00:00:00".utf8)
  let fits =
    parts.count == pattern.count
    && zip(parts, pattern).allSatisfy { byte, sign in
      sign == UInt8(ascii: "0")
        ? byte.isDigit
        : byte == sign || sign == UInt8(ascii: " ") && byte == UInt8(ascii: "T")
    }
  guard fits, let date else { return "1970-01-01T00:00:00" }
  return date.prefix(10) + "T" + date.prefix(19).suffix(8)
}
