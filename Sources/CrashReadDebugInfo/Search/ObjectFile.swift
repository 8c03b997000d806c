internal import CrashReadCore
internal import CrashReadSystem

/// An open object file of a program. Its debug information is that of the compiler: each function has its address in
/// the object file.
///
/// It needs no relocation: in debug information, compilers for Mach-O write what the linker would, relative to the
/// object file's own sections.
final class ObjectFile {
  private let contents: DebugFileContents
  private let slice: BinarySlice
  /// The addresses of functions in the object file, by symbol.
  private let starts: [String: UInt64]

  /// Opens the file that a debug map names.
  /// - Parameters:
  ///   - object: The file as the linker recorded it.
  ///   - path: The path to try.
  ///   - functions: The program's functions.
  ///   - architecture: The program's CPU.
  ///   - limits: The limits for debug files.
  /// - Throws: `DebugFileError` when it is missing, belongs to another build, or can't be read.
  init(
    _ object: DebugMap.Object, at path: String, _ functions: ArraySlice<DebugMap.Function>,
    _ architecture: Architecture?, limits: Limits
  ) throws(DebugFileError) {
    let member = try ObjectMember(object, at: path, architecture)
    slice = member.slice
    guard slice.hasDWARF, let table = slice.symbols else {
      throw .unsupported("an object file without debug information")
    }
    contents = try DebugFileContents(path: member.file, slice: slice, limits: limits)
    let file = contents.fileView
    guard !slice.sections.contains(where: { $0.hasSymbolRelocations(in: file) }) else {
      throw .unsupported("debug information with relocations by symbol")
    }
    let names = table.strings(in: file)
    var starts: [String: UInt64] = [:]
    var ends = slice.codeRanges.map(\.upperBound.rawValue)
    table.forEachSymbol(in: file) { symbol in
      guard symbol.isDefined else { return }
      starts[names.string(at: symbol.name)] = symbol.value
      // N_ALT_ENTRY is a symbol inside a function
      if symbol.description & 0x200 == 0 { ends.append(symbol.value) }
    }
    self.starts = starts
    // Without a recorded time, the sizes of its functions must match.
    if object.time == 0 { try checkSizes(of: functions, ends.sorted()) }
  }

  /// Checks that each function has the size that the linker recorded: up to the next symbol, or the section's end.
  private func checkSizes(
    of functions: ArraySlice<DebugMap.Function>, _ ends: [UInt64]
  ) throws(DebugFileError) {
    let next = Dictionary(zip(ends, ends.dropFirst()), uniquingKeysWith: { _, last in last })
    for function in functions {
      let size = starts[function.symbol].map { (next[$0] ?? $0) - $0 }
      guard size == function.size else {
        throw .otherBuild(
          "\(function.symbol) has \(size ?? 0) bytes in it, and \(function.size) in the program")
      }
    }
  }

  /// The functions at an address of the program that is in one of the object file's functions.
  func frames(at address: LinkedAddress, in function: DebugMap.Function) -> [SourceFrame] {
    guard let start = starts[function.symbol] else { return [] }
    let local = LinkedAddress(start &+ (address.rawValue - function.address))
    return contents.ownFrames(at: local, slice: slice).map { frame in
      var frame = frame
      // The linker recorded only this function's start.
      frame.entry = frame.entry?.rawValue == start ? LinkedAddress(function.address) : nil
      return frame
    }
  }
}

extension BinarySlice.Section {
  /// Whether a relocation refers to a symbol (`r_extern` of `mach-o/reloc.h`), so that the stored value isn't the final
  /// one.
  fileprivate func hasSymbolRelocations(in file: ByteView) -> Bool {
    let count = min(relocationCount, max(0, file.count - relocationsOffset) / 8)
    return (0..<count).contains { index in
      let entry = relocationsOffset + 8 * index
      let isScattered = file.integer(at: entry, size: 4) & 0x8000_0000 != 0
      return !isScattered && file.integer(at: entry + 4, size: 4) & 0x0800_0000 != 0
    }
  }
}

/// The object files of a program, each opened on first use.
final class ObjectFiles {
  private let map: DebugMap
  private let program: String
  private let architecture: Architecture?
  private let limits: Limits
  /// Files by index in the map; nil for one that can't be used.
  private var opened: [Int: ObjectFile?] = [:]
  private(set) var missing: [MissingPart] = []

  /// Nil when the program's symbols list no object files.
  init?(_ file: ByteView, of program: String, _ slice: BinarySlice, limits: Limits) {
    guard slice.layout == .machO, !slice.hasDWARF, let table = slice.symbols else { return nil }
    map = DebugMap(file, table)
    self.program = program
    self.limits = limits
    architecture = slice.architecture
    if map.functions.isEmpty { return nil }
  }

  /// The functions at an address, if an object file has them.
  func frames(at address: LinkedAddress) -> [SourceFrame] {
    map.function(at: address).flatMap { object($0.object)?.frames(at: address, in: $0) } ?? []
  }

  private func object(_ index: Int) -> ObjectFile? {
    if let known = opened[index] { return known }
    let object = map.objects[index]
    let functions = map.functions[object.functions]
    let file = missing.firstUsable(of: candidates(of: object.path), beside: program, for: .objectFile) {
      (path) throws(DebugFileError) in
      let file = try ObjectFile(object, at: path, functions, architecture, limits: limits)
      return (path: path, file: file)
    }
    if let file, object.time == 0 {
      missing.append(MissingPart(kind: .objectFile, path: file.path, error: nil))
    }
    opened[index] = .some(file?.file)
    return file?.file
  }

  /// The possible paths of an object file: the recorded one, relative to the program's directory if it isn't absolute
  /// (`ld -oso_prefix`), and beside the program.
  private func candidates(of path: String) -> [String] {
    let here = directory(of: program)
    let built = path.hasPrefix("/") ? path : here + path
    let moved = here + (path.split(separator: "/").last ?? "")
    return built == moved ? [built] : [built, moved]
  }
}
