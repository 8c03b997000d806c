package import CrashReadVerdict

/// The appearance of formats for people; each format uses the settings that apply to it.
public struct RenderingStyle: Sendable {
  /// Whether ANSI colours are used.
  public var isColored = false
  /// The name of this machine, for links to its files (OSC 8); nil for no links.
  package var linkHost: String?
  /// The width in columns; longer lines are wrapped.
  public var width = 100
  /// Whether all threads are shown, rather than only the crashed one.
  public var showsAllThreads = false
  /// The numbers of the threads that text shows; empty for the default selection.
  package var threads: [Int] = []
  /// Whether names are shown mangled.
  public var showsLinkageNames = false
  /// Whether the reasoning behind the verdict is shown.
  public var showsReasoning = false
  /// Whether all variables are shown, rather than only those with a value.
  public var showsAllVariables = false
  /// Whether the blamed location is shown by its path relative to the checkout, if it is in one.
  package var usesRelativePaths = false
  /// Whether the instructions around the program counter are shown.
  package var showsCode = false
  /// Whether JSON is an array even for a single report.
  package var isAlwaysArray = false
  /// The audience of a brief answer, which replaces the whole report in text and JSON; nil for the whole report.
  package var brief: BriefAudience?
  /// The language of all words that don't come from the report.
  package var language = Language.english

  /// Plain English text of 100 columns.
  public init() {}
}

extension RenderingStyle {
  /// This style for CI systems, which show the source themselves, and no terminal.
  var forCheckouts: RenderingStyle {
    var style = self
    style.usesRelativePaths = true
    (style.isColored, style.linkHost) = (false, nil)
    return style
  }
}
