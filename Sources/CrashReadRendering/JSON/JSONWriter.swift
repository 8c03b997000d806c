/// Builds JSON text, field by field; a field without a value is left out.
package struct JSONWriter {
  /// Whether everything is put on one line, and not on indented ones.
  private let isOneLine: Bool
  /// UTF-8: bytes are appended several times as fast as strings.
  package private(set) var bytes: [UInt8] = []
  private var depth = 0
  private var isFirst = true

  /// A writer that has written nothing.
  package init(isOneLine: Bool = false) { self.isOneLine = isOneLine }

  /// Everything written so far.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Writes an object, as a member where it has a name.
  package mutating func object(_ name: StaticString? = nil, _ body: (inout JSONWriter) -> Void) {
    start(name)
    group(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  /// Writes a member that is an object, of a name that is no constant.
  package mutating func object(key: String, _ body: (inout JSONWriter) -> Void) {
    start(key: key)
    group(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  /// Writes an array, as a member where it has a name.
  package mutating func array<Element>(
    _ name: StaticString? = nil, _ elements: some Sequence<Element>,
    _ body: (inout JSONWriter, Element) -> Void
  ) {
    start(name)
    group(UInt8(ascii: "["), UInt8(ascii: "]")) { writer in
      for element in elements { body(&writer, element) }
    }
  }

  /// Writes a member that is an array of texts.
  package mutating func strings(_ name: StaticString, _ values: [String]) {
    array(name, values) { $0.string($1) }
  }

  /// Writes a member that is a text; nothing for nil.
  package mutating func field(_ name: StaticString, _ value: String?) {
    if let value { string(value, name) }
  }

  /// Writes a member that is a text, of a name that is no constant; nothing for nil.
  package mutating func field(key: String, _ value: String?) {
    guard let value else { return }
    start(key: key)
    appendJSONLiteral(value, to: &bytes)
  }

  /// Writes a member that is a whole number; nothing for nil.
  package mutating func field(_ name: StaticString, _ value: (some BinaryInteger)?) {
    if let value { self.value(String(value), name) }
  }

  /// Writes a member that is a whole number, of a name that is no constant.
  package mutating func field(key: String, _ value: Int) {
    start(key: key)
    append(String(value))
  }

  /// Writes a member that is true or false.
  package mutating func field(_ name: StaticString, _ value: Bool) {
    self.value(value ? "true" : "false", name)
  }

  /// Writes a member that is null.
  package mutating func null(_ name: StaticString) { value("null", name) }

  /// Writes a text, as a member where it has a name.
  package mutating func string(_ value: String, _ name: StaticString? = nil) {
    start(name)
    appendJSONLiteral(value, to: &bytes)
  }

  /// Writes a value that is JSON already, as a member where it has a name.
  package mutating func value(_ literal: String, _ name: StaticString? = nil) {
    start(name)
    append(literal)
  }

  private mutating func group(_ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void) {
    bytes.append(open)
    depth += 1
    isFirst = true
    body(&self)
    depth -= 1
    if !isFirst { newLine() }
    isFirst = false
    bytes.append(close)
  }

  /// Writes what stands before a value. A constant name needs no look for what would have to be escaped.
  private mutating func start(_ name: StaticString?) {
    startElement()
    guard let name else { return }
    bytes.append(UInt8(ascii: "\""))
    name.withUTF8Buffer { unsafe bytes.append(contentsOf: $0) }
    bytes.append(UInt8(ascii: "\""))
    endName()
  }

  private mutating func start(key: String) {
    startElement()
    appendJSONLiteral(key, to: &bytes)
    endName()
  }

  private mutating func startElement() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    if depth > 0 { newLine() }
    isFirst = false
  }

  private mutating func endName() {
    bytes.append(UInt8(ascii: ":"))
    if !isOneLine { bytes.append(UInt8(ascii: " ")) }
  }

  private mutating func newLine() {
    if isOneLine { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  private mutating func append(_ text: String) { bytes.append(utf8Of: text) }
}
