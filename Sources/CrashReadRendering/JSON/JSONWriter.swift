internal import CrashReadCore

/// Writes JSON text field by field; fields without a value are omitted.
package struct JSONWriter {
  /// Whether all output is on one line, without indentation.
  private let isOneLine: Bool
  /// UTF-8: appending bytes is several times as fast as appending strings.
  package private(set) var bytes: [UInt8] = []
  private var depth = 0
  private var isFirst = true

  /// An empty writer.
  package init(isOneLine: Bool = false) { self.isOneLine = isOneLine }

  /// Everything written so far.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Writes an object, as a member if it has a name.
  package mutating func object(_ name: StaticString? = nil, _ body: (inout JSONWriter) -> Void) {
    start(name)
    group(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  /// Writes a member that is an object, with a computed name.
  package mutating func object(key: String, _ body: (inout JSONWriter) -> Void) {
    start(key: key)
    group(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  /// Writes an array, as a member if it has a name.
  package mutating func array<Element>(
    _ name: StaticString? = nil, _ elements: some Sequence<Element>,
    _ body: (inout JSONWriter, Element) -> Void
  ) {
    start(name)
    group(UInt8(ascii: "["), UInt8(ascii: "]")) { writer in
      for element in elements { body(&writer, element) }
    }
  }

  /// Writes a member that is an array of strings.
  package mutating func strings(_ name: StaticString, _ values: [String]) {
    array(name, values) { $0.string($1) }
  }

  /// Writes a string member; nothing for nil.
  package mutating func field(_ name: StaticString, _ value: String?) {
    if let value { string(value, name) }
  }

  /// Writes a string member with a computed name; nothing for nil.
  package mutating func field(key: String, _ value: String?) {
    guard let value else { return }
    start(key: key)
    appendJSONLiteral(value, to: &bytes)
  }

  /// Writes an integer member; nothing for nil.
  package mutating func field(_ name: StaticString, _ value: (some BinaryInteger)?) {
    if let value { self.value(String(value), name) }
  }

  /// Writes a member that is a string of hexadecimal digits with the prefix `0x`; nothing for nil.
  package mutating func field(_ name: StaticString, hexadecimal value: UInt64?) {
    guard let value else { return }
    start(name)
    appendHexadecimal(value)
  }

  /// The same, with a computed name.
  package mutating func field(key: String, hexadecimal value: UInt64) {
    start(key: key)
    appendHexadecimal(value)
  }

  /// Writes an integer member with a computed name.
  package mutating func field(key: String, _ value: Int) {
    start(key: key)
    append(String(value))
  }

  /// Writes a Boolean member.
  package mutating func field(_ name: StaticString, _ value: Bool) {
    self.value(value ? "true" : "false", name)
  }

  /// Writes a member that is null.
  package mutating func null(_ name: StaticString) { value("null", name) }

  /// Writes a string, as a member if it has a name.
  package mutating func string(_ value: String, _ name: StaticString? = nil) {
    start(name)
    appendJSONLiteral(value, to: &bytes)
  }

  /// Writes a JSON literal, as a member if it has a name.
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

  /// Writes what precedes a value. A constant name needs no check for characters to escape.
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

  private mutating func appendHexadecimal(_ value: UInt64) {
    append("\"0x")
    let digits = max(1, (67 - value.leadingZeroBitCount) / 4)
    for shift in stride(from: 4 * (digits - 1), through: 0, by: -4) {
      bytes.append(hexDigit(UInt8(truncatingIfNeeded: value >> shift) & 15))
    }
    bytes.append(UInt8(ascii: "\""))
  }
}
