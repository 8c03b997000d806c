import CrashReadReports
import Testing

/// A lossless change of a report by software that transmits it.
struct Variant: Sendable, CustomTestStringConvertible {
  var name: String
  var change: @Sendable (String) -> [UInt8]
  var testDescription: String { name }

  /// Whether a reader can detect this change of the text: marks that it has itself can't be told from added ones,
  /// and a text whose only escapes are `&amp;` may be meant so.
  func isReversible(_ text: String) -> Bool {
    if name.contains("quot") { return !text.hasPrefix(">") && !text.contains("\n>") }
    return name != "escaped" || text.contains { "<>\"'".contains($0) }
  }

  static let all = [
    Variant(name: "CRLF") { utf8($0, lineEnd: "\r\n") },
    Variant(name: "CR") { utf8($0, lineEnd: "\r") },
    Variant(name: "mixed line ends") { text in
      // A CR before an empty line's LF would be one line end.
      let lines = lines(text)
      let ends = lines.indices.map {
        $0 % 3 == 2 && lines.dropFirst($0 + 1).first != "" ? "\r" : $0 % 3 == 1 ? "\r\n" : "\n"
      }
      return Array(zip(lines, ends).map { $0 + $1 }.joined().utf8)
    },
    Variant(name: "byte order mark") { [0xef, 0xbb, 0xbf] + Array($0.utf8) },
    Variant(name: "UTF-16LE") {
      [0xff, 0xfe] + utf16($0) { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
    },
    Variant(name: "UTF-16BE") {
      [0xfe, 0xff] + utf16($0) { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    },
    Variant(name: "UTF-16 without a mark") { utf16($0) { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] } },
    Variant(name: "TABs as blanks") { Array($0.utf8.map { $0 == 0x09 ? 0x20 : $0 }) },
    Variant(name: "indented") { eachLine($0) { "    " + $0 } },
    Variant(name: "indented by TABs") { eachLine($0) { "\t" + $0 } },
    Variant(name: "quoted") { eachLine($0) { "> " + $0 } },
    Variant(name: "quoted twice") { eachLine($0) { ">> " + $0 } },
    Variant(name: "escaped") { Array(escaped($0).utf8) },
    Variant(name: "fenced") { Array(("```\n" + $0 + "\n```\n").utf8) },
    Variant(name: "fenced in a quotation") { eachLine("```json\n" + $0 + "\n```\n") { "> " + $0 } },
    Variant(name: "in a list") { eachLine($0) { "- " + $0 } },
    Variant(name: "numbered") { text in
      Array(lines(text).enumerated().map { "\($0 + 1): \($1)\n" }.joined().utf8)
    },
  ]

  private static func lines(_ text: String) -> [String] {
    text.split(omittingEmptySubsequences: false) { $0.isNewline && $0 != "\u{2028}" && $0 != "\u{85}" }.map(
      String.init)
  }

  private static func utf8(_ text: String, lineEnd: String) -> [UInt8] {
    Array(lines(text).joined(separator: lineEnd).utf8)
  }

  private static func eachLine(_ text: String, _ change: (String) -> String) -> [UInt8] {
    Array(lines(text).map(change).joined(separator: "\n").utf8)
  }

  private static func utf16(_ text: String, _ bytes: (UInt16) -> [UInt8]) -> [UInt8] {
    text.utf16.flatMap(bytes)
  }

  private static func escaped(_ text: String) -> String {
    text.map { ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"][$0] ?? String($0) }
      .joined()
  }
}

extension CrashReport {
  /// What must be the same in every variant: all but notes, offsets in the input, and TABs, which look like blanks.
  var content: CrashReport {
    var report = self
    report.notes = []
    report.documentPosition = nil
    for index in report.images.indices { report.images[index].line = nil }
    for index in report.threads.indices {
      report.threads[index].frames = report.threads[index].frames.map(\.content)
    }
    for thread in report.threads.indices {
      for entry in report.threads[thread].callTree.indices {
        report.threads[thread].callTree[entry].frame = report.threads[thread].callTree[entry].frame.content
      }
    }
    report.lastExceptionBacktrace = lastExceptionBacktrace.map(\.content)
    report.applicationSpecificBacktraces = applicationSpecificBacktraces.map { $0.map(\.content) }
    report.applicationSpecificInformation = applicationSpecificInformation.map(withoutTABs)
    report.vmRegionInfo = vmRegionInfo.map(withoutTABs)
    return report
  }
}

private func withoutTABs(_ text: String) -> String { String(text.map { $0 == "\t" ? " " : $0 }) }

extension Frame {
  fileprivate var content: Frame {
    var frame = self
    frame.line = nil
    frame.lineCount = 1
    return frame
  }
}
