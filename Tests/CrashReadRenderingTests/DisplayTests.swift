import Testing

@testable import CrashReadRendering

@Suite("Display width")
struct DisplayWidthTests {
  @Test(
    "counts columns",
    arguments: [
      ("", 0), ("abc", 3), ("アプリ", 6), ("日本", 4), ("ｱﾌﾟﾘ", 4), ("한국", 4), ("Ａ", 2), ("é", 1), ("e\u{301}", 1),
      ("か\u{3099}", 2), ("👩‍💻", 2), ("👍🏽", 2), ("🇯🇵", 2), ("😀a", 3), ("…", 1), ("─", 1), ("\u{200b}", 0),
      ("ñandú", 5),
      ("$s4海V", 6),
    ])
  func columns(_ text: String, _ width: Int) {
    #expect(displayWidth(text) == width)
  }

  @Test(
    "cuts to columns, never inside a character",
    arguments: [
      ("abcdef", 6, "abcdef"), ("abcdef", 5, "abcd…"), ("アプリ", 6, "アプリ"), ("アプリ", 5, "アプ…"), ("アプリ", 4, "ア…"),
      ("e\u{301}e\u{301}e\u{301}", 2, "e\u{301}…"), ("👩‍💻👩‍💻", 3, "👩‍💻…"), ("abc", 1, "…"),
    ])
  func truncation(_ text: String, _ width: Int, _ cut: String) {
    #expect(truncated(text, toWidth: width) == cut)
    #expect(displayWidth(truncated(text, toWidth: width)) <= width)
  }

  @Test(
    "fills up to columns", arguments: [("ab", 4, "ab  "), ("アプ", 5, "アプ "), ("abc", 2, "abc"), ("", 2, "  ")])
  func padding(_ text: String, _ width: Int, _ filled: String) {
    #expect(padded(text, toWidth: width) == filled)
  }

  @Test(
    "breaks lines between Japanese characters, by the rules of typesetting",
    arguments: [
      ("ポインタです", 8, ["ポインタ", "です"]), ("ポインタ。次", 8, ["ポイン", "タ。次"]), ("値、次", 2, ["値、", "次"]),
      ("値（例）", 4, ["値", "（例）"]), ("値「例」値", 4, ["値", "「例」", "値"]), ("サーバー", 6, ["サー", "バー"]),
      ("`abort` の呼び出し", 10, ["`abort` の", "呼び出し"]), ("例外 NSException です", 12, ["例外", "NSException", "です"]),
      ("値.swift:12値", 6, ["値.swift:12", "値"]), ("スタック", 4, ["ス", "タッ", "ク"]), ("日本 日本", 5, ["日本", "日本"]),
      ("한국어 텍스트", 4, ["한국어", "텍스트"]), ("。。。", 2, ["。。。"]), ("値", 1, ["値"]),
    ])
  func wrappingOfJapanese(_ text: String, _ width: Int, _ lines: [String]) {
    #expect(wrapped(text, toWidth: width) == lines)
  }

  @Test(
    "breaks lines at blanks",
    arguments: [
      ("one two three", 7, ["one two", "three"]), ("one two three", 6, ["one", "two", "three"]),
      ("longerthanthat is", 5, ["longerthanthat", "is"]), ("", 5, []), ("  a   b  ", 9, ["a b"]),
      ("ア プ リ", 5, ["ア プ", "リ"]), ("ab", 1, ["ab"]),
    ])
  func wrapping(_ text: String, _ width: Int, _ lines: [String]) {
    #expect(wrapped(text, toWidth: width) == lines)
  }
}

@Suite("Text for terminals")
struct TerminalTextTests {
  @Test(
    "shows control characters as visible text",
    arguments: [
      ("plain アプリ é 👩‍💻", "plain アプリ é 👩‍💻"), ("\u{1b}[31mred", "\\u{1b}[31mred"),
      ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"), ("\u{9b}2J", "\\u{9b}2J"), ("\u{90}q", "\\u{90}q"),
      ("a\r\nb", "a\\u{d}\\u{a}b"), ("a\tb", "a  b"), ("a\u{8}\u{7f}", "a\\u{8}\\u{7f}"), ("\u{0}", "\\u{0}"),
      ("left\u{202e}right", "left\\u{202e}right"), ("\u{2066}a\u{2069}", "\\u{2066}a\\u{2069}"),
      ("\u{200e}\u{200f}", "\\u{200e}\\u{200f}"), ("\u{61c}", "\\u{61c}"), ("a\u{2028}b", "a\\u{2028}b"),
      ("std::vector ::close(x)", "std::vector ::close(x)"), ("a ::close::x", "a :\\u{3a}close::x"),
      ("a ::stop-commands", "a :\\u{3a}stop-commands"), ("##[x]", "##\\u{5b}x]"), ("#[x]", "#[x]"),
      ("\u{85}", "\\u{85}"), ("\u{a0}", "\u{a0}"),
    ])
  func escaping(_ text: String, _ shown: String) {
    #expect(plainText(text) == shown)
  }

  @Test func coloursAreOptional() {
    let roles: [TextRole] = [.headline, .function, .location, .marked, .heading, .dimmed, .warning]
    for role in roles {
      #expect(Palette(isColored: false).paint("text", role) == "text")
      let painted = Palette(isColored: true).paint("text", role)
      #expect(painted.hasPrefix("\u{1b}[") && painted.hasSuffix("mtext\u{1b}[0m"))
      #expect(Palette(isColored: true).paint("", role) == "")
    }
  }

  @Test(
    "breaks a long name after separators if requested",
    arguments: [
      ("-[Cart take:from:]", 9, ["-[Cart", "take:", "from:]"]),
      ("a::b<C, D>(E)", 4, ["a::", "b<C,", "D>(", "E)"]),
      ("v1:SIGABRT|f|-[A b]", 10, ["v1:", "SIGABRT|f|", "-[A b]"]), ("wholename", 4, ["wholename"]),
      ("a_b c_d", 7, ["a_b c_d"]),
    ])
  func wrappingOfNames(_ text: String, _ width: Int, _ lines: [String]) {
    #expect(wrapped(text, toWidth: width, breaksNames: true) == lines)
    #expect(lines.count == 1 || wrapped(text, toWidth: width) != lines)
  }
}
