import CrashRead
import CrashReadReports
import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

/// `crashread anonymize` removes what identifies a person, and keeps what describes the crash.
@Suite struct AnonymizeTests {
  private static let secrets = [
    "mallory7", "mallory.secret", "corp-example", "hunter22", "tok3nv4lue", "Secret Plans", "tax-2025",
    "Mallorys", "Mälory", "10.20.30.40", "de:ad:be:ef:00:01", "eyJhbGciOiJIUzI1NiJ9",
    "5F1A0C0E-1111-4222-8333-444455556666",
    "DISK-OF-M", "acme-client", "90-1234-5678", "03-9876-5432", "(555) 123-4567", "Annabel", "ANNABEL",
    "Quux", "quux",
    "Zebulon", "zquux77", "C02XY12345", "Wilma", "wilma", "Blorp", "4085550199", "F17ZZ99", "sekrit99",
    "94087",
    "escaped77",
  ]

  /// Secrets in a sentence, as a message of the program could hold them.
  private static let message =
    "user mallory7 <mallory.secret@corp-example.com> got https://bob:hunter22@host.example/a?token=tok3nv4lue&x=1 "
    + "from 10.20.30.40:8080 (de:ad:be:ef:00:01), session 5F1A0C0E-1111-4222-8333-444455556666, "
    + "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc on Mallorys-MacBook.local and Mälory's iPhone; read "
    + "'/Users/mallory7/Secret Plans/tax-2025.pdf', /Volumes/DISK-OF-M/x.swift:3 and /home/mallory7/acme-client/main.swift:7; "
    + "Dear Annabel Quux, call +81 90-1234-5678, 03-9876-5432 or (555) 123-4567; Mr. Zebulon set user_name = zquux77; "
    + "serial: C02XY12345, then ANNABEL and quux left"

  /// Members with personal data, whatever their names are in the reporter's format.
  private static let members =
    #""userName":"wilma.b","firstName":"Wilma","phone_number":4085550199,"serial-number":"F17ZZ99","#
    + #""authToken":"sekrit99","contact.email":"blorp@wilma.example","customer_name":"Wilma Blorp","postalCode":94087,"#
    + #""raw":"{\"userName\":\"escaped77\"}","#

  private static let paths =
    Samples.reports.map { Samples.path($0) }
    + PublicReports.paths(every: 6, upTo: 100_000).map { PublicReports.directory.appending(path: $0).path }

  /// A report with secrets in a field that holds any text, and with other users' home folders.
  private func seeded(_ bytes: [UInt8]) -> [UInt8]? {
    guard !bytes.contains(0), let whole = String(validating: bytes, as: UTF8.self) else { return nil }
    let text = whole.replacing(#/(\\?/(?:Users|home)\\?/)(?!Shared|USER)[A-Za-z0-9._-]+/#) {
      $0.output.1 + "mallory7"
    }
    if text.first == "{" || text.first == "[" {
      let start = text.range(of: "\n{") ?? text.range(of: "{")
      guard let start else { return nil }
      return Array(
        text.replacingCharacters(
          in: start.upperBound..<start.upperBound, with: "\n\"note\":\"\(Self.message)\",\(Self.members)\n"
        ).utf8)
    }
    guard let title = text.range(of: "\nApplication Specific Information:\n") else { return Array(text.utf8) }
    return Array(
      text.replacingCharacters(in: title.upperBound..<title.upperBound, with: Self.message + "\n").utf8)
  }

  @Test func secretsAreRemovedAndVerdictsUnchanged() throws {
    let reader = try CrashReader(symbols: [])
    var (count, seededCount) = (0, 0)
    for path in Self.paths {
      let original = Array(try Data(contentsOf: URL(filePath: path)))
      for bytes in [original, seeded(original)].compactMap(\.self) {
        var anonymizer = Anonymizer()
        guard let result = try? anonymizer.anonymize(bytes) else { continue }
        var check = AnonymityCheck(reader: reader, pseudonyms: anonymizer.pseudonyms)
        #expect(check.difference(between: bytes, and: result) == nil, "\(path)")
        #expect(result.count == bytes.count || bytes.starts(with: [0xff, 0xfe]), "\(path)")
        let text = String(decoding: result, as: UTF8.self)
        for secret in Self.secrets where text.contains(secret) {
          Issue.record("\(secret) is left in \(path)")
        }
        count += 1
        if String(decoding: bytes, as: UTF8.self).contains("hunter22") { seededCount += 1 }
      }
    }
    #expect(count >= 120 && seededCount >= 10, "\(count) \(seededCount)")
  }

  @Test func programNamesAreKept() throws {
    let report = """
      Process: Shop [1]
      Path: /Users/anna/Library/Developer/Xcode/DerivedData/Shop-abc/Build/Products/Debug/Shop.app/Contents/MacOS/Shop
      Identifier: com.anna.Shop
      Version: 1.2.3.4 (5)
      CrashReporter Key: 0a1b2c3d4e5f0a1b2c3d4e5f0a1b2c3d4e5f0a1b
      Exception Type: EXC_BAD_ACCESS (SIGSEGV)
      Crashed Thread: 0

      Thread 0 Crashed:
      0   Shop   0x0000000100001000 Cart.total() + 16 (/Users/anna/My Projects/Shop/Cart.swift:12)

      Binary Images:
      0x100000000 - 0x100003fff Shop arm64 <4c4c44ed55553144a1625a07dae58c2c> /Users/anna/My Projects/Shop.app/Shop

      """
    var anonymizer = Anonymizer()
    let result = String(decoding: try anonymizer.anonymize(Array(report.utf8)), as: UTF8.self)
    #expect(result.contains("/Library/Developer/Xcode/DerivedData/"))
    #expect(result.contains("/Build/Products/Debug/Shop.app/Contents/MacOS/Shop\n"))
    #expect(result.contains("Version: 1.2.3.4 (5)") && result.contains("Identifier: com.anna.Shop"))
    #expect(result.contains("<4c4c44ed55553144a1625a07dae58c2c>") && result.contains("Cart.swift:12)"))
    #expect(!result.contains("/anna/") && !result.contains("My Projects") && !result.contains("0a1b2c3d"))
    #expect(result.ranges(of: "/use1/").count == 3)
    #expect(anonymizer.pseudonyms.entries.first { $0.kind == .user }?.count == 3)
  }

  /// Text that resembles a phone number or a field and is neither: offsets, dates, versions, argument labels, keys.
  @Test func nonPersonalDataIsKept() throws {
    let lines = [
      "0   Shop   0x0000000100001000 login(user:email:password:) + 12345678 (Login.swift:12)",
      "1   Shop   0x0000000100001010 -[Login setEmail:password:] + 16",
      "2   Shop   0x0000000100001020 Login.set(email: Swift.String, name: Swift.String) -> () + 123456789",
    ]
    let said =
      "at 2025-01-01 09:00:12 +0900, build 10-20-3000x, 0x12-345-6789, support says: password: (null)"
    let report =
      "Process: Shop [1]\nException Type: EXC_CRASH (SIGABRT)\n\nApplication Specific Information:\n\(said)\n\n"
      + "Thread 0 Crashed:\n" + lines.joined(separator: "\n") + "\n"
    var anonymizer = Anonymizer()
    let result = String(decoding: try anonymizer.anonymize(Array(report.utf8)), as: UTF8.self)
    #expect(result == report)
  }

  @Test func pseudonymsAreConsistentWithinARun() throws {
    let directory = try TemporaryDirectory()
    let text =
      "Process: a [1]\nPath: /Users/someone/a\nException Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n0   a   0x1000 f + 1\n"
    try directory.write(text, to: "one.crash")
    try directory.write(text + "\nsomeone was here\n", to: "two.crash")
    try directory.makeDirectory("out")
    let words = ["anonymize", "one.crash", "two.crash", "-o", "out", "--replacements", "list"]
    let run = try CommandRun.crashread(words, in: directory)
    #expect(run.outcome == .exited(0), "\(run.errors)")
    #expect(try directory.read("out/one.crash") == text.replacing("someone", with: "user001"))
    #expect(try directory.read("out/two.crash").hasSuffix("\nuser001 was here\n"))
    #expect(try directory.read("list") == "user\tsomeone\tuser001\t3\n")
    #expect(!run.errors.contains("someone"))
    let again = try CommandRun.crashread(words, in: directory)
    #expect(again.outcome == .exited(1) && again.errors.contains("already exists"))
    let several = try CommandRun.crashread(["anonymize", "one.crash", "two.crash"], in: directory)
    #expect(several.outcome == .exited(2))
    let nothing = try CommandRun.crashread(["anonymize", "-"], input: "no report")
    #expect(nothing.outcome == .exited(1) && nothing.output == "")
  }
}

/// Texts whose cost must be linear in their size, and in which personal data is found at any position.
@Suite("Personal data in large texts", .mustEnd)
struct LargePersonalDataTests {
  private static let head = "Process: App [1]\nException Type: EXC_CRASH (SIGABRT)\n\nThread 0 Crashed:\n"

  /// Home folders nested in one another, and every character around which the search begins.
  @Test(arguments: ["/Users/a", ".", "=", "-", ":", "@", "a@", "://", "-eyJ", "\\\\", "a b ", "'s iPhone"])
  func isFoundInOnePass(_ part: String) throws {
    var anonymizer = Anonymizer()
    let text =
      Self.head + "0 App 0x100001010 f + 16\n\n/Users/x"
      + String(repeating: part, count: 50_000 / part.count)
    #expect(try anonymizer.anonymize(Array(text.utf8)).count == text.utf8.count)
  }

  @Test func homeFoldersOnVolumesAreFound() throws {
    var anonymizer = Anonymizer()
    let text =
      Self.head + "0 App 0x100001010 f + 16\n\nread /Volumes/Backup7/Users/mallory7/a, then mallory7\n"
    _ = try anonymizer.anonymize(Array(text.utf8))
    let found = anonymizer.pseudonyms.entries.map { "\($0.kind) \($0.original) \($0.count)" }
    #expect(found.contains("volume Backup7 1") && found.contains("user mallory7 2"), "\(found)")
  }

  @Test func comparisonIsLimited() throws {
    let frames = (0..<5000).map { "\($0) App 0x100001010 f(/Users/u\($0)x/x) + \($0)\n" }
    let directory = try TemporaryDirectory()
    try directory.write(Self.head + frames.joined(), to: "a.crash")
    let run = try CommandRun.crashread(["anonymize", "a.crash"], in: directory)
    #expect(run.outcome == .exited(1) && run.output.isEmpty)
    #expect(run.errors.contains("it has too many names to be compared"))
  }
}
