package import CrashReadCore

/// One function at an address: the function that holds it, or one that was inlined there.
public struct SourceFrame: Sendable, Hashable {
  /// The demangled name as a person writes it; nil when nothing names it. Demangled when it is first asked for.
  public var function: String? {
    get { name.readable }
    set { name = FunctionName(linkage: name.linkage, readable: newValue) }
  }
  /// The name the linker sees, where it differs; nil when DWARF has none.
  public var linkageName: String? {
    get { name.linkage }
    set { name = FunctionName(linkage: newValue, readable: name.readable) }
  }
  /// Where in the source: the executing line of the innermost frame, the call's line in the others.
  public var location: SourceLocation?
  /// Whether this function was inlined into the next one.
  public var isInlined: Bool
  /// Distance from the symbol's start in bytes, when the name comes from a symbol table; else nil.
  public var symbolOffset: UInt64?
  /// Where the code of a function that isn't inlined begins; nil when unknown.
  package var entry: LinkedAddress?

  var name: FunctionName

  /// Bytes of its names and its path, as they are in the file.
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

/// A place in a source file of the machine that built the program; it need not exist here.
public struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
  /// The path, absolute where the compiler recorded enough to make it so.
  public var file: String
  /// The line, 1-based; nil where DWARF says 0, 'no line'.
  public var line: Int?
  /// The column, 1-based; nil where DWARF says 0.
  public var column: Int?

  /// A place in a file.
  package init(file: String, line: Int? = nil, column: Int? = nil) {
    self.file = file
    self.line = line
    self.column = column
  }

  /// The file's name and the line, as `Fuga.swift:17`; without the line where there is none.
  public var description: String { line.map { "\(fileName):\($0)" } ?? String(fileName) }

  /// The last part of the path.
  public var fileName: Substring { file.split(separator: "/").last ?? file[...] }

  /// Whether the compiler wrote this code itself, so that no file can be opened: `<compiler-generated>` and its like.
  public var isGenerated: Bool { file.utf8.last == UInt8(ascii: ">") && fileName.first == "<" }

  /// Whether it is in what a Swift macro expands to, which the compiler keeps in files of its own.
  package var isMacroExpansion: Bool { fileName.hasPrefix("@__swiftmacro_") }
}
