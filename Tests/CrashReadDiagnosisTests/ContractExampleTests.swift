import CrashReadReports
import CrashReadSymbolication
import Foundation
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

/// Reports made from frames and a message in the form that devices write, one or more for each contract.
@Suite("Contracts")
struct ContractExampleTests {
  struct Example: Decodable, Sendable {
    var text: String?
    var frames: [String]?
    var stop: String?
    var exceptionName: String?
    var image: String?
    var queue: String?
    /// Whether the thread isn't the program's first.
    var offMain: Bool?
    /// The program's path, if it isn't an app's.
    var path: String?
  }

  struct Entry: Decodable, Sendable, CustomTestStringConvertible {
    var id: String
    var examples: [Example]
    var misses: [Example]?
    var testDescription: String { id }
  }

  static let entries: [Entry] = {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
      path: "Contracts/examples.jsonl")
    let lines = (try? String(contentsOf: file, encoding: .utf8))?.split(separator: "\n") ?? []
    return lines.compactMap { try? JSONDecoder().decode(Entry.self, from: Data($0.utf8)) }
  }()

  @Test("are complete: each has an example and texts in both languages")
  func areComplete() {
    let table = ContractTable.embedded
    #expect(table.problems.isEmpty)
    #expect(table.contracts.count >= 400)
    let ids = table.contracts.map(\.id)
    #expect(Set(ids).count == ids.count)
    #expect(
      Set(ids).isDisjoint(with: (Knowledge.embedded.rules.all + Knowledge.embedded.findings.all).map(\.id)))
    #expect(Set(Self.entries.map(\.id)).symmetricDifference(ids) == [])
    #expect(Self.entries.allSatisfy { !$0.examples.isEmpty })
    for contract in table.contracts {
      #expect(contract.source.hasPrefix("https://"), "\(contract.id)")
      for language in Language.allCases {
        let entry = Texts.embedded(language).contract(contract.id)
        #expect(entry != nil, "\(contract.id) in \(language.rawValue)")
        #expect(entry?.advice.isEmpty == false, "\(contract.id) in \(language.rawValue)")
      }
    }
  }

  @Test("match their examples", arguments: entries)
  func isFound(_ entry: Entry) throws {
    for example in entry.examples {
      let diagnosis = try diagnose(example)
      let found = try #require(diagnosis.contract, "\(example)")
      // Another contract may match the same stack more precisely; this must then be its example, too.
      #expect(found == entry.id || overlap(entry.id, found), "\(entry.id) became \(found)")
      for statement in [diagnosis.explanation.title, diagnosis.explanation.text]
        + diagnosis.explanation.advice
      {
        #expect(
          !statement.contains(Template.missingValue), "\(found): \(statement)")
      }
    }
  }

  @Test("don't match similar texts", arguments: entries.filter { $0.misses != nil })
  func isNotFound(_ entry: Entry) throws {
    for miss in entry.misses ?? [] {
      #expect(try diagnose(miss).contract != entry.id, "\(miss)")
    }
  }

  /// Whether a contract precedes another in the table, so that it wins if both match.
  private func overlap(_ id: String, _ winner: String) -> Bool {
    let contracts = ContractTable.embedded.contracts
    guard let own = contracts.firstIndex(where: { $0.id == id }),
      let other = contracts.firstIndex(where: { $0.id == winner })
    else { return false }
    let rank = { (contract: Contract) in contract.alternatives.map(\.rank).max() ?? 0 }
    return other < own || rank(contracts[other]) > rank(contracts[own])
  }

  /// The diagnosis of an example with another thread's frames; the program's own have no names if it was stripped.
  func diagnose(
    _ example: Example, besides other: [String] = [], in language: Language = .english, named: Bool = true
  ) throws -> Diagnosis {
    let report = try CrashReport(parsing: Array(ips(example, other, named).utf8))
    return KnowledgeBase(language: language).diagnose(
      Symbolicator(store: SymbolStore(searching: [])).symbolicate(report), reasons: false)
  }

  /// The example as a report in the form that devices write.
  private func ips(_ example: Example, _ other: [String], _ named: Bool) throws -> String {
    let names = example.frames ?? []
    let throwers = ["objc_exception_throw", "__exceptionPreprocess"]
    let isException =
      example.exceptionName != nil || names.contains { name in throwers.contains { name.hasPrefix($0) } }
    let stop = example.stop ?? (isException ? "exception" : "abort")
    var frames = names.enumerated().map { index, name in frame(name, index, example.image) }
    if !named {
      for index in frames.indices where frames[index]["imageIndex"] as? Int == 0 {
        frames[index]["symbol"] = nil
        frames[index]["symbolLocation"] = nil
      }
    }
    var body: [String: Any] = [
      "procName": "Shop",
      "procPath": example.path ?? "/private/var/containers/Bundle/Application/1A/Shop.app/Shop",
      "cpuType": "ARM-64", "faultingThread": 0,
      "usedImages": [
        [
          "base": 0x1_0000_0000, "size": 0x100000, "uuid": "11ce3f57-6264-3e8d-8a89-86894d83b974",
          "name": "Shop",
          "path": "/private/var/containers/Bundle/Application/1A/Shop.app/Shop", "source": "P",
          "arch": "arm64",
        ],
        [
          "base": 0x1_8000_0000, "size": 0x1000000, "uuid": "21ce3f57-6264-3e8d-8a89-86894d83b974",
          "name": example.image ?? "UIKitCore",
          "path": "/System/Library/PrivateFrameworks/\(example.image ?? "UIKitCore")", "source": "P",
          "arch": "arm64e",
        ],
      ],
    ]
    body["exception"] = exception(stop)
    var thread: [String: Any] = ["triggered": true, "id": 1]
    thread["queue"] = example.queue
    thread["frames"] = stop == "exception" && !frames.isEmpty ? [frame("abort", 0, nil)] : frames
    let others = other.enumerated().map { frame($1, $0, nil) }
    body["threads"] = others.isEmpty ? [thread] : [thread, ["id": 2, "frames": others]]
    if example.offMain == true {
      body["threads"] = [["id": 3, "frames": [frame("mach_msg2_trap", 0, nil)]], thread]
      body["faultingThread"] = 1
    }
    if stop == "exception", !frames.isEmpty { body["lastExceptionBacktrace"] = frames }
    if let text = example.text {
      body["asi"] = ["CoreFoundation": text.split(separator: "\n").map(String.init)]
    }
    if let name = example.exceptionName {
      body["exceptionReason"] = [
        "name": name, "composed_message": example.text ?? "", "type": "objc-exception",
      ]
    }
    if stop == "kill" { body["termination"] = ["namespace": "FRONTBOARD", "code": 1] }
    if stop == "hang" { body["termination"] = ["namespace": "FRONTBOARD", "code": 0x8bad_f00d] }
    let data = try JSONSerialization.data(withJSONObject: body, options: [.sortedKeys])
    let head = #"{"app_name":"Shop","bug_type":"309","name":"Shop"}"#
    return head + "\n" + String(decoding: data, as: UTF8.self)
  }

  private func exception(_ stop: String) -> [String: Any] {
    switch stop {
    case "trap": ["type": "EXC_BREAKPOINT", "signal": "SIGTRAP", "codes": "0x1, 0x18000000"]
    case "fault":
      [
        "type": "EXC_BAD_ACCESS", "signal": "SIGSEGV", "codes": "0x1, 0x7f120",
        "subtype": "KERN_INVALID_ADDRESS at 0x7f120",
      ]
    case "kill", "hang": ["type": "EXC_CRASH", "signal": "SIGKILL", "codes": "0x0, 0x0"]
    default: ["type": "EXC_CRASH", "signal": "SIGABRT", "codes": "0x0, 0x0"]
    }
  }

  private func frame(_ name: String, _ index: Int, _ image: String?) -> [String: Any] {
    let isOwn = name.hasPrefix("@app ") || name.hasPrefix("@sdk ")
    // The system's, with a name although the image tells.
    let isMarked = isOwn || name.hasPrefix("@sys ")
    var frame: [String: Any] = ["imageIndex": isOwn ? 0 : 1, "imageOffset": 0x1000 + index * 0x100]
    if image == nil || isMarked {
      frame["symbol"] = isMarked ? String(name.dropFirst(5)) : name
      frame["symbolLocation"] = 24
    }
    return frame
  }
}
