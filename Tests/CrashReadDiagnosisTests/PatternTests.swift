import Testing

@testable import CrashReadDiagnosis
@testable import CrashReadVerdict

@Suite struct TextPatternTests {
  @Test(
    "A pattern matches the expected lines, with their captures",
    arguments: [
      ("abort", "the abort() function", [:]), ("^abort", "the abort() function", nil),
      ("abort$", "call abort", [:]), ("abort$", "call abort()", nil),
      ("^abort$", "abort", [:]), ("^abort$", "aborted", nil), ("^abort$", "an abort", nil),
      ("a: {x}", "a: b: c", ["x": "b: c"]), ("^{x}: {y}$", "a: b: c", ["x": "a", "y": "b: c"]),
      ("'{x}'$", "say 'it's'", ["x": "it's"]), ("'{x}'", "say 'it's'", ["x": "it"]),
      ("a{x}", "a", nil), ("a{x}b", "ab", nil), ("a{x}b", "", nil), ("é{x}ü", "aéöü", ["x": "ö"]),
      ("^{objcMethod}: no", "-[A b]: no", ["objcMethod": "-[A b]"]),
      ("^{objcMethod}: no", "(1) A b: no", nil),
      ("size={(}{w}, 0{)}", "size={365, 0}, 1", ["w": "365"]), ("size={(}0, ", "size={810, 0}", nil),
    ] as [(String, String, [String: String]?)])
  func match(_ source: String, _ line: String, _ captures: [String: String]?) throws {
    let pattern = try #require(TextPattern(source))
    #expect(pattern.match(Array(line.utf8)) == captures)
  }

  @Test("Invalid patterns are rejected", arguments: ["", "^", "$", "a{b", "a}b", "{a}{b}", "{a}", "a{}"])
  func refused(_ source: String) {
    #expect(TextPattern(source) == nil)
  }

  @Test func hugeLinesTakeOnePass() throws {
    let pattern = try #require(TextPattern("aa{x}ab{y}b$"))
    #expect(pattern.match([UInt8](repeating: UInt8(ascii: "a"), count: 200_000)) == nil)
  }
}

@Suite struct TemplateTests {
  @Test(
    "A template is filled",
    arguments: [
      ("plain", "plain"), ("{a} and {b}", "1 and 2"), ("x[ ({a})]", "x (1)"), ("x[ ({none})]", "x"),
      ("x[ {a} {none}][ {b}]", "x 2"), ("new[] or {a} [running]", "new[] or 1 [running]"),
      ("{none}", "(not stated)"), ("", ""),
    ])
  func filled(_ source: String, _ result: String) throws {
    let template = try #require(Template(source))
    #expect(template.filled(with: ["a": "1", "b": "2"]) == result)
  }

  @Test("Invalid templates are rejected", arguments: ["{a", "a}", "[a", "a]", "[a[b]]"])
  func refused(_ source: String) {
    #expect(Template(source) == nil)
  }

  @Test func valuesAreNotParsed() throws {
    #expect(try #require(Template("{a}")).filled(with: ["a": "{b}[", "b": "2"]) == "{b}[")
  }
}
