internal import CrashReadDebugInfo

extension SourceLocation {
  /// The file as output names it: the path, and of code the compiler wrote itself the bare mark, which is no path.
  package var shownFile: String { isGenerated ? String(fileName) : file }

  /// Line and column as they stand behind the file: `:17:31`; empty where there is no line, whatever column DWARF has then.
  package var shownLine: String {
    line.map { ":\($0)" + (column.map { ":\($0)" } ?? "") } ?? ""
  }
}
