import Foundation
import TestSupport
import Testing

/// Exit status and standard error for matching and other debug files, in each place where they can be given.
@Suite("Debug files that match or don't match")
struct DebugFilePlaceTests {
  enum File: CaseIterable {
    case right, damaged, otherBuild, otherProgram
  }

  enum Place: CaseIterable {
    case named, directory, environment
  }

  enum Job: CaseIterable {
    case main, batch, ci
  }

  private struct Case {
    var file: File
    var place: Place
    var job: Job

    /// A file that can't be read is an error if it was named, but not if it is only in a directory. A file named for a
    /// single report was meant for it.
    var isError: Bool {
      switch file {
      case .right: false
      case .damaged: place != .environment
      case .otherBuild, .otherProgram: place == .named && job == .main
      }
    }

    /// A build of another version is noted for the reader of a single report.
    var isNoted: Bool { file == .otherBuild && place != .named && job == .main }
  }

  @Test("are an error only if the user named them for the report", arguments: File.allCases, Place.allCases)
  func statuses(_ file: File, _ place: Place) throws {
    let folder = try TemporaryDirectory()
    let bundle = try prepare(file, in: folder)
    for job in Job.allCases {
      let example = Case(file: file, place: place, job: job)
      let given = place == .named ? bundle : "dir"
      let operands: [String] =
        switch (job, place) {
        case (.main, .environment): ["a.crash"]
        case (.main, _): ["a.crash", given]
        case (.batch, .environment): ["batch", "a.crash"]
        case (.batch, _): ["batch", "a.crash", "--symbols", given]
        case (.ci, .environment): ["ci", "--log", "a.crash"]
        case (.ci, _): ["ci", "--log", "a.crash", "--symbols", given]
        }
      let variables = place == .environment ? ["CRASHREAD_SYMBOL_PATH": "dir"] : [:]
      let run = try CommandRun.crashread(operands, environment: variables, in: folder)
      #expect(run.outcome == .exited(example.isError ? 1 : 0), "\(example): \(run.errors)")
      let lines = run.errors.split(separator: "\n")
      #expect(lines.count == (example.isError || example.isNoted ? 1 : 0), "\(example): \(run.errors)")
      #expect(
        !example.isNoted || run.errors.contains("note: another build of HogeApp was found"), "\(example)")
      #expect(run.output.contains("Fuga.swift") == (file == .right), "\(example)")
    }
  }

  /// Writes the report, and its debug file or another one into `dir`; returns the bundle's path.
  private func prepare(_ file: File, in folder: TemporaryDirectory) throws -> String {
    var report = String(decoding: try Samples.bytes("reports/text/HogeApp.crash"), as: UTF8.self)
    if file == .otherBuild {
      report = report.replacing("4c4c44ed55553144a1625a07dae58c2c", with: "4c4c44ed55553144a1625a07dae58c2d")
      report = report.replacing(
        "4C4C44ED-5555-3144-A162-5A07DAE58C2C", with: "4C4C44ED-5555-3144-A162-5A07DAE58C2D")
    }
    try folder.write(report, to: "a.crash")
    try folder.makeDirectory("dir")
    let name = file == .otherProgram ? "VarsSwift" : "HogeApp.app"
    let bundle = "dir/\(name).dSYM"
    try FileManager.default.copyItem(
      atPath: Samples.path("symbols/\(name).dSYM"), toPath: folder.path(bundle))
    if file == .damaged {
      let program = bundle + "/Contents/Resources/DWARF/HogeApp"
      try folder.write(Array(try folder.bytes(program).prefix(3000)), to: program)
    }
    return bundle
  }
}
