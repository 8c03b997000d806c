import Testing

@testable import CrashReadReports

/// Reads one document.
private func read(_ text: String) -> (value: JSONValue?, failure: JSONReader.Failure?) {
  var reader = JSONReader(Bytes(Array(text.utf8)))
  let value = reader.readValue()
  return (value, reader.failure)
}

@Suite("JSON")
struct JSONReaderTests {
  @Test(
    "keeps numbers exact",
    arguments: [
      ("18446744073709551615", UInt64.max), ("0", 0), ("-1", .max), ("-9223372036854775808", 1 << 63),
      ("\"0x10\"", 16), ("\"16\"", 16), ("9007199254740993", 9_007_199_254_740_993),
    ])
  func numbers(_ text: String, _ bits: UInt64) {
    #expect(read("[\(text)]").value?.elements.first?.bits == bits)
  }

  @Test(
    "accepts numbers that don't fit in 64 bits, without their bits",
    arguments: ["18446744073709551616", "1e30", "1.5", "-0.5", "5.", "-.5", "2.5E-3", "1e+9"])
  func reals(_ text: String) throws {
    let value = try #require(read("[\(text)]").value?.elements.first)
    #expect(value.bits == nil)
    #expect(read("[\(text)]").failure == nil)
  }

  @Test(
    "replaces invalid escapes and bytes",
    arguments: [
      (#""a\nb\t\"\\\/""#, "a\nb\t\"\\/"), (#""\u6d77""#, "海"), (#""\ud83c\udf0a""#, "🌊"),
      (#""\ud83cx""#, "\u{fffd}x"), (#""\udf0a""#, "\u{fffd}"), (#""\ud83c\u0041""#, "\u{fffd}A"),
      (#""\u12""#, "\u{fffd}12"), (#""\q""#, "q"), ("\"\u{1}\n\"", "\u{1}\n"),
    ])
  func strings(_ text: String, _ expected: String) {
    #expect(read(text).value?.string == expected)
  }

  @Test("finds members; the first of a name counts")
  func members() {
    let value = read(#"{"a": 1, "b": {"c": [true, null]}, "a": 2,}"#).value
    #expect(value?["a"].integer == 1)
    #expect(value?["b"]["c"].elements.first?.isTrue == true)
    #expect(value?["none"]["of"].isNull == true)
  }

  @Test(
    "keeps what precedes the damage",
    arguments: [
      (#"{"a": 1, "b": "tex"#, 1), (#"{"a": 1, "b": 12"#, 1), (#"{"a": 1, "b"#, 1), (#"{"a": 1 "b": 2}"#, 1),
      (#"{"a": 1, b: 2}"#, 1), (#"{"a": 1, "b": nope}"#, 1), (#"{"a": 1, "b": [1, 2"#, 2),
      (#"{"a": 1, "b": -}"#, 1), (#"{"a": 1, "b": 1e}"#, 1), (#"{"a": 1, "b": 1.2.3}"#, 1),
      (#"{"a": 1, "b": -.}"#, 1), (#"{"a": 1, "b": 1-2}"#, 1), (#"{"a": 1, "b": 1e+}"#, 1),
    ])
  func breaks(_ text: String, _ members: Int) {
    let (value, failure) = read(text)
    #expect(failure != nil)
    #expect(value?.members.count == members)
    #expect(value?["a"].integer == 1)
  }

  @Test("stops at a depth no report has")
  func depth() {
    let deep = String(repeating: "[", count: 100_000)
    #expect(read(deep).failure?.position == JSONReader.maximumDepth)
    #expect(read(String(repeating: "{\"a\":", count: 100_000)).failure != nil)
    let allowed = String(repeating: "[", count: 200) + String(repeating: "]", count: 200)
    #expect(read(allowed).failure == nil)
  }
}
