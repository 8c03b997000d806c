/// One way in which a report can be large: a sample of some format, of which one part is repeated or made longer.
package struct Dimension: Sendable {
  /// The sample, and the part that grows.
  package var name: String
  /// The sample, with that part grown to about so many bytes.
  package var input: @Sendable (_ size: Int) -> [UInt8]

  /// All ways in which one sample can grow.
  package static func all(of seed: Seed) -> [Dimension] {
    let growths: [Dimension] =
      switch seed.content {
      case .text(let bytes): TextGrowth.dimensions(of: bytes)
      case .json(let header, let body): JSONGrowth.dimensions(of: body) { header + jsonText($0) }
      case .wire(let message):
        JSONGrowth.dimensions(of: message) { Array("plcrash\u{1}".utf8) + wireBytes($0) }
      }
    return growths.map { Dimension(name: "\(seed.name): \($0.name)", input: $0.input) }
  }
}
