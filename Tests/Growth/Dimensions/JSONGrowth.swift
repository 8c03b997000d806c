/// The ways in which a JSON document can grow: an element is repeated in its array, an object has more members,
/// or a text is long.
enum JSONGrowth {
  fileprivate enum Step: Hashable {
    case member(String)
    case element(Int)
  }

  static func dimensions(
    of document: JSONTree, write: @escaping @Sendable (JSONTree) -> [UInt8]
  ) -> [Dimension] {
    var known: Set<[String]> = []
    var found = [Dimension(name: "the whole, repeated") { repeated(write(document) + [0x0a], $0) }]
    visit(document, []) { value, path in
      // Elements of one array are of the same kind.
      let kind = path.map { if case .member(let name) = $0 { name } else { "*" } }
      guard known.insert(kind).inserted else { return }
      let place = kind.joined(separator: "/")
      found += growths(of: value).map { name, grow in
        Dimension(name: "\(place), \(name)") { size in
          write(document.replacing(path[...]) { _ in grow(size) })
        }
      }
    }
    return found
  }

  private typealias Growth = (name: String, grow: @Sendable (Int) -> JSONTree)

  private static func visit(_ value: JSONTree, _ path: [Step], _ body: (JSONTree, [Step]) -> Void) {
    body(value, path)
    for member in value.members { visit(member.value, path + [.member(member.name)], body) }
    for (index, element) in value.elements.enumerated() { visit(element, path + [.element(index)], body) }
  }

  private static func growths(of value: JSONTree) -> [Growth] {
    switch value {
    case .array(let elements):
      return elements.first.map { first in
        let length = jsonText(first).count + 1
        return [
          ("repeated", { .array(elements + Array(repeating: first, count: max(1, $0 / length))) }),
          (
            "as many different ones",
            { .array(elements + (0..<max(1, $0 / length)).map { first.numbered($0) }) }
          ),
        ]
      } ?? []
    case .object(let members):
      return members.first.map { first in
        let length = jsonText(first.value).count + first.name.utf8.count + 4
        return [
          (
            "as many members",
            { size in
              .object(members + (0..<max(1, size / length)).map { ("\($0)", first.value.numbered($0)) })
            }
          ),
          (
            "the same member",
            { size in .object(Array(repeating: first, count: max(1, size / length)) + members) }
          ),
        ]
      } ?? []
    case .string(let text):
      let lines: Growth = (
        "lines", { .string(text + String(decoding: repeated(Array("\n\(text)".utf8), $0), as: UTF8.self)) }
      )
      return [lines]
        + WordGrowth.all(of: Array(text.utf8)).map { growth in
          (growth.name, { .string(String(decoding: growth.grow($0), as: UTF8.self)) })
        }
    case .null, .bool, .unsigned, .negative, .real: return []
    }
  }
}

extension JSONTree {
  /// The value with a part of it exchanged.
  fileprivate func replacing(
    _ path: ArraySlice<JSONGrowth.Step>, _ change: (JSONTree) -> JSONTree
  ) -> JSONTree {
    guard let step = path.first else { return change(self) }
    let rest = path.dropFirst()
    switch (step, self) {
    case (.member(let name), .object(let members)):
      return .object(members.map { ($0.name, $0.name == name ? $0.value.replacing(rest, change) : $0.value) })
    case (.element(let index), .array(var elements)):
      elements[index] = elements[index].replacing(rest, change)
      return .array(elements)
    default: return self
    }
  }

  /// The value with other numbers and texts than its copies have.
  fileprivate func numbered(_ copy: Int) -> JSONTree {
    switch self {
    case .unsigned(let value): .unsigned(value &+ UInt64(copy) &* 0x1_0000)
    case .string(let text):
      if text.hasPrefix("0x"), let value = UInt64(text.dropFirst(2), radix: 16) {
        .string("0x" + String(value &+ UInt64(copy) &* 0x1_0000, radix: 16))
      } else if text.utf8.count == 36 {
        .string(text.dropLast(8) + String(String(0x1_0000_0000 + copy, radix: 16).dropFirst()))
      } else {
        .string(text + String(copy))
      }
    case .array(let elements): .array(elements.map { $0.numbered(copy) })
    case .object(let members): .object(members.map { ($0.name, $0.value.numbered(copy)) })
    case .null, .bool, .negative, .real: self
    }
  }
}

/// A value as JSON text.
func jsonText(_ value: JSONTree) -> [UInt8] {
  var text: [UInt8] = []
  writeJSON(value, into: &text)
  return text
}

private func writeJSON(_ value: JSONTree, into text: inout [UInt8]) {
  switch value {
  case .null: text += "null".utf8
  case .bool(let value): text += "\(value)".utf8
  case .unsigned(let value): text += "\(value)".utf8
  case .negative(let value): text += "\(value)".utf8
  case .real(let value): text += "\(value)".utf8
  case .string(let value): writeString(value, into: &text)
  case .array(let elements):
    text.append(UInt8(ascii: "["))
    for (index, element) in elements.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      writeJSON(element, into: &text)
    }
    text.append(UInt8(ascii: "]"))
  case .object(let members):
    text.append(UInt8(ascii: "{"))
    for (index, member) in members.enumerated() {
      if index > 0 { text.append(UInt8(ascii: ",")) }
      writeString(member.name, into: &text)
      text.append(UInt8(ascii: ":"))
      writeJSON(member.value, into: &text)
    }
    text.append(UInt8(ascii: "}"))
  }
}

private func writeString(_ string: String, into text: inout [UInt8]) {
  text.append(UInt8(ascii: "\""))
  for byte in string.utf8 {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): text += [UInt8(ascii: "\\"), byte]
    case 0x0a: text += "\\n".utf8
    case 0x09: text += "\\t".utf8
    default: text.append(byte)
    }
  }
  text.append(UInt8(ascii: "\""))
}

/// An object as a message of the wire format: a text as bytes, an object as a message inside, an array as a field that is
/// repeated; members without a number have no field.
func wireBytes(_ message: JSONTree) -> [UInt8] {
  message.members.flatMap { name, value in
    UInt64(name).map { number in (value.isList ? value.elements : [value]).flatMap { wireField(number, $0) } }
      ?? []
  }
}

private func wireField(_ number: UInt64, _ value: JSONTree) -> [UInt8] {
  switch value {
  case .unsigned(let value): varint(number << 3) + varint(value)
  case .string(let text): varint(number << 3 | 2) + varint(UInt64(text.utf8.count)) + Array(text.utf8)
  case .object:
    { bytes in varint(number << 3 | 2) + varint(UInt64(bytes.count)) + bytes }(wireBytes(value))
  case .null, .bool, .negative, .real, .array: []
  }
}

private func varint(_ value: UInt64) -> [UInt8] {
  var value = value
  var bytes: [UInt8] = []
  while value >= 0x80 {
    bytes.append(UInt8(value & 0x7f) | 0x80)
    value >>= 7
  }
  return bytes + [UInt8(value)]
}

extension JSONTree {
  fileprivate var isList: Bool {
    if case .array = self { true } else { false }
  }
}
