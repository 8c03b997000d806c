import CrashReadCore
import Testing

@testable import CrashReadReports

/// Objects of a result bundle that would need too much memory.
@Suite struct ResultBundleTests {
  /// `1~` and the Base64 of a hash.
  private static func reference(_ number: UInt8) -> [UInt8] { [2, 1, number] }

  private func bundle(_ parts: [String: [UInt8]]) -> ResultBundle {
    ResultBundle(root: "root") { part, id in parts["\(part.rawValue).\(id)"] }
  }

  /// The path of each of a thousand files has the name of their folder in it.
  @Test func namesAreTruncated() throws {
    let root = "[S12:ActionRecordK14:diagnosticsRef[S9:ReferenceK2:id[S6:StringK2:_vV3:top]]]"
    let long = String(repeating: "n", count: 1_000_000)
    let files = (0..<100).map { #"{"name":"\#($0).ips","type":1}"# }.joined(separator: ",")
    let parts: [String: [UInt8]] = [
      "data.root": Array(root.utf8), "data.top": Array(#"[{"name":"\#(long)","type":2}]"#.utf8),
      "refs.top": [1] + Self.reference(200), "data.1~yA==": Array("[\(files)]".utf8),
      "refs.1~yA==": [100] + (0..<100).flatMap { Self.reference(UInt8($0)) },
    ]
    let found = bundle(parts)
    #expect(found.items.count == 100 && found.missingObjectCount == 0)
    #expect(
      found.items.allSatisfy { $0.location.path.utf8.count < 2000 && $0.location.path.hasSuffix(".ips") })
  }

  @Test func recordedCrashCountIsLimited() throws {
    let failure =
      "[S24:ActionTestFailureSummaryK7:message[S6:StringK2:_vV36:Crash: App (1) f(). lib: Fatal error]]"
    let root = "[S5:Array" + String(repeating: failure, count: 20_000) + "]"
    #expect(bundle(["data.root": Array(root.utf8)]).items.count == 10_000)
  }
}
