/// Where a value stands in a JSON text, for changing the text in single places.
package struct JSONPlace {
  /// The value's bytes; indices are those of the whole text.
  package let bytes: ArraySlice<UInt8>

  /// A member of an object.
  package struct Member {
    package var name: String
    /// Where the name begins, with its quotation mark.
    package var nameStart: Int
    /// Behind the name's second quotation mark.
    package var nameEnd: Int
    package var value: JSONPlace
  }

  /// The value that begins at a position, behind blanks at most; nil when it is broken or there is none.
  package init?(in bytes: ArraySlice<UInt8>, from position: Int) {
    guard position >= bytes.startIndex, position <= bytes.endIndex else { return nil }
    let start = Self.skipWhitespace(bytes, from: position)
    var reader = JSONReader(bytes[start...])
    guard reader.readValue() != nil, reader.failure == nil else { return nil }
    self.bytes = bytes[start..<reader.position]
  }

  /// The members of an object in their order; empty for anything else.
  package var members: [Member] {
    guard bytes.first == UInt8(ascii: "{") else { return [] }
    var members: [Member] = []
    var position = bytes.startIndex + 1
    while let name = JSONPlace(in: bytes, from: position), name.bytes.first == UInt8(ascii: "\"") {
      let colon = Self.skipWhitespace(bytes, from: name.bytes.endIndex)
      guard colon < bytes.endIndex, bytes[colon] == UInt8(ascii: ":"),
        let value = JSONPlace(in: bytes, from: colon + 1)
      else { break }
      var reader = JSONReader(name.bytes)
      let text = reader.readValue()?.string ?? ""
      members.append(
        Member(name: text, nameStart: name.bytes.startIndex, nameEnd: name.bytes.endIndex, value: value))
      position = afterComma(value.bytes.endIndex)
    }
    return members
  }

  /// The elements of an array; empty for anything else.
  package var elements: [JSONPlace] {
    guard bytes.first == UInt8(ascii: "[") else { return [] }
    var elements: [JSONPlace] = []
    var position = bytes.startIndex + 1
    while let element = JSONPlace(in: bytes, from: position) {
      elements.append(element)
      position = afterComma(element.bytes.endIndex)
    }
    return elements
  }

  /// The first member of a name; nil when there is none.
  package subscript(name: String) -> JSONPlace? { members.first { $0.name == name }?.value }

  private func afterComma(_ position: Int) -> Int {
    let comma = Self.skipWhitespace(bytes, from: position)
    return comma < bytes.endIndex && bytes[comma] == UInt8(ascii: ",") ? comma + 1 : comma
  }

  private static func skipWhitespace(_ bytes: ArraySlice<UInt8>, from start: Int) -> Int {
    var position = start
    while position < bytes.endIndex, bytes[position].isWhitespace { position += 1 }
    return position
  }
}
