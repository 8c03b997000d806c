internal import CrashReadDebugInfo

/// Extracts lines from a source file in one pass, for any number of locations: a file may have millions of lines.
struct SourceParts {
  /// Some lines, one of which is marked.
  struct Part {
    var firstLine: Int
    var lines: [String]
    var markedLine: Int
  }

  private static let maximumLineLength = 500
  private let bytes: [UInt8]
  /// The offset and the 1-based number of the current line.
  private var position = 0
  private var number = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The lines around each location; locations whose line doesn't exist are omitted.
  consuming func around(_ locations: [SourceLocation], context: Int) -> [(SourceLocation, Part)] {
    let sorted = locations.compactMap { location in location.line.map { (location, $0) } }.sorted {
      $0.1 < $1.1
    }
    var parts: [(SourceLocation, Part)] = []
    for (location, line) in sorted where line > 0 {
      let first = max(1, line - context)
      guard go(to: first) else { break }
      let lines = lines(line - first + 1 + context)
      guard line - first < lines.count else { break }
      parts.append((location, Part(firstLine: first, lines: lines, markedLine: line)))
    }
    return parts
  }

  /// Advances to a line; false when the file has no such line.
  private mutating func go(to line: Int) -> Bool {
    while number < line {
      guard let end = end(ofLineAt: position) else { return false }
      position = end + 1
      number += 1
    }
    return true
  }

  /// Up to `count` lines from the current one.
  private func lines(_ count: Int) -> [String] {
    var lines: [String] = []
    var next: Int? = position
    while let start = next, lines.count < count {
      let end = end(ofLineAt: start)
      lines.append(Self.text(bytes[start..<(end ?? bytes.count)]))
      next = end.map { $0 + 1 }
    }
    return lines
  }

  /// The offset of the line feed that ends a line; nil for the last line.
  private func end(ofLineAt start: Int) -> Int? { bytes[start...].firstIndex(of: UInt8(ascii: "\n")) }

  private static func text(_ line: ArraySlice<UInt8>) -> String {
    let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    return String(decoding: line.prefix(maximumLineLength), as: UTF8.self)
  }
}
