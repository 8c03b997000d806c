package import CrashReadCore

/// One function at an address: the one that contains it, or one inlined there.
public struct SourceFrame: Sendable, Hashable {
  /// The readable name; nil when there is none. Demangled on first use.
  public var function: String? {
    get { name.readable }
    set { name = FunctionName(linkage: name.linkage, readable: newValue) }
  }
  /// The linkage name, if it differs from the readable one; nil when DWARF has none.
  public var linkageName: String? {
    get { name.linkage }
    set { name = FunctionName(linkage: newValue, readable: name.readable) }
  }
  /// The source location: the current line for the innermost frame, the line of the call for the others.
  public var location: SourceLocation?
  /// Whether this function was inlined into the next one.
  public var isInlined: Bool
  /// The distance from the symbol's start in bytes, when the name comes from a symbol table; otherwise nil.
  public var symbolOffset: UInt64?
  /// The start of the function, if it isn't inlined; nil when unknown.
  package var entry: LinkedAddress?

  var name: FunctionName

  /// The size in bytes of its names and its path in the file.
  package var textSize: Int { name.size + (location?.file.utf8.count ?? 0) }

  /// A frame of which nothing is known yet.
  package init(function: String? = nil, linkageName: String? = nil, location: SourceLocation? = nil) {
    let isUnknown = function == nil && linkageName == nil
    self.init(
      isUnknown ? .unknown : FunctionName(linkage: linkageName, readable: function), location: location)
  }

  init(_ name: FunctionName, location: SourceLocation? = nil, isInlined: Bool = false) {
    self.name = name
    self.location = location
    self.isInlined = isInlined
  }
}

/// A location in a source file of the build machine; the file need not exist here.
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
  /// The path; absolute if the compiler recorded enough to make it so.
  public var file: String
  /// The line, 1-based; nil where DWARF says 0, which means none.
  public var line: Int?
  /// The column, 1-based; nil where DWARF says 0.
  public var column: Int?

  /// A location in a file.
  package init(file: String, line: Int? = nil, column: Int? = nil) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// The file's name and the line, as `Fuga.swift:17`; without the line if there is none.
  public var description: String { line.map { "\(fileName):\($0)" } ?? String(fileName) }

  /// The last component of the path.
  public var fileName: Substring { file.split(separator: "/").last ?? file[...] }

  /// Whether the code is compiler-generated, so that there is no file to open: `<compiler-generated>` and the like.
  public var isGenerated: Bool { file.utf8.last == UInt8(ascii: ">") && fileName.first == "<" }

  /// Whether it is in the expansion of a Swift macro, which the compiler stores in files of its own.
  package var isMacroExpansion: Bool { fileName.hasPrefix("@__swiftmacro_") }
}
