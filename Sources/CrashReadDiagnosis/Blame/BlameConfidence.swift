internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// What shows that a function is the app's own, rather than that of a static library in the app's image; in ascending
/// order.
private enum Ownership: Int {
  /// A function of C or C++, or an address without a name.
  case unknown
  /// A method in Swift or Objective-C.
  case method
  /// A source file that isn't a dependency's.
  case source
}

extension BlamedFrame {
  /// How certain it is that the blamed frame is the app's own, and the frame further out that is more probably so; nil
  /// if none is.
  ///
  /// A static library's code has the app's image, and mostly no debug information: nothing else in a report tells it
  /// from the app's own.
  func confidence(among frames: [ResolvedFrame], _ knowledge: Knowledge) -> (Confidence, ownCaller: Int?) {
    guard frames[frame].mayBeApp else { return (.hint, nil) }
    let ownership = frames[frame].ownership(knowledge)
    // Frames that are left out above the list may be the app's, too.
    let isWhole = frames.first?.captured.number ?? 0 == 0
    if ownership == .source { return (isWhole ? .certain : .likely, nil) }
    let caller = frames.indices.dropFirst(frame + 1).first {
      frames[$0].image == frames[frame].image && frames[$0].isOwn(knowledge)
        && frames[$0].ownership(knowledge).rawValue > ownership.rawValue
    }
    // Whose the one member of a type is, the others are, too.
    let types = frames[frame].functionNames.compactMap(\.methodType)
    if let caller, frames[caller].hasFunction(where: { $0.methodType.map(types.contains) ?? false }) {
      return (.likely, nil)
    }
    return (caller == nil ? .likely : .hint, caller)
  }
}

extension ResolvedFrame {
  /// Whether a frame can be the app's own, judged by its names alone.
  fileprivate func isOwn(_ knowledge: Knowledge) -> Bool {
    mayBeApp && !functionNames.isEmpty && hasOwnFunction(knowledge)
      && !hasFunction { knowledge.isVendored($0) || knowledge.isEntryPoint($0) }
  }

  fileprivate func ownership(_ knowledge: Knowledge) -> Ownership {
    if dependency(knowledge) != nil || hasFunction(where: knowledge.isVendored) { return .unknown }
    // Headers of the C++ library and the files of crash reporters are compiled into any program.
    if sourceLocations.contains(where: { !$0.isGenerated && !knowledge.libraryFiles.matches($0.file) }) {
      return .source
    }
    return hasFunction { $0.methodType != nil || $0.isMangledSwift } ? .method : .unknown
  }
}

extension String {
  /// Whether a name is a mangled one of Swift that couldn't be demangled.
  ///
  /// Source: docs/ABI/Mangling.rst in the Swift repository.
  fileprivate var isMangledSwift: Bool {
    ["$s", "_$s", "$S", "_$S", "_T0", "_TF"].contains(where: begins(with:))
  }
}
