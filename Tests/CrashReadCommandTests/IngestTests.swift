import TestSupport
import Testing

@Suite("The example for a bug tracker") struct IngestTests {
  @Test func storesAndGroupsUploads() throws {
    let uploads = ["text/HogeApp.crash", "ips/HogeApp.ips", "ips/NullNode-arm64.ips"].map {
      Samples.path("reports/" + $0)
    }
    let run = try CommandRun(
      program: builtProgram("Ingest"),
      [Samples.path("symbols")] + uploads + [Samples.path("causes.tsv")])
    #expect(run.outcome == .exited(0))
    let lines = run.output.split(separator: "\n")
    #expect(lines.count { $0.hasPrefix("stored\t") } == 3)
    #expect(lines.count { $0.hasPrefix("rejected\t") } == 1)
    #expect(run.output.contains("3 reports in 2 groups, 1 that could not be read"))
    #expect(run.output.contains("Fuga.swift:17"))
  }
}
