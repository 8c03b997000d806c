import CrashReadCore
import CrashReadReports
import Testing

/// Writes the wire format, the other way round than the reader under test.
private struct WireBuilder {
  private(set) var bytes: [UInt8] = []

  static func varint(_ value: UInt64) -> [UInt8] {
    var value = value
    var bytes: [UInt8] = []
    while value >= 0x80 {
      bytes.append(UInt8(value & 0x7f) | 0x80)
      value >>= 7
    }
    return bytes + [UInt8(value)]
  }

  mutating func add(_ number: UInt64, _ value: UInt64) {
    bytes += Self.varint(number << 3) + Self.varint(value)
  }

  mutating func add(_ number: UInt64, _ value: [UInt8]) {
    bytes += Self.varint(number << 3 | 2) + Self.varint(UInt64(value.count)) + value
  }

  mutating func add(_ number: UInt64, _ text: String) { add(number, Array(text.utf8)) }

  mutating func addFixed(_ number: UInt64, type: UInt64, size: Int) {
    bytes += Self.varint(number << 3 | type) + Array(repeating: 1, count: size)
  }
}

private func message(_ fill: (inout WireBuilder) -> Void) -> [UInt8] {
  var builder = WireBuilder()
  fill(&builder)
  return builder.bytes
}

private let uuid = Array(UInt8(1)...16)

private let processor = message {
  $0.add(1, 1); $0.add(2, 0x0100_000c); $0.add(3, 2)
}

private let thread = message { thread in
  thread.add(1, 3)
  thread.add(
    2,
    message {
      $0.add(3, 0x1010);
      $0.add(
        6,
        message {
          $0.add(1, "_f"); $0.add(2, 0x1004)
        })
    })
  thread.add(
    2,
    message {
      $0.add(3, 0x1020); $0.add(4, "g"); $0.add(5, 0x1018)
    })
  thread.add(3, 1)
  thread.add(
    4,
    message {
      $0.add(1, "PC"); $0.add(2, 0x1010)
    })
}

/// A whole report; the numbers of its fields are those of the published description.
let plCrashReport: [UInt8] =
  Array("plcrash\u{1}".utf8)
  + message { root in
    root.add(
      1,
      message {
        $0.add(1, 1); $0.add(2, "17.2"); $0.add(4, 1_461_269_380); $0.add(5, "21C62")
      })
    root.add(
      2,
      message {
        $0.add(1, "org.example.tides"); $0.add(2, "118"); $0.add(3, "2.5")
      })
    root.addFixed(77, type: 1, size: 8)
    root.addFixed(78, type: 5, size: 4)
    root.add(3, thread)
    root.add(3, message { $0.add(1, 4) })
    root.add(
      4,
      message {
        $0.add(1, 0x1000); $0.add(2, 0x1000); $0.add(3, "/a/Tides"); $0.add(4, uuid); $0.add(5, processor)
      })
    root.add(
      5,
      message {
        $0.add(1, "NSRangeException"); $0.add(2, "index 3"); $0.add(3, message { $0.add(3, 0x1040) })
      })
    root.add(
      6,
      message { signal in
        signal.add(1, "SIGSEGV"); signal.add(2, "SEGV_ACCERR"); signal.add(3, 16)
        signal.add(
          4,
          message {
            $0.add(1, 1); $0.add(2, 2); $0.add(2, 16)
          })
      })
    root.add(
      7,
      message {
        $0.add(1, "Tides"); $0.add(2, 812); $0.add(3, "/a/Tides"); $0.add(4, "launchd"); $0.add(5, 1)
      })
    root.add(
      8,
      message {
        $0.add(1, "iPhone14,5"); $0.add(2, processor)
      })
    root.add(
      9,
      message {
        $0.add(1, 0); $0.add(2, uuid)
      })
  }

@Suite("PLCrashReporter")
struct PLCrashTests {
  @Test("every field of a whole report")
  func whole() throws {
    let report = try CrashReport(parsing: plCrashReport)
    #expect(report.format == .plCrash)
    #expect(report.kind == .crash)
    #expect(report.notes.isEmpty)
    #expect(report.header.process == "Tides")
    #expect(report.header.pid == 812)
    #expect(report.header.path == "/a/Tides")
    #expect(report.header.parentProcess == "launchd [1]")
    #expect(report.header.bundleID == "org.example.tides")
    #expect(report.header.version == "2.5")
    #expect(report.header.build == "118")
    #expect(report.header.osVersion == "iPhone OS 17.2 (21C62)")
    #expect(report.header.date == "2016-04-21T20:09:40Z")
    #expect(report.header.hardwareModel == "iPhone14,5")
    #expect(report.header.incident == "01020304-0506-0708-090A-0B0C0D0E0F10")
    #expect(report.architecture == .arm64e)
    #expect(report.exception?.type == "EXC_BAD_ACCESS")
    #expect(report.exception?.signal == "SIGSEGV")
    #expect(report.exception?.codes == [2, 16])
    #expect(report.exception?.subtype == "SEGV_ACCERR at 0x10")
    #expect(report.uncaughtException == UncaughtException(name: "NSRangeException", reason: "index 3"))
    #expect(report.lastExceptionBacktrace.map { $0.address?.rawValue } == [0x1040])
    #expect(report.images.map(\.name) == ["Tides"])
    #expect(report.images.map(\.end) == [RuntimeAddress(0x1fff)])
    #expect(report.images.map { $0.id?.bytes } == [uuid])
  }

  @Test("threads, frames and registers")
  func threads() throws {
    let report = try CrashReport(parsing: plCrashReport)
    #expect(report.threads.map(\.index) == [3, 4])
    #expect(report.crashedThread == 0)
    #expect(report.crashedThreadState?.registers == [Register(name: "pc", value: 0x1010)])
    #expect(report.threads[0].frames.map { $0.address?.rawValue } == [0x1010, 0x1020])
    #expect(report.threads[0].frames.map(\.reportedSymbol) == ["f", "g"])
    #expect(report.threads[0].frames.map(\.reportedSymbolOffset) == [12, 8])
    #expect(report.threads[0].frames.map(\.kind) == [.programCounter, .returnAddress])
    #expect(report.threads[0].frames.map(\.image) == [0, 0])
  }

  @Test("damage and unknown versions are reported")
  func damage() throws {
    let cut = try CrashReport(parsing: Array(plCrashReport.dropLast(3)))
    #expect(cut.notes.count == 1)
    #expect(cut.threads.count == 2)
    var other = plCrashReport
    other[7] = 9
    #expect(try CrashReport(parsing: other).notes.count == 1)
    #expect(throws: ReportError.unrecognised) { try CrashReport(parsing: Array("plcrash".utf8)) }
  }

  @Test(
    "dates",
    arguments: [
      (UInt64(1), "1970-01-01T00:00:01Z"), (951_782_400, "2000-02-29T00:00:00Z"),
      (1_709_251_199, "2024-02-29T23:59:59Z"), (4_107_542_400, "2100-03-01T00:00:00Z"),
      (253_402_300_799, "9999-12-31T23:59:59Z"), (0, nil), (253_402_300_800, nil), (.max, nil),
    ] as [(UInt64, String?)])
  func dates(_ seconds: UInt64, _ date: String?) throws {
    let bytes = Array("plcrash\u{1}".utf8) + message { $0.add(1, message { $0.add(4, seconds) }) }
    #expect(try CrashReport(parsing: bytes).header.date == date)
  }
}
