package import CrashReadCore

/// Writes JSON text field by field; fields without a value are omitted.
package struct JSONWriter: ~Copyable {
  /// Whether all output is on one line, without indentation.
  private let isOneLine: Bool
  /// UTF-8.
  private var bytes = ByteBuffer()
  private var depth = 0
  private var isFirst = true

  /// An empty writer.
  package init(isOneLine: Bool = false) { self.isOneLine = isOneLine }

  /// Everything written so far.
  package var text: String { bytes.text }

  /// Everything written so far, and a line feed.
  consuming func line() -> [UInt8] {
    bytes.append(UInt8(ascii: "\n"))
    return bytes.array
  }

  /// Writes an object, as a member if it has a name.
  package mutating func object(_ name: StaticString? = nil, _ body: (inout JSONWriter) -> Void) {
    begin(name)
    fill(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  /// Writes a member that is an object, with a computed name.
  package mutating func object(key: String, _ body: (inout JSONWriter) -> Void) {
    begin(key: key)
    fill(UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  /// Writes an array, as a member if it has a name.
  package mutating func array<Element>(
    _ name: StaticString? = nil, _ elements: some Sequence<Element>,
    _ body: (inout JSONWriter, Element) -> Void
  ) {
    begin(name)
    fill(UInt8(ascii: "["), UInt8(ascii: "]")) { writer in
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
    begin(key: key)
    quoted(value)
  }

  /// Writes an integer member; nothing for nil.
  package mutating func field(_ name: StaticString, _ value: (some FixedWidthInteger)?) {
    guard let value else { return }
    begin(name)
    bytes.appendDecimal(UInt64(truncatingIfNeeded: value.magnitude), isNegative: value < 0)
  }

  /// Writes an identity as a string member; nothing for nil.
  package mutating func field(_ name: StaticString, _ value: ImageID?) {
    guard let value else { return }
    begin(name)
    bytes.append(UInt8(ascii: "\""))
    value.writeDescription(to: &bytes)
    bytes.append(UInt8(ascii: "\""))
  }

  /// Writes a member that is a string of hexadecimal digits with the prefix `0x`; nothing for nil.
  package mutating func field(_ name: StaticString, hexadecimal value: UInt64?) {
    guard let value else { return }
    begin(name)
    hexadecimal(value)
  }

  /// Writes a member with a computed name that is a string of hexadecimal digits with the prefix `0x`.
  package mutating func field(key: String, hexadecimal value: UInt64) {
    begin(key: key)
    hexadecimal(value)
  }

  /// Writes an integer member with a computed name.
  package mutating func field(key: String, _ value: Int) {
    begin(key: key)
    bytes.appendDecimal(UInt64(value.magnitude), isNegative: value < 0)
  }

  /// Writes a Boolean member.
  package mutating func field(_ name: StaticString, _ value: Bool) {
    begin(name)
    bytes.append(value ? "true" : "false")
  }

  /// Writes a member that is null.
  package mutating func null(_ name: StaticString) {
    begin(name)
    bytes.append("null")
  }

  /// Writes a string, as a member if it has a name.
  package mutating func string(_ value: String, _ name: StaticString? = nil) {
    begin(name)
    quoted(value)
  }

  /// Writes a JSON literal, as a member if it has a name.
  package mutating func value(_ literal: String, _ name: StaticString? = nil) {
    begin(name)
    bytes.append(utf8Of: literal)
  }

  /// Writes an object or an array.
  private mutating func fill(_ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void) {
    bytes.append(open)
    depth += 1
    isFirst = true
    body(&self)
    depth -= 1
    if !isFirst { startLine() }
    isFirst = false
    bytes.append(close)
  }

  /// Writes what precedes a value. A constant name needs no check for characters to escape.
  private mutating func begin(_ name: StaticString?) {
    separate()
    guard let name else { return }
    bytes.append(UInt8(ascii: "\""))
    bytes.append(name)
    bytes.append(UInt8(ascii: "\""))
    endName()
  }

  private mutating func begin(key: String) {
    separate()
    quoted(key)
    endName()
  }

  private mutating func endName() {
    bytes.append(UInt8(ascii: ":"))
    if !isOneLine { bytes.append(UInt8(ascii: " ")) }
  }

  private mutating func separate() {
    if !isFirst { bytes.append(UInt8(ascii: ",")) }
    isFirst = false
    startLine()
  }

  private mutating func startLine() {
    if isOneLine || bytes.isEmpty { return }
    bytes.append(UInt8(ascii: "\n"))
    for _ in 0..<2 * depth { bytes.append(UInt8(ascii: " ")) }
  }

  private mutating func quoted(_ text: String) {
    bytes.append(UInt8(ascii: "\""))
    bytes.append(utf8Of: jsonContent(text))
    bytes.append(UInt8(ascii: "\""))
  }

  private mutating func hexadecimal(_ value: UInt64) {
    bytes.append("\"0x")
    bytes.appendHexadecimal(value)
    bytes.append(UInt8(ascii: "\""))
  }
}
