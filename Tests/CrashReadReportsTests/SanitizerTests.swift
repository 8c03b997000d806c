import CrashReadCore
import CrashReadReports
import Testing

private let useAfterFree = """
  noise from before
  =================================================================
  ==4242==ERROR: AddressSanitizer: heap-use-after-free on address 0x602000000010 at pc 0x000104001234 bp 0x1 sp 0x2
  READ of size 4 at 0x602000000010 thread T1
  SCARINESS: 45 (4-byte-read-heap-use-after-free)
      #0 0x104001233 in size /src/list.h:9:3 (Tides:arm64+0x100001233)
      #1 0x104001233 in Wave::crest(int) const /src/wave.cc:30:12 (Tides:arm64+0x100001233)
      #2 0x1810204e0 in start+0x1b4c (dyld:arm64e+0x204e0) (BuildId: 0123456789abcdef0123456789abcdef)
      #3 0x17  (<unknown module>)

  0x602000000010 is located 0 bytes inside of 16-byte region [0x602000000010,0x602000000020)
  freed by thread T0 here:
      #0 0x104abc000 in free+0x10 (/usr/lib/libclang_rt.asan_osx_dynamic.dylib:arm64e+0x3c000)

  ==4242==Register values:
   x[0] = 0x0000000000000001   x[1] = 0x0000000000000002
  SUMMARY: AddressSanitizer: heap-use-after-free list.h:9 in size
  Shadow bytes around the buggy address:
    0x1c04000000: 00 00
  ==4242==ABORTING
  noise from behind
  """

private let dataRace = """
  WARNING: ThreadSanitizer: data race (pid=77)
    Read of size 8 at 0x00010b863380 by thread T6:
    * #0 -[Tide rise:] <null> (Tides:arm64+0x100002d4c)
      #1 drain queue.c:71 (libdispatch.dylib:arm64e+0x6a10)
      #2 <null> <null> (0x0001b16b7e50)

    Previous write of size 8 at 0x00010b863380 by main thread:
      #0 main <null> (Tides:arm64+0x100002874)

  SUMMARY: ThreadSanitizer: data race queue.c:71 in drain
  ==================
  """

@Suite("Sanitizer reports")
struct SanitizerTests {
  @Test("state the error, the access and the process")
  func headline() throws {
    let report = try parse(useAfterFree)
    #expect(report.format == .sanitizer)
    #expect(report.header.pid == 4242)
    #expect(report.header.process == "Tides")
    #expect(report.exception?.type == "AddressSanitizer: heap-use-after-free")
    #expect(report.exception?.subtype == "READ of size 4 at 0x602000000010 thread T1")
    #expect(report.exception?.message?.contains("at pc 0x000104001234") == true)
    #expect(
      report.applicationSpecificInformation == [
        "0x602000000010 is located 0 bytes inside of 16-byte region [0x602000000010,0x602000000020)"
      ])
  }

  @Test(
    "begin at the access if the error's line was not copied; where memory came from isn't where it stopped")
  func headless() throws {
    let access = """
      WRITE of size 4 at 0x626000002f28 thread T0
          #0 0x0001023da2d4 in moon_rise+0x2678
          #1 0x0001023d7af8 in tide_pull+0x124

      0x626000002f28 is located 0 bytes after 11816-byte region [0x626000000100,0x626000002f28)
      """
    let origin = """
      allocated by thread T0 here:
          #0 0x000102c8d40c in malloc+0x70 (libclang_rt.asan_osx_dynamic.dylib:arm64+0x5540c)
          #1 0x00010235fd7c in tide_fill+0xba4

      SUMMARY: AddressSanitizer: heap-buffer-overflow in moon_rise+0x2678
      """
    let report = try parse(access + "\n" + origin)
    #expect(report.exception?.type == "AddressSanitizer: heap-buffer-overflow")
    #expect(report.exception?.subtype == "WRITE of size 4 at 0x626000002f28 thread T0")
    #expect(report.threads.map(\.isCrashed) == [true, false])
    #expect(report.threads[0].frames.map(\.reportedSymbol) == ["moon_rise", "tide_pull"])
    let rest = try parse(origin)
    #expect(rest.threads.first { $0.isCrashed }?.frames.map(\.reportedSymbol).contains("tide_fill") != true)
  }

  @Test("a summary of leaks names no function")
  func leakSummary() throws {
    let report = try parse(
      """
      ==49381==ERROR: LeakSanitizer: detected memory leaks
      SUMMARY: AddressSanitizer: 27 byte(s) leaked in 2 allocation(s).
      """)
    #expect(report.exception?.type == "LeakSanitizer: detected memory leaks" && report.threads.isEmpty)
  }

  @Test("give a thread for each stack; the first is the crashed one")
  func stacks() throws {
    let report = try parse(useAfterFree)
    #expect(
      report.threads.map(\.name) == [
        "READ of size 4 at 0x602000000010 thread T1", "freed by thread T0 here:",
      ])
    #expect(report.threads.map(\.frames.count) == [4, 1])
    #expect(report.crashedThread == 0)
    #expect(report.threads[0].state?["x1"] == 2)
    #expect(report.threads[0].frames.map(\.isInlined) == [true, false, false, false])
  }

  @Test("place images so that an address minus the start is an offset into the file")
  func images() throws {
    let report = try parse(useAfterFree)
    #expect(report.images.map(\.name) == ["Tides", "dyld", "libclang_rt.asan_osx_dynamic.dylib"])
    #expect(report.images.map(\.start.rawValue) == [0x1_0400_0000, 0x1_8100_0000, 0x1_04a8_0000])
    #expect(report.threads[0].frames.map(\.imageOffset?.rawValue) == [0x1233, 0x1233, 0x204e0, nil])
    #expect(report.images[1].id == ImageID(parsing: "0123456789abcdef0123456789abcdef"))
    #expect(report.images[1].architecture == .arm64e)
  }

  @Test("without addresses keep the offsets, and no image contains an address")
  func offsetsOnly() throws {
    let report = try parse(dataRace)
    #expect(report.kind == .other)
    #expect(report.header.pid == 77)
    #expect(report.exception?.type == "ThreadSanitizer: data race")
    let frames = report.threads[0].frames
    #expect(frames.map(\.reportedSymbol) == ["-[Tide rise:]", "drain", nil])
    #expect(frames.map(\.imageOffset?.rawValue) == [0x2d4c, 0x6a10, nil])
    #expect(frames.map(\.image) == [0, 1, nil])
    #expect(frames[2].address == RuntimeAddress(0x1_b16b_7e50))
    #expect(report.threads[1].frames.first?.image == 0)
    #expect(ImageMap(report.images).image(containing: RuntimeAddress(0x5000)) == nil)
  }

  private struct Shape: Sendable, CustomTestStringConvertible {
    var line: String
    var symbol: String?
    var image: String?
    var place: String?

    init(_ line: String, _ symbol: String?, _ image: String?, _ place: String? = nil) {
      self.line = line
      self.symbol = symbol
      self.image = image
      self.place = place
    }

    var testDescription: String { line }
  }

  private static let shapes = [
    Shape("#0 0x10 in f file.c:12:3", "f", nil, "file.c:12"),
    Shape("#0 0x10 in f file.c:12", "f", nil, "file.c:12"),
    Shape("#0 0x10 in f /my dir/file.c:12:3", "f", nil, "/my dir/file.c:12"),
    Shape(
      "#0 0x10 in g(int, char const*) /a.cc:1 (/a (1)/prog+0x5)", "g(int, char const*)", "prog", "/a.cc:1"),
    Shape("#0 0x10000919b (/Users/x/t+0x10000919b)", nil, "t"),
    Shape(
      "#0 0x10 in (anonymous namespace)::R::m(N*) (/b/swift-demangle:x86_64+0x7)",
      "(anonymous namespace)::R::m(N*)", "swift-demangle"),
    Shape("#0 0x8fe88cd9", nil, nil),
    Shape("#0 0x17  (<unknown module>)", nil, nil),
    Shape("#0 f <null> (lib.so+0x5) (BuildId: 0a0b0c0d)", "f", "lib.so"),
    Shape("#0 0x10 in start", "start", nil),
  ]

  @Test("read each form of frame", arguments: shapes)
  private func shape(_ shape: Shape) throws {
    let report = try parse("==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0\n    " + shape.line)
    let frame = try #require(report.threads.first?.frames.first)
    #expect(frame.reportedSymbol == shape.symbol)
    #expect(frame.imageName == shape.image)
    #expect(frame.reportedFile.map { file in "\(file):\(frame.reportedLine ?? 0)" } == shape.place)
  }

  @Test("distinguish recursion from inlining")
  func recursion() throws {
    let report = try parse(
      """
      ==1==ERROR: AddressSanitizer: stack-overflow on address 0x1
          #0 0x20 in f a.c:3
          #1 0x20 in f a.c:3
          #2 0x20 in g a.c:5
          #3 0x20 in f a.c:3
      """)
    #expect(report.threads.first?.frames.map(\.isInlined) == [false, true, false, false])
  }

  @Test("of undefined behaviour need a location; other programs' runtime errors aren't reports")
  func undefinedBehaviour() throws {
    let report = try parse(
      "x\n/src/a.c:4:9: runtime error: signed integer overflow: 2 + 2\n    #0 0x5 in f a.c:4\n")
    #expect(report.exception?.type == "UndefinedBehaviorSanitizer: signed integer overflow")
    #expect(report.threads.first?.frames.count == 1)
    // A line of Go's runtime isn't that of a sanitizer.
    let other = try CrashReport(parsing: Array("panic: runtime error: index out of range\n".utf8))
    #expect(other.format == .callStackSymbols && other.exception == nil)
  }

  @Test("take a module map's images when there is one")
  func moduleMap() throws {
    let report = try parse(
      """
      ==1==ERROR: AddressSanitizer: SEGV on unknown address 0x0
          #0 0x104001233 in f (/a/Tides:arm64+0x100001233)
      ==1==Process module map:
      0x104000000-0x104008000 /a/Tides (arm64) <01234567-89AB-CDEF-0123-456789ABCDEF>
      ==1==End of module map.
      """)
    #expect(report.images.map(\.name) == ["Tides"])
    #expect(report.images.first?.id?.description == "01234567-89AB-CDEF-0123-456789ABCDEF")
    #expect(report.images.first?.architecture == .arm64)
    #expect(report.threads.first?.frames.first?.image == 0)
  }

  @Test("frames of LLVM's own handler are read alike, as return addresses")
  func prettyStackTrace() throws {
    let report = try parse(
      "Stack dump:\n#28 0x0000559e00a1162e swift::run(int) (/usr/bin/front+0xa1162e)\n#29 0x00007f0b27ac41ca (/lib/c.so+0x2a1ca)\n"
    )
    #expect(report.threads.first?.frames.map(\.kind) == [.returnAddress, .returnAddress])
    #expect(report.images.first?.start == RuntimeAddress(0x559e_0000_0000))
  }
}
