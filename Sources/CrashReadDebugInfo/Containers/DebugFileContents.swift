internal import CrashReadCore
internal import CrashReadSystem

/// The state of libdw and of this module's own readers for one binary. Not thread-safe.
final class DebugFileContents {
  // Members that point into another member's memory are declared first, since they are deinitialised first.
  private var index: UnitIndex?
  private var symbols: SymbolTable?
  private let handle: DwarfHandle
  /// The file to which dwz moved parts of this one; nil when there is none.
  private let alternate: AlternateFile?
  private let splitFiles: SplitFiles
  private let missingAlternate: [MissingPart]
  /// The object files of a program without debug information of its own; nil until an address is looked up.
  private var objects: ObjectFiles??
  private let hiddenNames: HiddenNames
  private let path: String
  private let limits: Limits

  /// Opens a file.
  /// - Throws: `DebugFileError` when the file can't be read.
  init(path: String, slice: BinarySlice, limits: Limits) throws(DebugFileError) {
    self.limits = limits
    let file = try MappedFile.debugFile(path, headSize: slice.layout == .machO ? ElfFacade.headSize : 0)
    handle = try DwarfHandle(file, slice: slice)
    var missing: [MissingPart] = []
    alternate = slice.alternate?.open(for: path, &missing)
    if let alternate { handle.readAlternate(from: alternate) }
    splitFiles = SplitFiles(of: path)
    hiddenNames = HiddenNames(of: path, slice.id)
    self.path = path
    missingAlternate = missing
  }

  /// The further files that answers so far needed and that can't be used.
  var missingParts: [MissingPart] {
    missingAlternate + splitFiles.missing + ((objects ?? nil)?.missing ?? []) + hiddenNames.missing
  }

  /// The file's bytes. Valid as long as this object lives.
  var fileView: ByteView { handle.fileView }

  /// Whether a file was truncated or written to since it was opened: what was read since then is unreliable.
  var isChanged: Bool {
    handle.isChanged || alternate?.handle.isTruncated == true || splitFiles.isTruncated
  }

  func unit(at address: LinkedAddress, _ slice: BinarySlice) -> DwarfUnit? {
    unitIndex(slice).unit(at: address)
  }

  func unitIndex(_ slice: BinarySlice) -> UnitIndex {
    let index =
      self.index ?? UnitIndex(handle, splitFiles: splitFiles, codeRanges: slice.codeRanges, limits: limits)
    self.index = index
    return index
  }

  func frames(at address: LinkedAddress, slice: BinarySlice) -> [SourceFrame] {
    objectFiles(slice)?.frames(at: address) ?? ownFrames(at: address, slice: slice)
  }

  func objectFiles(_ slice: BinarySlice) -> ObjectFiles? {
    let files = objects ?? ObjectFiles(fileView, of: path, slice, limits: limits)
    objects = .some(files)
    return files
  }

  /// The functions at an address, from the file's own debug information.
  func ownFrames(at address: LinkedAddress, slice: BinarySlice) -> [SourceFrame] {
    unit(at: address, slice).map { frames(of: $0.chain(at: address), at: address, slice) } ?? []
  }

  /// The frames of a chain, completed from the symbol table.
  func frames(of chain: FunctionChain, at address: LinkedAddress, _ slice: BinarySlice) -> [SourceFrame] {
    var chain = chain
    chain.frames = hiddenNames.revealed(chain.frames)
    if chain.isComplete { return chain.frames }
    return hiddenNames.revealed(chain.completed(at: address, by: symbolTable(slice), in: slice))
  }

  func symbol(at address: LinkedAddress, slice: BinarySlice) -> SourceFrame? {
    symbolTable(slice).frame(at: address, in: slice).flatMap { hiddenNames.revealed(symbol: $0) }
  }

  /// The functions in the symbol table.
  func functions(_ slice: BinarySlice) -> [(address: UInt64, name: String?)] {
    var functions: [(address: UInt64, name: String?)] = []
    symbolTable(slice).forEachSymbol { symbol, _ in
      if functions.last?.address == symbol.address { functions.removeLast() }
      functions.append((symbol.address, symbol.name))
    }
    return functions
  }

  /// The function that contains a Swift closure, at its start; nil when the symbol table doesn't have it.
  func function(around closure: String, slice: BinarySlice) -> SourceFrame? {
    symbolTable(slice).start(ofFunctionAround: closure).flatMap { frames(at: $0, slice: slice).last }
  }

  /// The variables of the functions at an address. Those of object files are omitted: their data isn't at its final
  /// address.
  func variables(at address: LinkedAddress, in context: VariableContext, _ slice: BinarySlice) -> [[Variable]]
  {
    let variables = unit(at: address, slice)?.variables(at: address, in: context, slice.architecture)
    return (variables ?? []).map { $0.compactMap { hiddenNames.revealed($0) } }
  }

  /// The names of the symbols that begin at some ascending addresses. Unless the symbol table was read already, it is
  /// only searched.
  func symbolNames(beginningAt addresses: [UInt64], slice: BinarySlice) -> [[String]] {
    let table = symbols ?? SymbolTable(handle, slice: slice, at: addresses)
    return addresses.map { table.names(beginningAt: LinkedAddress($0)) }
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

  /// Names the real function by its symbol where DWARF has no name for it, or an incomplete one.
  ///
  /// Compilers omit the linkage names of some Swift and C++ functions; DWARF then only says `extractMechanism` for
  /// `SentrySwift.Exception.extractMechanism(_:)`.
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
  /// The function at an address; nil outside of code, and when there is no symbol at or before the address.
  func frame(at address: LinkedAddress, in slice: BinarySlice) -> SourceFrame? {
    guard isCode(address.rawValue, in: slice.codeRanges), let symbol = symbol(at: address) else { return nil }
    let location = symbol.file.map { SourceLocation(file: $0) }
    var frame = SourceFrame(FunctionName(linkage: symbol.name, source: nil), location: location)
    frame.symbolOffset = address.rawValue - symbol.address
    frame.entry = LinkedAddress(symbol.address)
    return frame
  }
}
