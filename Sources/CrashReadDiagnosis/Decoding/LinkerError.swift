internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadVerdict

/// The dynamic linker's message that a program can't be started, as written by dyld's `Loader.cpp`.
struct LinkerError: Sendable, Hashable {
  /// The install name of the library that is missing.
  var library: Fact<String>?
  /// The symbol that is missing, in its mangled form.
  var symbol: Fact<String>?
  /// The file that needs it.
  var wantedBy: Fact<String>?
  /// The file that should contain the symbol.
  var expectedIn: Fact<String>?
  /// Files that were tried, each with its problem in the linker's words.
  var attempts: [Attempt] = []
  /// The lines of the message.
  var evidence: [Evidence] = []

  struct Attempt: Sendable, Hashable {
    var path: String
    var reason: String
  }

  /// The maximum number of attempts. dyld tries at most a dozen paths; a damaged report could have any number.
  private static let maximumAttempts = 16

  private static let libraryLine = TextPattern("Library not loaded: {text}")
  /// The loader of iOS 13 and 14 (apple-oss-distributions/dyld, dyld3/ClosureBuilder.cpp).
  private static let dependentLine = TextPattern("dependent dylib '{text}' not found for")
  private static let dependentOfLine = TextPattern("' not found for '{text}'")
  private static let symbolLine = TextPattern("Symbol not found: {text}")
  private static let wantedLine = TextPattern("Referenced from: {text}")
  private static let expectedLine = TextPattern("Expected in: {text}")
  private static let triedLine = TextPattern("tried: {text}")

  /// Parses the lines of a message; nil when nothing is missing according to them.
  init?(_ lines: [FactLine]) {
    func first(_ pattern: TextPattern?) -> Fact<String>? {
      lines.lazy.compactMap { line in
        pattern?.match(line.bytes)?["text"].map { Fact($0, line.evidence) }
      }.first
    }
    func firstPath(_ pattern: TextPattern?) -> Fact<String>? {
      first(pattern).map { Fact(Self.path($0.value), $0.evidence) }
    }
    library = first(Self.libraryLine) ?? first(Self.dependentLine)
    symbol = first(Self.symbolLine)
    if library == nil, symbol == nil { return nil }
    wantedBy = firstPath(Self.wantedLine) ?? firstPath(Self.dependentOfLine)
    // Older linkers print this where they know no library.
    expectedIn = firstPath(Self.expectedLine).flatMap { $0.value == "unknown" ? nil : $0 }
    let tried = first(Self.triedLine)
    attempts = tried.map { Self.attempts($0.value) } ?? []
    evidence = [library, symbol, wantedBy, expectedIn, tried].compactMap { $0?.evidence }
  }

  /// The demangled symbol; nil when it isn't mangled. That of a Swift class for Objective-C has the class's mangled name.
  var demangledSymbol: Fact<String>? {
    symbol.flatMap { symbol in
      let ofClass = symbol.value.range(of: "CLASS_$_").map { String(symbol.value[$0.upperBound...]) }
      return demangle(ofClass ?? symbol.value).map { Fact($0, symbol.evidence) }
    }
  }

  /// The message in parts.
  var decoded: DecodedNumber {
    var parts: [(String, String?)] = [
      ("library", library?.value), ("symbol", (demangledSymbol ?? symbol)?.value),
      ("wantedBy", wantedBy?.value), ("expectedIn", expectedIn?.value),
    ]
    parts += attempts.map { ("tried", "\($0.path) (\($0.reason))") }
    return DecodedNumber(
      kind: "dyld",
      parts: parts.compactMap { field, text in text.map { .init(field: field, names: [$0]) } }, origins: [])
  }

  /// `<UUID> /path` without the identity.
  private static func path(_ text: String) -> String {
    let text = text.drop { $0 == " " }
    guard text.hasPrefix("<"), let end = text.firstIndex(of: ">") else { return String(text) }
    return String(text[end...].dropFirst().drop { $0 == " " })
  }

  /// `'/a' (no such file), '/b' (mach-o file, but … (have 'x', need 'y'))`
  private static func attempts(_ text: String) -> [Attempt] {
    var attempts: [Attempt] = []
    var rest = Substring(text)
    while attempts.count < maximumAttempts, let open = rest.firstIndex(of: "'") {
      rest = rest[open...].dropFirst()
      guard let close = rest.firstIndex(of: "'") else { break }
      let path = String(rest[..<close])
      rest = rest[close...].dropFirst()
      guard rest.hasPrefix(" (") else { break }
      let reason = insideParentheses(rest.dropFirst(2))
      attempts.append(Attempt(path: path, reason: String(reason)))
      rest = rest[reason.endIndex...].dropFirst()
    }
    return attempts
  }

  /// The text up to the parenthesis that closes one already opened; all of it when there is none.
  private static func insideParentheses(_ text: Substring) -> Substring {
    var depth = 1
    for index in text.indices {
      if text[index] == "(" { depth += 1 }
      if text[index] == ")" { depth -= 1 }
      if depth == 0 { return text[..<index] }
    }
    return text
  }
}
