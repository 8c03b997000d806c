package import CrashReadVerdict

/// How formats for people look; each format uses what applies to it.
public struct RenderingStyle: Sendable {
  /// Whether ANSI colours are used.
  public var isColored = false
  /// The name of this machine, for links to its files (OSC 8); nil for no links.
  package var linkHost: String?
  /// The width in columns; longer lines are wrapped.
  public var width = 100
  /// Whether all threads are shown, rather than only the crashed one.
  public var showsAllThreads = false
  /// The numbers of the only threads that text shows; empty for the usual.
  package var threads: [Int] = []
  /// Whether names are shown mangled.
  public var showsLinkageNames = false
  /// Whether the reasoning behind the verdict is shown.
  public var showsReasoning = false
  /// Whether all variables are shown, rather than only those with a value.
  public var showsAllVariables = false
  /// Whether the blamed location is shown by its path in the checkout, if it is in one.
  package var usesRelativePaths = false
  /// Whether the instructions around the program counter are shown.
  package var showsCode = false
  /// Whether JSON is an array also when there is one report.
  package var isAlwaysArray = false
  /// For whom a brief answer replaces the whole report, in text and JSON; nil for the whole report.
  package var brief: BriefAudience?
  /// The language of all words that don't come from the report.
  package var language = Language.english

  /// Plain English text of 100 columns.
  public init() {}
}

extension RenderingStyle {
  /// The style for CI systems, which show the source themselves.
  var forCheckouts: RenderingStyle {
    var style = self
    style.usesRelativePaths = true
    return style
  }
}
