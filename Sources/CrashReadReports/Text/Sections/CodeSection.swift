internal import CrashReadCore

/// Rows of bytes around the program counter of an Intel thread: `5f f3 41 0f-…  _.A.`.
///
/// The byte at the program counter is in brackets.
struct CodeSection: SectionReader {
  let thread: Int
  private var bytes: [UInt8] = []
  private var countBefore: Int?

  init(thread: Int) { self.thread = thread }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    // Sixteen bytes of two digits, each followed by one character; the rest shows them as text.
    let columns = Array(line.text.trimmed.prefix(49))
    let row = columns.first == UInt8(ascii: "[") ? columns : [UInt8(ascii: " ")] + columns
    for start in stride(from: 0, to: row.count - 2, by: 3) {
      guard let value = row[(start + 1)...(start + 2)].hexDigitsValue else { return }
      if row[start] == UInt8(ascii: "["), countBefore == nil { countBefore = bytes.count }
      bytes.append(UInt8(value))
    }
  }

  mutating func finish(_ draft: inout TextDraft) {
    guard let countBefore, draft.codes.count < 64,
      let code = CodeBytes(before: Array(bytes[..<countBefore]), at: Array(bytes[countBefore...]))
    else { return }
    draft.codes[thread] = draft.codes[thread] ?? code
  }
}
