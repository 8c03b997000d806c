/// A module of the client's that could be called as one of the library's.
public struct Page {
  /// What is on it.
  public var text: String

  /// A page of text.
  public init(_ text: String) { self.text = text }
}
