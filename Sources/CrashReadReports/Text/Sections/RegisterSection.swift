internal import CrashReadCore

/// Rows of `name: 0xvalue`, of any CPU.
struct RegisterSection: SectionReader {
  let thread: Int?
  private var state: ThreadState
  /// A name whose value hasn't been read yet: mail programs wrap rows between the two.
  private var pendingName: String?

  init(thread: Int?, flavor: String) {
    self.thread = thread
    state = ThreadState(flavor: flavor)
  }

  /// Whether a line is a row of registers, whatever the lines around it are: two names with all digits of their values.
  static func isRow(_ text: Bytes) -> Bool {
    guard text.prefix(6).contains(UInt8(ascii: ":")) else { return false }
    let words = text.split(separator: 0x20, maxSplits: 4)
    return words.count >= 4
      && [0, 2].allSatisfy { index in
        let (word, value) = (words[index], words[index + 1])
        return (3...6).contains(word.count) && word.last == UInt8(ascii: ":")
          && word.dropLast().allSatisfy { $0.isLetter || $0.isDigit }
          && value.count == 18 && value.prefixedHexValue != nil
      }
  }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    if let register = Self.processorRow(line.text) {
      state.registers.append(register)
      return
    }
    var rest = line.text
    var isRow = false
    while let (word, after) = rest.firstWord() {
      rest = after
      if let register = Self.joined(word) {
        state.registers.append(register)
        isRow = true
      } else if let name = Self.name(word, before: after) {
        pendingName = name
        isRow = true
      } else if let name = pendingName {
        isRow = true
        pendingName = nil
        if let value = word.addressValue { state.registers.append(Register(name: name, value: value)) }
      } else if isRow {
        rest = readMeaning(from: word.startIndex, in: line.text)
      } else {
        return
      }
    }
  }

  /// Reads words that explain the last value, up to the next name.
  private mutating func readMeaning(from start: Int, in text: Bytes) -> Bytes {
    var rest = text[start...]
    while let (word, after) = rest.firstWord(), Self.name(word, before: after) == nil { rest = after }
    let end = rest.firstWord()?.word.startIndex ?? rest.endIndex
    if !state.registers.isEmpty {
      state.registers[state.registers.count - 1].meaning = text[start..<end].trimmed.nonEmptyString
    }
    return text[end...]
  }

  /// A name and its value without a blank between: `far:0x10`.
  private static func joined(_ word: Bytes) -> Register? {
    guard let colon = word.firstIndex(of: UInt8(ascii: ":")), (2...5).contains(colon - word.startIndex),
      let value = word[(colon + 1)...].prefixedHexValue
    else { return nil }
    return Register(name: word[..<colon].string.lowercased(), value: value)
  }

  /// A register's name ends with a colon, followed by a value or the line's end.
  private static func name(_ word: Bytes, before rest: Bytes) -> String? {
    guard word.last == UInt8(ascii: ":"), (2...9).contains(word.count) else { return nil }
    if let (next, _) = rest.firstWord(), next.addressValue == nil, !next.hasPrefix("<") { return nil }
    return word.dropLast().string.lowercased()
  }

  /// Intel reports have trap and error code on separate lines; they get the names that .ips gives them.
  private static func processorRow(_ text: Bytes) -> Register? {
    let rows: [(StaticString, String)] = [
      ("Logical CPU:", "cpu"), ("Error Code:", "err"), ("Trap Number:", "trap"),
    ]
    for (title, name) in rows {
      guard let (word, rest) = text.after(title)?.firstWord() else { continue }
      // Error codes are hexadecimal with or without `0x`.
      guard let value = word.prefixedHexValue ?? (name == "err" ? word.hexDigitsValue : word.decimalValue)
      else {
        return nil
      }
      return Register(name: name, value: value, meaning: rest.trimmed.nonEmptyString)
    }
    return nil
  }

  mutating func finish(_ draft: inout TextDraft) {
    guard !state.registers.isEmpty else { return }
    draft.states.append((thread, state))
  }
}

/// Rows of bytes around the program counter of an Intel thread: `5f f3 41 0f-…  _.A.`.
///
/// The byte at the program counter is in brackets.
struct CodeSection: SectionReader {
  let thread: Int
  private var bytes: [UInt8] = []
  private var countBefore: Int?

  init(thread: Int) { self.thread = thread }

  mutating func read(_ line: Line, into draft: inout TextDraft) {
    // Sixteen bytes of two digits, each followed by one character; then the bytes as text.
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
