package import CrashReadCore

/// Writes JSON text field by field; fields without a value are omitted.
package struct JSONWriter {
  /// Whether the output is one line, without indentation.
  private let isOneLine: Bool
  /// The output in UTF-8: appending bytes is several times as fast as appending strings.
  package private(set) var bytes: [UInt8] = []
  private var depth = 0
  private var isFirst = true

  /// An empty writer.
  package init(isOneLine: Bool = false) { self.isOneLine = isOneLine }

  /// Everything written so far.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// Writes an object, as a member if it has a name.
  package mutating func object(_ name: StaticString? = nil, _ body: (inout JSONWriter) -> Void) {
    group(name, UInt8(ascii: "{"), UInt8(ascii: "}"), body)
  }

  /// Writes a member that is an object, with a computed name.
  package mutating func object(key: String, _ body: (inout JSONWriter) -> Void) {
    start(key: key)
    bytes.append(UInt8(ascii: "{"))
    fill(UInt8(ascii: "}"), body)
  }

  /// Writes an array, as a member if it has a name.
  package mutating func array<Element>(
    _ name: StaticString? = nil, _ elements: some Sequence<Element>,
    _ body: (inout JSONWriter, Element) -> Void
  ) {
    group(name, UInt8(ascii: "["), UInt8(ascii: "]")) { writer in
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
    bytes.append(utf8Of: jsonLiteral(value))
  }

  /// Writes an integer member; nothing for nil.
  package mutating func field(_ name: StaticString, _ value: (some FixedWidthInteger)?) {
    guard let value else { return }
    write(name, 21) {
      $0.appendDecimal(UInt64(truncatingIfNeeded: value.magnitude), isNegative: value < 0)
    }
  }

  /// Writes an identity as a string member; nothing for nil.
  package mutating func field(_ name: StaticString, _ value: ImageID?) {
    guard let value else { return }
    write(name, value.descriptionCount + 2) { bytes in
      bytes.append(UInt8(ascii: "\""))
      value.writeDescription(to: &bytes)
      bytes.append(UInt8(ascii: "\""))
    }
  }

  /// Writes a member that is a string of hexadecimal digits with the prefix `0x`; nothing for nil.
  package mutating func field(_ name: StaticString, hexadecimal value: UInt64?) {
    if let value { write(name, 20) { appendHexadecimal(value, to: &$0) } }
  }

  /// Writes a member with a computed name that is a string of hexadecimal digits with the prefix `0x`.
  package mutating func field(key: String, hexadecimal value: UInt64) {
    start(key: key)
    bytes.append(addingCapacity: 20) { appendHexadecimal(value, to: &$0) }
  }

  /// Writes an integer member with a computed name.
  package mutating func field(key: String, _ value: Int) {
    start(key: key)
    bytes.append(utf8Of: String(value))
  }

  /// Writes a Boolean member.
  package mutating func field(_ name: StaticString, _ value: Bool) {
    self.value(value ? "true" : "false", name)
  }

  /// Writes a member that is null.
  package mutating func null(_ name: StaticString) { value("null", name) }

  /// Writes a string, as a member if it has a name.
  package mutating func string(_ value: String, _ name: StaticString? = nil) {
    let content = jsonContent(value)
    let text = content.utf8.span
    write(name, text.count + 2) { bytes in
      bytes.append(UInt8(ascii: "\""))
      bytes.append(text)
      bytes.append(UInt8(ascii: "\""))
    }
  }

  /// Writes a JSON literal, as a member if it has a name.
  package mutating func value(_ literal: String, _ name: StaticString? = nil) {
    let text = literal.utf8.span
    write(name, text.count) { $0.append(text) }
  }

  private mutating func group(
    _ name: StaticString?, _ open: UInt8, _ close: UInt8, _ body: (inout JSONWriter) -> Void
  ) {
    write(name, 1) { $0.append(open) }
    fill(close, body)
  }

  /// Writes the contents of an object or an array, and its end.
  private mutating func fill(_ close: UInt8, _ body: (inout JSONWriter) -> Void) {
    depth += 1
    isFirst = true
    body(&self)
    depth -= 1
    let line = lineStart
    if !isFirst { bytes.append(addingCapacity: line.count, initializingWith: line.write) }
    isFirst = false
    bytes.append(close)
  }

  /// Writes a value and the separator before it in one step; the value takes at most `count` bytes.
  ///
  /// Constant names aren't searched for characters to escape.
  private mutating func write(
    _ name: StaticString?, _ count: Int, _ value: (inout OutputSpan<UInt8>) -> Void
  ) {
    let (isFollowing, isOneLine, line) = (!isFirst, isOneLine, lineStart)
    isFirst = false
    let nameCount = name.map { $0.utf8CodeUnitCount + 4 } ?? 0
    bytes.append(addingCapacity: 1 + line.count + nameCount + count) { bytes in
      if isFollowing { bytes.append(UInt8(ascii: ",")) }
      line.write(to: &bytes)
      if let name {
        bytes.append(UInt8(ascii: "\""))
        bytes.append(name)
        bytes.append(isOneLine ? "\":" : "\": ")
      }
      value(&bytes)
    }
  }

  private mutating func start(key: String) {
    let name = jsonLiteral(key)
    value(name)
    bytes.append(UInt8(ascii: ":"))
    if !isOneLine { bytes.append(UInt8(ascii: " ")) }
  }

  private var lineStart: LineStart { LineStart(depth: isOneLine || bytes.isEmpty ? nil : depth) }
}

/// A line break and the following indentation; nothing on one line.
private struct LineStart {
  var depth: Int?

  var count: Int { depth.map { 1 + 2 * $0 } ?? 0 }

  func write(to bytes: inout OutputSpan<UInt8>) {
    guard let depth else { return }
    bytes.append(UInt8(ascii: "\n"))
    for _ in 0..<2 * depth { bytes.append(UInt8(ascii: " ")) }
  }
}

private func appendHexadecimal(_ value: UInt64, to bytes: inout OutputSpan<UInt8>) {
  bytes.append("\"0x")
  bytes.appendHexadecimal(value)
  bytes.append(UInt8(ascii: "\""))
}

extension [UInt8] {
  /// Appends a text in one step; appending its `utf8` would go byte by byte.
  fileprivate mutating func append(utf8Of text: String) {
    let text = text.utf8.span
    append(addingCapacity: text.count) { $0.append(text) }
  }
}
