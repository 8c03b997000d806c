/// The ways in which a text can grow: a line or a paragraph is repeated, or a line is long.
enum TextGrowth {
  static func dimensions(of text: [UInt8]) -> [Dimension] {
    let lines = text.split(separator: 0x0a, omittingEmptySubsequences: false).map(Array.init)
    var known: Set<[UInt8]> = []
    var found = [repetition("the whole", in: lines, at: 0..<lines.count, numbered: false)]
    for index in lines.indices where !lines[index].isEmpty && known.insert(shape(of: lines[index])).inserted {
      let name = "line \(index + 1)"
      found.append(repetition(name, in: lines, at: index..<index + 1, numbered: false))
      found.append(repetition(name, in: lines, at: index..<index + 1, numbered: true))
      found += WordGrowth.all(of: lines[index]).map { growth in
        Dimension(name: "\(name), \(growth.name)") { size in
          joined(lines[..<index] + [growth.grow(size)] + lines[(index + 1)...])
        }
      }
    }
    return found
      + paragraphs(of: lines).map {
        repetition("lines \($0.lowerBound + 1)...", in: lines, at: $0, numbered: true)
      }
  }

  private static func repetition(
    _ name: String, in lines: [[UInt8]], at place: Range<Int>, numbered: Bool
  ) -> Dimension {
    Dimension(name: "\(name), \(numbered ? "as many different ones" : "repeated")") { size in
      let part = Array(lines[place])
      let count = max(1, size / part.reduce(part.count) { $0 + $1.count })
      let copies = (0..<count).flatMap { copy in numbered ? part.map { numbering($0, copy) } : part }
      return joined(lines[..<place.lowerBound] + copies + lines[place.upperBound...])
    }
  }

  private static func joined(_ lines: some Sequence<[UInt8]>) -> [UInt8] {
    Array(lines.joined(separator: [0x0a]))
  }

  /// Several lines with blank ones around them: a thread, a section.
  private static func paragraphs(of lines: [[UInt8]]) -> [Range<Int>] {
    lines.indices.split { lines[$0].isEmpty }.filter { $0.count > 1 }.map { $0.startIndex..<$0.endIndex }
  }

  /// What kind of line it is: two frames are of one kind, and so are two images, but no two keys.
  private static func shape(of line: [UInt8]) -> [UInt8] {
    let isKey = line.first.map(isLetter) ?? false
    var shape: [UInt8] = []
    for byte in line {
      let kind = isDigit(byte) ? UInt8(ascii: "0") : isLetter(byte) && !isKey ? UInt8(ascii: "a") : byte
      if kind != shape.last { shape.append(kind) }
    }
    return shape
  }

  /// The line with other numbers and names than its copies have.
  private static func numbering(_ line: [UInt8], _ copy: Int) -> [UInt8] {
    var words = line.split(separator: 0x20, omittingEmptySubsequences: false).map(Array.init)
    var isNamed = false
    for index in words.indices {
      let word = words[index]
      if let number = hexValue(word) {
        words[index] = Array("0x\(String(number &+ UInt64(copy) &* 0x10000, radix: 16))".utf8)
      } else if !word.isEmpty, word.allSatisfy(isDigit), copy > 0 {
        words[index] = Array(String(copy).utf8)
      } else if !isNamed, index > 0, word.count > 2, isLetter(word[0]), word.last != UInt8(ascii: ":") {
        words[index] = word + Array(String(copy).utf8)
        isNamed = true
      } else if index > 0, word.last == UInt8(ascii: ":"), word.dropLast().allSatisfy(isDigit) {
        words[index] = Array("\(copy):".utf8)
      }
    }
    return Array(words.joined(separator: [0x20]))
  }

  private static func hexValue(_ word: [UInt8]) -> UInt64? {
    word.starts(with: "0x".utf8) ? UInt64(String(decoding: word.dropFirst(2), as: UTF8.self), radix: 16) : nil
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte & 0xdf) }
}
