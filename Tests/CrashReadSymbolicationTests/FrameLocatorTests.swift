import CrashReadCore
import CrashReadDebugInfo
import CrashReadReports
import CrashReadSymbolication
import CrashReadVerdict
import TestSupport
import Testing

/// The kind of an address in a backtrace, and the image that contains its code.
@Suite("The location of a frame's code")
struct FrameLocatorTests {
  private func parse(_ frames: String, images: String, codeType: String = "ARM-64") throws -> CrashReport {
    let text = """
      Process:             Shop [812]
      Code Type:           \(codeType) (Native)
      Exception Type:      EXC_CRASH (SIGABRT)

      Thread 0 Crashed:
      \(frames)

      Binary Images:
      \(images)
      """
    return try CrashReport(parsing: Array(text.utf8))
  }

  private func resolve(_ report: CrashReport, _ symbols: [String] = []) -> SymbolicatedReport {
    Symbolicator(store: SymbolStore(searching: symbols)).symbolicate(report)
  }

  @Test(
    "a return address at the first byte of an image belongs to the call before it, whose image is missing")
  func firstByteOfTheNextImage() throws {
    let report = try parse(
      """
      0   libA.dylib    0x0000000100004000 0x100004000 + 0
      1   ???           0x0000000100008000 0x100008000 + 0
      2   libB.dylib    0x0000000100008010 0x100008000 + 16
      """,
      images: """
               0x100008000 -        0x10000bfff libB.dylib arm64  <11ce3f5762643e8d8a8986894d83b974> /opt/libB.dylib
        """)
    let frames = resolve(report).threads[0]
    #expect(frames.map(\.image) == [nil, nil, 0])
    #expect(frames[1].reason == .notInImage)
  }

  private let shop =
    "         0x100008000 -        0x1000fffff Shop arm64  <11ce3f5762643e8d8a8986894d83b974> /opt/Shop"

  @Test("the offset of an inlined function says nothing about the function that contains it")
  func inlinedOffset() throws {
    let report = try parse(
      """
      0   Shop    0x0000000100008200 Cart.total.getter + 24 [inlined]
      1   Shop    0x0000000100008200 Cart.check() + 512
      """,
      images: shop)
    #expect(resolve(report).threads[0].map(\.functionNames.first) == ["Cart.total.getter", "Cart.check()"])
  }

  @Test("in an image that has lost its names, only what is close to a name is its function")
  func strippedImage() throws {
    let report = try parse(
      """
      0   Shop    0x000000010000af00 exported_f + 7936
      1   Shop    0x00000001000a0000 exported_g + 131072
      2   Shop    0x0000000100080020 exported_h + 32
      3   Shop    0x0000000100090000 exported_i + 8192 (moon.c:12)
      """,
      images: shop)
    #expect(resolve(report).threads[0].map(\.functionNames.first) == [nil, nil, "exported_h", "exported_i"])
    let python = try parse(
      "0   Shop    0x000000010001d2d7 _PyEval_EvalFrameDefault + 86743", images: shop)
    #expect(resolve(python).threads[0].map(\.functionNames.first) == ["_PyEval_EvalFrameDefault"])
  }

  @Test("the Thumb bit is cleared before the step back, also if only the device names the CPU")
  func thumb() throws {
    let event = """
      {"event_id": "1", "platform": "cocoa", "contexts": {"device": {"arch": "armv7"}},
       "debug_meta": {"images": [
         {"type": "macho", "image_addr": "0x4000", "image_size": 4096, "code_file": "/opt/Shop"},
         {"type": "macho", "image_addr": "0x5000", "image_size": 4096, "code_file": "/opt/libB.dylib"}]},
       "exception": {"values": [{"type": "SIGABRT", "mechanism": {"type": "mach", "handled": false},
         "stacktrace": {"frames": [{"instruction_addr": "0x5001"}, {"instruction_addr": "0x5101"}]}}]}}
      """
    let report = try CrashReport(parsing: Array(event.utf8))
    // 0x5001 - 1 is still the first instruction of libB; the call before it lies in Shop.
    #expect(resolve(report).threads[0].map(\.image) == [1, 0])
    let locator = FrameLocator(report)
    #expect(locator.lookupOffset(of: report.threads[0].frames[1], in: 0) == ImageOffset(0xffe))
  }

  @Test("a first frame whose own symbol lies before its address is a caller")
  func thrown() throws {
    let path = Samples.path("symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp")
    let slice = try #require(try BinarySlice.all(in: path).first)
    let file = try DebugFile(path: path, slice: slice)
    // The last byte of a function that is followed by another one.
    let code = try #require(slice.codeRanges.first)
    func function(_ address: UInt64) -> String? { file.frames(at: LinkedAddress(address)).last?.function }
    let end = try #require(
      (code.lowerBound.rawValue + 1..<code.upperBound.rawValue).first {
        function($0) != nil && function($0 - 1) != nil && function($0) != function($0 - 1)
      })
    let name = try #require(function(end - 1))
    var report = CrashReport(format: .sentryJSON)
    var image = BinaryImage(start: RuntimeAddress(0x1_0000_0000))
    image.end = RuntimeAddress(0x1_000f_ffff)
    image.id = slice.id
    image.architecture = slice.architecture
    report.images = [image]
    func resolved(_ symbol: String?) -> (ResolvedFrame, [ReportNote]) {
      let address = 0x1_0000_0000 + end - slice.linkedBase.rawValue
      var frame = Frame(kind: .programCounter, address: RuntimeAddress(address))
      frame.reportedSymbol = symbol
      var thread = ThreadRecord(index: 0)
      thread.frames = [frame]
      report.threads = [thread]
      let result = resolve(report, [path])
      return (result.threads[0][0], result.report.notes)
    }
    let (caller, notes) = resolved(name)
    #expect(caller.captured.kind == .returnAddress)
    #expect(caller.locations.last?.function == name)
    #expect(notes.count == 1)
    let (other, none) = resolved("something_else")
    #expect(other.captured.kind == .programCounter)
    #expect(other.locations.last?.function == function(end))
    #expect(none.isEmpty)
  }

  @Test("the frame interrupted by a signal is looked up at its resume address")
  func interrupted() throws {
    let report = try parse(
      """
      0   Shop          0x0000000100004104 handler + 4
      1   libsystem_platform.dylib   0x00000001000081a0 _sigtramp + 56
      2   Shop          0x0000000100004000 divide + 0
      3   Shop          0x0000000100004200 main + 32
      """,
      images: """
               0x100004000 -        0x100004fff Shop arm64  <11ce3f5762643e8d8a8986894d83b974> /opt/Shop
               0x100008000 -        0x100008fff libsystem_platform.dylib arm64  <21ce3f5762643e8d8a8986894d83b974> /usr/lib/system/libsystem_platform.dylib
        """)
    let kinds = report.threads[0].frames.map(\.kind)
    #expect(kinds == [.programCounter, .returnAddress, .programCounter, .returnAddress])
    #expect(resolve(report).threads[0].allSatisfy { !$0.symbolIsNeighbor })
  }

  @Test("a caller's symbol + 0 is its neighbor's, unless the reporter states no offsets")
  func neighbor() throws {
    let images = """
               0x100004000 -        0x100004fff Shop arm64  <11ce3f5762643e8d8a8986894d83b974> /opt/Shop
               0x100008000 -        0x100008fff libsystem_c.dylib arm64  <21ce3f5762643e8d8a8986894d83b974> /usr/lib/system/libsystem_c.dylib
      """
    let report = try parse(
      """
      0   libsystem_c.dylib   0x0000000100008104 abort + 104
      1   libsystem_c.dylib   0x00000001000081a0 err + 0
      2   Shop          0x0000000100004100 check + 20
      """, images: images)
    #expect(resolve(report).threads[0].map(\.symbolIsNeighbor) == [false, true, false])
    #expect(resolve(report).threads[0].map(\.ownSymbol) == ["abort", nil, "check"])
    let plain = try parse(
      """
      0   libsystem_c.dylib   0x0000000100008104 abort + 0
      1   libsystem_c.dylib   0x00000001000081a0 __assert_rtn + 0
      2   Shop          0x0000000100004100 check + 0
      """, images: images)
    #expect(resolve(plain).threads[0].allSatisfy { !$0.symbolIsNeighbor })
    let inlined = try parse(
      """
      0   libsystem_c.dylib   0x0000000100008104 abort + 104
      1   Shop          0x0000000100004100 Swift runtime failure: Index out of range + 0
      2   Shop          0x0000000100004100 check + 20
      """, images: images)
    #expect(resolve(inlined).threads[0].allSatisfy { !$0.symbolIsNeighbor })
  }
}

@Suite("The address at which a frame is looked up")
struct LookupOffsetTests {
  struct Example: Sendable, CustomTestStringConvertible {
    var kind: FrameKind
    var architecture: Architecture?
    /// Offsets from the image's start, and values that aren't addresses.
    var address: UInt64?
    var bits: UInt64 = 0
    var offset: UInt64?

    var testDescription: String {
      "\(kind) on \(architecture?.rawValue ?? "an unknown CPU") at \(address.map { String($0, radix: 16) } ?? "nil")"
    }
  }

  static let start: UInt64 = 0x0_8000_0000

  @Test(arguments: [
    Example(kind: .programCounter, architecture: .arm64, address: 0x1000, offset: 0x1000),
    Example(kind: .returnAddress, architecture: .arm64, address: 0x1000, offset: 0xffc),
    Example(kind: .asyncResumePoint, architecture: .arm64, address: 0x1000, offset: 0x1000),
    Example(kind: .returnAddress, architecture: .arm64e, address: 0x1000, bits: 0x5a5c << 48, offset: 0xffc),
    Example(
      kind: .programCounter, architecture: .arm64e, address: 0x1000, bits: 0x5a5c << 48, offset: 0x1000),
    Example(kind: .returnAddress, architecture: .arm64_32, address: 0x1000, offset: 0xffc),
    Example(kind: .programCounter, architecture: .x86_64, address: 0x1000, offset: 0x1000),
    Example(kind: .returnAddress, architecture: .x86_64, address: 0x1000, offset: 0xfff),
    Example(kind: .returnAddress, architecture: .i386, address: 0x1001, offset: 0x1000),
    Example(kind: .asyncResumePoint, architecture: .x86_64, address: 0x1001, offset: 0x1001),
    // The Thumb bit goes first: 0x1001 returns to 0x1000, and the call before it may have 2 bytes.
    Example(kind: .returnAddress, architecture: .armv7, address: 0x1001, offset: 0xffe),
    Example(kind: .returnAddress, architecture: .armv7, address: 0x1000, offset: 0xffe),
    Example(kind: .programCounter, architecture: .armv7, address: 0x1001, offset: 0x1000),
    Example(kind: .returnAddress, address: 0x1000, offset: 0xfff),
    Example(kind: .programCounter, address: 0x1001, offset: 0x1001),
    // There is no code before the image's first byte.
    Example(kind: .programCounter, architecture: .arm64, address: 0, offset: 0),
    Example(kind: .returnAddress, architecture: .arm64, address: 0),
    Example(kind: .returnAddress, architecture: .arm64, address: 3),
    Example(kind: .returnAddress, architecture: .arm64, address: 4, offset: 0),
    Example(kind: .returnAddress, architecture: .x86_64, address: 0),
    Example(kind: .omitted, architecture: .arm64), Example(kind: .truncated, architecture: .arm64),
  ])
  func rule(_ example: Example) {
    let address = example.address.map { RuntimeAddress(($0 + Self.start) | example.bits) }
    let frame = Frame(kind: example.kind, address: address)
    let offset = locator(example.architecture).lookupOffset(of: frame, in: 0)
    #expect(offset == example.offset.map { ImageOffset($0) })
  }

  @Test func addressBelowTheImageIsNotLookedUp() {
    let frame = Frame(kind: .programCounter, address: RuntimeAddress(Self.start - 1))
    #expect(locator(.arm64).lookupOffset(of: frame, in: 0) == nil)
  }

  private func locator(_ architecture: Architecture?) -> FrameLocator {
    var report = CrashReport(format: .appleText)
    report.images = [BinaryImage(start: RuntimeAddress(Self.start))]
    report.images[0].architecture = architecture
    return FrameLocator(report)
  }
}
