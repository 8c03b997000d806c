internal import Glibc

/// A further file that a debug file relies on and that can't be used: answers lack what is in it.
public struct MissingPart: Error, Sendable, Hashable {
  /// What the file is for.
  public enum Kind: Sendable, Hashable {
    /// What dwz took out of several debug files: names of functions, mostly.
    case alternate
    /// A `.dwo` or `.dwp` file: the functions of a unit that was compiled with `-gsplit-dwarf`, their names and what was
    /// inlined in them. Lines are in the debug file itself.
    case splitUnit
  }

  /// What the file is for.
  public var kind: Kind
  /// Where it was looked for.
  public var path: String
  /// Why it can't be used.
  public var error: DebugFileError

  /// Whether there is no such file, rather than one that can't be used.
  public var isAbsent: Bool { error.isAbsent }
}

extension MissingPart: CustomStringConvertible {
  /// What is lost and why, in words, without the path.
  public var description: String {
    let lost =
      switch kind {
      case .alternate: "names of functions"
      case .splitUnit: "a unit's functions and what was inlined in them"
      }
    return "\(lost) are in this file, which cannot be used: \(error.description)"
  }
}

extension DebugFileError {
  /// Whether there is no such file.
  var isAbsent: Bool {
    if case .system(_, ENOENT) = self { true } else { false }
  }
}
