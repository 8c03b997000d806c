import CrashReadCore
import Testing

@Suite("Hexadecimal digits, eight at a time")
struct HexDigitsTests {
  /// Digit by digit, in the standard library's words.
  private func reference(_ text: [UInt8]) -> UInt64? {
    guard text.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }) else { return nil }
    return String(validating: text, as: UTF8.self).flatMap { UInt64($0, radix: 16) }
  }

  @Test("have the value that they have one by one", arguments: 1...20)
  func value(length: Int) {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      let digits = (0..<length).map { _ in Array("0123456789abcdefABCDEF".utf8).randomElement(using: &random)!
      }
      let (found, stated) = (digits.span.hexDigitsValue, reference(digits))
      #expect(found == stated)
      let zeros = [UInt8](repeating: 0x30, count: length) + digits.prefix(16)
      let (padded, meant) = (zeros.span.hexDigitsValue, reference(zeros))
      #expect(padded == meant)
    }
  }

  @Test("refuse every other byte at every position", arguments: 0..<16)
  func otherBytes(position: Int) {
    for byte in UInt8.min...UInt8.max {
      var text = Array("0123456789aBcDeF".utf8)
      text[position] = byte
      let value = text.span.hexDigitsValue
      #expect(value == reference(text), "\(byte)")
    }
  }

  @Test("of a UUID need Apple's dashes")
  func uuid() {
    let text = Array("01234567-89AB-cdef-0123-456789abcdeF".utf8)
    let digits = text.span.uuidDigits
    #expect(digits?.high == 0x0123_4567_89ab_cdef)
    #expect(digits?.low == 0x0123_4567_89ab_cdef)
    for position in text.indices {
      for byte: UInt8 in [0, 0x2d, 0x2f, 0x3a, 0x40, 0x47, 0x60, 0x67, 0x80, 0xb0, 0xff]
      where byte != text[position] {
        var other = text
        other[position] = byte
        let isRefused = other.span.uuidDigits == nil
        #expect(isRefused, "\(byte) at \(position)")
      }
    }
  }
}
