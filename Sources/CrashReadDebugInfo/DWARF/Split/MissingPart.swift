internal import CrashReadSystem

/// A further file that a debug file depends on and that can't be used, so that answers lack its contents; or one that
/// was used although nothing proves that it is the right one.
package struct MissingPart: Error, Sendable, Hashable {
  /// The contents of the file.
  package enum Kind: Sendable, Hashable {
    /// Parts that dwz moved out of several debug files, mostly names of functions.
    case alternate
    /// A `.dwo` or `.dwp` file: the functions of a unit compiled with `-gsplit-dwarf`, their names, and what was
    /// inlined into them. Lines are in the debug file itself.
    case splitUnit
    /// An object file of a program without debug information of its own: lines and inlined calls of its functions.
    case objectFile
    /// A map of the names that Apple's compiler hid in an app built with bitcode.
    case symbolMap
  }

  /// The contents of the file.
  package var kind: Kind
  /// The path at which it was expected.
  package var path: String
  /// Why it can't be used; nil when it was used without proof.
  package var error: DebugFileError?

  /// Whether there is no such file, rather than one that can't be used.
  package var isAbsent: Bool { error?.isAbsent ?? false }
}

extension MissingPart: CustomStringConvertible {
  /// What is lost and why, in words, without the path.
  package var description: String {
    let lost =
      switch kind {
      case .alternate: "names of functions"
      case .splitUnit: "a unit's functions and inlined calls"
      case .objectFile: "lines of a program without a dSYM"
      case .symbolMap: "the names that Apple's compiler hid"
      }
    guard let error else {
      return
        "\(lost) are taken from this file; its functions have the right sizes, but its build isn't proven"
    }
    return "\(lost) are in this file, which cannot be used: \(error.description)"
  }
}

extension [MissingPart] {
  /// The first usable result for some paths. If there is none, notes the problem with the first path that has a file.
  ///
  /// The paths come from the debug file and may be anything. For paths that no compiler would write, the note doesn't
  /// reveal whether there is a file.
  mutating func firstUsable<Value>(
    of candidates: [String], beside debugFile: String, for kind: MissingPart.Kind,
    _ open: (String) throws(DebugFileError) -> Value
  ) -> Value? {
    var problem: MissingPart?
    for candidate in candidates {
      do throws(DebugFileError) {
        return try open(candidate)
      } catch {
        let error =
          isPathOfPart(candidate, of: debugFile) ? error : .refused("it is missing, or another file")
        let isWorse = problem.map { $0.isAbsent && !error.isAbsent } ?? true
        if isWorse { problem = MissingPart(kind: kind, path: candidate, error: error) }
      }
    }
    if let problem { append(problem) }
    return nil
  }
}

/// Whether a compiler, a linker or an installer of debug files may have written a file at a path.
private func isPathOfPart(_ path: String, of debugFile: String) -> Bool {
  let endings = [".dwo", ".dwp", ".o", ".o)", ".bcsymbolmap"]
  let isBeside = directory(of: path) == directory(of: debugFile)
  return isBeside || path.hasPrefix("/usr/lib/debug/") || endings.contains { path.hasSuffix($0) }
}
