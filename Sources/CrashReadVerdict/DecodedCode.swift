/// A decoded number or name of the system, in words of one language.
public struct DecodedCode: Sendable, Hashable {
  /// A part of a number.
  public struct Part: Sendable, Hashable {
    /// Its name, such as `access`; the same in every language.
    public var field: String
    /// Its name in words.
    public var label: String
    /// Its value, shifted to the right; nil if it was read from text.
    public var value: UInt64?
    /// The name of the value, such as `write`, or the number with its unit.
    public var text: String
    /// The meaning of the name; nil for a plain number.
    public var meaning: String?

    /// A part and its words.
    package init(field: String, label: String, value: UInt64?, text: String, meaning: String?) {
      self.field = field
      self.label = label
      self.value = value
      self.text = text
      self.meaning = meaning
    }
  }

  /// What kind of number it is, such as `signal` or `termination.DYLD`; the same in every language.
  public var kind: String
  /// The same in words.
  public var title: String
  /// The number; nil when only its name is known, since systems may number it differently.
  public var value: UInt64?
  /// Its name, such as `SIGTRAP`; nil for a number that only its parts explain.
  public var name: String?
  /// What the name means.
  public var meaning: String?
  /// The parts of a composed number, or of a message; otherwise empty.
  public var parts: [Part]
  /// Links to where the numbers are defined.
  public var sources: [String]

  /// A number and its words.
  package init(
    kind: String, title: String, value: UInt64?, name: String?, meaning: String?, parts: [Part],
    sources: [String]
  ) {
    self.kind = kind
    self.title = title
    self.value = value
    self.name = name
    self.meaning = meaning
    self.parts = parts
    self.sources = sources
  }
}

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
    explanation: Explanation?
  ) {
    self.code = code
    self.title = title
    self.limits = limits
    self.advice = advice
    self.explanation = explanation
  }
}
