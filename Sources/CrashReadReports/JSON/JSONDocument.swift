internal import CrashReadCore

/// A JSON text that was scanned once: the locations of its values, in document order.
///
/// Nothing is copied from the text until requested: a report has thousands of values, and most are never used.
final class JSONDocument: Sendable {
  /// One value, or the name of a member, which precedes its value.
  struct Node: Sendable {
    enum Kind: UInt8, Sendable {
      case null, `false`, `true`
      /// Digits only.
      case digits
      /// With a sign, a fraction or an exponent.
      case number
      /// A string without escapes.
      case string
      /// A string with escapes.
      case escapedString
      case array, object
    }

    var kind: Kind
    /// Its start in the text; for a string, after the quotation mark.
    var start: UInt32
    /// Its end; for a string, before the quotation mark.
    var end: UInt32
    /// The node after this one and its descendants.
    var next: UInt32

    /// Ends a container at a position of the text.
    mutating func close(at position: Int, next: Int) {
      (end, self.next) = (UInt32(position), UInt32(next))
    }
  }

  /// The text; empty for one that is part of the program.
  private let bytes: Bytes
  /// The text that is part of the program; nil for one of the input.
  private let program: ProgramText?
  let nodes: [Node]

  init(_ bytes: Bytes, _ nodes: [Node]) {
    self.bytes = bytes
    program = nil
    self.nodes = nodes
  }

  init(_ program: ProgramText, _ nodes: [Node]) {
    bytes = []
    self.program = program
    self.nodes = nodes
  }

  /// Represents a missing value.
  static let null = JSONDocument([], [Node(kind: .null, start: 0, end: 0, next: 1)])

  /// The offset of the text in the input from which it was read.
  var offset: Int { bytes.startIndex }

  /// The bytes of a value, for a string those between its quotation marks, with `margin` more on both sides; indices are
  /// those of the input.
  func text(of index: Int, margin: Int = 0) -> Bytes {
    let node = nodes[index]
    let range = Int(node.start) - margin..<Int(node.end) + margin
    guard let program else {
      return bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound]
    }
    return program.withBytes { $0.extracting(range).array[...] }
  }

  /// Accesses the whole text without a copy.
  @inline(__always)
  private func withText<Result>(_ body: (Span<UInt8>) -> Result) -> Result {
    if let program { return program.withBytes(body) }
    let bytes = self.bytes
    return body(bytes.span)
  }

  /// Accesses the bytes of a value without a copy.
  @inline(__always)
  private func with<Result>(_ node: Node, _ body: (Span<UInt8>) -> Result) -> Result {
    withText { body($0.extracting(Int(node.start)..<Int(node.end))) }
  }

  /// The contents of a string; nil for anything else.
  func string(at index: Int) -> String? {
    let node = nodes[index]
    switch node.kind {
    case .string: return with(node) { $0.string }
    case .escapedString: return String(decoding: JSONReader.withoutEscapes(text(of: index)), as: UTF8.self)
    default: return nil
    }
  }

  /// A number of digits only; nil when it doesn't fit.
  func unsigned(at index: Int) -> UInt64? {
    with(nodes[index]) { $0.decimalValue }
  }

  /// The value of an object's first member with a name; nil when there is none.
  func member(_ name: String, of object: Int) -> Int? {
    let nodes = self.nodes
    return withText { text in
      let wanted = name.utf8.span
      var member = object + 1
      let end = Int(nodes[object].next)
      while member < end {
        let node = nodes[member]
        if node.kind == .escapedString ? string(at: member) == name : text.holds(wanted, at: node) {
          return member + 1
        }
        member = Int(nodes[member + 1].next)
      }
      return nil
    }
  }

  /// Whether a condition holds for the raw contents of all strings from one value to the end of another. Values other
  /// than strings count as empty ones.
  func allTexts(from first: Int, upTo last: Int, _ holds: (Span<UInt8>) -> Bool) -> Bool {
    let nodes = self.nodes
    return withText { text in
      var element = first
      let end = Int(nodes[last].next)
      while element < end {
        let node = nodes[element]
        let isText = node.kind == .string || node.kind == .escapedString
        guard holds(text.extracting(Int(node.start)..<Int(isText ? node.end : node.start))) else {
          return false
        }
        element = Int(node.next)
      }
      return true
    }
  }
}

extension Span<UInt8> {
  /// Whether a value's bytes equal these.
  fileprivate func holds(_ wanted: Span<UInt8>, at node: JSONDocument.Node) -> Bool {
    Int(node.end - node.start) == wanted.count && extracting(Int(node.start)...).begins(with: wanted)
  }
}
