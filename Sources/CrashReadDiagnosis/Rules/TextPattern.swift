internal import CrashReadCore
internal import CrashReadReports

/// A text to search for in a line, with `{name}` for captures.
///
/// `^` anchors it at the line's start, `$` at its end. Captures are as short as possible, but never empty, and `{line}`
/// is a number, `{objcMethod}` an Objective-C method's name; `{(}` and `{)}` stand for
/// braces in the line. There is no backtracking, so a match takes one pass over the line.
struct TextPattern: Sendable, Hashable {
  enum Piece: Sendable, Hashable {
    case literal([UInt8])
    case capture(String)
  }

  let pieces: [Piece]
  /// The literal it begins with; empty when it begins with a capture.
  private let head: [UInt8]
  private let startsLine: Bool
  private let endsLine: Bool

  /// Parses a pattern; nil when braces are unbalanced, two captures are adjacent, or it has no literal.
  init?(_ source: String) {
    // Bytes, not characters: a report needs hundreds of patterns.
    var body = Array(source.utf8)[...]
    startsLine = body.first == UInt8(ascii: "^")
    if startsLine { body.removeFirst() }
    endsLine = body.last == UInt8(ascii: "$")
    if endsLine { body.removeLast() }
    guard let pieces = Self.pieces(of: body), !pieces.isEmpty else { return nil }
    if case .capture = pieces[0], !startsLine { return nil }
    self.pieces = pieces
    if case .literal(let literal) = pieces[0] { head = literal } else { head = [] }
  }

  /// Whether one of its literals contains the bytes.
  func mentions(_ bytes: [UInt8]) -> Bool {
    pieces.contains { piece in
      guard case .literal(let literal) = piece, literal.count >= bytes.count else { return false }
      return (0...(literal.count - bytes.count)).contains { literal[$0...].starts(with: bytes) }
    }
  }

  /// What the pattern captures in a line of UTF-8; nil when it doesn't match.
  func match(_ line: [UInt8]) -> [String: String]? {
    // Most lines are rejected here, before anything is allocated.
    if !head.isEmpty {
      guard find(head, at: 0, in: line, from: 0) != nil else { return nil }
      if pieces.count == 1 { return [:] }
    }
    var captures: [String: String] = [:]
    var pending: String?
    var position = 0
    for (index, piece) in pieces.enumerated() {
      switch piece {
      case .capture(let name): pending = name
      case .literal(let literal):
        let start = pending == nil ? position : position + 1
        guard let found = find(literal, at: index, in: line, from: start) else { return nil }
        if let name = pending {
          let value = line[position..<found]
          if name == Self.number, !value.allSatisfy(Self.digits.contains) { return nil }
          if name == Self.method, !value.beginsMethod { return nil }
          captures[name] = String(decoding: value, as: UTF8.self)
        }
        pending = nil
        position = found + literal.count
      }
    }
    if let name = pending {
      guard position < line.count, name != Self.number || Self.digits.contains(line[position])
      else { return nil }
      captures[name] = String(decoding: line[position...], as: UTF8.self)
    }
    return captures
  }

  /// The capture that is a number: without that, any colons in a message would do for those of `File.swift:12:`.
  private static let number = "line"
  /// The capture that is a method's name: without that, a sentence about one would do.
  private static let method = "objcMethod"
  private static let digits = UInt8(ascii: "0")...UInt8(ascii: "9")

  /// The position of a literal at or after `start`; only there, or only at the line's end, if the pattern is anchored.
  private func find(_ literal: [UInt8], at index: Int, in line: [UInt8], from start: Int) -> Int? {
    let last = line.count - literal.count
    guard start <= last else { return nil }
    let isTied = startsLine && index == 0
    let isAtEnd = endsLine && index == pieces.count - 1
    if isTied && isAtEnd && start != last { return nil }
    let part = line.span.extracting((isAtEnd ? last : start)..<(isTied ? start + literal.count : line.count))
    return part.firstOffset(of: literal.span).map { (isAtEnd ? last : start) + $0 }
  }

  private static func pieces(of body: ArraySlice<UInt8>) -> [Piece]? {
    let (open, close) = (UInt8(ascii: "{"), UInt8(ascii: "}"))
    var pieces: [Piece] = []
    var rest = body
    while !rest.isEmpty {
      let literal = rest.prefix { $0 != open && $0 != close }
      append(literal, to: &pieces)
      rest = rest[literal.endIndex...]
      guard let brace = rest.popFirst() else { break }
      guard brace == open, let end = rest.firstIndex(of: close), end > rest.startIndex else { return nil }
      let name = rest[..<end]
      rest = rest[(end + 1)...]
      if name.elementsEqual("(".utf8) || name.elementsEqual(")".utf8) {
        append([name.first == UInt8(ascii: "(") ? open : close], to: &pieces)
        continue
      }
      if case .capture = pieces.last { return nil }
      pieces.append(.capture(String(decoding: name, as: UTF8.self)))
    }
    return pieces
  }

  private static func append(_ bytes: ArraySlice<UInt8>, to pieces: inout [Piece]) {
    if bytes.isEmpty { return }
    guard case .literal(let literal) = pieces.last else { return pieces.append(.literal(Array(bytes))) }
    pieces[pieces.count - 1] = .literal(literal + bytes)
  }
}

// MARK: - In the knowledge's documents

extension TextPattern {
  /// The patterns of an array; invalid ones are left out, and added to the problems. `place` is the document, and the
  /// entry in it.
  static func all(
    _ list: JSONValue, in place: @autoclosure () -> String, problems: inout [String]
  ) -> [TextPattern] {
    list.elements.compactMap { TextPattern($0, in: place(), problems: &problems) }
  }

  /// A pattern; nil for an invalid one, which is added to the problems.
  init?(_ source: JSONValue, in place: @autoclosure () -> String, problems: inout [String]) {
    let text = source.string ?? ""
    guard let pattern = TextPattern(text) else {
      problems.append("\(place()): \(text) is no pattern")
      return nil
    }
    self = pattern
  }
}

extension ArraySlice<UInt8> {
  /// Whether it begins as the name of an Objective-C method does: `-[Cart open]`.
  fileprivate var beginsMethod: Bool { ["-[", "+["].contains { starts(with: $0.utf8) } }
}
