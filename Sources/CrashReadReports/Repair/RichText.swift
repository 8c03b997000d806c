internal import CrashReadCore

/// Makes plain text of a report that an editor saved as RTF (Rich Text Format Specification 1.9.1): TextEdit does so with
/// what is pasted into it.
struct RichText {
  private let bytes: Bytes
  private var position: Int
  private var text: [UInt8] = []
  /// The depth of groups, and that of the outermost one whose content isn't text; nil outside of such.
  private var depth = 0
  private var hidden: Int?
  /// Whether paragraphs end as the format says; pages drop the backslash that does it, and leave the line end.
  private let hasParagraphs: Bool

  /// Groups that hold tables and properties.
  private static let tables: [StaticString] = [
    "fonttbl", "colortbl", "stylesheet", "info", "listtable", "listoverridetable", "pict", "header", "footer",
  ]

  /// The text; nil when the bytes aren't RTF.
  static func plainText(_ bytes: [UInt8]) -> [UInt8]? {
    guard bytes[...].hasPrefix("{\\rtf") else { return nil }
    var reader = RichText(bytes[...])
    reader.read()
    return reader.text
  }

  private init(_ bytes: Bytes) {
    self.bytes = bytes
    position = bytes.startIndex
    let ends: [StaticString] = ["\\\n", "\\\r", "\\par\n", "\\par\r", "\\par ", "\\par}", "\\par\\"]
    hasParagraphs = ends.contains { bytes.firstRange(of: $0) != nil }
  }

  private mutating func read() {
    while position < bytes.endIndex {
      let byte = bytes[position]
      position += 1
      switch byte {
      case UInt8(ascii: "{"): depth += 1
      case UInt8(ascii: "}"):
        if let group = hidden, depth <= group { hidden = nil }
        depth -= 1
      case UInt8(ascii: "\\"): readControl()
      // Line ends only separate words of the format.
      case 0x0a, 0x0d: if !hasParagraphs { append(byte) }
      default: append(byte)
      }
    }
  }

  private mutating func append(_ byte: UInt8) {
    if hidden == nil { text.append(byte) }
  }

  /// Reads what follows a backslash: a symbol, or a word with an optional number.
  private mutating func readControl() {
    guard position < bytes.endIndex else { return }
    let symbol = bytes[position]
    guard symbol.isLetter else {
      position += 1
      return readSymbol(symbol)
    }
    let word = bytes[position...].prefix(while: \.isLetter)
    let isNegative = bytes[word.endIndex...].first == UInt8(ascii: "-")
    let digits = bytes[(word.endIndex + (isNegative ? 1 : 0))...].prefix(while: \.isDigit)
    position = digits.isEmpty ? word.endIndex : digits.endIndex
    if bytes[position...].first == 0x20 { position += 1 }
    readWord(word, digits.decimalValue.map { isNegative ? -Int(clamping: $0) : Int(clamping: $0) })
  }

  private mutating func readSymbol(_ symbol: UInt8) {
    switch symbol {
    case 0x0a, 0x0d: append(0x0a)
    case UInt8(ascii: "'"):
      let digits = bytes[position...].prefix(2)
      position = digits.endIndex
      if let byte = digits.hexDigitsValue { append(byte < 0x80 ? UInt8(byte) : UInt8(ascii: "?")) }
    case UInt8(ascii: "*"): hidden = hidden ?? depth
    case UInt8(ascii: "~"): append(0x20)
    default: append(symbol)
    }
  }

  private mutating func readWord(_ word: Bytes, _ number: Int?) {
    if word.equals("par") || word.equals("line") { append(0x0a) }
    if word.equals("tab") { append(0x09) }
    if Self.tables.contains(where: { word.equals($0) }) { hidden = hidden ?? depth }
    // A UTF-16 unit; above 32,767 it is written as a negative number.
    if word.equals("u"), let number, let scalar = Unicode.Scalar(UInt16(truncatingIfNeeded: number)) {
      for byte in String(Character(scalar)).utf8 { append(byte) }
    }
  }
}
