import CrashReadCore
import CrashReadReports
import Testing

@testable import CrashReadSymbolication

@Suite("Where a frame is looked up")
struct CallSiteTests {
  struct Example: Sendable, CustomTestStringConvertible {
    var kind: FrameKind
    var architecture: Architecture?
    /// Bytes from the image's start, and bits that are no address.
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
    // Nothing lies before the image's first byte.
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
    let image = BinaryImage(start: RuntimeAddress(Self.start))
    let offset = lookupOffset(of: frame, in: image, architecture: example.architecture)
    #expect(offset == example.offset.map { ImageOffset($0) })
  }

  @Test func anAddressBelowTheImageIsNotLookedUp() {
    let frame = Frame(kind: .programCounter, address: RuntimeAddress(Self.start - 1))
    let image = BinaryImage(start: RuntimeAddress(Self.start))
    #expect(lookupOffset(of: frame, in: image, architecture: .arm64) == nil)
  }
}
