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
      if contents.index == nil {
        contents.index = UnitIndex(contents.handle, codeRanges: slice.codeRanges)
      }
      guard let unit = contents.index?.unit(at: address) else { return [] }
      var frames = contents.index?.units[unit].frames(at: address, codeRanges: slice.codeRanges) ?? []
      if frames.count == 1, frames[0].function == nil {
        let symbol = contents.symbol(at: address, slice: slice)
        frames[0].function = symbol?.function
        frames[0].linkageName = symbol?.linkageName
      }
      return frames
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
  fileprivate mutating func symbol(at address: LinkedAddress, slice: BinarySlice) -> SourceFrame? {
    guard isCode(address.rawValue, in: slice.codeRanges) else { return nil }
    if symbols == nil { symbols = SymbolTable(handle, slice: slice) }
    guard let symbol = symbols?.symbol(at: address) else { return nil }
    // Mach-O puts an underscore in front of every C name.
    let name = slice.layout == .machO && symbol.name.hasPrefix("_") ? String(symbol.name.dropFirst()) : symbol.name
    var frame = namedFrame(linkage: name, source: nil)
    frame.symbolOffset = address.rawValue - symbol.address
    return frame
  }
}

extension DwarfUnit {
  /// Functions at an address inside the unit, innermost first.
  fileprivate mutating func frames(
    at address: LinkedAddress, codeRanges: [Range<LinkedAddress>]
  ) -> [SourceFrame] {
    let table = functions ?? FunctionTable(unit: body, codeRanges: codeRanges)
    functions = table
    var location = location(at: address)
    guard let function = table.function(at: address) else {
      return location.map { [SourceFrame(location: $0)] } ?? []
    }
    var frames: [SourceFrame] = []
    for var entry in inlineChain(function, at: address).reversed() {
      let names = entry.functionNames()
      var frame = namedFrame(linkage: names.linkage, source: names.source)
      frame.location = location
      frame.isInlined = entry.tag == DW_TAG_inlined_subroutine
      frames.append(frame)
      if frame.isInlined { location = callSite(of: &entry) }
    }
    return frames
  }
}

/// A frame with the better of two names: the linker's demangled, else the source's.
private func namedFrame(linkage: String?, source: String?) -> SourceFrame {
  guard let linkage else { return SourceFrame(function: source) }
  return SourceFrame(function: demangle(linkage) ?? source ?? linkage, linkageName: linkage)
}
