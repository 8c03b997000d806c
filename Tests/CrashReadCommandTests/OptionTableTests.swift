import CrashReadBatch
import Testing

@testable import CrashReadCommand

extension OptionDefinition: CustomTestStringConvertible {
  /// The name, in the test's report.
  public var testDescription: String { "--" + long }
}

/// The table holds what everything else is printed from, so its own rules are checked here.
@Suite struct OptionTableTests {
  @Test func namesAreUnique() {
    let long = optionTable.map(\.long)
    #expect(Set(long).count == long.count)
    let short = optionTable.compactMap(\.short)
    #expect(Set(short).count == short.count)
  }

  @Test(arguments: optionTable) func isWellFormed(_ option: OptionDefinition) {
    #expect(option.long.count > 1 && option.long.allSatisfy { $0.isLowercase || $0 == "-" })
    #expect(option.short.map { $0.isLetter || $0.isWholeNumber } ?? true)
    #expect(!option.verbs.isEmpty)
    #expect(!option.summary.isEmpty && !option.summary.hasSuffix("."))
    #expect(option.summary.first?.isUppercase == true)
    #expect(option.details.allSatisfy { $0.hasSuffix(".") && !$0.contains("\n") })
    #expect(option.value != nil || !option.isRepeatable)
  }

  @Test(arguments: optionTable.filter { $0.value != nil })
  func valueIsNamedAndChoicesParse(_ option: OptionDefinition) throws {
    let value = try #require(option.value)
    #expect(!value.placeholder.isEmpty && value.placeholder == value.placeholder.uppercased())
    for choice in value.choices {
      #expect(!choice.summary.isEmpty)
      #expect(!choice.verbs.isDisjoint(with: option.verbs))
      var options = Options()
      #expect(throws: Never.self) { try value.store(choice.word, &options) }
    }
    for verb in option.verbs where !value.choices.isEmpty {
      #expect(!option.choices(for: verb).isEmpty)
    }
  }

  @Test(arguments: optionTable) func isDocumentedEverywhere(_ option: OptionDefinition) {
    for verb in option.verbs {
      #expect(Help(verb: verb, isLong: false).text.contains("--\(option.long)"))
      #expect(Help(verb: verb, isLong: true).text.contains("--\(option.long)"))
    }
    let roffName = option.long.split(separator: "-").joined(separator: "\\-")
    #expect(ManPage().text.contains("\\fB\\-\\-\(roffName)\\fR"))
    #expect(bashCompletion().contains("--\(option.long)"))
    #expect(zshCompletion().contains("--\(option.long)"))
    #expect(fishCompletion().contains(" -l \(option.long) "))
  }

  @Test func batchSettingsMatchOptions() throws {
    var settings = try parseArguments([
      "batch", "--symbols=a b", "--symbols=c", "--allow-mismatch", "--cache=kept", "-o", "ndjson=x=y",
      "--lang=ja",
      "--summary=html", "--timeout=7", "--memory=64M", "--max-result-size=3M", "--limit=threads=3", "--why",
      "--jobs=5", "--isolate=off", "--state=s", "--retry-unresolved", "--symbol-memory=m", "--learn",
      "--learn-quorum=4", "--symbol-server=unified=http://a", "--brief=options",
    ]).batchSettings(Environment())
    var expected = BatchSettings()
    (expected.symbols, expected.allowsMismatch, expected.caches) = (["a b", "c"], true, "kept")
    (expected.output, expected.language, expected.showsReasoning) = ("x=y", .japanese, true)
    expected.inputLimits.seconds = 7
    (expected.inputLimits.memory, expected.inputLimits.resultSize) = (64 << 20, 3 << 20)
    expected.limits.threads = 3
    (expected.workers, expected.state, expected.retriesUnresolved) = (5, "s", true)
    (expected.symbolMemory, expected.learns, expected.quorum) = ("m", true, 4)
    (expected.symbolServers, expected.brief) = (["unified=http://a"], .options)
    expected.cacheCommand = cacheCommand
    settings.programFolders = []
    #expect(settings == expected)
  }

  @Test(arguments: Verb.named) func verbIsDocumentedEverywhere(_ verb: Verb) {
    #expect(Help(verb: .report, isLong: false).text.contains("\n  \(verb.rawValue) "))
    #expect(ManPage().text.contains("\n\\fB\(verb.rawValue)\\fR"))
    #expect(fishCompletion().contains(" -a \(verb.rawValue) "))
    #expect(Verb(typed: verb.rawValue) == verb)
  }

  @Test func examplesParse() throws {
    for example in Example.all {
      let words = example.command.prefix { $0 != ">" }.split(separator: " ").map(String.init)
      #expect(words.first == "crashread")
      #expect(throws: Never.self) { try parseArguments(Array(words.dropFirst())) }
    }
  }
}
