internal import CCrashReadElfutils
internal import CrashReadCore

/// The lines of one unit, read here, or by libdw if the table is of an unsupported kind.
@safe
final class SourceLines {
  private let sections: DebugSections
  private let start: Int?
  private let addressSize: Int
  private weak var table: LineTables.Table?
  private let root: DwarfEntry
  private let libdw: Lock
  private let compilationDirectory: String?
  /// The paths by index; nil until first used. A unit uses few files, but these repeatedly.
  private var paths: [String?] = []

  init(root: DwarfEntry, _ header: UnitHeader, _ sections: DebugSections, _ libdw: Lock) {
    self.root = root
    self.libdw = libdw
    self.sections = sections
    addressSize = header.encoding.addressSize
    let (directory, start) = libdw.withLock { (root.string(DW_AT_comp_dir), root.number(DW_AT_stmt_list)) }
    compilationDirectory = directory
    self.start = start.map { Int(clamping: $0) }
  }

  /// The unit's line table; nil when it has none, or one that can't be read here.
  var program: LineProgram? {
    if let table { return table.program }
    let table = start.flatMap { sections.lineTables.table(at: $0, in: sections, addressSize: addressSize) }
    self.table = table
    return table?.program
  }

  /// The location of an address in the line table; nil when no row covers it.
  func location(at address: LinkedAddress) -> SourceLocation? {
    guard let program else {
      return libdw.withLock { root.lineRow(at: address) }.map { row in
        SourceLocation(
          file: absolutePath(row.file), line: known(row.line), column: known(row.column))
      }
    }
    guard let row = program.row(at: address.rawValue), let path = path(ofFile: UInt64(row.file)) else {
      return nil
    }
    return SourceLocation(file: path, line: known(row.line), column: known(row.column))
  }

  /// The location of an inlined call; nil when it names no file.
  func location(of call: InlinedCall) -> SourceLocation? {
    guard let index = call.file, let path = path(ofFile: index) else { return nil }
    return SourceLocation(file: path, line: known(call.line), column: known(call.column))
  }

  /// A file's path; nil when the unit's table has no such file.
  func path(ofFile index: UInt64) -> String? {
    if index < UInt64(paths.count), let known = paths[Int(index)] { return known }
    let recorded =
      if let program { program.path(ofFile: index) } else { libdw.withLock { root.fileName(index) } }
    guard let path = recorded.map(absolutePath) else { return nil }
    if sections.keptText.left > 0 {
      sections.keptText.spend(path.utf8.count)
      while index >= UInt64(paths.count) { paths.append(nil) }
      paths[Int(index)] = path
    }
    return path
  }

  /// A line or column; nil for 0, which means none.
  private func known(_ number: (some BinaryInteger)?) -> Int? {
    number.flatMap { Int(exactly: $0) }.flatMap { $0 > 0 ? $0 : nil }
  }

  /// Joins a relative path to the compilation directory.
  private func absolutePath(_ file: String) -> String {
    if file.utf8.first == UInt8(ascii: "/") { return withoutDots(file) }
    return withoutDots(compilationDirectory.map { $0 + "/" + file } ?? file)
  }
}

/// A path without the `./` that compilers insert between directory and file.
private func withoutDots(_ path: String) -> String {
  guard hasDots(path.utf8.span) else { return path }
  return path.split(separator: "/", omittingEmptySubsequences: false).filter { $0 != "." }.joined(
    separator: "/")
}

/// Whether a path contains `/./`. `contains` would compare characters, which takes many times as long.
private func hasDots(_ path: Span<UInt8>) -> Bool {
  let (slash, dot) = (UInt8(ascii: "/"), UInt8(ascii: "."))
  for index in path.indices.dropFirst(2) where path[index] == slash {
    if path[index - 1] == dot, path[index - 2] == slash { return true }
  }
  return false
}
