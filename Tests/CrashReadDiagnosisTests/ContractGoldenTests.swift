import CrashReadDiagnosis
import CrashReadVerdict
import Foundation
import TestSupport
import Testing

/// Diagnoses of reports made for contracts of 60 families, for people to read.
@Suite("Contracts are written")
struct ContractGoldenTests {
  /// One of each family.
  private static let contracts = [
    "child-controller-nil", "urlcomponents-port", "rn-gesture-attach", "pasteboard-writer",
    "swift-alloc", "cd-concurrency", "flutter-jit-forbidden", "checked-continuation-os", "go-panic",
    "sound-analysis-format", "cxx-mutex-destroyed", "dotnet-binding-mismatch", "metal-dispatch-errors",
    "navigation-path-mismatch", "main-waits-once", "firebase-plist-missing", "v8-oom",
    "swiftdata-shared-model", "rust-tao-launch", "capture-photo-frame", "vision-request-image",
    "dyld-stack-misaligned", "file-provider-domain", "privacy-any", "realm-accessor",
    "main-waits-synchronized", "web-extension-message", "healthkit-sample-invalid",
    "iglistkit-mismatch", "queue-player-insert", "test-crash", "il2cpp-fault",
    "kotlin-undeclared-exception", "qt-platform-plugin", "script-fork", "network-path-concurrent",
    "assetwriter-frame", "cloudkit-container-trap", "bluetooth-descriptor", "lock-after-fork",
    "sqlite-fault", "malloc-collection-race", "nio-writer-unfinished", "location-region-invalid",
    "storekit-nil-product", "gad-app-id", "map-request-reused", "usernotifications-sound-or-content",
    "codesign-launch-constraint", "audio-session-threads", "swift-weak-conformance",
    "spritekit-mutated", "bgtask-register-frame", "c-memory", "nsxpc-coding", "image-kvc-filter",
    "picker-configuration", "call-directory-order", "mach-port-over-released", "fb-client-token",
  ]

  @Test("as recorded", arguments: Language.allCases)
  func goldens(_ language: Language) throws {
    let entries = Dictionary(uniqueKeysWithValues: ContractExampleTests.entries.map { ($0.id, $0) })
    var text = ""
    for id in Self.contracts {
      let example = try #require(entries[id]?.examples.first)
      text += "== \(id)\n"
      for named in [true, false] {
        let diagnosis = try ContractExampleTests().diagnose(example, in: language, named: named)
        text += written(diagnosis, named ? "with names" : "without")
      }
    }
    try Golden.compare(text, with: "Tests/Goldens/contracts/\(language.rawValue).txt")
  }

  @Test("of 60 families")
  func families() {
    #expect(Self.contracts.count == 60)
    #expect(Set(Self.contracts).count == 60)
  }

  private func written(_ diagnosis: Diagnosis, _ heading: String) -> String {
    let explanation = diagnosis.explanation
    let place = diagnosis.blamedName.map { " in \($0)" } ?? ""
    return
      (["\(heading), \(explanation.confidence): \(explanation.title)\(place)", explanation.text]
      + explanation.advice.map { "- " + $0 }).joined(separator: "\n") + "\n"
  }
}
