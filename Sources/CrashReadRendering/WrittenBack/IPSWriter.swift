internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Writes an .ips file back with the names and lines of resolved frames; every other byte is kept.
///
/// The members are those of Apple's own symbolicated files. A file without reports isn't written.
package struct IPSWriter: Renderer {
  private var patch = TextPatch()
  private var hasReport = false

  /// A writer.
  package init() {}

  /// Collects the changes, and writes the file after its last report.
  package mutating func render(_ analysis: ReportAnalysis, into output: inout String) {
    guard let origin = analysis.origin else { return }
    let symbolicated = analysis.diagnosis.symbolicated
    if OutputFormat.ips.canWrite(symbolicated.report) { hasReport = true }
    if let position = symbolicated.report.documentPosition,
      let document = JSONValue(in: origin.text.bytes[...], from: position)
    {
      patchFrames(of: symbolicated, in: document)
    }
    guard origin.isLast else { return }
    if hasReport { output += String(decoding: patch.applied(to: origin.text.bytes), as: UTF8.self) }
    patch = TextPatch()
    hasReport = false
  }

  private mutating func patchFrames(of symbolicated: SymbolicatedReport, in document: JSONValue) {
    for (thread, frames) in zip(document["threads"].elements, symbolicated.threads) {
      patchFrames(frames, in: thread["frames"])
    }
    patchFrames(symbolicated.lastExceptionBacktrace, in: document["lastExceptionBacktrace"])
  }

  private mutating func patchFrames(_ frames: [ResolvedFrame], in array: JSONValue) {
    for (frame, object) in zip(frames.filter { !$0.isRecovered }, array.elements) {
      patchFrame(frame, in: FrameObject(object))
    }
  }

  /// Replaces a frame's object by that of its outermost function; functions inlined into it get objects of their own
  /// before it.
  private mutating func patchFrame(_ frame: ResolvedFrame, in object: FrameObject) {
    var functions = frame.writtenFunctions
    guard let function = functions.popLast() else { return }
    for inlined in functions { patch.insert(object.inserted(inlined), at: object.start) }
    var added = ""
    for (name, value) in Self.members(of: function) {
      if let known = object.members.first(where: { $0.name == name }) {
        patch.replace(known.value.bytes.startIndex..<known.value.bytes.endIndex, with: value)
      } else {
        added += object.member(name, value)
      }
    }
    patch.insert(added, at: object.end)
  }

  /// The names and JSON values of a function's members, in Apple's order.
  fileprivate static func members(of function: WrittenFunction) -> [(String, String)] {
    var members: [(String, String)] = [("symbol", jsonLiteral(function.name))]
    if let offset = function.offset { members.append(("symbolLocation", String(offset))) }
    if let source = function.source {
      members.append(("sourceFile", jsonLiteral(source.file)))
      members.append(("sourceLine", String(source.line)))
    }
    if function.isInlined { members.append(("inline", "true")) }
    if function.isLearned { members.append(("crashreadLearned", "true")) }
    return members
  }
}

/// A frame's object in the text, and the spacing that its writer put around names and commas.
private struct FrameObject {
  let members: [(name: String, value: JSONValue)]
  let start: Int
  /// The position after the last member, where others are appended.
  let end: Int
  private let comma: String
  private let colon: String

  init(_ object: JSONValue) {
    members = object.members
    let names = object.memberNames
    let bytes = object.bytes
    start = bytes.startIndex
    end = members.last?.value.bytes.endIndex ?? start + 1
    comma =
      members.count < 2 ? "," : Self.text(bytes[members[0].value.bytes.endIndex..<names[1].lowerBound])
    colon = members.isEmpty ? ":" : Self.text(bytes[names[0].upperBound..<members[0].value.bytes.startIndex])
  }

  private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }

  func member(_ name: String, _ value: String) -> String { comma + "\"\(name)\"" + colon + value }

  /// An object for an inlined function, with the same address, followed by a comma.
  func inserted(_ function: WrittenFunction) -> String {
    let location = members.filter { $0.name == "imageOffset" || $0.name == "imageIndex" }
      .map { ($0.name, Self.text($0.value.bytes)) }
    let all = (location + IPSWriter.members(of: function)).map { member($0.0, $0.1) }.joined()
    return "{" + all.dropFirst(comma.count) + "},"
  }
}
