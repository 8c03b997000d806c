internal import BinaryIdentity
internal import CElfutils

extension DwarfUnit {
  /// What the line table says of an address; nil when no row covers it.
  mutating func location(at address: LinkedAddress) -> SourceLocation? {
    guard let row = unsafe root?.lineRow(at: address) else { return nil }
    var line: Int32 = 0
    var column: Int32 = 0
    unsafe dwarf_lineno(row, &line)
    unsafe dwarf_linecol(row, &column)
    guard let file = unsafe copiedString(dwarf_linesrc(row, nil, nil)) else { return nil }
    return SourceLocation(
      file: absolutePath(file), line: line > 0 ? Int(line) : nil, column: column > 0 ? Int(column) : nil)
  }

  /// Where an inlined function was called: `DW_AT_call_file`, `DW_AT_call_line`, `DW_AT_call_column`.
  ///
  /// nil when the entry names no file.
  mutating func callSite(of call: DwarfEntry) -> SourceLocation? {
    guard let index = call.number(DW_AT_call_file), let file = root?.fileName(index) else { return nil }
    let line = call.number(DW_AT_call_line).flatMap { Int(exactly: $0) } ?? 0
    let column = call.number(DW_AT_call_column).flatMap { Int(exactly: $0) } ?? 0
    return SourceLocation(
      file: absolutePath(file), line: line > 0 ? line : nil, column: column > 0 ? column : nil)
  }

  /// Joins a relative path to the compilation directory.
  private mutating func absolutePath(_ file: String) -> String {
    if file.utf8.first == UInt8(ascii: "/") { return withoutDots(file) }
    return withoutDots(compilationDirectory.map { $0 + "/" + file } ?? file)
  }
}

/// A path without the `./` that compilers put between a directory and a file.
private func withoutDots(_ path: String) -> String {
  guard path.utf8.contains(UInt8(ascii: ".")), path.contains("/./") else { return path }
  return path.split(separator: "/", omittingEmptySubsequences: false).filter { $0 != "." }.joined(separator: "/")
}
