/// Writes analyses in one format, with what separates them.
package protocol Renderer: Sendable {
  /// Writes what precedes the first report.
  mutating func begin(into output: inout String)
  /// Writes one report.
  mutating func render(_ analysis: ReportAnalysis, into output: inout String)
  /// Writes an input that holds no report.
  mutating func render(_ input: UnreadInput, into output: inout String)
  /// Writes what follows the last report.
  mutating func end(into output: inout String)
}

extension Renderer {
  /// Writes nothing.
  package mutating func begin(into output: inout String) {}
  /// Writes nothing: in this format, errors are only reported in messages.
  package mutating func render(_ input: UnreadInput, into output: inout String) {}
  /// Writes nothing.
  package mutating func end(into output: inout String) {}
}

/// An input that holds no report.
package struct UnreadInput: Sendable, Hashable {
  /// What is wrong with it; raw values are those of the JSON output.
  package enum Kind: String, Sendable, Hashable {
    case unreadable, empty, unrecognised
    /// Only in `crashread batch`: reading it took too long, used too much memory, gave too large a result, or crashed
    /// the process.
    case timedOut, tooLarge, workerDied
  }

  /// The input's name as given by the user; `-` for standard input.
  package var input: String
  /// What is wrong with it.
  package var kind: Kind
  /// The error in words.
  package var message: String

  /// An input and its error.
  package init(input: String, kind: Kind, message: String) {
    self.input = input
    self.kind = kind
    self.message = message
  }
}
