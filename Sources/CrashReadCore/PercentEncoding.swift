/// A text as a part of a URI: all but letters, digits, `-`, `.`, `_`, `~` and some more bytes as `%` and two digits
/// (RFC 3986, section 2).
package func percentEncoded(_ text: String, keeping others: String = "") -> String {
  var result = ""
  for byte in text.utf8 {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
      UInt8(ascii: "~"):
      result.unicodeScalars.append(Unicode.Scalar(byte))
    case _ where others.utf8.contains(byte): result.unicodeScalars.append(Unicode.Scalar(byte))
    default: result += (byte < 16 ? "%0" : "%") + String(byte, radix: 16, uppercase: true)
    }
  }
  return result
}
