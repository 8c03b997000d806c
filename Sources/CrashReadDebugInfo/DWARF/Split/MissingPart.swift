internal import CrashReadSystem

/// A further file that a debug file relies on and that can't be used: answers lack what is in it. Or one that was used
/// though nothing proves that it is the right one.
package struct MissingPart: Error, Sendable, Hashable {
  /// What the file is for.
  package enum Kind: Sendable, Hashable {
    /// What dwz took out of several debug files: names of functions, mostly.
    case alternate
    /// A `.dwo` or `.dwp` file: the functions of a unit that was compiled with `-gsplit-dwarf`, their names and what was
    /// inlined in them. Lines are in the debug file itself.
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
  /// Tries places one after the other. When none will do, notes what was wrong at the first that has a file.
  ///
  /// The places are what the debug file names, which may be any path: of those that are surely no compiler's, the note
  /// doesn't tell whether there is a file.
  mutating func firstUsable<Value>(
    of places: [String], beside debugFile: String, for kind: MissingPart.Kind,
    _ open: (String) throws(DebugFileError) -> Value
  ) -> Value? {
    var problem: MissingPart?
    for place in places {
      do throws(DebugFileError) {
        return try open(place)
      } catch {
        let error =
          isPartsPlace(place, of: debugFile) ? error : .refused("it is not there, or is another file")
        let isWorse = problem.map { $0.isAbsent && !error.isAbsent } ?? true
        if isWorse { problem = MissingPart(kind: kind, path: place, error: error) }
      }
    }
    if let problem { append(problem) }
    return nil
  }
}

/// Whether a file at a path is one that a compiler, a linker or an installer of debug files may have put there.
private func isPartsPlace(_ path: String, of debugFile: String) -> Bool {
  let endings = [".dwo", ".dwp", ".o", ".o)", ".bcsymbolmap"]
  let isBeside = directory(of: path) == directory(of: debugFile)
  return isBeside || path.hasPrefix("/usr/lib/debug/") || endings.contains { path.hasSuffix($0) }
}
