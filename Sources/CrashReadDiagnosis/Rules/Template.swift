internal import CrashReadVerdict

/// A sentence with placeholders: `{name}` is a value, and a part in `[…]` is omitted when a value in it is missing;
/// brackets without a value are text.
struct Template: Sendable, Hashable {
  struct Part: Sendable, Hashable {
    var isOptional: Bool
    var pieces: [Piece]

    var holdsValue: Bool {
      pieces.contains { if case .value = $0 { true } else { false } }
    }

    /// A part without a value, as it stands: C++'s `new[]`, Go's `goroutine 1 [running]`.
    var inBrackets: Part {
      Part(isOptional: false, pieces: [.literal("[")] + pieces + [.literal("]")])
    }
  }

  enum Piece: Sendable, Hashable {
    case literal(String)
    case value(String)
  }

  private(set) var parts: [Part] = []

  /// The replacement for a required value that is missing; a test checks that it isn't needed.
  static let missingValue = "(not stated)"

  /// Parses a template; nil when brackets or braces are unbalanced.
  init?(_ source: String) {
    var part = Part(isOptional: false, pieces: [])
    var rest = Substring(source)
    while !rest.isEmpty {
      // All texts are parsed at every start of the program, so by bytes: characters take ten times as long.
      let end = rest.utf8.firstIndex(where: Self.isMark) ?? rest.endIndex
      if end > rest.startIndex { part.pieces.append(.literal(String(rest[..<end]))) }
      rest = rest[end...]
      switch rest.popFirst() {
      case nil: break
      case "{":
        guard let close = rest.utf8.firstIndex(of: UInt8(ascii: "}")) else { return nil }
        part.pieces.append(.value(String(rest[..<close])))
        rest = rest[rest.utf8.index(after: close)...]
      case "[" where !part.isOptional:
        parts.append(part)
        part = Part(isOptional: true, pieces: [])
      case "]" where part.isOptional:
        parts.append(part.holdsValue ? part : part.inBrackets)
        part = Part(isOptional: false, pieces: [])
      default: return nil
      }
    }
    guard !part.isOptional else { return nil }
    parts.append(part)
  }

  private static func isMark(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"): true
    default: false
    }
  }

  /// The names of all values it can use.
  var names: Set<String> {
    Set(parts.flatMap(\.pieces).compactMap { if case .value(let name) = $0 { name } else { nil } })
  }

  /// The sentence with its values; `missing` replaces required values that are missing.
  func filled(with values: [String: String], missing: String = Self.missingValue) -> String {
    var text = ""
    for part in parts {
      var filled = ""
      var isComplete = true
      for piece in part.pieces {
        switch piece {
        case .literal(let literal): filled += literal
        case .value(let name):
          isComplete = isComplete && values[name] != nil
          filled += Evidence.shortened(values[name] ?? missing)
        }
      }
      if isComplete || !part.isOptional { text += filled }
    }
    return text
  }
}
