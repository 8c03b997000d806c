import Foundation
import TestSupport
import Testing

/// One frame of a sample, and the functions that another symbolizer finds in it.
private struct ExpectedFrame: Sendable, CustomTestStringConvertible {
  var report: String
  var symbols: String
  var thread: String
  var frame: String
  var functions: [(name: String, place: String)] = []
  var testDescription: String { "\(report) \(thread)/\(frame)" }
  /// The other symbolizer names data, since this is the target of a jump to memory without code.
  var isDatum: Bool { report.hasSuffix("jump-data.crash") && frame == "0" }

  /// The rows of `Samples/expected.tsv`, those of one frame together.
  static let all: [ExpectedFrame] = {
    let text =
      (try? String(contentsOf: Samples.directory.appending(path: "expected.tsv"), encoding: .utf8)) ?? ""
    var frames: [ExpectedFrame] = []
    for line in text.split(separator: "\n") {
      let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
      guard fields.count >= 6, fields[1] != "-" else { continue }
      let next = ExpectedFrame(report: fields[0], symbols: fields[1], thread: fields[2], frame: fields[3])
      if frames.last?.testDescription != next.testDescription { frames.append(next) }
      frames[frames.count - 1].functions.append((fields[4], fields[5]))
    }
    return frames
  }()
}

@Suite("Samples")
struct SampleTests {
  @Test func everySampleHasExpectations() {
    #expect(ExpectedFrame.all.count > 50)
    #expect(Set(ExpectedFrame.all.map(\.report)).count >= 16)
  }

  @Test(
    "have the functions and lines that another symbolizer finds",
    arguments: Set(ExpectedFrame.all.map(\.report)).sorted())
  func frames(_ report: String) throws {
    let expected = ExpectedFrame.all.filter { $0.report == report }
    let run = try CommandRun.crashread(
      atRoot: ["--format", "json", "Samples/" + report, "Samples/symbols/" + expected[0].symbols])
    try #require(run.outcome == .exited(0))
    #expect(run.errors == "")
    let document = try Document(run.output)
    for wanted in expected {
      let frame = try #require(find(wanted, in: document), "\(wanted.testDescription)")
      if wanted.isDatum {
        #expect(frame.locations.isEmpty)
        continue
      }
      #expect(frame.resolution == "debugInfo" && !frame.guess)
      #expect(frame.locations.map(\.place) == wanted.functions.map(\.place), "\(wanted.testDescription)")
      #expect(
        frame.locations.map(\.inlined) == wanted.functions.indices.map { $0 < wanted.functions.count - 1 })
      for (location, function) in zip(frame.locations, wanted.functions) {
        let names = [location.linkageName, location.function].map { $0?.replacing("> >", with: ">>") }
        #expect(names.contains(function.name))
      }
    }
  }

  private func find(_ wanted: ExpectedFrame, in document: Document) -> Document.Frame? {
    let frames =
      wanted.thread == "leb"
      ? document.lastExceptionBacktrace?.frames ?? []
      : Int(wanted.thread).map { document.threads[$0].frames } ?? []
    if wanted.frame == "lr" { return frames.first { $0.recovered == true } }
    let reported = frames.filter { $0.recovered != true }
    return Int(wanted.frame).flatMap { reported.indices.contains($0) ? reported[$0] : nil }
  }
}
