package import CrashReadCore

/// One value of a JSON text.
///
/// Numbers stay exact: addresses use all 64 bits.
package struct JSONValue: Sendable {
  private let document: JSONDocument
  private let index: Int

  init(_ document: JSONDocument, index: Int = 0) {
    self.document = document
    self.index = index
  }

  /// The value of a missing member.
  package static let null = JSONValue(.null)

  /// The value `true`.
  static let `true` = JSONValue(JSONDocument([], [JSONDocument.Node(kind: .true, start: 0, end: 0, next: 1)]))

  private var kind: JSONDocument.Node.Kind { document.nodes[index].kind }
}

// MARK: - What a value holds

extension JSONValue {
  /// A member of an object, the first with that name; `.null` when there is none.
  package subscript(name: String) -> JSONValue {
    guard kind == .object, let member = document.member(name, of: index) else { return .null }
    return JSONValue(document, index: member)
  }

  /// Whether a condition holds for the raw contents (with escapes) of all strings in an array, or of a single string;
  /// true for anything else.
  package func allTexts(_ holds: (Span<UInt8>) -> Bool) -> Bool {
    document.allTexts(from: kind == .array ? index + 1 : index, upTo: index, holds)
  }

  /// The members of an object, in document order, including repeated names; empty for anything else.
  package var members: [(name: String, value: JSONValue)] {
    guard kind == .object else { return [] }
    var members: [(name: String, value: JSONValue)] = []
    forEach(step: 1) { members.append((document.string(at: $0) ?? "", JSONValue(document, index: $0 + 1))) }
    return members
  }

  /// The elements of an array; empty for anything else.
  package var elements: [JSONValue] {
    guard kind == .array else { return [] }
    var elements: [JSONValue] = []
    forEach(step: 0) { elements.append(JSONValue(document, index: $0)) }
    return elements
  }

  /// Visits the nodes of a container's elements, or of its members' names; a member's value is `step` nodes further.
  private func forEach(step: Int, _ body: (Int) -> Void) {
    var node = index + 1
    let end = Int(document.nodes[index].next)
    while node < end {
      body(node)
      node = Int(document.nodes[node + step].next)
    }
  }

  package var isObject: Bool { kind == .object }

  /// Whether it is an array, including an empty one.
  package var isArray: Bool { kind == .array }

  /// The value of `true` or `false`; nil for anything else.
  package var bool: Bool? { kind == .true ? true : kind == .false ? false : nil }

  /// A whole number, but not a string that contains one.
  package var number: Int? { isString ? nil : integer }

  /// A string, including an empty one.
  package var anyText: String? { isString ? string ?? "" : nil }

  package var isNull: Bool { kind == .null }

  package var isString: Bool { kind == .string || kind == .escapedString }

  /// A string that isn't empty.
  package var string: String? {
    guard document.nodes[index].start < document.nodes[index].end else { return nil }
    return document.string(at: index)
  }

  /// A string, or an integer in decimal: some writers quote numbers that others don't.
  package var text: String? { string ?? unsigned.map { String($0) } ?? negative.map { String($0) } }

  /// 64 bits: from a number (a negative one as its two's complement), or from a string like `0x10` or `16`.
  package var bits: UInt64? {
    switch kind {
    case .digits: unsigned
    case .number: negative.map { UInt64(bitPattern: $0) }
    case .string: document.text(of: index).trimmed.numberValue
    case .escapedString: Bytes(JSONReader.withoutEscapes(document.text(of: index))).trimmed.numberValue
    case .null, .false, .true, .array, .object: nil
    }
  }

  /// A number that fits in `Int`.
  package var integer: Int? {
    if isString { return bits.flatMap { Int(exactly: $0) } }
    return unsigned.flatMap { Int(exactly: $0) } ?? negative.map { Int($0) }
  }

  /// True, or a number other than 0.
  package var isTrue: Bool { kind == .true || unsigned.map { $0 != 0 } ?? false }

  private var unsigned: UInt64? { kind == .digits ? document.unsigned(at: index) : nil }

  private var negative: Int64? { kind == .number ? Int64(document.text(of: index).string) : nil }
}

// MARK: - Values that were read separately

extension JSONValue {
  /// An object of members that were read separately.
  static func object(_ members: [(name: String, value: JSONValue)]) -> JSONValue {
    composed(.object) { bytes, nodes in
      for (name, value) in members {
        let start = UInt32(bytes.count)
        bytes += Array(name.utf8)
        nodes.append(
          JSONDocument.Node(
            kind: .string, start: start, end: UInt32(bytes.count), next: UInt32(nodes.count + 1)))
        value.append(to: &bytes, &nodes)
      }
    }
  }

  /// An array of elements that were read separately.
  static func array(_ elements: [JSONValue]) -> JSONValue {
    composed(.array) { bytes, nodes in
      for element in elements { element.append(to: &bytes, &nodes) }
    }
  }

  private static func composed(
    _ kind: JSONDocument.Node.Kind, _ append: (inout [UInt8], inout [JSONDocument.Node]) -> Void
  ) -> JSONValue {
    var bytes: [UInt8] = []
    var nodes = [JSONDocument.Node(kind: kind, start: 0, end: 0, next: 0)]
    append(&bytes, &nodes)
    nodes[0].end = UInt32(bytes.count)
    nodes[0].next = UInt32(nodes.count)
    return JSONValue(JSONDocument(bytes[...], nodes))
  }

  /// Appends a value's text and nodes to others.
  private func append(to bytes: inout [UInt8], _ nodes: inout [JSONDocument.Node]) {
    let start = Int(document.nodes[index].start) - margin
    let (shift, first) = (bytes.count - start, nodes.count - index)
    bytes += self.bytes
    for var node in document.nodes[index..<Int(document.nodes[index].next)] {
      node.start = UInt32(Int(node.start) + shift)
      node.end = UInt32(Int(node.end) + shift)
      node.next = UInt32(Int(node.next) + first)
      nodes.append(node)
    }
  }
}

// MARK: - The location of a value

extension JSONValue {
  /// The bytes of the value, with its quotation marks or brackets; indices are those of the text it was read from.
  package var bytes: ArraySlice<UInt8> {
    document.text(of: index, margin: margin)
  }

  /// The number of quotation marks on each side.
  private var margin: Int { isString ? 1 : 0 }

  /// The ranges of an object's member names, with their quotation marks, in the order of `members`.
  package var memberNames: [Range<Int>] {
    guard isObject else { return [] }
    var names: [Range<Int>] = []
    forEach(step: 1) {
      let name = document.nodes[$0]
      names.append(document.offset + Int(name.start) - 1..<document.offset + Int(name.end) + 1)
    }
    return names
  }
}

extension JSONValue {
  /// Reads a whole document; nil when it is truncated, contains an error, or is followed by anything.
  package init?(document bytes: [UInt8]) {
    var reader = JSONReader(bytes[...])
    guard let value = reader.readValue(), reader.failure == nil,
      bytes[reader.position...].allSatisfy(\.isWhitespace)
    else { return nil }
    self = value
  }

  /// Reads a whole document that is part of the program; nil when it contains an error.
  package init?(document text: ProgramText) {
    var scanner = JSONScanner(depth: JSONReader.maximumDepth)
    guard text.withBytes({ scanner.scan($0) }), scanner.failure == nil else { return nil }
    self.init(JSONDocument(text, scanner.nodes))
  }

  /// Reads the value at a position, possibly after blanks; nil when it is damaged or missing.
  package init?(in bytes: ArraySlice<UInt8>, from position: Int) {
    guard position >= bytes.startIndex, position <= bytes.endIndex else { return nil }
    var reader = JSONReader(bytes[position...])
    guard let value = reader.readValue(), reader.failure == nil else { return nil }
    self = value
  }
}
