// Keys, addresses and names in texts.
extension PersonalData {
  /// 8-4-4-4-12 digits around the first dash: the identity of a device, a report, a container, but for that of an image.
  mutating func findUUID(around dash: Int) {
    let start = dash - 8
    guard start >= 0, start + 36 <= bytes.count, start == 0 || !bytes[start - 1].isLetterOrDigit,
      start + 36 == bytes.count || !bytes[start + 36].isLetterOrDigit
    else { return }
    for offset in 0..<36 {
      let isDash = [8, 13, 18, 23].contains(offset)
      let byte = bytes[start + offset]
      guard isDash ? byte == UInt8(ascii: "-") : Character(Unicode.Scalar(byte)).isHexDigit else { return }
    }
    let text = String(decoding: bytes[start..<start + 36], as: UTF8.self).uppercased()
    let isBuild = standsShortlyBefore(start, 48, ["shared", "slice", "binary", "image", "debug"])
    if !names.identities.contains(text), !isBuild { add(start..<start + 36, .identifier) }
  }

  mutating func findMail(around at: Int) {
    let local = stretch(around: at) { $0.isLetterOrDigit || "._%+-".utf8.contains($0) || $0 >= 0x80 }
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

  /// `://user:password@`.
  mutating func findCredentials(at colon: Int) {
    guard stands("://", at: colon) else { return }
    let rest = bytes[(colon + 3)...].prefix(256).prefix { $0 > 0x20 && !"/\"'<>?#\\".utf8.contains($0) }
    if let at = rest.lastIndex(of: UInt8(ascii: "@")) { add(colon + 3..<at, .secret) }
  }

  /// The value of `?name=value&…` in a URL.
  mutating func findQueryValue(behind sign: Int) {
    func isURL(_ byte: UInt8) -> Bool { byte > 0x20 && !"\"'<>".utf8.contains(byte) }
    let before = stretch(around: sign, atMost: 256) { isURL($0) }.lowerBound..<sign
    guard bytes[before].contains(UInt8(ascii: "?")), before.contains(where: { stands("://", at: $0) }) else {
      return
    }
    let value = bytes[(sign + 1)...].prefix(4096).prefix { isURL($0) && !"&#\\)".utf8.contains($0) }
    add(value.indices, .secret)
  }

  /// A JSON Web Token.
  mutating func findToken(at index: Int) {
    guard stands("eyJ", at: index), index == 0 || !bytes[index - 1].isLetterOrDigit else { return }
    let token = stretch(around: index) { $0.isLetterOrDigit || "._-".utf8.contains($0) }
    if token.count >= 30, token.lowerBound == index { add(token, .secret) }
  }

  /// `Alices-MacBook.local`.
  mutating func findHost(before dot: Int) {
    guard stands(".local", at: dot), dot + 6 == bytes.count || !bytes[dot + 6].isPartOfName else { return }
    let name =
      stretch(around: dot) { $0.isLetterOrDigit || $0 == UInt8(ascii: "-") || $0 >= 0x80 }.lowerBound..<dot
    if name.count > 1 { add(name, .host) }
  }

  /// `Alice's iPhone`.
  mutating func findOwner(before letter: Int) {
    let mark = stands("'", at: letter - 1) ? 1 : stands("’", at: letter - 3) ? 3 : 0
    guard mark > 0,
      stands("s iPhone", at: letter) || stands("s iPad", at: letter) || stands("s Mac", at: letter)
        || stands("s iMac", at: letter) || stands("s Apple Watch", at: letter)
    else { return }
    let end = letter - mark
    let name = stretch(around: max(0, end - 1)) { $0.isPartOfName }
    add(name.lowerBound..<end, .name)
  }

  /// Four numbers that a text calls an address, or behind which a port stands: others are versions.
  mutating func findAddress(around dot: Int) {
    // `255.255.255.255` is the longest; what goes on beyond it is something else.
    let text = stretch(around: dot, atMost: 16) { $0.isLetterOrDigit || $0 == UInt8(ascii: ".") }
    let parts = bytes[text].split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 4, bytes[text.lowerBound..<dot].firstIndex(of: UInt8(ascii: ".")) == nil,
      parts.allSatisfy({ UInt8(String(decoding: $0, as: UTF8.self)) != nil })
    else { return }
    let hasPort =
      stands(":", at: text.upperBound) && text.upperBound + 1 < bytes.count
      && (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[text.upperBound + 1])
    let words = ["ip", "addr", "host", "from ", "to ", "server", "peer", "//", "@", "connect"]
    if hasPort || standsShortlyBefore(text.lowerBound, 16, words) { add(text, .address) }
  }

  /// Six pairs of digits with colons.
  mutating func findHardwareAddress(around colon: Int) {
    let text = colon - 2..<colon + 15
    guard text.lowerBound >= 0, text.upperBound <= bytes.count,
      text.lowerBound == 0
        || !bytes[text.lowerBound - 1].isLetterOrDigit && bytes[text.lowerBound - 1] != 0x3a,
      text.upperBound == bytes.count
        || !bytes[text.upperBound].isLetterOrDigit && bytes[text.upperBound] != 0x3a
    else { return }
    let fits = text.enumerated().allSatisfy { offset, index in
      offset % 3 == 2 ? bytes[index] == 0x3a : Character(Unicode.Scalar(bytes[index])).isHexDigit
    }
    if fits { add(text, .address) }
  }

  /// The value of a field that is known to hold such things: `CrashReporter Key: …`, `"crashReporterKey" : "…"`.
  mutating func findField(at colon: Int) {
    var end = colon
    while end > 0, bytes[end - 1] == 0x20 { end -= 1 }
    let isJSON = end > 0 && bytes[end - 1] == UInt8(ascii: "\"")
    if isJSON { end -= 1 }
    let name = bytes[max(0, end - 40)..<end].reversed().prefix {
      $0.isLetterOrDigit || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: " ") && !isJSON
    }.reversed()
    let key = String(decoding: name, as: UTF8.self).lowercased().filter { $0 != "_" && $0 != " " }
    guard let kind = ProgramNames.personalFields[key] else { return }
    var start = colon + 1
    while start < bytes.count, bytes[start] == 0x20 || bytes[start] == 0x09 { start += 1 }
    if isJSON {
      guard stands("\"", at: start) else { return }
      start += 1
    }
    let stop = bytes[start...].prefix(512).firstIndex { isJSON ? $0 == UInt8(ascii: "\"") : $0 < 0x20 }
    guard let stop, stop - start > 1 else { return }
    let value = String(decoding: bytes[start..<stop], as: UTF8.self)
    if !names.identities.contains(value.uppercased()) { add(start..<stop, kind) }
  }
}
