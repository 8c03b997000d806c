/// Writes analyses in one form. What comes between several of them is the renderer's business.
package protocol Renderer: Sendable {
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
  package mutating func begin(into output: inout String) {}
  /// Writes nothing: whoever reads this format learns of it by the messages.
  package mutating func render(_ input: UnreadInput, into output: inout String) {}
  /// Writes nothing.
  package mutating func end(into output: inout String) {}
}

/// An input that holds no report.
package struct UnreadInput: Sendable, Hashable {
  /// What is wrong with it; raw values are those of the JSON output.
  package enum Kind: String, Sendable, Hashable {
    case unreadable, empty, unrecognised
    /// It took too long, needs too much memory or gives too large a result, or ended the process that read it: only of
    /// `crashread batch`, which can tell.
    case timedOut, tooLarge, workerDied
  }

  /// The input's name as the user gave it; `-` for standard input.
  package var input: String
  /// What is wrong with it.
  package var kind: Kind
  /// The same in words.
  package var message: String

  /// An input and what is wrong with it.
  package init(input: String, kind: Kind, message: String) {
    self.input = input
    self.kind = kind
    self.message = message
  }
}
