public import BinaryIdentity
internal import CElfutils
internal import Synchronization

/// A debug file: a binary whose addresses can be turned into functions, files and lines.
///
/// Look-ups take linked addresses. One file may be used from several threads; they take turns.
public final class DebugFile: Sendable {
  /// The file's path, as given.
  public let path: String
  /// The headers of the binary inside the file.
  public let slice: BinarySlice
  private let contents: Mutex<Contents>

  /// Everything that libdw and the caches hold: entered only under the lock.
  @safe
  fileprivate struct Contents: ~Copyable {
    // Entries of the index point into the handle's memory, so the index comes first and goes first.
    var index: UnitIndex?
    var symbols: SymbolTable?
    let handle: DwarfHandle
  }

  /// Opens one binary of a file, as `BinarySlice.all(in:)` listed it.
  /// - Throws: `DebugFileError` when the file can't be read.
  public init(path: String, slice: BinarySlice) throws(DebugFileError) {
    self.path = path
    self.slice = slice
    let file = try MappedFile(path: path, headSize: slice.layout == .machO ? ElfFacade.headSize : 0)
    contents = try Mutex(Contents(handle: DwarfHandle(file, slice: slice)))
  }

  /// Opens the binary that has the wanted identity.
  /// - Throws: `DebugFileError`, also when the file holds only other identities.
  public convenience init(path: String, expecting id: ImageID) throws(DebugFileError) {
    let slices = try BinarySlice.all(in: path)
    guard let slice = slices.first(where: { $0.id?.isNamed(by: id) == true }) else {
      throw .wrongIdentity(expected: id, found: slices.compactMap(\.id))
    }
    try self.init(path: path, slice: slice)
  }

  /// Functions at an address by DWARF: the innermost inlined one first, the real function last.
  ///
  /// Empty when DWARF doesn't cover the address. Where it has a line but no function, the symbol table gives the name.
  public func frames(at address: LinkedAddress) -> [SourceFrame] {
    contents.withLock { contents in
      contents.loadIndex(slice)
      guard let unit = contents.index?.unit(at: address) else { return [] }
      guard let chain = contents.index?.units[unit].chain(at: address, codeRanges: slice.codeRanges) else {
        return []
      }
      return contents.completed(chain, at: address, slice: slice)
    }
  }

  /// The variables of the functions at an address, in the order of `frames(at:)`: of each function those in scope there.
  ///
  /// The address is where the program was: the very one for the innermost frame, inside the call for a caller. Empty when
  /// DWARF has no function there.
  public func variables(at address: LinkedAddress, in context: VariableContext) -> [[Variable]] {
    contents.withLock { contents in
      contents.loadIndex(slice)
      guard let unit = contents.index?.unit(at: address) else { return [] }
      return contents.index?.units[unit].variables(at: address, in: context, slice) ?? []
    }
  }

  /// The function at an address by the symbol table: a name, and how far from its start the address is.
  ///
  /// nil when no symbol stands at or before the address. In a stripped file the name may be that of an earlier function.
  public func symbol(at address: LinkedAddress) -> SourceFrame? {
    contents.withLock { $0.symbol(at: address, slice: slice) }
  }
}

extension DebugFile.Contents {
  fileprivate mutating func loadIndex(_ slice: BinarySlice) {
    if index == nil { index = UnitIndex(handle, codeRanges: slice.codeRanges) }
  }

  /// Names the real function by its symbol, where DWARF has no name for it or only half of one.
  ///
  /// Compilers leave the linkage name out of some Swift and C++ functions; `extractMechanism` is then all that DWARF
  /// says of `SentrySwift.Exception.extractMechanism(_:)`.
  fileprivate mutating func completed(
    _ chain: FunctionChain, at address: LinkedAddress, slice: BinarySlice
  ) -> [SourceFrame] {
    var frames = chain.frames
    guard var function = frames.popLast() else { return [] }
    if function.function == nil, let symbol = symbol(at: address, slice: slice) {
      function.function = symbol.function
      function.linkageName = symbol.linkageName
    } else if let entry = chain.unnamedEntry, let linkage = symbolTable(slice).name(beginningAt: entry) {
      function = namedFrame(function, linkage: linkage, source: function.function)
    }
    return frames + [function]
  }

  private mutating func symbolTable(_ slice: BinarySlice) -> SymbolTable {
    let table = symbols ?? SymbolTable(handle, slice: slice)
    symbols = table
    return table
  }

  fileprivate mutating func symbol(at address: LinkedAddress, slice: BinarySlice) -> SourceFrame? {
    guard isCode(address.rawValue, in: slice.codeRanges), let symbol = symbolTable(slice).symbol(at: address)
    else { return nil }
    let location = symbol.file.map { SourceLocation(file: $0) }
    var frame = namedFrame(SourceFrame(location: location), linkage: symbol.name, source: nil)
    frame.symbolOffset = address.rawValue - symbol.address
    frame.entry = LinkedAddress(symbol.address)
    return frame
  }
}
