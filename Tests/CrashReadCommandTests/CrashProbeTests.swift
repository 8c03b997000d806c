import Foundation
import TestSupport
import Testing

/// Public reports with published solutions, if they are beside the repository.
@Suite("CrashProbe", .enabled(if: Samples.shared != nil))
struct CrashProbeTests {
  struct Example: Sendable, CustomTestStringConvertible {
    var name: String
    var places: [String]
    var testDescription: String { name }
  }

  static let examples = [
    Example(
      name: "Dereference a NULL pointer", places: ["CRLCrashNULL.m:37", "CRLDetailViewController.m:53"]),
    Example(
      name: "Throw Objective-C exception",
      places: ["CRLCrashObjCException.m:41", "CRLDetailViewController.m:53"]),
    Example(name: "Call abort()", places: ["CRLCrashAbort.m:37", "CRLDetailViewController.m:53"]),
    Example(
      name: "Swift",
      places: ["CRLCrashSwift.swift:36", "CRLCrashSwift.swift", "CRLDetailViewController.m:53"]),
  ]

  private func run(_ example: Example, _ ending: String, format: String) throws -> CommandRun {
    let shared = try #require(Samples.shared)
    let report = shared.appending(path: "corpus/crashprobe/\(example.name).\(ending)").path
    return try CommandRun.crashread(["--format", format, report, shared.appending(path: "symbols").path])
  }

  @Test("frames of the app have their published locations", arguments: examples, ["crash", "ips"])
  func json(_ example: Example, _ ending: String) throws {
    let run = try run(example, ending, format: "json")
    #expect(run.outcome == .exited(0))
    let document = try Document(run.output)
    let frames = (document.lastExceptionBacktrace?.frames ?? []) + document.crashedFrames
    let places = frames.filter { frame in
      ["CrashProbeiOS", "CrashLibiOS"].contains { frame.image?.contains($0) == true }
    }.flatMap { $0.locations.map(\.place) }
    try #require(places.count >= example.places.count)
    for (place, wanted) in zip(places, example.places) { #expect(place.hasPrefix(wanted)) }
    // The first of them is blamed.
    let blamed = try #require(document.diagnosis.blamed)
    let thread = blamed.thread.map { document.threads[$0].frames } ?? document.lastExceptionBacktrace?.frames
    let frame = try #require(thread?[blamed.frame])
    #expect(try frame.locations[#require(blamed.location)].place == example.places[0])
  }

  @Test("the first location is at the top of the text", arguments: examples, ["crash", "ips"])
  func text(_ example: Example, _ ending: String) throws {
    let run = try run(example, ending, format: "text")
    #expect(run.outcome == .exited(0))
    // A title that doesn't fit takes lines of its own.
    let top = run.output.split(separator: "\n\n", maxSplits: 1)[0].split(separator: "\n").prefix(5)
    #expect(top.contains { $0.contains("/" + example.places[0]) }, "\(top)")
  }
}
