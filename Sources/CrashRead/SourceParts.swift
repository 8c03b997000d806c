internal import DebugInfo

/// Takes lines out of a source file, in one pass for any number of places: a file can have millions of lines.
struct SourceParts {
  /// Some lines, one of which matters.
  struct Part {
    var firstLine: Int
    var lines: [String]
    var markedLine: Int
  }

  private static let maximumLineLength = 500
  private let bytes: [UInt8]
  /// Where the line begins that was gone to last, and its number.
  private var position = 0
  private var number = 1

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// The lines around each place; places whose line the file doesn't have are left out.
  consuming func around(_ places: [SourceLocation], context: Int) -> [(SourceLocation, Part)] {
    let sorted = places.compactMap { place in place.line.map { (place, $0) } }.sorted { $0.1 < $1.1 }
    var parts: [(SourceLocation, Part)] = []
    for (place, line) in sorted where line > 0 {
      let first = max(1, line - context)
      guard go(to: first) else { break }
      let lines = lines(line - first + 1 + context)
      guard line - first < lines.count else { break }
      parts.append((place, Part(firstLine: first, lines: lines, markedLine: line)))
    }
    return parts
  }

  /// Goes forward to a line; false when there is none.
  private mutating func go(to line: Int) -> Bool {
    while number < line {
      guard let end = end(ofLineAt: position) else { return false }
      position = end + 1
      number += 1
    }
    return true
  }

  /// Up to so many lines, from the one gone to.
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

  /// Where the line feed of a line is; nil for the last line.
  private func end(ofLineAt start: Int) -> Int? { bytes[start...].firstIndex(of: UInt8(ascii: "\n")) }

  private static func text(_ line: ArraySlice<UInt8>) -> String {
    let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    return String(decoding: line.prefix(maximumLineLength), as: UTF8.self)
  }
}
