internal import CCrashReadElfutils

/// The header of a line table: the parameters of its program, and its files (DWARF 5, section 6.2.4).
struct LineHeader {
  /// A string that isn't read yet.
  private struct Text {
    var section: ByteView
    var offset: Int
    var text: String { section.string(at: offset) }
  }

  private struct File {
    var name: Text
    var directory: Int
  }

  /// The range of the program in `.debug_line`.
  private(set) var program = 0
  private(set) var end = 0
  private(set) var instructionLength: UInt64 = 1
  /// The number of operations in one instruction; more than 1 only on VLIW machines.
  private(set) var maximumOperations: UInt64 = 1
  private(set) var lineBase: Int64 = 0
  private(set) var lineRange: UInt8 = 1
  private(set) var opcodeBase: UInt8 = 13
  /// The number of operands of each standard opcode, from opcode 1 on.
  private(set) var operandCounts: [UInt8] = []

  private var version = 0
  private var directories: [Text] = []
  private var files: [File] = []

  /// Reads a header; nil when it is damaged or of an unsupported kind.
  init?(_ sections: DebugSections, at offset: Int, addressSize: Int) {
    var cursor = ByteCursor(sections.lines, at: offset, end: sections.lines.count)
    guard let (length, offsetSize) = cursor.unitLength(), length >= 12 else { return nil }
    end = cursor.offset + length
    version = Int(cursor.integer(size: 2))
    guard (2...5).contains(version) else { return nil }
    let encoding = UnitEncoding(version: version, addressSize: addressSize, offsetSize: offsetSize)
    if version >= 5 { cursor.skip(2) }  // address and segment selector size
    let headerLength = cursor.integer(size: offsetSize)
    guard headerLength < UInt64(end - cursor.offset) else { return nil }
    program = cursor.offset + Int(headerLength)
    guard readEncoding(&cursor) else { return nil }
    var tables = ByteCursor(sections.lines, at: cursor.offset, end: program)
    if version < 5 {
      readTables(&tables, sections.lines)
    } else if !readEntryTables(&tables, sections, encoding) {
      return nil
    }
  }

  private mutating func readEncoding(_ cursor: inout ByteCursor) -> Bool {
    instructionLength = cursor.integer(size: 1)
    if version >= 4 { maximumOperations = max(1, cursor.integer(size: 1)) }
    cursor.skip(1)  // default_is_stmt
    lineBase = Int64(Int8(truncatingIfNeeded: cursor.integer(size: 1)))
    lineRange = UInt8(cursor.integer(size: 1))
    opcodeBase = UInt8(cursor.integer(size: 1))
    guard lineRange > 0, opcodeBase > 0 else { return false }
    for _ in 1..<max(opcodeBase, 1) { operandCounts.append(UInt8(cursor.integer(size: 1))) }
    return true
  }

  /// Reads the tables of DWARF 2 to 4: strings, terminated by an empty one.
  private mutating func readTables(_ cursor: inout ByteCursor, _ lines: ByteView) {
    while !cursor.isAtEnd, lines.byte(at: cursor.offset) != 0 {
      directories.append(Text(section: lines, offset: cursor.offset))
      cursor.skipString()
    }
    cursor.skip(1)
    while !cursor.isAtEnd, lines.byte(at: cursor.offset) != 0 {
      let name = Text(section: lines, offset: cursor.offset)
      cursor.skipString()
      files.append(File(name: name, directory: Int(clamping: cursor.uleb())))
      _ = cursor.uleb()  // modification time
      _ = cursor.uleb()  // size
    }
  }

  /// Reads the tables of DWARF 5, which describe the format of their entries.
  private mutating func readEntryTables(
    _ cursor: inout ByteCursor, _ sections: DebugSections, _ encoding: UnitEncoding
  ) -> Bool {
    guard let directories = readEntries(&cursor, sections, encoding),
      let files = readEntries(&cursor, sections, encoding)
    else { return false }
    self.directories = directories.map(\.name)
    self.files = files
    return true
  }

  private func readEntries(
    _ cursor: inout ByteCursor, _ sections: DebugSections, _ encoding: UnitEncoding
  ) -> [File]? {
    let formats = (0..<cursor.integer(size: 1)).map { _ in
      (content: cursor.uleb(), form: UInt16(truncatingIfNeeded: cursor.uleb()))
    }
    let count = cursor.uleb()
    guard count <= UInt64(cursor.remaining), !formats.isEmpty || count == 0 else { return nil }
    var entries: [File] = []
    for _ in 0..<count {
      var entry = File(name: Text(section: sections.lines, offset: 0), directory: 0)
      for format in formats {
        var value = cursor
        guard encoding.take(encoding.step(over: format.form), in: &cursor) else { return nil }
        switch Int(clamping: format.content) {
        case DW_LNCT_path:
          guard let name = text(format.form, &value, sections, encoding) else { return nil }
          entry.name = name
        case DW_LNCT_directory_index:
          entry.directory = Int(clamping: index(format.form, &value, encoding))
        default: break
        }
      }
      entries.append(entry)
    }
    return entries
  }

  private func text(
    _ form: UInt16, _ value: inout ByteCursor, _ sections: DebugSections, _ encoding: UnitEncoding
  ) -> Text? {
    switch Int(form) {
    case DW_FORM_string: Text(section: sections.lines, offset: value.offset)
    case DW_FORM_line_strp:
      Text(section: sections.lineStrings, offset: Int(clamping: value.integer(size: encoding.offsetSize)))
    case DW_FORM_strp:
      Text(section: sections.strings, offset: Int(clamping: value.integer(size: encoding.offsetSize)))
    default: nil
    }
  }

  private func index(_ form: UInt16, _ value: inout ByteCursor, _ encoding: UnitEncoding) -> UInt64 {
    let size = encoding.size(of: form)
    return size < 0 ? value.uleb() : size <= 8 ? value.integer(size: size) : 0
  }

  /// A file's path, which may be relative to the compilation directory; nil when the table has no such file.
  ///
  /// Before DWARF 5 files count from 1 and directory 0 is the compilation directory; from then on both count from 0.
  func path(ofFile index: UInt64) -> String? {
    let position = Int(clamping: index) - (version >= 5 ? 0 : 1)
    guard files.indices.contains(position) else { return nil }
    let name = files[position].name.text
    let directory = files[position].directory - (version >= 5 ? 0 : 1)
    guard !name.hasPrefix("/"), directories.indices.contains(directory) else { return name }
    return directories[directory].text + "/" + name
  }
}
