import CrashReadDebugInfo
import CrashReadReports
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

@Suite struct CrashGroupsTests {
  private func occurrence(
    _ signature: String?, app: String = "app", version: String = "1.0", time: Int64? = nil,
    location: CrashReadDebugInfo.SourceLocation? = nil
  ) -> CrashOccurrence {
    var header = ReportHeader()
    (header.process, header.bundleID, header.version) = ("P", app, version)
    var occurrence = CrashOccurrence(
      input: "a.ips", kind: "crash", header: header, signature: signature, rule: "r", title: "T",
      function: nil,
      location: location)
    occurrence.time = time
    return occurrence
  }

  @Test func groupsBySignatureWithinAnApp() throws {
    var groups = CrashGroups()
    for _ in 0..<3 { groups.add(occurrence("v1:x|f")) }
    groups.add(occurrence("v1:x|f", app: "other"))
    groups.add(occurrence("v1:x|g", version: "2.0", time: 86_400 * 3))
    groups.add(
      occurrence("v1:x|g", version: "1.0", time: 86_400 * 2, location: .init(file: "/src/g.c", line: 3)))
    groups.addUnread()
    let ranked = groups.ranked
    #expect(ranked.map(\.count) == [3, 2, 1])
    #expect((groups.count, groups.unreadCount) == (6, 1))
    let second = ranked[1]
    #expect(second.example.location == "g.c:3")
    #expect(second.versions.ranked.map(\.text) == ["1.0", "2.0"])
    let times: ClosedRange<Int64> = 172_800...259_200
    #expect(second.times == times)
    #expect(second.days == [2: 1, 3: 1])
  }

  @Test("Without signatures, crashes are grouped by what happened")
  func unnamed() {
    var groups = CrashGroups()
    var other = occurrence(nil)
    other.rule = "other"
    groups.add(occurrence(nil))
    groups.add(other)
    #expect(groups.ranked.count == 2)
    #expect(groups.ranked.allSatisfy { $0.key.signature == nil })
  }

  @Test("Tallies of hostile input are bounded")
  func bounded() throws {
    var tally = Tally()
    for number in 0..<5000 { tally.add(String(number)) }
    tally.add("0")
    #expect(tally.counts.count == 1000)
    #expect(tally.others == 4000)
    #expect(tally.ranked.first.map { $0.text + " " + String($0.count) } == "0 2")
  }

  @Test(
    arguments: [
      ("1970-01-02 00:00:00.000 +0000", 86_400), ("2025-01-01 09:00:12.1234 +0900", 1_735_689_612),
      ("2025-01-01T00:00:12Z", 1_735_689_612), ("2000-02-29T12:00:00-05:00", 951_843_600),
      ("2025-01-01 09:00:12", nil), ("2025-13-01 09:00:12 +0000", nil), ("yesterday", nil), ("", nil),
      ("2025-01-01 09:00:12.5 +99", nil),
    ] as [(String, Int64?)])
  func dates(_ text: String, _ seconds: Int64?) { #expect(secondsSince1970(text) == seconds) }

  @Test("A day's text is read back as that day")
  func days() {
    for day in stride(from: Int64(0), to: 60_000, by: 7) {
      #expect(secondsSince1970(calendarDay(day) + "T00:00:00Z") == day * 86_400)
    }
  }
}
