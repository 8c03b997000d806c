internal import CrashReadCore

// Keys, addresses and names in texts.
extension PersonalData {
  /// A UUID, 8-4-4-4-12 digits around the first dash: the identity of a device, a report, or a container, but not of an
  /// image.
  mutating func findUUID(around dash: Int) {
    let start = dash - 8
    guard start >= 0, start + 36 <= bytes.count, start == 0 || !bytes[start - 1].isLetterOrDigit,
      start + 36 == bytes.count || !bytes[start + 36].isLetterOrDigit
    else { return }
    for offset in 0..<36 {
      let isDash = [8, 13, 18, 23].contains(offset)
      let byte = bytes[start + offset]
      guard isDash ? byte == UInt8(ascii: "-") : byte.isHexDigit else { return }
    }
    let text = String(decoding: bytes[start..<start + 36], as: UTF8.self).uppercased()
    let isBuild = isPreceded(start, 48, ["shared", "slice", "binary", "image", "debug"])
    if !names.identities.contains(text), !isBuild { add(start..<start + 36, .identifier) }
  }

  mutating func findMail(around at: Int) {
    let local = span(around: at) { $0.isLetterOrDigit || $0.isAny(of: "._%+-") || $0 >= 0x80 }
    guard local.lowerBound < at, local.upperBound > at + 1 else { return }
    var end = at + 1
    while end < local.upperBound, bytes[end].isLetterOrDigit || bytes[end] == 0x2e || bytes[end] == 0x2d {
      end += 1
    }
    while end > at + 1, !bytes[end - 1].isLetterOrDigit { end -= 1 }
    let labels = bytes[at + 1..<end].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard labels.count > 1, let last = labels.last, last.count >= 2,
      last.allSatisfy({ $0.isLetterOrDigit && $0 > UInt8(ascii: "9") }), labels.allSatisfy({ !$0.isEmpty }),
      !["png", "jpg", "jpeg", "pdf", "gif"].contains(String(decoding: last, as: UTF8.self))
    else { return }
    add(local.lowerBound..<end, .mail)
  }

  /// Credentials in a URL: `://user:password@`.
  mutating func findCredentials(at colon: Int) {
    guard hasText("://", at: colon) else { return }
    let rest = bytes[(colon + 3)...].prefix(256).prefix { $0 > 0x20 && !$0.isAny(of: "/\"'<>?#\\") }
    if let at = rest.lastIndex(of: UInt8(ascii: "@")) { add(colon + 3..<at, .secret) }
  }

  /// The value in a URL's query: `?name=value&…`.
  mutating func findQueryValue(after sign: Int) {
    func isURL(_ byte: UInt8) -> Bool { byte > 0x20 && !byte.isAny(of: "\"'<>") }
    let before = span(around: sign, atMost: 256) { isURL($0) }.lowerBound..<sign
    guard bytes[before].contains(UInt8(ascii: "?")), before.contains(where: { hasText("://", at: $0) }) else {
      return
    }
    let value = bytes[(sign + 1)...].prefix(4096).prefix { isURL($0) && !$0.isAny(of: "&#\\)") }
    add(value.indices, .secret)
  }

  /// A JSON Web Token.
  mutating func findToken(at index: Int) {
    guard hasText("eyJ", at: index), index == 0 || !bytes[index - 1].isLetterOrDigit else { return }
    let token = span(around: index) { $0.isLetterOrDigit || $0.isAny(of: "._-") }
    if token.count >= 30, token.lowerBound == index { add(token, .secret) }
  }

  /// A host's name: `Alices-MacBook.local`.
  mutating func findHost(before dot: Int) {
    guard hasText(".local", at: dot), dot + 6 == bytes.count || !bytes[dot + 6].isPartOfName else { return }
    let name =
      span(around: dot) { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 >= 0x80 }.lowerBound..<dot
    if name.count > 1 { add(name, .host) }
  }

  /// A device's owner: `Alice's iPhone`.
  mutating func findOwner(before letter: Int) {
    let mark = hasText("'", at: letter - 1) ? 1 : hasText("’", at: letter - 3) ? 3 : 0
    guard mark > 0,
      hasText("s iPhone", at: letter) || hasText("s iPad", at: letter) || hasText("s Mac", at: letter)
        || hasText("s iMac", at: letter) || hasText("s Apple Watch", at: letter)
    else { return }
    let end = letter - mark
    let name = span(around: max(0, end - 1)) { $0.isPartOfName }
    add(name.lowerBound..<end, .name)
  }

  /// An IPv4 address: four numbers that are labelled as an address or followed by a port. Others are versions.
  mutating func findAddress(around dot: Int) {
    // The longest address is `255.255.255.255`.
    let text = span(around: dot, atMost: 16) { $0.isLetterOrDigit || $0 == UInt8(ascii: ".") }
    let parts = bytes[text].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4, bytes[text.lowerBound..<dot].firstIndex(of: UInt8(ascii: ".")) == nil,
      parts.allSatisfy({ UInt8(String(decoding: $0, as: UTF8.self)) != nil })
    else { return }
    let hasPort =
      hasText(":", at: text.upperBound) && text.upperBound + 1 < bytes.count
      && bytes[text.upperBound + 1].isDigit
    let words = ["ip", "addr", "host", "from ", "to ", "server", "peer", "//", "@", "connect"]
    if hasPort || isPreceded(text.lowerBound, 16, words) { add(text, .address) }
  }

  /// A hardware address: six pairs of digits separated by colons.
  mutating func findHardwareAddress(around colon: Int) {
    let text = colon - 2..<colon + 15
    guard text.lowerBound >= 0, text.upperBound <= bytes.count,
      text.lowerBound == 0
        || !bytes[text.lowerBound - 1].isLetterOrDigit && bytes[text.lowerBound - 1] != 0x3a,
      text.upperBound == bytes.count
        || !bytes[text.upperBound].isLetterOrDigit && bytes[text.upperBound] != 0x3a
    else { return }
    let fits = text.enumerated().allSatisfy { offset, index in
      offset % 3 == 2 ? bytes[index] == 0x3a : bytes[index].isHexDigit
    }
    if fits { add(text, .address) }
  }

  /// A name after a form of address: `Dear Anna`, `Mr. Smith`, `Dr. Anna Smith`.
  mutating func findTitledName(after letter: Int) {
    let titles: [StaticString] = ["Dear ", "Mr ", "Mr. ", "Dr. ", "Herr "]
    guard let title = titles.first(where: { title in matchesTitle(title, around: letter) }) else { return }
    var index = letter + 1 + (titleEnd(title))
    let start = index
    var end = start
    while index < bytes.count,
      bytes[index].isUppercase || bytes[index] >= 0xc3
    {
      while index < bytes.count, bytes[index].isPartOfName || bytes[index] == UInt8(ascii: "-") { index += 1 }
      end = index
      guard index < bytes.count, bytes[index] == 0x20 else { break }
      index += 1
    }
    if end - start >= 3, end - start <= 64 { add(start..<end, .name) }
  }

  /// Whether a form of address occurs with its letter r at a position.
  private func matchesTitle(_ title: StaticString, around letter: Int) -> Bool {
    let start = letter + 1 + titleEnd(title) - title.utf8CodeUnitCount
    return hasText(title, at: start) && (start == 0 || !bytes[start - 1].isPartOfName)
  }

  /// The number of bytes in a form of address after its letter r.
  private func titleEnd(_ title: StaticString) -> Int {
    let text = Array(title.description.utf8)
    return text.count - 1 - (text.lastIndex(of: UInt8(ascii: "r")) ?? 0)
  }

  /// An international phone number, `+81 90-1234-5678`: 8 to 15 digits after a plus (ITU-T E.164), in any grouping.
  mutating func findPhone(after plus: Int) {
    if plus > 0, bytes[plus - 1].isPartOfName || bytes[plus - 1] == UInt8(ascii: ")") { return }
    var digits = 0
    var index = plus + 1
    var end = index
    while index < bytes.count, index - plus <= 24 {
      if bytes[index].isDigit {
        digits += 1
        end = index + 1
      } else if !bytes[index].isAny(of: " -.()") || index == plus + 1 {
        break
      }
      index += 1
    }
    let isFollowed = end < bytes.count && bytes[end].isPartOfName
    // The offset after a function has a blank before the plus, and no groups.
    let isOffset = plus > 0 && bytes[plus - 1] == 0x20 && end - plus - 1 == digits && digits < 10
    if (8...15).contains(digits), !isFollowed, !isOffset { add(plus + 1..<end, .phone) }
  }

  /// A national phone number, `090-1234-5678`, `(555) 123-4567`: three groups, the last with four digits. A date's last
  /// group has two.
  mutating func findPhone(around dash: Int) {
    // The longest number has 14 bytes.
    let text = span(around: dash, atMost: 16) {
      $0.isLetterOrDigit || $0.isAny(of: "-()+._:/\\") || $0 >= 0x80
    }
    let groups = bytes[text].split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
    let isPlain = groups.allSatisfy { $0.allSatisfy { $0.isDigit } }
    guard isPlain, groups.last?.count == 4 else { return }
    let hasAreaBefore =
      text.lowerBound >= 5 && bytes[text.lowerBound - 1] == 0x20
      && bytes[text.lowerBound - 2] == UInt8(ascii: ")")
    switch groups.map(\.count) {
    case let counts where counts.count == 3 && (2...4).contains(counts[0]) && (3...4).contains(counts[1]):
      add(text, .phone)
    case [3, 4] where hasAreaBefore: add(text.lowerBound - 6..<text.upperBound, .phone)
    default: break
    }
  }

  /// The value of a field known to hold personal data: `CrashReporter Key: …`, `"crashReporterKey" : "…"`,
  /// `"user.email": …`, and `userName = "…";` as in descriptions of Foundation's collections.
  mutating func findField(at sign: Int) {
    var end = sign
    while end > 0, bytes[end - 1] == 0x20 { end -= 1 }
    // In a string inside JSON, the quotation marks are escaped.
    let isEscaped = end > 1 && bytes[end - 1] == UInt8(ascii: "\"") && bytes[end - 2] == UInt8(ascii: "\\")
    let isQuoted = end > 0 && bytes[end - 1] == UInt8(ascii: "\"")
    if isQuoted { end -= isEscaped ? 2 : 1 }
    guard let kind = fieldKind(endingAt: end, isQuoted: isQuoted) else { return }
    let line = bytes[max(0, end - 200)..<end].reversed().prefix { $0 >= 0x20 }
    let startsLine = !line.contains { !$0.isLetterOrDigit && !$0.isAny(of: " _-\t") }
    // Argument labels of a function aren't fields.
    let depth = line.reduce(0) { $1.isAny(of: "([") ? $0 + 1 : $1.isAny(of: ")]") ? $0 - 1 : $0 }
    if !isQuoted, bytes[sign] == UInt8(ascii: ":"), depth > 0 { return }
    var start = sign + 1
    while start < bytes.count, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
    guard let value = value(from: start, ofList: isQuoted || !startsLine || bytes[sign] == UInt8(ascii: "="))
    else { return }
    let text = String(decoding: bytes[value], as: UTF8.self)
    // A numeric user id (501) is the same on many machines.
    if kind == .identifier, value.count < 5, text.allSatisfy(\.isWholeNumber) { return }
    if value.count > 1, !names.identities.contains(text.uppercased()), !Self.empty.contains(text.lowercased())
    {
      add(value, kind)
    }
  }

  private static let empty: Set = [
    "null", "nil", "(null)", "(null", "none", "true", "false", "yes", "no", "unknown", "{", "(", "[", "[]",
    "{}",
  ]

  /// The kind of value that a field's name indicates: by the whole name, or the last part of a path.
  private func fieldKind(endingAt end: Int, isQuoted: Bool) -> Pseudonyms.Kind? {
    let name = bytes[max(0, end - 40)..<end].reversed().prefix {
      $0.isLetterOrDigit || $0.isAny(of: "_-") || $0 == UInt8(ascii: " ") && !isQuoted
    }.reversed()
    let word = String(decoding: name, as: UTF8.self)
    func kind(_ text: some StringProtocol) -> Pseudonyms.Kind? {
      ProgramNames.personalFields[text.lowercased().filter { $0 != "_" && $0 != " " && $0 != "-" }]
    }
    if let kind = kind(word) { return kind }
    // In a sentence, words precede the name.
    return isQuoted ? nil : word.split(separator: " ").last.flatMap { kind($0) }
  }

  /// The text in quotation marks, the number, or the text to the line's end, or in a list to its separator.
  private func value(from start: Int, ofList isList: Bool) -> Range<Int>? {
    let escape = hasText("\\\"", at: start) ? 2 : hasText("\"", at: start) ? 1 : 0
    let rest = bytes[min(start + escape, bytes.count)...].prefix(512)
    let stop =
      escape > 0
      ? rest.firstIndex { $0 == UInt8(ascii: escape == 2 ? "\\" : "\"") }
      : rest.firstIndex {
        $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\")
          || isList && $0.isAny(of: ",;)}]&")
      }
    guard let stop = stop ?? (rest.count < 512 ? rest.endIndex : nil), stop > rest.startIndex else {
      return nil
    }
    return rest.startIndex..<stop
  }
}
