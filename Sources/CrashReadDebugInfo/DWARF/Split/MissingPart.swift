internal import CrashReadSystem

/// A further file that a debug file relies on and that can't be used, so that answers lack what is in it; or one that
/// was used though nothing proves that it is the right one.
package struct MissingPart: Error, Sendable, Hashable {
  /// What the file is for.
  package enum Kind: Sendable, Hashable {
    /// What dwz moved out of several debug files: mostly names of functions.
    case alternate
    /// A `.dwo` or `.dwp` file: the functions of a unit compiled with `-gsplit-dwarf`, their names, and what was
    /// inlined into them. Lines are in the debug file itself.
    case splitUnit
    /// An object file of a program without debug information of its own: lines and inlined calls of its functions.
    case objectFile
    /// A map of the names that Apple's compiler hid in an app built with bitcode.
    case symbolMap
  }

  /// What the file is for.
  package var kind: Kind
  /// Where it was looked for.
  package var path: String
  /// Why it can't be used; nil when it was used, unproven.
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
      case .splitUnit: "a unit's functions and what was inlined in them"
      case .objectFile: "lines of a program without a dSYM"
      case .symbolMap: "the names that Apple's compiler hid"
      }
    guard let error else {
      return
        "\(lost) are taken from this file; its functions have the right sizes, but nothing says when it was made"
    }
    return "\(lost) are in this file, which cannot be used: \(error.description)"
  }
}

extension [MissingPart] {
  /// Tries paths one after the other. When none is usable, notes the problem with the first that has a file.
  ///
  /// The paths come from the debug file, and may be anything: for those that are surely no compiler's, the note doesn't
  /// say whether there is a file.
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
          isPathOfPart(candidate, of: debugFile) ? error : .refused("it is not there, or is another file")
        let isWorse = problem.map { $0.isAbsent && !error.isAbsent } ?? true
        if isWorse { problem = MissingPart(kind: kind, path: candidate, error: error) }
      }
    }
    if let problem { append(problem) }
    return nil
  }
}

/// Whether a file at a path is one that a compiler, a linker or an installer of debug files may have put there.
private func isPathOfPart(_ path: String, of debugFile: String) -> Bool {
  let endings = [".dwo", ".dwp", ".o", ".o)", ".bcsymbolmap"]
  let isBeside = directory(of: path) == directory(of: debugFile)
  return isBeside || path.hasPrefix("/usr/lib/debug/") || endings.contains { path.hasSuffix($0) }
}
