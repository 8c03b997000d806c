/// Writes analyses in one form. What comes between several of them is the renderer's business.
public protocol Renderer: Sendable {
  /// Writes what stands before the first report.
  mutating func begin(into output: inout String)
  /// Writes one report.
  mutating func render(_ analysis: ReportAnalysis, into output: inout String)
  /// Writes what there is to say of an input that holds no report.
  mutating func render(_ input: UnreadInput, into output: inout String)
  /// Writes what stands after the last report.
  mutating func end(into output: inout String)
}

extension Renderer {
  /// Writes nothing.
  public mutating func begin(into output: inout String) {}
  /// Writes nothing: whoever reads this format learns of it by the messages.
  public mutating func render(_ input: UnreadInput, into output: inout String) {}
  /// Writes nothing.
  public mutating func end(into output: inout String) {}
}

/// An input that holds no report.
public struct UnreadInput: Sendable, Hashable {
  /// What is wrong with it; raw values are those of the JSON output.
  public enum Kind: String, Sendable, Hashable {
    case unreadable, empty, unrecognised
    /// It took too long, needs too much memory or gives too large a result, or ended the process that read it: only of
    /// `crashread batch`, which can tell.
    case timedOut, tooLarge, workerDied
  }

  /// The input's name as the user gave it; `-` for standard input.
  public var input: String
  /// What is wrong with it.
  public var kind: Kind
  /// The same in words.
  public var message: String

  /// An input and what is wrong with it.
  public init(input: String, kind: Kind, message: String) {
    self.input = input
    self.kind = kind
    self.message = message
  }
}
