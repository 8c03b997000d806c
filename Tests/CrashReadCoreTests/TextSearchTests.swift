import TestSupport
import Testing

@testable import CrashReadCore

@Suite("Searching text")
struct TextSearchTests {
  /// Of every length, to cover both the vector loop and its remainder.
  @Test("The search for pairs finds the same as one byte by byte")
  func pairs() {
    let pairs = BytePairs(["ab", "**", "zz"])
    var random = SeededRandom(seed: 1)
    for length in 0...200 {
      let text = (0..<length).map { _ in "abz*  xyq".utf8.randomElement(using: &random) ?? 0 }
      for start in 0...min(length, 40) {
        let expected = (start..<max(start, length - 1)).first { index in
          ["ab", "**", "zz"].contains { Array($0.utf8) == [text[index], text[index + 1]] }
        }
        let found = pairs.firstOffset(in: text.span, from: start)
        #expect(found == expected, "\(text) from \(start)")
      }
    }
  }

  @Test("A byte with its highest bit set is found at any position", arguments: 0..<70)
  func ascii(position: Int) {
    func isASCII(_ bytes: [UInt8]) -> Bool { bytes.span.isASCII }
    var text = [UInt8](repeating: 0x7f, count: 70)
    #expect(isASCII(text))
    text[position] = 0x80
    #expect(!isASCII(text))
  }

  @Test("A literal is compared completely")
  func literals() {
    let text = Array("Thread 0".utf8)
    func begins(_ start: StaticString) -> Bool { text.span.begins(with: start) }
    func firstOffset(_ wanted: StaticString) -> Int? { text.span.firstOffset(of: wanted) }
    #expect(begins("Thread"))
    #expect(begins("Thread 0"))
    #expect(begins(""))
    #expect(!begins("Thread 00"))
    #expect(!begins("thread"))
    #expect(firstOffset("0") == 7)
    #expect(firstOffset("") == nil)
  }
}
