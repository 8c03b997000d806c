internal import CCrashReadLinux
internal import Glibc

extension Span<UInt8> {
  /// Where a byte stands for the first time, counted from the start of these; nil when it doesn't (`memchr`).
  package func firstOffset(of byte: UInt8) -> Int? {
    unsafe withUnsafeBytes { bytes in
      guard let start = bytes.baseAddress, let found = unsafe memchr(start, Int32(byte), bytes.count) else {
        return nil
      }
      return unsafe UnsafeRawPointer(found) - start
    }
  }

  /// The same behind a position.
  package func firstOffset(of byte: UInt8, from start: Int) -> Int? {
    extracting(start...).firstOffset(of: byte).map { start + $0 }
  }

  /// Where bytes stand for the first time, counted from the start of these; nil when they don't, or when there are none to
  /// find (`memmem`).
  package func firstOffset(of wanted: Span<UInt8>) -> Int? {
    guard wanted.count > 0, wanted.count <= count else { return nil }
    return unsafe withUnsafeBytes { bytes in
      unsafe wanted.withUnsafeBytes { wanted in
        guard let start = bytes.baseAddress, let text = wanted.baseAddress,
          let found = unsafe memmem(start, bytes.count, text, wanted.count)
        else { return nil }
        return unsafe UnsafeRawPointer(found) - start
      }
    }
  }

  /// Whether these bytes begin with others.
  package func begins(with start: Span<UInt8>) -> Bool {
    guard start.count <= count else { return false }
    for index in start.indices where self[index] != start[index] { return false }
    return true
  }
}

extension StringProtocol where SubSequence == Substring {
  /// Where a text stands for the first time, byte by byte in UTF-8; nil when it doesn't, or when it is empty.
  ///
  /// The standard library's search goes by characters, which takes many times as long and was a tenth of all work on a
  /// report.
  package func place(of text: String) -> Range<String.Index>? {
    let whole = self[...]
    guard let offset = whole.utf8.span.firstOffset(of: text.utf8.span) else { return nil }
    let found = whole.utf8.index(whole.startIndex, offsetBy: offset)
    return found..<whole.utf8.index(found, offsetBy: text.utf8.count)
  }

  /// Whether a text stands in this one.
  package func holds(_ text: String) -> Bool { place(of: text) != nil }
}

extension Substring {
  /// Whether the text begins with another, byte by byte in UTF-8; `hasPrefix` goes by characters.
  package func begins(with start: String) -> Bool { utf8.span.begins(with: start.utf8.span) }
}
