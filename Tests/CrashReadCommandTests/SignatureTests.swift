import CrashRead
import Foundation
import TestSupport
import Testing

@Suite("Signatures of whole reports")
struct SignatureTests {
  private static let reader = CrashReader(store: SymbolStore(searching: [Samples.path("symbols")]))
  private static let plain = CrashReader()

  @Test(
    "A report with names has the signature of the same report without names and its debug files",
    // No line of text can contain the names of `hostile.ips`.
    arguments: Samples.reports.filter {
      ($0.hasSuffix(".crash") || $0.hasSuffix(".ips")) && !$0.hasSuffix("hostile.ips")
    })
  func onDeviceAndHere(_ path: String) throws {
    for analysis in try Self.reader.analyze(Samples.bytes(path), input: path) {
      guard let signature = analysis.diagnosis.signature else { continue }
      for case let text? in [written(analysis, CrashTextWriter()), written(analysis, IPSWriter())] {
        let again = try #require(try Self.plain.analyze(Array(text.utf8), input: path).first)
        #expect(again.diagnosis.signature == signature)
      }
    }
  }

  /// The report with names and lines; nil if a form can't represent it.
  private func written(_ analysis: ReportAnalysis, _ renderer: some Renderer) -> String? {
    var (renderer, text) = (renderer, "")
    renderer.begin(into: &text)
    renderer.render(analysis, into: &text)
    renderer.end(into: &text)
    return text.isEmpty ? nil : text
  }
}

/// Keys of public reports, by path.
private func keys(_ paths: [String]) throws -> [String: CrashGroups.Key] {
  let symbols = PublicReports.directory.deletingLastPathComponent().appending(path: "symbols").path
  let reader = try CrashReader(symbols: [symbols])
  return try paths.reduce(into: [:]) { keys, path in
    for analysis in try reader.analyze(PublicReports.bytes(path), input: path).prefix(1) {
      keys[path] = CrashGroups.Key(CrashOccurrence(analysis))
    }
  }
}

@Suite("Groups of public reports", .enabled(if: PublicReports.areAvailable))
struct PublicGroupTests {
  /// Each line holds reports of one crash: as text and as JSON, by two crash tools, on two devices.
  private static let same = [
    ["crashprobe/Swift.crash", "crashprobe/Swift.ips"],
    ["crashprobe/Call abort().crash", "crashprobe/Call abort().ips"],
    ["crashprobe/Dereference a NULL pointer.crash", "crashprobe/Dereference a NULL pointer.ips"],
    ["crashprobe/Throw Objective-C exception.crash", "crashprobe/Throw Objective-C exception.ips"],
    [
      "text/RealmFileLockTest__RealmFileLockTest-readme.crash",
      "ips/RealmFileLockTest__RealmFileLockTest-2024-03-27-153712.ips",
    ],
    [
      "ips/mediaFeedChallenge__MediaFeedChallenge.ips",
      "text/mediaFeedChallenge__MediaFeedChallenge-translated.crash",
    ],
    ["kscrash/KSCrash__Abort.json", "kscrash/KSCrash__Abort.txt", "kscrash/sentry-cocoa__Abort.json"],
    ["kscrash/KSCrash__BadPointer.json", "kscrash/KSCrash__BadPointer.txt"],
    ["kscrash/KSCrash__CorruptMemory.json", "kscrash/KSCrash__CorruptMemory.txt"],
    ["kscrash/KSCrash__MainThreadDeadlock.json", "kscrash/KSCrash__MainThreadDeadlock.txt"],
    ["kscrash/KSCrash__Zombie.json", "kscrash/KSCrash__Zombie.txt"],
    ["kscrash/sentry-cocoa__NSException.v2.json", "kscrash/sentry-cocoa__NSException.v3.json"],
    ["text/idb__app_custom_set.crash", "text/idb__app_default_set.crash"],
    [
      "text/ios-crash-dump-analysis-book__icdab_wrap_ios_13_5.crash",
      "text/ios-crash-dump-analysis-book__icdab_wrap_ios_translocated.crash",
    ],
    [
      "text/Symbolicator__MemoryLeakingApp-2022-08-05-132419.crash",
      "ips/Symbolicator__MemoryLeakingApp-2022-08-05-132419.ips",
    ],
  ]

  @Test("Reports of the same crash are grouped, and those of different crashes aren't", .mustEnd)
  func table() throws {
    let keys = try keys(Self.same.flatMap { $0 })
    for line in Self.same {
      #expect(Set(line.map { keys[$0] }).count == 1, "apart: \(line)")
      #expect(keys[line[0]] != nil)
    }
    let firsts = Self.same.map { keys[$0[0]] }
    #expect(Set(firsts).count == Self.same.count, "different crashes were put together")
  }
}
