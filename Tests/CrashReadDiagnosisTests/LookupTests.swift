import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

private let codes = Knowledge.embedded.codes

@Suite struct LookupTests {
  @Test("Every rule's id is found, with its text and its source", arguments: Language.allCases)
  func everyRule(_ language: Language) throws {
    let knowledge = KnowledgeBase(language: language)
    for rule in Knowledge.embedded.rules.all {
      let found = try #require(
        knowledge.lookUp(rule.id).first { $0.explanation?.rule == rule.id && $0.code == nil })
      let explanation = try #require(found.explanation)
      // Advice is about the specific crash, and there is none.
      let mayLackAdvice = ["crash-signal", "exception-type", "signal"].contains(rule.id)
      #expect(!explanation.title.isEmpty && !explanation.text.isEmpty, "\(rule.id)")
      #expect(!found.advice.isEmpty || mayLackAdvice, "\(rule.id)")
      #expect(explanation.sources == [rule.source])
    }
  }

  @Test(
    "Every entry of every table is found by its name, with meaning, limits, advice and source",
    arguments: Language.allCases)
  func everyName(_ language: Language) throws {
    let knowledge = KnowledgeBase(language: language)
    for (table, content) in codes.tables.all {
      for (name, number) in content.numbers {
        // A Linux signal that Apple's systems number alike is one with theirs.
        let kinds = [table, table.replacing(".Linux", with: "")]
        let found = try #require(
          knowledge.lookUp(name).first { entry in
            entry.code.map { kinds.contains($0.kind) && $0.name == name && $0.value == number } ?? false
          }, "\(table): \(name)")
        check(found, "\(table): \(name)")
      }
      for (alias, name) in content.aliases {
        #expect(knowledge.lookUp(alias).contains { $0.code?.name == name }, "\(alias)")
      }
    }
  }

  @Test("Every number is found after its label")
  func everyNumber() {
    let knowledge = KnowledgeBase(language: .english)
    for (table, content) in codes.tables.all where !content.words.isEmpty {
      for (numbers, name) in content.entries {
        for number in [numbers.lowerBound, numbers.upperBound] {
          let announced = (content.words + [String(number)]).joined(separator: " ")
          let names = knowledge.lookUp(announced).filter { $0.code?.kind == table }.map { $0.code?.name }
          #expect(names == [name] || content.name(of: number) != name, "\(announced)")
          let hexadecimal = knowledge.lookUp(
            (content.words + ["0x" + String(number, radix: 16)]).joined(separator: " "))
          #expect(hexadecimal.contains { $0.code?.kind == table }, "\(announced) in hexadecimal")
        }
      }
    }
  }

  private func check(_ found: CodeExplanation, _ name: String) {
    #expect(found.code?.meaning?.isEmpty == false, "\(name): no meaning")
    #expect(found.limits?.isEmpty == false, "\(name): no limits")
    #expect(!found.advice.isEmpty && found.advice.allSatisfy { !$0.isEmpty }, "\(name): no advice")
    #expect(found.code?.sources.isEmpty == false, "\(name): no source")
  }

  @Test(
    "A small number in a sentence is no code",
    arguments: [
      "app[1]: the second window of the document could not be restored",
      "the pool 0x1 was used by another thread",
    ])
  func numberInSentence(_ query: String) {
    #expect(KnowledgeBase(language: .english).lookUp(query).isEmpty)
  }

  @Test("A message of one API comes before words that several share")
  func sharedWords() {
    let found = KnowledgeBase(language: .english).lookUp("dispatch_main() must be called on the main thread")
    #expect(found.first?.explanation?.rule == "dispatch-main-wrong-thread")
  }

  /// Typical queries, with the expected first result.
  @Test(
    arguments: [
      ("0x8badf00d", "termination", "watchdog"), ("2343432205", "termination", "watchdog"),
      ("8badf00d", "termination", "watchdog"), ("0X8BADF00D", "termination", "watchdog"),
      ("Termination Reason: Namespace SPRINGBOARD, Code 0x8badf00d", "termination", "watchdog"),
      ("RUNNINGBOARD 3735883980", "termination", "lock-held-while-suspended"),
      ("GUARD 2305845208236959491", "guard", "guard-port-right"),
      ("EXC_GUARD 0x4000000100000003", "guard", "guard"),
      ("esr 0x92000047", "esr", nil), ("0x92000047", "esr", nil), ("brk 1", "brk", "trap-instruction-arm"),
      ("Namespace DYLD, Code 1", "termination.DYLD", "dyld-ended"), ("SIGTRAP", "signal", nil),
      ("sigtrap", "signal", nil),
      ("Namespace SIGNAL, Code 0xb", "signal", nil),
      ("KERN_PROTECTION_FAILURE", "code.EXC_BAD_ACCESS", "protected-memory"),
      ("Thread 1: EXC_BAD_ACCESS (code=EXC_I386_GPFLT)", "exception", nil),
      ("EXC_RESOURCE 0x240000000000b432 0x3c", "resource", "resource"),
      ("vm-pageshortage", "termination.JETSAM", nil),
      ("kGUARD_EXC_CLOSE", "guard.FD", "guard"), ("OS_REASON_DYLD", "namespace", nil), ("err 6", "err", nil),
      ("Linux SIGFPE 1", "code.SIGFPE.Linux", nil), ("11", "signal", nil),
    ] as [(String, String, String?)])
  func query(_ query: String, _ kind: String, _ rule: String?) throws {
    let found = try #require(KnowledgeBase(language: .english).lookUp(query).first)
    #expect(found.code?.kind == kind)
    #expect(found.explanation?.rule == rule)
  }

  @Test func numberInSeveralTablesListsAll() {
    let kinds = KnowledgeBase(language: .english).lookUp("4").compactMap { $0.code?.kind }
    #expect(kinds.starts(with: ["signal", "code.EXC_BAD_ACCESS", "exception", "termination.DYLD"]))
    #expect(Set(kinds).isSuperset(of: ["namespace", "termination.CODESIGNING", "trap", "guard", "guard.FD"]))
  }

  @Test func messagesAreExplainedByTheirRules() throws {
    let knowledge = KnowledgeBase(language: .english)
    let message = "Fatal error: Unexpectedly found nil while unwrapping an Optional value"
    #expect(knowledge.lookUp(message).first?.explanation?.rule == "swift-unexpected-nil-unplaced")
    let symbol = try #require(knowledge.lookUp("Symbol not found: __ZN4Hoge4fugaEi").first)
    #expect(symbol.explanation?.rule == "dyld-symbol-missing")
    #expect(symbol.code?.parts.first?.text == "Hoge::fuga(int)")
  }

  @Test(
    "Unknown queries have no answer",
    arguments: [
      "", " ", "SIGTRP", "EXC_BAD_ACESS 1", "DYLD 77", "0xdeadbeef", "0x1ffffffffffffffff", "😀", "{", "esr",
      "brk 65536",
      "the program crashed", String(repeating: "9", count: 40),
    ])
  func unknown(_ query: String) {
    let found = KnowledgeBase(language: .english).lookUp(query)
    // The name of a kind of number is known, although it isn't a number.
    #expect(found.isEmpty || query == "esr" && found.count == 1)
  }
}
