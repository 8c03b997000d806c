/// One entry point of the program for untrusted bytes.
///
/// `FuzzTests` feeds it changed seeds for a short time, and libFuzzer (`Driver.swift`, `run.sh`) for any time.
struct FuzzTarget: Sendable {
  var name: String
  /// Inputs to begin with.
  var seeds: @Sendable () throws -> [[UInt8]]
  /// Makes a function that reads one input after another, and traps if an invariant is violated.
  var reader: @Sendable () throws -> ([UInt8]) -> Void

  static let all =
    reportTargets + debugFileTargets
    + [pasteTarget, renderTarget, namesTarget, codesTarget, optionsTarget, codeTarget]

  static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}
