import CrashReadCore
import CrashReadReports
import Testing

/// A line of "Binary Images" and its contents.
struct ImageCase: Sendable, CustomTestStringConvertible {
  var line: String
  var start: UInt64
  var end: UInt64?
  var name: String?
  var architecture: String?
  var version: String?
  var hasID = true
  var isApp = false
  var path: String?
  var testDescription: String { line }
}

@Suite("Image lines")
struct ImageLineTests {
  static let hex = "<00112233445566778899aabbccddeeff>"
  static let dashed = "<00112233-4455-6677-8899-AABBCCDDEEFF>"
  static let cases: [ImageCase] = [
    ImageCase(
      line: "       0x102504000 -        0x10257bfff debugserver arm64  \(hex) /usr/bin/debugserver",
      start: 0x1_0250_4000, end: 0x1_0257_bfff, name: "debugserver", architecture: "arm64",
      path: "/usr/bin/debugserver"),
    ImageCase(
      line: "0x58000 - 0x6cfff +Tide Table armv7  \(hex) /var/A B/Tide Table", start: 0x58000, end: 0x6cfff,
      name: "Tide Table", architecture: "armv7", isApp: true, path: "/var/A B/Tide Table"),
    ImageCase(
      line: "0x101304000 - 0x101307ff7 +org.example.tides (1.0 - 1) \(dashed) /Users/U/tides",
      start: 0x1_0130_4000,
      end: 0x1_0130_7ff7, name: "org.example.tides", version: "1.0 - 1", isApp: true, path: "/Users/U/tides"),
    ImageCase(
      line: "0x10 - 0x1f libx.dylib (*) \(dashed) /libx.dylib", start: 0x10, end: 0x1f, name: "libx.dylib",
      path: "/libx.dylib"),
    ImageCase(
      line: "0x10 - 0x1f libx.dylib x86_64 (0.0.0 - 0.0.0) \(hex) /libx.dylib", start: 0x10, end: 0x1f,
      name: "libx.dylib", architecture: "x86_64", version: "0.0.0 - 0.0.0", path: "/libx.dylib"),
    ImageCase(
      line: "0x1000 -    0xcaffb +git ??? (???) /opt/git/bin/git", start: 0x1000, end: 0xcaffb, name: "git",
      hasID: false, isApp: true, path: "/opt/git/bin/git"),
    ImageCase(
      line: "0x8fe00000 - 0x8fe2da53  dyld 96.2 (???) \(hex) /usr/lib/dyld", start: 0x8fe0_0000,
      end: 0x8fe2_da53,
      name: "dyld", version: "96.2", path: "/usr/lib/dyld"),
    ImageCase(
      line: "0x1000 -    0x14fff com.example.ide 1.1 (300)\t/Developer/IDE", start: 0x1000, end: 0x14fff,
      name: "com.example.ide", version: "1.1 (300)", hasID: false, path: "/Developer/IDE"),
    ImageCase(
      line: "0x1000 - 0x1fff libxslt.1.dylib \t/usr/lib/libxslt.1.dylib", start: 0x1000, end: 0x1fff,
      name: "libxslt.1.dylib", hasID: false, path: "/usr/lib/libxslt.1.dylib"),
    ImageCase(
      line: "0x1000 - 0x1fff  libgpg.dylib arm  <(null)> /usr/lib/libgpg.dylib", start: 0x1000, end: 0x1fff,
      name: "libgpg.dylib", architecture: "arm", hasID: false, path: "/usr/lib/libgpg.dylib"),
    ImageCase(
      line: "0x0 - 0xffffffffffffffff ??? (*) <00000000-0000-0000-0000-000000000000> ???", start: 0,
      end: .max,
      hasID: false),
    ImageCase(
      line: "0x10237c000 -                ???  Spark 45.10.0 (32870)      \(dashed)  /Spark",
      start: 0x1_0237_c000,
      name: "Spark", version: "45.10.0 (32870)", path: "/Spark"),
    ImageCase(
      line: "0x10b8b8000 - 0x10b8e4000 Reporter (???) \(dashed) /Reporter", start: 0x1_0b8b_8000,
      end: 0x1_0b8e_3fff,
      name: "Reporter", path: "/Reporter"),
    ImageCase(
      line: "*0xffffff8000210000 - 0xffffff8000c0ffff  kernel (8020.1)  \(dashed)  /kernel",
      start: 0xffff_ff80_0021_0000, end: 0xffff_ff80_00c0_ffff, name: "kernel", version: "8020.1",
      path: "/kernel"),
  ]

  @Test("are parsed", arguments: cases)
  func takenApart(_ expected: ImageCase) throws {
    let image = try #require(try image(expected.line))
    #expect(image.start == RuntimeAddress(expected.start))
    #expect(image.end?.rawValue == expected.end)
    #expect(image.name == expected.name)
    #expect(image.architecture?.rawValue == expected.architecture)
    #expect(image.version == expected.version)
    #expect(image.id?.description == (expected.hasID ? "00112233-4455-6677-8899-AABBCCDDEEFF" : nil))
    #expect(image.isMarkedAsApp == expected.isApp)
    #expect(image.path == expected.path)
    #expect(image.line == 4)
  }

  @Test("broken by mail programs are joined")
  func brokenLines() throws {
    let image = try #require(try image("0x10 - 0x1f  dyld 96.2 (???)\n\(Self.hex)\n/usr/lib/dyld"))
    #expect(image.id != nil)
    #expect(image.path == "/usr/lib/dyld")
  }

  @Test(
    "that are cut off are left out with a note",
    arguments: ["0x3eaa6000 - 0x3eab1ff", "0x3eaa6000 -", "0x3ea"])
  func cutLines(_ line: String) throws {
    let report = try parse("Exception Type: EXC_CRASH\n\nBinary Images:\n\(line)\n")
    #expect(report.images.isEmpty)
    #expect(report.notes.map(\.line) == [4])
  }
}
