import Foundation
import TestSupport
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

@Suite("Pasted fragments")
struct PasteTests {
  /// One paste per line, then a tab and the expected first result: the id of a rule or a contract, or a name of a code.
  private static let pastes: [(String, String)] = {
    let file = Repository.root.appending(path: "Tests/CrashReadDiagnosisTests/Pastes/pastes.tsv")
    let text = (try? String(contentsOf: file, encoding: .utf8)) ?? ""
    return text.split(separator: "\n").map { line in
      let parts = line.split(separator: "\t", maxSplits: 1)
      return (String(parts[0]), parts.count > 1 ? String(parts[1]) : "")
    }
  }()

  @Test("are explained by the expected rule or code")
  func pastes() {
    let knowledge = KnowledgeBase(language: .english)
    #expect(Self.pastes.count >= 200)
    for (paste, wanted) in Self.pastes {
      let said = knowledge.lookUp(paste).first.map(Self.name)
      #expect(said == wanted, "\(paste)")
    }
  }

  private static func name(_ answer: CodeExplanation) -> String {
    answer.code?.name ?? answer.explanation?.rule ?? answer.title
  }

  @Test("stand for names that are explained")
  func names() {
    let knowledge = KnowledgeBase(language: .japanese)
    for paste in Knowledge.embedded.pastes {
      #expect(!paste.patterns.isEmpty && !paste.names.isEmpty)
      for name in paste.names { #expect(!knowledge.lookUp(name).isEmpty, "\(name)") }
    }
  }

  @Test("use an address; codes without their type say that it is missing")
  func addresses() {
    let knowledge = KnowledgeBase(language: .english)
    let fault = knowledge.lookUp("EXC_BAD_ACCESS KERN_INVALID_ADDRESS at 0x10").first
    #expect(fault?.explanation?.title == "Null pointer dereference at 0x10")
    #expect(knowledge.lookUp("Exception Codes: 0x1, 0x10").first?.limits?.contains("missing here") == true)
    // Numbers in a recognised sentence aren't looked up individually.
    #expect(knowledge.lookUp("*** -[__NSArrayM objectAtIndex:]: index 3 beyond bounds [0 .. 2]").count < 4)
  }
}
