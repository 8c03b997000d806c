import CrashReadCore
import CrashReadDebugInfo
import Foundation
import TestSupport
import Testing

@testable import CrashReadRendering

@Suite("JSON text")
struct JSONTests {
  @Test(
    "another parser reads the same text",
    arguments: [
      "", "plain", "\"quoted\"", "back\\slash", "/", "tab\tline\nreturn\r", "\u{0}\u{1}\u{1f}\u{7f}",
      "\u{8}\u{c}",
      "\u{1b}[31m", "\u{9b}", "\u{2028}\u{2029}", "アプリ", "👩‍💻🇯🇵", "e\u{301}", "\u{fffd}", "\u{ffff}",
      "\u{10ffff}",
      "\u{202e}", "</script>", "\\u0041", "b\u{feff}om",
    ])
  func roundTrip(_ text: String) throws {
    let data = Data(("[" + jsonLiteral(text) + "]").utf8)
    let values = try #require(JSONSerialization.jsonObject(with: data) as? [String])
    #expect(values.map { Array($0.unicodeScalars) } == [Array(text.unicodeScalars)])
  }

  @Test func randomTextsRoundTrip() throws {
    var random = SeededRandom(seed: 5)
    for _ in 0..<200 {
      var text = ""
      for _ in 0..<30 {
        let value =
          Bool.random(using: &random)
          ? UInt32.random(in: 0..<0x100, using: &random) : .random(in: 0..<0x11_0000, using: &random)
        if let scalar = Unicode.Scalar(value) { text.unicodeScalars.append(scalar) }
      }
      try roundTrip(text)
    }
  }

  @Test func literalsContainNoControlBytes() {
    let all = String(String.UnicodeScalarView((0..<0x80).compactMap { Unicode.Scalar($0) }))
    #expect(jsonLiteral(all).utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f })
  }

  @Test func documentsAreIndented() {
    var writer = JSONWriter()
    writer.object { json in
      json.field("text", "a")
      json.field("absent", nil as String?)
      json.field("number", UInt64.max)
      json.field("flag", true)
      json.null("nothing")
      json.array("empty", [Int]()) { _, _ in }
      json.object("none") { _ in }
      json.strings("list", ["x", "y"])
      json.array("objects", [1]) { json, value in json.object { $0.field("value", value) } }
    }
    #expect(
      writer.text == """
        {
          "text": "a",
          "number": 18446744073709551615,
          "flag": true,
          "nothing": null,
          "empty": [],
          "none": {},
          "list": [
            "x",
            "y"
          ],
          "objects": [
            {
              "value": 1
            }
          ]
        }
        """)
  }

  @Test func lookupHasAddressAndLocations() throws {
    var inner = SourceFrame(
      function: "f\"", linkageName: "_f", location: SourceLocation(file: "/a.c", line: 3, column: 1))
    inner.isInlined = true
    let json = lookupJSON(LinkedAddress(0x10), [inner, SourceFrame(function: "g")])
    #expect(
      json.filter { $0 != " " && $0 != "\n" }
        == #"{"address":"0x10","locations":[{"function":"f\"","linkageName":"_f","file":"/a.c","line":3,"column":1,"#
        + #""inlined":true},{"function":"g","inlined":false}]}"#)
  }
}
