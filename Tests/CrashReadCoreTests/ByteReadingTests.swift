import Testing

@testable import CrashReadCore

/// The readers' results as values, since a span can't outlive its array.
private struct Bytes {
  let bytes: [UInt8]

  func integer<T: FixedWidthInteger & UnsignedInteger>(_ type: T.Type, at offset: Int) -> T? {
    try? bytes.span.integer(type, at: offset)
  }

  func bytes(at offset: Int, length: Int) -> [UInt8]? { try? bytes.span.bytes(at: offset, length: length) }

  func string(at offset: Int, maximum: Int = .max) -> String? {
    try? bytes.span.string(at: offset, maximum: maximum)
  }
}

@Suite("Byte readers")
struct ByteReadingTests {
  private let bytes = Bytes(bytes: Array(1...8))

  @Test func integersAreLittleEndian() {
    #expect(bytes.integer(UInt8.self, at: 7) == 8)
    #expect(bytes.integer(UInt16.self, at: 1) == 0x0302)
    #expect(bytes.integer(UInt32.self, at: 4) == 0x0807_0605)
    #expect(bytes.integer(UInt64.self, at: 0) == 0x0807_0605_0403_0201)
  }

  @Test("reads outside the bytes fail", arguments: [-1, 1, 8, 9, .max, .min])
  func outside(_ offset: Int) {
    #expect(bytes.integer(UInt64.self, at: offset) == nil)
    #expect(bytes.bytes(at: offset, length: 8) == nil)
    #expect(bytes.bytes(at: 0, length: offset) == nil || (0...8).contains(offset))
    #expect((bytes.integer(UInt8.self, at: offset) != nil) == (0..<8).contains(offset))
    #expect((bytes.string(at: offset) != nil) == (0..<8).contains(offset))
  }

  @Test func errorStatesTheOffset() {
    #expect(throws: TruncationError(offset: 5)) { try bytes.bytes.span.integer(UInt32.self, at: 5) }
    #expect(throws: TruncationError(offset: 8)) { try bytes.bytes.span.string(at: 8) }
  }

  @Test func emptyReadAtTheEndSucceeds() {
    #expect(bytes.bytes(at: 8, length: 0) == [])
    #expect(bytes.bytes(at: 9, length: 0) == nil)
    #expect(Bytes(bytes: []).bytes(at: 0, length: 0) == [])
    #expect(Bytes(bytes: []).string(at: 0) == nil)
  }

  @Test func stringsEndAtZeroMaximumOrEnd() {
    let text = Bytes(bytes: Array("__TEXT\0junk".utf8))
    #expect(text.string(at: 0) == "__TEXT")
    #expect(text.string(at: 0, maximum: 4) == "__TE")
    #expect(text.string(at: 0, maximum: 0) == "")
    #expect(text.string(at: 6) == "")
    #expect(text.string(at: 7) == "junk")
    #expect(Bytes(bytes: [0x61, 0xff, 0x62]).string(at: 0) == "a\u{fffd}b")
  }
}
