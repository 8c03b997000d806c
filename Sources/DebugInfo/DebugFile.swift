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
    // What points into another one's memory comes first and goes first.
    var index: UnitIndex?
    var symbols: SymbolTable?
    let handle: DwarfHandle
    /// What dwz took out of the file.
    let alternate: AlternateFile?
    let splitFiles: SplitFiles
    private let missingAlternate: [MissingPart]

    var missingParts: [MissingPart] { missingAlternate + splitFiles.missing }

    init(_ handle: consuming DwarfHandle, alternate link: AlternateLink?, path: String) {
      var missing: [MissingPart] = []
      let opened = link?.open(for: path, &missing)
      if let opened { handle.readAlternate(from: opened) }
      index = nil
      symbols = nil
      self.handle = handle
      alternate = opened
      splitFiles = SplitFiles(of: path)
      missingAlternate = missing
    }
  }

  /// Opens one binary of a file, as `BinarySlice.all(in:)` listed it.
  /// - Throws: `DebugFileError` when the file can't be read.
  public init(path: String, slice: BinarySlice) throws(DebugFileError) {
    self.path = path
    self.slice = slice
    let file = try MappedFile(path: path, headSize: slice.layout == .machO ? ElfFacade.headSize : 0)
    contents = try Mutex(
      Contents(DwarfHandle(file, slice: slice), alternate: slice.alternate, path: path))
  }

  /// The further files that answers so far would have needed and that can't be used.
  public var missingParts: [MissingPart] { contents.withLock { $0.missingParts } }

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
    contents.withLock { $0.frames(at: address, slice: slice) }
  }

  /// Functions at each of many addresses, in their order: as `frames(at:)` one by one, but each unit and each function is
  /// gone through once, as the addresses are looked up in ascending order.
  public func frames(at addresses: some RandomAccessCollection<LinkedAddress>) -> [[SourceFrame]] {
    var order = addresses.enumerated().map { (position: $0.offset, address: $0.element) }
    order.sort { $0.address < $1.address }
    var frames = [[SourceFrame]](repeating: [], count: order.count)
    contents.withLock { contents in
      for (position, address) in order { frames[position] = contents.frames(at: address, slice: slice) }
    }
    return frames
  }

  /// The variables of the functions at an address, in the order of `frames(at:)`: of each function those in scope there.
  ///
  /// The address is where the program was: the very one for the innermost frame, inside the call for a caller. Empty when
  /// DWARF has no function there.
  public func variables(at address: LinkedAddress, in context: VariableContext) -> [[Variable]] {
    contents.withLock { contents in
      contents.unit(at: address, slice)?.variables(at: address, in: context, slice.architecture) ?? []
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
  fileprivate mutating func unit(at address: LinkedAddress, _ slice: BinarySlice) -> DwarfUnit? {
    if index == nil { index = UnitIndex(handle, splitFiles: splitFiles, codeRanges: slice.codeRanges) }
    return index?.unit(at: address)
  }

  fileprivate mutating func frames(at address: LinkedAddress, slice: BinarySlice) -> [SourceFrame] {
    guard let unit = unit(at: address, slice) else { return [] }
    return completed(unit.chain(at: address), at: address, slice: slice)
  }

  /// Names the real function by its symbol, where DWARF has no name for it or only half of one.
  ///
  /// Compilers leave the linkage name out of some Swift and C++ functions; `extractMechanism` is then all that DWARF
  /// says of `SentrySwift.Exception.extractMechanism(_:)`.
  private mutating func completed(
    _ chain: FunctionChain, at address: LinkedAddress, slice: BinarySlice
  ) -> [SourceFrame] {
    var frames = chain.frames
    guard let last = frames.indices.last else { return [] }
    if frames[last].name.isUnknown, let symbol = symbol(at: address, slice: slice) {
      frames[last].name = symbol.name
    } else if let entry = chain.unnamedEntry, let linkage = symbolTable(slice).name(beginningAt: entry) {
      frames[last].name = FunctionName(linkage: linkage, source: frames[last].name.source)
    }
    return frames
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
    var frame = SourceFrame(FunctionName(linkage: symbol.name, source: nil), location: location)
    frame.symbolOffset = address.rawValue - symbol.address
    frame.entry = LinkedAddress(symbol.address)
    return frame
  }
}
