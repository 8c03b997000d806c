import Testing

@testable import CrashReadReports

@Suite("Lines of a text")
struct LineRangesTests {
  /// The rule in a few words, as an oracle: split after LF, after CR LF, and after any other CR.
  private func lines(_ bytes: [UInt8]) -> [[UInt8]] {
    var (lines, line): ([[UInt8]], [UInt8]) = ([], [])
    var isOpen = false
    for (index, byte) in bytes.enumerated() {
      if byte == 0x0a, index > 0, bytes[index - 1] == 0x0d { continue }
      isOpen = byte != 0x0a && byte != 0x0d
      if isOpen { line.append(byte) } else { (lines, line) = (lines + [line], []) }
    }
    return isOpen ? lines + [line] : lines
  }

  @Test("Lines end with LF, CR LF or CR, in any mixture")
  func endings() {
    // Each text of up to six of these bytes.
    for length in 0...6 {
      for number in 0..<(1 << (2 * length)) {
        let bytes = (0..<length).map { [0x0a, 0x0d, 0x61, 0x20][number >> (2 * $0) & 3] as UInt8 }
        #expect(LineRanges(bytes[...]).map { Array(bytes[$0]) } == lines(bytes), "\(bytes)")
      }
    }
  }

  @Test("The lines before a line are those that a walk from the start gives, with their numbers")
  func before() {
    for ending in ["\n", "\r\n", "\r"] {
      let bytes = Array((1...20).map { "line \($0)" }.joined(separator: ending).utf8)
      let all = Array(LineCursor(bytes[...]))
      for line in all {
        for count in 0...22 {
          let before = LineCursor(bytes[...], count: count, before: line, from: 0)
          let expected = all.prefix(line.number - 1).suffix(count)
          #expect(before.map(\.number) == expected.map(\.number))
          #expect(
            LineCursor(bytes[...], count: count, before: line, from: 0).map(\.text.string)
              == expected.map(\.text.string))
        }
      }
    }
  }

  @Test("No line before a given start is looked at")
  func start() {
    let bytes = Array("one\ntwo\nthree\nfour".utf8)
    let last = Array(LineCursor(bytes[...]))[3]
    #expect(LineCursor(bytes[...], count: 9, before: last, from: 4).map(\.text.string) == ["two", "three"])
  }
}
