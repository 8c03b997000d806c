/// Decodes Punycode (RFC 3492), with an underscore between its two parts. Nil when it is damaged, or longer than any
/// identifier, since every insertion may move all characters.
func decodePunycode(_ bytes: ArraySlice<UInt8>) -> String? {
  guard bytes.count <= 4096 else { return nil }
  let separator = bytes.lastIndex(of: UInt8(ascii: "_"))
  var scalars = bytes[..<(separator ?? bytes.startIndex)].map { UInt32($0) }
  var code: UInt32 = 128
  var bias: UInt32 = 72
  var index: UInt32 = 0
  var rest = separator.map { bytes[($0 + 1)...] } ?? bytes
  while !rest.isEmpty {
    let start = index
    var weight: UInt32 = 1
    var step: UInt32 = 36
    while true {
      guard let byte = rest.popFirst() else { return nil }
      let digit: UInt32
      switch byte {
      case 0x61...0x7a: digit = UInt32(byte) - 0x61
      case 0x30...0x39: digit = UInt32(byte) - 0x30 + 26
      default: return nil
      }
      let (product, isTooBig) = digit.multipliedReportingOverflow(by: weight)
      let (sum, overflow) = index.addingReportingOverflow(product)
      if isTooBig || overflow { return nil }
      index = sum
      let threshold = step <= bias ? 1 : min(step - bias, 26)
      if digit < threshold { break }
      let (next, overflows) = weight.multipliedReportingOverflow(by: 36 - threshold)
      if overflows { return nil }
      weight = next
      step += 36
    }
    let count = UInt32(scalars.count) + 1
    bias = adapted(index - start, count, isFirst: start == 0)
    let (sum, overflow) = code.addingReportingOverflow(index / count)
    if overflow { return nil }
    code = sum
    index %= count
    scalars.insert(code, at: Int(index))
    index += 1
  }
  var text = ""
  for value in scalars {
    guard let scalar = Unicode.Scalar(value) else { return nil }
    text.unicodeScalars.append(scalar)
  }
  return text
}

/// The adapted bias (RFC 3492, section 6.1).
private func adapted(_ difference: UInt32, _ count: UInt32, isFirst: Bool) -> UInt32 {
  var delta = isFirst ? difference / 700 : difference / 2
  delta += delta / count
  var bias: UInt32 = 0
  while delta > 455 {
    delta /= 35
    bias += 36
  }
  return bias + 36 * delta / (delta + 38)
}
