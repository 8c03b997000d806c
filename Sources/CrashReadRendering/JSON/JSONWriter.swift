/// Builds JSON text, field by field; a field without a value is left out.
struct JSONWriter {
  /// Whether everything is put on one line, and not on indented ones.
  private let isOneLine: Bool
  /// UTF-8: bytes are appended several times as fast as strings.
  private var bytes: [UInt8] = []
  private var depth = 0
  private var isFirst = true

  init(isOneLine: Bool = false) { self.isOneLine = isOneLine }

  /// Everything written so far.
  var text: String { String(decoding: bytes, as: UTF8.self) }

  mutating func object(_ name: String? = nil, _ body: (inout JSONWriter) -> Void) {
    group(name, "{", "}", body)
  }

  mutating func array<Element>(
    _ name: String? = nil, _ elements: some Sequence<Element>, _ body: (inout JSONWriter, Element) -> Void
  ) {
    group(name, "[", "]") { writer in
      for element in elements { body(&writer, element) }
    }
  }

  mutating func strings(_ name: String, _ values: [String]) {
    array(name, values) { $0.string($1) }
  }

  mutating func field(_ name: String, _ value: String?) {
    if let value { string(value, name) }
  }

  mutating func field(_ name: String, _ value: (some BinaryInteger)?) {
    if let value { self.value(String(value), name) }
  }

  mutating func field(_ name: String, _ value: Bool) {
    self.value(value ? "true" : "false", name)
  }

  mutating func null(_ name: String) { value("null", name) }

  private mutating func string(_ value: String, _ name: String? = nil) {
    start(name)
    appendJSONLiteral(value, to: &bytes)
  }

  /// Writes a value that is JSON already.
  private mutating func value(_ literal: String, _ name: String? = nil) {
    start(name)
    append(literal)
  }

  private mutating func group(
    _ name: String?, _ open: String, _ close: String, _ body: (inout JSONWriter) -> Void
  ) {
    start(name)
    append(open)
    depth += 1
    isFirst = true
    body(&self)
    depth -= 1
    if !isFirst { newLine() }
    isFirst = false
    append(close)
  }

  private mutating func start(_ name: String?) {
    if !isFirst { append(",") }
    if depth > 0 { newLine() }
    isFirst = false
    if let name {
      appendJSONLiteral(name, to: &bytes)
      append(isOneLine ? ":" : ": ")
    }
  }

  private mutating func newLine() {
    if isOneLine { return }
    bytes.append(UInt8(ascii: "\n"))
    bytes.append(contentsOf: repeatElement(UInt8(ascii: " "), count: 2 * depth))
  }

  private mutating func append(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
