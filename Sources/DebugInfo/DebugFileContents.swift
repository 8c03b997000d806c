internal import BinaryIdentity

/// What libdw and this module's own readers hold of one binary. Not thread-safe.
final class DebugFileContents {
  // What points into another one's memory comes first and goes first.
  private var index: UnitIndex?
  private var symbols: SymbolTable?
  private let handle: DwarfHandle
  /// What dwz took out of the file.
  private let alternate: AlternateFile?
  private let splitFiles: SplitFiles
  private let missingAlternate: [MissingPart]
  private let limits: Limits

  /// - Throws: `DebugFileError` when the file can't be read.
  init(path: String, slice: BinarySlice, limits: Limits) throws(DebugFileError) {
    self.limits = limits
    let file = try MappedFile(path: path, headSize: slice.layout == .machO ? ElfFacade.headSize : 0)
    handle = try DwarfHandle(file, slice: slice)
    var missing: [MissingPart] = []
    alternate = slice.alternate?.open(for: path, &missing)
    if let alternate { handle.readAlternate(from: alternate) }
    splitFiles = SplitFiles(of: path)
    missingAlternate = missing
  }

  /// The further files that answers so far would have needed and that can't be used.
  var missingParts: [MissingPart] { missingAlternate + splitFiles.missing }

  /// Whether a file was cut or written to since it was opened: what was read from then on is worth nothing.
  var isChanged: Bool {
    handle.isChanged || alternate?.handle.isCut == true || splitFiles.isCut
  }

  func unit(at address: LinkedAddress, _ slice: BinarySlice) -> DwarfUnit? {
    let index =
      self.index ?? UnitIndex(handle, splitFiles: splitFiles, codeRanges: slice.codeRanges, limits: limits)
    self.index = index
    return index.unit(at: address)
  }

  func frames(at address: LinkedAddress, slice: BinarySlice) -> [SourceFrame] {
    guard let unit = unit(at: address, slice) else { return [] }
    let chain = unit.chain(at: address)
    return chain.isComplete ? chain.frames : chain.completed(at: address, by: symbolTable(slice), in: slice)
  }

  func symbol(at address: LinkedAddress, slice: BinarySlice) -> SourceFrame? {
    symbolTable(slice).frame(at: address, in: slice)
  }

  private func symbolTable(_ slice: BinarySlice) -> SymbolTable {
    let table = symbols ?? SymbolTable(handle, slice: slice)
    symbols = table
    return table
  }
}

extension FunctionChain {
  /// Whether a symbol table has nothing to add.
  fileprivate var isComplete: Bool { unnamedEntry == nil && frames.last?.name.isUnknown != true }

  /// Names the real function by its symbol, where DWARF has no name for it or only half of one.
  ///
  /// Compilers leave the linkage name out of some Swift and C++ functions; `extractMechanism` is then all that DWARF
  /// says of `SentrySwift.Exception.extractMechanism(_:)`.
  func completed(
    at address: LinkedAddress, by symbols: some SymbolSource, in slice: BinarySlice
  ) -> [SourceFrame] {
    var frames = frames
    guard let last = frames.indices.last else { return [] }
    if frames[last].name.isUnknown, let symbol = symbols.frame(at: address, in: slice) {
      frames[last].name = symbol.name
    } else if let entry = unnamedEntry, let linkage = symbols.name(beginningAt: entry) {
      frames[last].name = FunctionName(linkage: linkage, source: frames[last].name.source)
    }
    return frames
  }
}

extension SymbolSource {
  /// The function at an address; nil outside of code, and when no symbol stands at or before the address.
  func frame(at address: LinkedAddress, in slice: BinarySlice) -> SourceFrame? {
    guard isCode(address.rawValue, in: slice.codeRanges), let symbol = symbol(at: address) else { return nil }
    let location = symbol.file.map { SourceLocation(file: $0) }
    var frame = SourceFrame(FunctionName(linkage: symbol.name, source: nil), location: location)
    frame.symbolOffset = address.rawValue - symbol.address
    frame.entry = LinkedAddress(symbol.address)
    return frame
  }
}
