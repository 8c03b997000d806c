import CrashRead
import CrashReadDiagnosis
import CrashReadInstructions
import Foundation

@testable import CrashReadCommand
@testable import CrashReadDebugInfo

/// Names of functions, which come out of debug files and reports.
let namesTarget = FuzzTarget(
  name: "names", seeds: { nameSeeds.map { Array($0.utf8) } },
  reader: { { _ = demangle(String(decoding: $0, as: UTF8.self)) } })

private let nameSeeds = [
  "$s8HogeApp4FugaV4jsonACSDySSypG_tcfC", "_$s4main5OrderV5totalSivg", "$e4Hoge4FugaV", "_T0s4main",
  "$s1A1BCAA1CRzlE1dyyqd__AA1ERd__lF", "$sSS_SitSgXw_sIegnr_TR", "_Z3fooiPKcRSt6vectorIiSaIiEE",
  "__ZNSt3__112basic_stringIcNS_11char_traitsIcEENS_9allocatorIcEEE6appendEPKc", "_ZZ4mainENKUlvE_clEv",
  "_RNvCs1234_7mycrate3foo", "_RINvNtC3std3mem8align_ofjdE",
  "_RNvMsr_NtCs3ssYzQotkvD_3std4pathNtB5_7PathBuf3new",
  "_ZN4core3fmt9Formatter3pad17h0123456789abcdefE", "_RNCNvC1a1bu30_0",
  "_RNqCs4fqI2P2rA04_11utf8_identsu30____7hkackfecea1cbdathfdh9hlq6y",
]

/// What a user types after `explain`, perhaps from a report.
let codesTarget = FuzzTarget(
  name: "codes",
  seeds: {
    [
      "0x8badf00d", "EXC_BAD_ACCESS 1", "esr 0x92000047", "brk 1", "Namespace DYLD, Code 1", "SIGTRAP",
      "EXC_GUARD 0x4000000100000000", "EXC_RESOURCE 0x60000000000000", "trap 14", "-1",
      "18446744073709551615",
      "Fatal error: Unexpectedly found nil while unwrapping an Optional value: file A.swift, line 1",
    ].map { Array($0.utf8) }
  },
  reader: {
    let bases = Language.allCases.map { KnowledgeBase(language: $0) }
    return { _ = bases[$0.count % bases.count].lookUp(String(decoding: $0, as: UTF8.self)) }
  })

/// Machine code, which reports quote and binaries hold.
let codeTarget = FuzzTarget(
  name: "code",
  seeds: {
    // ldr x8, [x8, x25, lsl #3]; ldp x23, x8, [x0, #0xe0]; ld3 { v29.1d-v31.1d }, [x23], x22; and x0, x0, #…
    // mov rax, [rbx+rcx*8+0x10]; vmovaps ymm0, [rdi]; call [rax+0x10]; jo
    [
      [0x08, 0x79, 0x79, 0xf8, 0x17, 0x20, 0x4e, 0xa9, 0xfd, 0x4e, 0x96, 0x0c, 0x00, 0xf0, 0x00, 0x92],
      [0x48, 0x8b, 0x44, 0xcb, 0x10, 0xc5, 0xfc, 0x28, 0x07, 0xff, 0x50, 0x10, 0x70, 0x02, 0x0f, 0x0b],
    ]
  },
  reader: {
    { bytes in
      for set in [InstructionSet.arm64, .x86_64] {
        let ahead = set.instructions(before: 8, bytes)
        for instruction in set.instructions(bytes, at: .max - 3) + ahead {
          for operand in instruction.memory { _ = operand.address { _ in .max } }
        }
      }
    }
  })

/// Arguments of a command line, one per line; they are only parsed.
let optionsTarget = FuzzTarget(
  name: "options",
  seeds: {
    [
      "lookup\n--arch=arm64\n--uuid\n00112233445566778899AABBCCDDEEFF\nfile\n0x1000",
      "-ah\n--why\n-o\nsarif=a.sarif",
      "ci\n--since\n2026-11-21T09:00:00Z\n--\nswift\ntest", "--path-map=a=b\n--lang=ja\nreport",
      "explain\n-\n--\n-x",
      "--formt=json\nlokup\na", "symbols\n--index\n--cache\noff\nx", "help\nlookup", "--generate\nbash",
    ].map { Array($0.utf8) }
  },
  reader: {
    { bytes in
      let words = bytes.split(separator: 0x0a, omittingEmptySubsequences: false)
      _ = try? parseArguments(words.map { String(decoding: $0, as: UTF8.self) })
    }
  })
