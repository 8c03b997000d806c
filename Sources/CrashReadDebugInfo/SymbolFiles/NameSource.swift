internal import CrashReadCore

/// Functions by address, from a file that isn't the binary and holds no DWARF. No more of the file is read than is asked for.
protocol NameSource: SymbolSource {
  /// Whether a file was cut or written to since it was opened.
  var isChanged: Bool { get }
  /// Every function that is known to begin somewhere, in the order of the addresses; without a name where nothing names it.
  var functions: [(address: UInt64, name: String?)] { get }
  /// Functions at an address with their lines: the innermost inlined one first, the real function last. Empty where the
  /// file has no lines.
  func frames(at address: LinkedAddress) -> [SourceFrame]
}

extension NameSource {
  func frames(at address: LinkedAddress) -> [SourceFrame] { [] }
}

extension BinarySlice {
  /// The functions of an image whose file is none of those that libdw opens; nil for a Mach-O or ELF file.
  func names(in path: String) throws(DebugFileError) -> (any NameSource)? {
    switch layout {
    case .sharedCache: try SharedCacheImage(path: path, slice: self)
    case .symbolPack: try SymbolPack(path: path, slice: self)
    case .breakpad: try BreakpadFile(path: path, slice: self)
    case .gsym: try GsymFile(path: path, slice: self)
    case .machO, .elf: nil
    }
  }
}
