internal import CrashReadDebugInfo

extension SourceLocation {
  /// The file as output names it: the path, and of code the compiler wrote itself the bare mark, which is no path.
  package var shownFile: String { isGenerated ? String(fileName) : file }
}
