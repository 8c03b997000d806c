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

  /// Of every length and at every position, to cover the vector loop, its overlap and the end.
  @Test("The search for a text finds the same as one byte by byte")
  func texts() {
    var random = SeededRandom(seed: 2)
    for length in 0...120 {
      let text = (0..<length).map { _ in "aabx".utf8.randomElement(using: &random) ?? 0 }
      for wanted in ["a", "ab", "abx", "xaab", "bxabxabxab", String(repeating: "a", count: 30)] {
        let bytes = Array(wanted.utf8)
        let expected = text.indices.first { text[$0...].starts(with: bytes) }
        #expect(text.span.firstOffset(of: bytes.span) == expected, "\(wanted) in \(text)")
      }
    }
    let repeated = [UInt8](repeating: 0x61, count: 4000) + [0x62]
    #expect(repeated.span.firstOffset(of: Array("aaab".utf8).span) == 3997)
    #expect(repeated.span.firstOffset(of: Array("aaba".utf8).span) == nil)
  }

  @Test("The filter lets pass every text that occurs, and hardly any other")
  func filter() {
    let line = Array("2026-11-24 10:00:01 Shop[12:34] saved the cart".utf8)
    let pairs = PairFilter(line.span)
    for literal: StaticString in ["", "x", "Shop[12", "cart", "2026-11-24 10"] {
      #expect(pairs.mayHold(literal))
    }
    for literal: StaticString in ["Fatal error: ", "signal SIG", "ncaught exception '", " panicked at "] {
      #expect(!pairs.mayHold(literal))
    }
    #expect(!PairFilter([UInt8]().span).mayHold("ab") && !PairFilter([0x61].span).mayHold("ab"))
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
