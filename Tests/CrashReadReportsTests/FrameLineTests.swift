import CrashReadCore
import CrashReadReports
import Testing

/// A line of a backtrace and its contents.
struct FrameCase: Sendable, CustomTestStringConvertible {
  var line: String
  var image: String?
  var address: UInt64
  var offset: UInt64?
  var symbol: String?
  var symbolOffset: UInt64?
  var file: String?
  var number: Int?
  var testDescription: String { line }
}

@Suite("Frame lines")
struct FrameLineTests {
  static let cases: [FrameCase] = [
    FrameCase(
      line: "0   libsystem_kernel.dylib        \t0x1883aa59c __exceptionPreprocess + 132",
      image: "libsystem_kernel.dylib", address: 0x1_883a_a59c, symbol: "__exceptionPreprocess",
      symbolOffset: 132),
    FrameCase(
      line: "2   Tide Table   \t       0x1007da4bc 0x1007d4000 + 25788",
      image: "Tide Table", address: 0x1_007d_a4bc, offset: 25788),
    FrameCase(
      line: "3   アプリ名 +α   0x00000001007da4bc 海.満潮(を:) + 12 (海 図.swift:40)",
      image: "アプリ名 +α", address: 0x1_007d_a4bc, symbol: "海.満潮(を:)", symbolOffset: 12, file: "海 図.swift",
      number: 40),
    FrameCase(
      line: "4       CoreUI\t0x189699354 0x189622000 + 0x77354\t// -[CUICatalog name] + 0x1a8",
      image: "CoreUI",
      address: 0x1_8969_9354, offset: 0x77354, symbol: "-[CUICatalog name]", symbolOffset: 0x1a8),
    FrameCase(
      line: "5       CoreUI\t0x189699354 0x189622000 + 0x77354\t// 0x00020d58 + 0x80", image: "CoreUI",
      address: 0x1_8969_9354, offset: 0x77354),
    FrameCase(
      line: "1   libobjc.A.dylib\t0x9083be14 _objc_fatal + 0x48", image: "libobjc.A.dylib",
      address: 0x9083_be14,
      symbol: "_objc_fatal", symbolOffset: 0x48),
    FrameCase(
      line: "7       Snap (*)\t0x1004a3984 0x100024000 + 0x47f984", image: "Snap", address: 0x1_004a_3984,
      offset: 0x47f984),
    FrameCase(
      line: "9   A\t0x1 operator+(Vec<int, 3>, Vec<int, 3>) + 8 (v.hpp:9)", image: "A", address: 1,
      symbol: "operator+(Vec<int, 3>, Vec<int, 3>)", symbolOffset: 8, file: "v.hpp", number: 9),
    FrameCase(
      line: "10  A\t0x1 main (in A) (main.m:73)", image: "A", address: 1, symbol: "main", file: "main.m",
      number: 73),
    FrameCase(line: "10  A\t0x1 main (in A) + 36", image: "A", address: 1, symbol: "main", symbolOffset: 36),
    FrameCase(
      line: "10  A B\t0x1 main() (in A B) + 36 + 11495940", image: "A B", address: 1, symbol: "main()",
      symbolOffset: 36),
    FrameCase(
      line: "10  A\t0x1 main (in A) (main.m:73) + 726220", image: "A", address: 1, symbol: "main",
      file: "main.m",
      number: 73),
    FrameCase(line: "10  A\t0x1 main (in B) + 36", image: "A", address: 1),
    FrameCase(line: "10  libA.dylib\t0x1 main (in B) + 36", image: "libA.dylib", address: 1),
    FrameCase(
      line: "10  com.acme.AcmeApp\t0x1 main (in Acme) + 36", image: "com.acme.AcmeApp", address: 1,
      symbol: "main",
      symbolOffset: 36),
    FrameCase(
      line: "10  com.apple.AppKit\t0x1 f (in AppKit) + 36", image: "com.apple.AppKit", address: 1,
      symbol: "f", symbolOffset: 36),
    FrameCase(
      line: "11  A\t0x1 main (main.m:16)", image: "A", address: 1, symbol: "main", file: "main.m", number: 16),
    FrameCase(
      line: "12  A\t0x1 thunk for f + 4 (<compiler-generated>:0)", image: "A", address: 1,
      symbol: "thunk for f",
      symbolOffset: 4, file: "<compiler-generated>"),
    FrameCase(line: "13  A\t0x1 f + 4 (:-1)", image: "A", address: 1, symbol: "f", symbolOffset: 4),
    FrameCase(line: "14  A  0x1 start_wqthread", image: "A", address: 1, symbol: "start_wqthread"),
    FrameCase(
      line: "15  A  0x1 _start_wqthread +  24", image: "A", address: 1, symbol: "_start_wqthread",
      symbolOffset: 24),
    FrameCase(
      line: "16  A  0x1 -[NSObject+ 193960 (NSObject) doesNotRecognizeSelector:] + 140", image: "A",
      address: 1,
      symbol: "-[NSObject(NSObject) doesNotRecognizeSelector:]", symbolOffset: 140),
    FrameCase(
      line: "17  A  0x1 -[Cart total] + 12  <--- stops here (sometimes)", image: "A", address: 1,
      symbol: "-[Cart total]", symbolOffset: 12),
    FrameCase(line: "21  A  0x1  ← the recursion (many times)", image: "A", address: 1),
    FrameCase(
      line: "22  A  0x1 -[Cart total] + 12  ← here (often)", image: "A", address: 1,
      symbol: "-[Cart total]", symbolOffset: 12),
    FrameCase(line: "20  A  0x1 <unknown> + 92", image: "A", address: 1),
    FrameCase(
      line: "18  A  0x1 static Cart.<- infix(_:_:) + 8", image: "A", address: 1,
      symbol: "static Cart.<- infix(_:_:)", symbolOffset: 8),
    FrameCase(
      line: "19    + Shop.dylib\t0x100401800 0x1003f8000 + 0x9800\t// 0x0000962c + 0x1d4",
      image: "Shop.dylib", address: 0x1_0040_1800, offset: 0x9800),
    FrameCase(
      line: "6   libsystem_c.dylib   0x35bb3730 0x35ba5000 + 59184 (_pthread_start + 316)",
      image: "libsystem_c.dylib",
      address: 0x35bb_3730, offset: 59184, symbol: "_pthread_start", symbolOffset: 316),
    FrameCase(
      line: "6   A   0x0000000104733590 0x010472c000 + 30096 (<redacted> + 136)", image: "A",
      address: 0x1_0473_3590,
      offset: 30096),
    FrameCase(line: "1   ???\t0x0000000081001eff 0 + 2164265215", address: 0x8100_1eff),
    FrameCase(line: "1   ???\t0x00007fff0144ff40 ???", address: 0x7fff_0144_ff40),
    FrameCase(line: "7   ???\t000000000000000000 0 + 0", address: 0),
    FrameCase(line: "7   CFNetwork\t       0x191902390", image: "CFNetwork", address: 0x1_9190_2390),
    FrameCase(line: " #0   0x8fe01280 in halt", address: 0x8fe0_1280, symbol: "halt"),
    FrameCase(
      line: "0   <<00000000>> \t0xfffeff18 objc_msgSend_rtp + 24", address: 0xfffe_ff18,
      symbol: "objc_msgSend_rtp", symbolOffset: 24),
    FrameCase(line: "0   App\t0x20 App + 32", image: "App", address: 0x20, offset: 32),
  ]

  @Test("are parsed", arguments: cases)
  func takenApart(_ expected: FrameCase) throws {
    let frame = try #require(try frame(expected.line))
    #expect(frame.imageName == expected.image)
    #expect(frame.address == RuntimeAddress(expected.address))
    #expect(frame.imageOffset?.rawValue == expected.offset)
    #expect(frame.reportedSymbol == expected.symbol)
    #expect(frame.reportedSymbolOffset == expected.symbolOffset)
    #expect(frame.reportedFile == expected.file)
    #expect(frame.reportedLine == expected.number)
    #expect(frame.line == 4)
  }

  @Test("without a name are rejected", arguments: ["3", "3   ", "x", "..."])
  func noFrame(_ line: String) throws {
    #expect(try frame(line) == nil)
  }

  @Test("detect offsets from the image's start")
  func offsetIntoImage() throws {
    let images = "0x1000 - 0x1fff App arm64 <00112233445566778899aabbccddeeff> /App"
    let known = try #require(try frame("0 App 0x1400 use_sema + 1024 (main.m:17)", images: images))
    #expect(known.reportedSymbol == "use_sema")
    #expect(known.reportedSymbolOffset == nil)
    #expect(known.imageOffset == ImageOffset(1024))
    let function = try #require(try frame("0 App 0x1400 App + 4", images: images))
    #expect(function.reportedSymbol == "App")
    #expect(function.reportedSymbolOffset == 4)
    #expect(function.imageOffset == nil)
  }
}
