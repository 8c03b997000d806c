import Foundation
import TestSupport
import Testing

/// A sample with a known cause of its crash: a row of `Samples/causes.tsv`, which is made from marks in the sources.
private struct ExpectedCause: Sendable, CustomTestStringConvertible {
  var report: String
  var symbols: String
  var rule: String
  var confidence: String
  var place: String
  var testDescription: String { report }

  static let all: [ExpectedCause] = {
    let file = Samples.directory.appending(path: "causes.tsv")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").dropFirst().compactMap { line in
      let fields = line.split(separator: "\t").map(String.init)
      guard fields.count == 5 else { return nil }
      return ExpectedCause(
        report: fields[0], symbols: fields[1], rule: fields[2], confidence: fields[3], place: fields[4])
    }
  }()
}

@Suite("Causes") struct CauseTests {
  @Test func samplesAreDiverse() {
    #expect(ExpectedCause.all.count >= 45)
    #expect(Set(ExpectedCause.all.map(\.rule)).count >= 25)
  }

  @Test("are recognised and blamed on the line that the sample marks", arguments: ExpectedCause.all)
  fileprivate func cause(_ expected: ExpectedCause) throws {
    let run = try CommandRun.crashread(
      atRoot: ["--format", "json", "Samples/" + expected.report, "Samples/symbols/" + expected.symbols])
    #expect(run.outcome == .exited(0))
    let document = try Document(run.output)
    #expect(document.diagnosis.rule == expected.rule)
    #expect(document.diagnosis.confidence == expected.confidence)
    #expect(document.blamedLocation?.place == expected.place)
  }
}

@Suite("--why") struct WhyTests {
  @Test("lists the skipped frames and the rules of which only some conditions hold")
  func text() throws {
    let arguments = ["Samples/reports/text/ObjCThrow.crash", "Samples/symbols"]
    let plain = try CommandRun.crashread(atRoot: ["--lang", "en"] + arguments)
    let why = try CommandRun.crashread(atRoot: ["--lang", "en", "--why"] + arguments)
    #expect(!plain.output.contains("Frames skipped"))
    #expect(why.output.contains("uncaught-exception is the first rule whose conditions all hold"))
    #expect(
      why.output.contains(
        "  Last Exception Backtrace, frame 1  objc_exception_throw: only stops the program or reports the error"
      ))
  }
}

@Suite("Recursions") struct RecursionTests {
  @Test("are folded in the text, and whole in JSON")
  func folded() throws {
    let arguments = ["Samples/reports/causes/causes-mutual-recursion.crash", "Samples/symbols"]
    let text = try CommandRun.crashread(atRoot: ["--lang", "en"] + arguments).output
    #expect(text.contains("… the 2 frames above repeat 29 more times, up to frame 59"))
    let document = try Document(try CommandRun.crashread(atRoot: ["--format", "json"] + arguments).output)
    #expect(document.crashedFrames.count == 62)
  }
}
