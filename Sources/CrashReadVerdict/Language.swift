/// A language of the explanations; raw values are BCP 47 tags and the names of the text files.
public enum Language: String, Sendable, CaseIterable {
  /// English.
  case english = "en"
  /// Japanese.
  case japanese = "ja"
}
