internal import CrashReadCore

/// A line of a text symbol file, read word by word.
struct SymbolRecord {
  private let text: ByteView
  private var position: Int
  private let end: Int

  /// The line that contains an offset.
  init(_ text: ByteView, at offset: Int) {
    self.text = text
    position = offset
    end = text.endOfLine(from: offset)
  }

  /// The next line; nil at the end of the text.
  func next() -> SymbolRecord? { end + 1 < text.count ? SymbolRecord(text, at: end + 1) : nil }

  /// Consumes a word, if it is the next one.
  mutating func take(_ word: String) -> Bool {
    var rest = self
    let range = rest.wordRange()
    guard range.count == word.utf8.count, zip(range, word.utf8).allSatisfy({ text.byte(at: $0) == $1 }) else {
      return false
    }
    self = rest
    return true
  }

  /// Reads the next word; nil at the end of the line.
  mutating func word() -> String? {
    let range = wordRange()
    return range.isEmpty ? nil : text.text(range)
  }

  /// Reads a word of hexadecimal digits; nil when it isn't one, or doesn't fit in 64 bits.
  mutating func hexadecimal() -> UInt64? {
    number { value, byte in
      guard let digit = byte.hexDigitValue, value >> 60 == 0 else { return nil }
      return value << 4 | UInt64(digit)
    }
  }

  /// Reads a word of decimal digits; nil when it isn't one, or doesn't fit in 32 bits.
  mutating func decimal() -> UInt64? {
    number { value, byte in
      guard byte >= 0x30, byte <= 0x39, value <= UInt32.max else { return nil }
      return value * 10 + UInt64(byte - 0x30)
    }
  }

  /// The range of the rest of the line, trimmed.
  func rest() -> Range<Int> {
    var (start, end) = (position, end)
    while start < end, text.byte(at: start) == 0x20 { start += 1 }
    while start < end, [0x20, 0x0d].contains(text.byte(at: end - 1)) { end -= 1 }
    return start..<end
  }

  private mutating func number(_ adding: (UInt64, UInt8) -> UInt64?) -> UInt64? {
    let range = wordRange()
    guard !range.isEmpty else { return nil }
    var value: UInt64 = 0
    for offset in range {
      guard let next = adding(value, text.byte(at: offset)) else { return nil }
      value = next
    }
    return value
  }

  private mutating func wordRange() -> Range<Int> {
    while position < end, text.byte(at: position) == 0x20 { position += 1 }
    let start = position
    while position < end, text.byte(at: position) != 0x20, text.byte(at: position) != 0x0d { position += 1 }
    return start..<position
  }
}

/// Functions by address, from a file that isn't the binary and has no DWARF. Only the required parts of it are read.
protocol NameSource: SymbolSource {
  /// Whether the file was truncated or written to since it was opened.
  var isChanged: Bool { get }
  /// Every function with a known start, in ascending order of address; the name is nil if there is none.
  var functions: [(address: UInt64, name: String?)] { get }
  /// Functions at an address with their lines: the innermost inlined one first, the real function last. Empty if the
  /// file has no lines.
  func frames(at address: LinkedAddress) -> [SourceFrame]
}

extension NameSource {
  func frames(at address: LinkedAddress) -> [SourceFrame] { [] }

  func names(beginningAt address: LinkedAddress) -> [String] {
    symbol(at: address).flatMap { $0.address == address.rawValue ? [$0.name] : nil } ?? []
  }
}

extension BinarySlice {
  /// The functions of an image in a file that libdw doesn't open; nil for a Mach-O or ELF file.
  func names(in path: String) throws(DebugFileError) -> (any NameSource)? {
    switch layout {
    case .sharedCache: try SharedCacheImage(path: path, slice: self)
    case .symbolPack: try SymbolPack(path: path, slice: self)
    case .breakpad: try BreakpadFile(path: path, slice: self)
    case .gsym: try GsymFile(path: path, slice: self)
    case .symCache: try SymCacheFile(path: path, slice: self)
    case .machO, .elf: nil
    }
  }
}
