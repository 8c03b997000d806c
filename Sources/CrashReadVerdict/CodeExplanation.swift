/// What a code, a name or a message means, without a report.
package struct CodeExplanation: Sendable, Hashable {
  /// The decoded number or name; nil for a rule, or a message that a rule matches.
  package var code: DecodedCode?
  /// The kind of number or entry, in words.
  package var title: String
  /// What such a code doesn't say.
  package var limits: String?
  /// What to do next; never empty.
  package var advice: [String]
  /// The explanation of a report with only this; nil when no rule knows more than its name.
  package var explanation: Explanation?

  /// A code and its words.
  package init(
    code: DecodedCode? = nil, title: String, limits: String? = nil, advice: [String],
    explanation: Explanation? = nil
  ) {
    self.code = code
    self.title = title
    self.limits = limits
    self.advice = advice
    self.explanation = explanation
  }
}
