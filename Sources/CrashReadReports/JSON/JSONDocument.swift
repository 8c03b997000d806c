internal import CrashReadCore

/// A JSON text that was read once: where each of its values stands, in the document's order.
///
/// Nothing is copied out of the text until somebody asks: a report has thousands of values, and most are never looked at.
final class JSONDocument: Sendable {
  /// One value, or the name of a member, which stands before its value.
  struct Node: Sendable {
    enum Kind: UInt8, Sendable {
      case null, no, yes
      /// Nothing but digits.
      case digits
      /// With a sign, a fraction or an exponent.
      case number
      /// A text that is as it stands.
      case string
      /// A text with escapes in it.
      case escapedString
      case array, object
    }

    var kind: Kind
    /// Where it begins in the text; for a string, behind the quotation mark.
    var start: UInt32
    /// Where it ends; for a string, before the quotation mark.
    var end: UInt32
    /// The node behind this one and all that it holds.
    var next: UInt32
  }

  let bytes: Bytes
  let nodes: [Node]

  init(_ bytes: Bytes, _ nodes: [Node]) {
    self.bytes = bytes
    self.nodes = nodes
  }

  /// What stands for a value that isn't there.
  static let null = JSONDocument([], [Node(kind: .null, start: 0, end: 0, next: 1)])

  /// The bytes of a value; of a string, those between its quotation marks.
  func text(of index: Int) -> Bytes {
    let node = nodes[index]
    return bytes[(bytes.startIndex + Int(node.start))..<(bytes.startIndex + Int(node.end))]
  }

  /// Looks at the bytes of a value without a copy.
  private func with<Result>(_ node: Node, _ body: (Span<UInt8>) -> Result) -> Result {
    let bytes = self.bytes
    let span = bytes.span
    return body(span.extracting(Int(node.start)..<Int(node.end)))
  }

  /// The text of a string; nil for anything else.
  func string(at index: Int) -> String? {
    let node = nodes[index]
    switch node.kind {
    case .string: return with(node) { $0.string }
    case .escapedString: return String(decoding: JSONReader.withoutEscapes(text(of: index)), as: UTF8.self)
    default: return nil
    }
  }

  /// A number of nothing but digits; nil when it doesn't fit.
  func unsigned(at index: Int) -> UInt64? {
    with(nodes[index]) { $0.decimalValue }
  }

  /// The value of an object's first member of a name; nil when there is none.
  func member(_ name: String, of object: Int) -> Int? {
    let (bytes, nodes) = (self.bytes, self.nodes)
    let (text, wanted) = (bytes.span, name.utf8.span)
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

  /// Whether something holds of all texts from a value to the end of another one, as they stand between their quotation
  /// marks; what isn't a text counts as an empty one.
  func allTexts(from first: Int, upTo last: Int, _ holds: (Span<UInt8>) -> Bool) -> Bool {
    let (bytes, nodes) = (self.bytes, self.nodes)
    let text = bytes.span
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

extension Span<UInt8> {
  /// Whether a value stands for these bytes.
  fileprivate func holds(_ wanted: Span<UInt8>, at node: JSONDocument.Node) -> Bool {
    Int(node.end - node.start) == wanted.count && extracting(Int(node.start)...).begins(with: wanted)
  }
}
