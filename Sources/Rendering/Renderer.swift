/// Writes analyses in one form. What comes between several of them is the renderer's business.
public protocol Renderer: Sendable {
  /// Writes what stands before the first report.
  mutating func begin(into output: inout String)
  /// Writes one report.
  mutating func render(_ analysis: ReportAnalysis, into output: inout String)
  /// Writes what stands after the last report.
  mutating func end(into output: inout String)
}

extension Renderer {
  /// Writes nothing.
  public mutating func begin(into output: inout String) {}
  /// Writes nothing.
  public mutating func end(into output: inout String) {}
}
