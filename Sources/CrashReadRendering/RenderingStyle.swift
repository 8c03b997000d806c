package import CrashReadDiagnosis

/// How formats for people are to look; each takes what is of use to it.
public struct RenderingStyle: Sendable {
  /// Whether ANSI colours are used.
  public var isColored = false
  /// The name of this machine for links to its files (OSC 8); nil for no links.
  package var linkHost: String?
  /// Columns to fill; longer lines are continued on the next.
  public var width = 100
  /// Whether all threads are shown, not the crashed one alone.
  public var showsAllThreads = false
  /// Numbers of the threads that text shows, and nothing else; empty for the usual.
  package var threads: [Int] = []
  /// Whether names are shown as the linker sees them.
  public var showsLinkageNames = false
  /// Whether it is shown how the verdict was reached.
  public var showsReasoning = false
  /// Whether all variables are shown, not those with a value alone.
  public var showsAllVariables = false
  /// Whether the place to look at first is named by its path in the checkout, where it lies in one.
  package var usesRelativePaths = false
  /// Whether the instructions around the program counter are shown.
  package var showsCode = false
  /// Whether JSON is an array also when there is one report.
  package var isAlwaysArray = false
  /// For whom a few lines are to do in the place of the whole report, in text and JSON; nil for the whole.
  package var brief: BriefAudience?
  /// The language of the words around what the report says.
  package var language = Language.english

  /// Plain English text of 100 columns.
  public init() {}
}

extension RenderingStyle {
  /// The style of what CI systems show beside the source.
  var forCheckouts: RenderingStyle {
    var style = self
    style.usesRelativePaths = true
    return style
  }
}
