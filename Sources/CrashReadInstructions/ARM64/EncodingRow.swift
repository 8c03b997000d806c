/// One row of `arm64Encodings`: bits, effect and text of an encoding.
///
/// `bits` has 32 characters, the highest bit first: `0`, `1`, `x` for a bit that doesn't matter, or the letter of a
/// field. The bits of a field needn't be adjacent. After `?` follow conditions on fields, such as `n=m`.
///
/// `effect` consists of the letters of the registers it writes, followed by what it does:
/// `=` computes · `=m` copies field m · `#` puts the operand's number · `+` `-` adds a number · `!` authenticates ·
/// `<8` loads 8 bytes · `>8` stores · `%8` both · `c` compares · `a` computes and sets flags · `J` jumps · `B` branches ·
/// `C` calls · `j` jumps to a register · `k` calls one · `R` returns · `$` calls the system · `T` traps · `.` nothing.
///
/// `text` is what a disassembler prints, with `%` and the kind and field of an operand; `Arm64Text` lists the kinds.
/// The text in brackets is the memory operand.
struct EncodingRow: Sendable {
  /// A part of the text.
  enum Piece: Sendable {
    case literal(String)
    /// The kind of an operand, its field, and the factor that scales its value.
    case operand(UInt8, UInt8, Int64)
  }

  /// Bits of the word that belong to a field: their position and number.
  struct Field: Sendable {
    var letter: UInt8
    var runs: [(shift: UInt32, width: UInt32)]
  }

  /// A comparison of two fields, or of a field and a number.
  struct Condition: Sendable {
    enum Relation: Sendable { case equal, unequal, less, notLess }
    var left: UInt8
    var relation: Relation
    var right: UInt8
  }

  var mask: UInt32 = 0
  var value: UInt32 = 0
  var fields: [Field] = []
  var conditions: [Condition] = []
  var written: [UInt8] = []
  var action: UInt8 = UInt8(ascii: ".")
  /// What follows the action: the letter of a field, or a size.
  var argument: [UInt8] = []
  var pieces: [Piece] = []

  /// Parses a row.
  init(_ line: ArraySlice<UInt8>) {
    let columns = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard columns.count == 3 else { return }
    readBits(columns[0])
    readEffect(Array(columns[1]))
    pieces = Self.pieces(Array(columns[2]))
  }

  private mutating func readBits(_ text: ArraySlice<UInt8>) {
    for (position, character) in text.prefix(32).enumerated() where character > UInt8(ascii: "1") {
      if character != UInt8(ascii: "x") { addBit(UInt32(31 - position), to: character) }
    }
    let bits = EncodingBits(text)
    (mask, value) = (bits.mask, bits.value)
    conditions = text.dropFirst(32).split(separator: UInt8(ascii: "?")).compactMap(Self.condition)
  }

  private mutating func addBit(_ shift: UInt32, to letter: UInt8) {
    guard let index = fields.firstIndex(where: { $0.letter == letter }) else {
      fields.append(Field(letter: letter, runs: [(shift, 1)]))
      return
    }
    let last = fields[index].runs.count - 1
    if fields[index].runs[last].shift == shift + 1 {
      fields[index].runs[last] = (shift, fields[index].runs[last].width + 1)
    } else {
      fields[index].runs.append((shift, 1))
    }
  }

  private static func condition(_ text: ArraySlice<UInt8>) -> Condition? {
    guard text.count == 3, let left = text.first, let right = text.last else { return nil }
    switch text[text.startIndex + 1] {
    case UInt8(ascii: "="): return Condition(left: left, relation: .equal, right: right)
    case UInt8(ascii: "!"): return Condition(left: left, relation: .unequal, right: right)
    case UInt8(ascii: "<"): return Condition(left: left, relation: .less, right: right)
    case UInt8(ascii: ">"): return Condition(left: left, relation: .notLess, right: right)
    default: return nil
    }
  }

  private mutating func readEffect(_ text: [UInt8]) {
    let actions = Array("=#+-!<>%caJBCjkRT.$".utf8)
    guard let position = text.firstIndex(where: { actions.contains($0) }) else { return }
    written = Array(text[..<position])
    action = text[position]
    argument = Array(text[(position + 1)...])
  }

  private static func pieces(_ text: [UInt8]) -> [Piece] {
    var pieces: [Piece] = []
    var rest = text[...]
    while let percent = rest.firstIndex(of: UInt8(ascii: "%")) {
      if percent > rest.startIndex {
        pieces.append(.literal(String(decoding: rest[..<percent], as: UTF8.self)))
      }
      let (kind, field) = (text[percent + 1], text[percent + 2])
      rest = text[(percent + 3)...]
      var scale: Int64 = 1
      if rest.first == UInt8(ascii: "*") {
        let digits = rest.dropFirst().prefix { (0x30...0x39).contains($0) }
        scale = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
        rest = rest.dropFirst(1 + digits.count)
      }
      pieces.append(.operand(kind, field, scale))
    }
    if !rest.isEmpty { pieces.append(.literal(String(decoding: rest, as: UTF8.self))) }
    return pieces
  }
}

/// The fixed bits of an encoding, which are all that most rows are checked for.
struct EncodingBits {
  var mask: UInt32 = 0
  var value: UInt32 = 0

  /// Parses the first 32 characters of a row.
  init(_ row: ArraySlice<UInt8>) {
    for character in row.prefix(32) {
      mask = mask << 1 | (character <= UInt8(ascii: "1") ? 1 : 0)
      value = value << 1 | (character == UInt8(ascii: "1") ? 1 : 0)
    }
  }
}

extension EncodingRow {
  /// Whether a word whose fixed bits match has this encoding, according to the conditions.
  func matches(_ word: UInt32) -> Bool {
    conditions.allSatisfy { condition in
      let left = field(condition.left, word)
      let right = field(condition.right, word)
      switch condition.relation {
      case .equal: return left == right
      case .unequal: return left != right
      case .less: return left < right
      case .notLess: return left >= right
      }
    }
  }

  /// The value of a field, the bits that come first in the word first; 0 for one that the row doesn't have.
  ///
  /// In conditions a digit is a number, and `$` is 31.
  func field(_ letter: UInt8, _ word: UInt32) -> UInt64 {
    if letter == UInt8(ascii: "$") { return 31 }
    if (0x30...0x39).contains(letter) { return UInt64(letter - 0x30) }
    guard let field = fields.first(where: { $0.letter == letter }) else { return 0 }
    return field.runs.reduce(0) { $0 << UInt64($1.width) | UInt64(word >> $1.shift & (1 << $1.width - 1)) }
  }

  /// Whether the text, up to its first operand, starts with these letters.
  func text(startsWith prefix: String) -> Bool {
    if case .literal(let text)? = pieces.first { text.hasPrefix(prefix) } else { false }
  }

  /// The number of bits of a field.
  func width(_ letter: UInt8) -> UInt32 {
    fields.first { $0.letter == letter }?.runs.reduce(0) { $0 + $1.width } ?? 0
  }

  func signed(_ letter: UInt8, _ word: UInt32) -> Int64 {
    let unused = 64 - Int64(width(letter))
    return Int64(bitPattern: field(letter, word) << UInt64(unused)) >> unused
  }
}
