/// One way into the program for bytes of strangers.
///
/// `FuzzTests` feeds it changed seeds for a short time, and libFuzzer (`Driver.swift`, `run.sh`) for as long as one likes.
struct FuzzTarget: Sendable {
  var name: String
  /// Inputs to begin with.
  var seeds: @Sendable () throws -> [[UInt8]]
  /// Makes what reads one input after another. It traps when something promised doesn't hold.
  var reader: @Sendable () throws -> ([UInt8]) -> Void

  static let all =
    reportTargets + debugFileTargets
    + [pasteTarget, renderTarget, namesTarget, codesTarget, optionsTarget, codeTarget]

  static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
