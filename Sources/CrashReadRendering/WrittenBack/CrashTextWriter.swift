internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Writes a report as Apple's text, with the names and lines that debug files give its frames.
///
/// A text report is written back unchanged except for the lines of resolved frames. A report in any other format is
/// converted.
package struct CrashTextWriter: Renderer {
  private var patch = LinePatch()
  private var hasText = false

  /// A writer.
  package init() {}

  /// Collects the changes to a text, and writes the text after its last report; reports in other formats are written
  /// immediately.
  package mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    let symbolicated = analysis.diagnosis.symbolicated
    let isText = symbolicated.report.format == .appleText || symbolicated.report.format == .ipsText
    if isText, let origin = analysis.origin {
      hasText = true
      patch.changeFrames(of: symbolicated, in: origin.text)
    } else {
      if !output.isEmpty, !output.hasSuffix("\n") { output += "\n" }
      output += AppleReportText(symbolicated).text
    }
    guard let origin = analysis.origin, origin.isLast else { return }
    if hasText { output += String(decoding: patch.applied(to: origin.text.bytes), as: UTF8.self) }
    patch = LinePatch()
    hasText = false
  }
}

/// Replacements for single lines of a text.
private struct LinePatch {
  private struct Edit {
    var lines: [[UInt8]]
    /// The number of lines of the text that they replace.
    var count: Int
  }

  private var edits: [Int: Edit] = [:]
  /// The offsets of the lines of a text, and its end; computed once for all reports of a text.
  private var starts: [Int] = []

  mutating func changeFrames(of symbolicated: SymbolicatedReport, in text: ReportText) {
    if starts.isEmpty { starts = lineStarts(text.bytes) }
    let alone = [symbolicated.lastExceptionBacktrace] + symbolicated.applicationSpecificBacktraces
    for frames in symbolicated.threads + alone {
      changeFrames(frames.filter { !$0.isRecovered }, of: symbolicated.report, in: text.bytes)
    }
  }

  /// A function inlined into a frame takes a line and a number of its own, so the following frames are renumbered.
  private mutating func changeFrames(_ frames: [ResolvedFrame], of report: CrashReport, in bytes: [UInt8]) {
    guard frames.contains(where: { !$0.writtenFunctions.isEmpty }) else { return }
    var added = 0
    var written = 0
    for frame in frames {
      guard let number = frame.captured.line, starts.indices.contains(number) else { continue }
      let functions = frame.writtenFunctions
      let lines: [[UInt8]]
      if let line = FrameLineText(bytes[starts[number - 1]..<starts[number]], number: frame.captured.number) {
        if functions.isEmpty, added == 0 { continue }
        lines = line.lines(functions, shiftedBy: added)
        added += max(0, functions.count - 1)
      } else {
        // A list of addresses on one line is expanded to one line per address.
        lines = AppleReportText.frameLines(frame, from: written, images: report.images).map { Array($0.utf8) }
      }
      written += lines.count
      edits[number, default: Edit(lines: [], count: frame.captured.lineCount)].lines += lines
    }
  }

  func applied(to bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    var number = 1
    while number < starts.count {
      let line = bytes[starts[number - 1]..<starts[number]]
      if let edit = edits[number] {
        let end = line.reversed().prefix { $0 == 0x0a || $0 == 0x0d }.reversed()
        let between = end.isEmpty ? [0x0a] : Array(end)
        result += edit.lines.joined(separator: between)
        result += end
        number += max(1, edit.count)
      } else {
        result += line
        number += 1
      }
    }
    return result
  }
}

/// A frame's line in the report, into which names are inserted.
private struct FrameLineText {
  let head: FrameLine.Head
  let tail: ArraySlice<UInt8>
  let number: Int

  /// Nil when the line holds more than that frame.
  init?(_ line: ArraySlice<UInt8>, number: Int?) {
    let text = line.prefix { $0 != 0x0a && $0 != 0x0d }
    guard let number, let head = FrameLine.head(of: text) else { return nil }
    self.head = head
    self.number = number
    tail = text[head.rest.endIndex...]
  }

  func lines(_ functions: [WrittenFunction], shiftedBy shift: Int) -> [[UInt8]] {
    if functions.isEmpty { return [head(number + shift) + tail] }
    return functions.enumerated().map { index, function in
      head(number + shift + index) + Array((" " + function.text).utf8)
    }
  }

  /// The start of the line with another number; the following columns keep their position if possible.
  private func head(_ newNumber: Int) -> [UInt8] {
    let digits = Array(String(newNumber).utf8)
    var rest = head.rest
    var missing = head.number.count - digits.count
    while missing < 0, rest.starts(with: [0x20, 0x20]) {
      rest = rest.dropFirst()
      missing += 1
    }
    return head.indentation + digits + Array(repeating: 0x20, count: max(0, missing)) + rest
  }
}

private func lineStarts(_ bytes: [UInt8]) -> [Int] {
  var starts = [0]
  var position = 0
  while position < bytes.count {
    let byte = bytes[position]
    position += 1
    if byte == 0x0d, position < bytes.count, bytes[position] == 0x0a { position += 1 }
    if byte == 0x0a || byte == 0x0d { starts.append(position) }
  }
  if starts.last != bytes.count { starts.append(bytes.count) }
  return starts
}

/// Replacements in a text; everything else is kept byte for byte.
struct TextPatch {
  private var edits: [(range: Range<Int>, text: [UInt8])] = []

  mutating func replace(_ range: Range<Int>, with text: String) {
    edits.append((range, Array(text.utf8)))
  }

  mutating func insert(_ text: String, at position: Int) { replace(position..<position, with: text) }

  /// The text with the changes applied in order of position; nested ones are dropped.
  func applied(to bytes: [UInt8]) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count + edits.reduce(0) { $0 + $1.text.count })
    var position = 0
    let ordered = edits.enumerated().sorted {
      ($0.element.range.lowerBound, $0.offset) < ($1.element.range.lowerBound, $1.offset)
    }
    for (_, edit) in ordered where edit.range.lowerBound >= position && edit.range.upperBound <= bytes.count {
      result += bytes[position..<edit.range.lowerBound]
      result += edit.text
      position = edit.range.upperBound
    }
    return result + bytes[position...]
  }
}
