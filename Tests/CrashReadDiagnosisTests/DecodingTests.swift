internal import CrashReadCore
import CrashReadReports
import CrashReadSymbolication
import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

private let codes = Knowledge.embedded.codes

/// A number's meaning, in one line.
private func summary(_ number: UInt64, _ layout: String, _ subcode: UInt64? = nil) -> String? {
  codes.decode(number, as: layout, subcode: subcode).flatMap { Texts.embedded(.english).summary($0) }
    .map { hexadecimal(number) + " = " + $0 }
}

@Suite struct DecodingTests {
  /// Values from real reports, read by hand with the bit tables of the Arm manual.
  @Test(arguments: [
    (0x9200_0006, "0x92000006 = data abort, read, translation fault, level 2"),
    (0x9200_0047, "0x92000047 = data abort, write, translation fault, level 3"),
    (0x9200_004f, "0x9200004f = data abort, write, permission fault, level 3"),
    (0x9200_0021, "0x92000021 = data abort, read, alignment fault"),
    (0x8200_0004, "0x82000004 = instruction abort, translation fault, level 0"),
    (0x8200_000e, "0x8200000e = instruction abort, permission fault, level 2"),
    (0xf200_0001, "0xf2000001 = brk, trap"),
    (0xf200_5512, "0xf2005512 = brk, index out of bounds"),
    (0xf200_c472, "0xf200c472 = brk, signed pointer check, key DA"),
    (0xf200_1234, "0xf2001234 = brk, 0x1234"),
    (0x5600_0080, "0x56000080 = svc, immediate 0x80"),
    (0x7200_0002, "0x72000002 = pointer authentication failure, key DA"),
    (
      0x9380_0046,
      "0x93800046 = data abort, write, translation fault, level 2, details recorded, word, register 0"
    ),
    (0x0, "0x0 = unknown reason"),
    (0xb200_0002, "0xb2000002 = floating-point exception, division by zero"),
  ])
  func exceptionSyndrome(_ number: UInt64, _ expected: String) {
    #expect(summary(number, "esr") == expected)
  }

  @Test(arguments: [
    (0x4, "0x4 = read, not mapped, user"), (0x6, "0x6 = write, not mapped, user"),
    (0x7, "0x7 = write, not allowed, user"), (0x14, "0x14 = read, not mapped, user, instruction fetch"),
    (0xd, "0xd = read, not allowed, user, reserved bit set"),
  ])
  func pageFault(_ number: UInt64, _ expected: String) {
    #expect(summary(number, "err") == expected)
  }

  /// The first is the example of XNU's `guard_exceptions.md`; the others are encoded by `exc_guard.h`.
  @Test(
    arguments: [
      (2_305_845_208_236_959_491, nil, "0x2000020000002703 = MACH_PORT, INVALID_NAME, port 0x2703"),
      (
        0x4000_0001_0000_0003, 0x1f_a8cd,
        "0x4000000100000003 = FD, CLOSE, descriptor 3, guard 0x1fa8cd"
      ),
      (0x4000_0003_0000_0009, nil, "0x4000000300000009 = FD, CLOSE, DUP, descriptor 9"),
      (0x8000_0004_0000_0042, nil, "0x8000000400000042 = VN, UNLINK, process 66"),
      (0xa000_0001_0000_0000, 0x4000, "0xa000000100000000 = VIRT_MEMORY, DEALLOC_GAP, offset 0x4000"),
      (0x6000_0000_0000_0012, 0x7, "0x6000000000000012 = USER, LIBSYSTEM, reason 0x7"),
      (0xc000_0000_0000_0000, 0x5, "0xc000000000000000 = REJECTED_SC, Mach trap 0, system call 5"),
    ] as [(UInt64, UInt64?, String)])
  func guards(_ number: UInt64, _ subcode: UInt64?, _ expected: String) {
    #expect(summary(number, "guard", subcode) == expected)
  }

  /// Encoded by the macros of `exc_resource.h`.
  @Test(
    arguments: [
      (1 << 61 | 1 << 58 | 180 << 7 | 50, 60, "CPU, MONITOR, limit 50%, over 180 s, observed 60%"),
      (1 << 61 | 2 << 58 | 60 << 7 | 80, 89, "CPU, MONITOR_FATAL, limit 80%, over 60 s, observed 89%"),
      (
        2 << 61 | 1 << 58 | 300 << 20 | 150, 222,
        "WAKEUPS, MONITOR, limit 150/s, over 300 s, observed 222/s"
      ),
      (3 << 61 | 1 << 58 | 1850, nil, "MEMORY, HIGH_WATERMARK, limit 1850 MB"),
      (
        4 << 61 | 2 << 58 | 1440 << 15 | 1024, 1070,
        "IO, LOGICAL_WRITES, limit 1024 MB, over 1440 s, observed 1070 MB"
      ),
      (5 << 61 | 1 << 58 | 2048, nil, "THREADS, HIGH_WATERMARK, count 2048"),
      (6 << 61 | 1 << 58 | 40000, nil, "PORTS, PORT_SPACE_FULL, count 40000"),
    ] as [(UInt64, UInt64?, String)])
  func resources(_ number: UInt64, _ subcode: UInt64?, _ expected: String) {
    #expect(summary(number, "resource", subcode) == "0x" + String(number, radix: 16) + " = " + expected)
  }

  @Test("Any number can be decoded by any layout", arguments: codes.layouts.names.sorted())
  func anyNumber(_ layout: String) throws {
    for bit in 0..<64 {
      for number in [UInt64.max << UInt64(bit), UInt64.max >> UInt64(bit), 1 << UInt64(bit)] {
        let decoded = try #require(codes.decode(number, as: layout, subcode: number))
        #expect(decoded.value == number)
        #expect(decoded.parts.count < 16)
      }
    }
  }

  @Test("Numbers outside a layout's kinds are shown as numbers")
  func unknownKinds() {
    #expect(summary(0xe000_0000_0000_0001, "guard") == "0xe000000000000001 = 7")
    #expect(codes.decode(1, as: "no such layout") == nil)
    #expect(codes.decode(0x80, in: "guard.FD") == nil)
  }

  @Test(
    "The kind of access is that of the instruction",
    arguments: [
      ("esr", 0x9200_0006, MemoryAccess.read), ("esr", 0x9200_0047, .write), ("esr", 0x8200_0004, .execute),
      ("esr", 0x5600_0080, nil), ("esr", 0xf200_0001, nil), ("err", 4, .read), ("err", 6, .write),
      ("err", 0x15, .execute),
    ] as [(String, UInt64, MemoryAccess?)])
  func access(_ layout: String, _ number: UInt64, _ access: MemoryAccess?) {
    #expect(codes.decode(number, as: layout)?.access == access)
  }
}

@Suite struct LinkerErrorTests {
  private func parts(_ text: String) -> [String]? {
    LinkerError(text.split(separator: "\n").map { FactLine(String($0), .field(.exceptionMessage)) })?.decoded
      .parts.map {
        "\($0.field): \($0.text)"
      }
  }

  @Test func namesLibraryDependentAndSearchedPaths() {
    let message = """
      Library not loaded: @rpath/Hoge.framework/Hoge
      Referenced from: <11CE3F57-6264-3E8D-8A89-86894D83B974> /Applications/Fuga.app/Fuga
      Reason: tried: '/usr/lib/Hoge' (no such file, not in dyld cache), '/a b/Hoge' (mach-o file, but is an \
      incompatible architecture (have 'x86_64', need 'arm64'))
      """
    #expect(
      parts(message) == [
        "library: @rpath/Hoge.framework/Hoge", "wantedBy: /Applications/Fuga.app/Fuga",
        "tried: /usr/lib/Hoge (no such file, not in dyld cache)",
        "tried: /a b/Hoge (mach-o file, but is an incompatible architecture (have 'x86_64', need 'arm64'))",
      ])
  }

  @Test func namesTheDemangledSymbol() {
    let message = """
      dyld[42]: Symbol not found: __ZN4Hoge4fugaEi
        Referenced from: /Fuga.app/Fuga
        Expected in:     <11CE3F57-6264-3E8D-8A89-86894D83B974> /System/Library/Hoge
      """
    #expect(
      parts(message) == [
        "symbol: Hoge::fuga(int)", "wantedBy: /Fuga.app/Fuga", "expectedIn: /System/Library/Hoge",
      ])
  }

  @Test(
    "Truncated messages don't trap",
    arguments: [
      "Library not loaded: x\ntried: '/a", "Library not loaded: x\ntried: '/a'",
      "Library not loaded: x\ntried: '/a' (b",
      "Library not loaded: x\ntried: '/a' ((((", "Library not loaded: x\nReferenced from: <",
    ])
  func damaged(_ message: String) {
    #expect(parts(message)?.first == "library: x")
  }

  @Test func otherMessagesAreIgnored() {
    #expect(parts("Referenced from: /a\ntried: '/b' (c)") == nil)
  }
}

/// The decoded numbers of a report in its diagnosis.
@Suite struct ReportDecodingTests {
  private func diagnosis(_ text: String) throws -> Diagnosis {
    let report = try CrashReport(parsing: Array(text.utf8))
    return KnowledgeBase(language: .english).diagnose(SymbolicatedReport(unresolved: report))
  }

  private func parts(_ diagnosis: Diagnosis, _ kind: String) -> [String]? {
    diagnosis.decoded.first { $0.kind == kind }?.parts.map(\.text)
  }

  @Test func guardCodeIsTakenFromTheTermination() throws {
    let found = try diagnosis(
      """
      Exception Type:  EXC_GUARD (SIGKILL)
      Exception Codes: 0x0000000000002703, 0x0000000000000000
      Termination Reason: GUARD 2305845208236959491

      Thread 0 Crashed:
      0   A   0x0000000104844dd4 f + 1
      """)
    #expect(parts(found, "guard") == ["MACH_PORT", "INVALID_NAME", "0x2703", "0x0"])
    #expect(found.explanation.rule == "guard-port-right")
    #expect(
      found.explanation.evidence.contains {
        $0.source == .field(.termination) && $0.quote == "0x2000020000002703"
          && $0.meaning?.hasPrefix("MACH_PORT, INVALID_NAME, port 0x2703") == true
      })
  }

  @Test(
    "Without a code, the description of a guard exception is read",
    arguments: [
      (
        "GUARD_TYPE_VIRT_MEMORY", "offset=0x000000010f819000, flavor=0x00000001 (DEALLOC_GAP)",
        "Guarded resource violated: VIRT_MEMORY DEALLOC_GAP"
      ),
      ("GUARD_TYPE_VN", "UNLINK of tides.db", "Guarded resource violated: VN UNLINK"),
      ("GUARD_TYPE_FD", "tides", "Guarded resource violated: FD"),
    ])
  func guardWords(subtype: String, message: String, title: String) throws {
    let found = try diagnosis(
      """
      Exception Type:  EXC_GUARD (SIGKILL)
      Exception Subtype: \(subtype)
      Exception Message: \(message)

      Thread 0 Crashed:
      0   A   0x0000000104844dd4 f + 1
      """)
    #expect(found.explanation.title == title)
  }

  @Test func resourceMessageIsParsed() throws {
    let found = try diagnosis(
      """
      Exception Type:  EXC_RESOURCE
      Exception Subtype: CPU_FATAL
      Exception Message: (Limit 50%) Observed 60% over 180 secs

      Thread 0 Crashed:
      0   A   0x0000000104844dd4 f + 1
      """)
    #expect(parts(found, "resource") == ["CPU", "50%", "180 secs", "60%"])
  }

  @Test func linkerMessageIsEvidence() throws {
    let found = try diagnosis(
      """
      Exception Type:  EXC_CRASH (SIGABRT)
      Termination Reason: Namespace DYLD, Code 1 Library missing

      Dyld Error Message:
        Library not loaded: @rpath/Hoge
        Referenced from: /Fuga.app/Fuga
        Reason: tried: '/usr/lib/Hoge' (no such file)

      Thread 0 Crashed:
      0   dyld   0x0000000104844dd4 f + 1
      """)
    #expect(parts(found, "dyld") == ["@rpath/Hoge", "/Fuga.app/Fuga", "/usr/lib/Hoge (no such file)"])
    #expect(found.decoded.first { $0.kind == "termination.DYLD" }?.name == "library missing")
    let quotes = found.explanation.evidence.map(\.quote)
    for part in ["@rpath/Hoge", "Referenced from: /Fuga.app/Fuga", "tried: '/usr/lib/Hoge' (no such file)"] {
      #expect(quotes.contains { $0.hasSuffix(part) }, "\(part)")
    }
    #expect(found.explanation.text.contains("/Fuga.app/Fuga"))
  }

  @Test func syndromeOfASystemCallIsNoEvidence() throws {
    let found = try diagnosis(
      """
      Code Type: ARM-64
      Exception Type:  EXC_CRASH (SIGABRT)

      Thread 0 Crashed:
      0   A   0x0000000104844dd4 f + 1

      Thread 0 crashed with ARM Thread State (64-bit):
         far: 0x0000000000000000  esr: 0x92000046  Address size fault
      """)
    #expect(parts(found, "esr") == ["data abort", "write", "translation fault", "2"])
    #expect(!found.explanation.evidence.contains { $0.quote.contains("0x92000046") })
  }
}
