internal import CCrashReadElfutils
package import CrashReadCore
internal import CrashReadSystem
internal import Synchronization

/// A debug file: a binary whose addresses can be resolved to functions, files and lines.
///
/// Look-ups take linked addresses. Several threads may use a file; their look-ups are serialised.
package final class DebugFile: Sendable {
  /// The file's path, as given.
  package let path: String
  /// The headers of the binary inside the file.
  package let slice: BinarySlice
  /// Where the file's cache is kept; nil for no cache.
  private let caches: CacheDirectory?
  /// The limits of a single look-up.
  fileprivate let limits: Limits
  fileprivate let label: FileInUse.Label
  let state: Mutex<State>

  /// The readers, which are used only under the lock.
  struct State {
    /// The cache; nil when there is no valid one, and then `contents` is set.
    var cache: CacheReader?
    /// The file itself; nil until the first look-up that the cache can't answer.
    var contents: DebugFileContents?
    /// The functions of a file that libdw can't open; for such a file there is neither cache nor contents.
    var names: (any NameSource)?
    var failure: DebugFileError?
  }

  /// Opens one binary of a file, as `BinarySlice.all(in:)` listed it.
  /// - Parameters:
  ///   - path: The file.
  ///   - slice: The binary in it.
  ///   - caches: The directory of caches. Answers are the same with a cache and without.
  ///   - limits: The limits for debug files.
  /// - Throws: `DebugFileError` when the file can't be read.
  package init(
    path: String, slice: BinarySlice, caches: CacheDirectory? = nil, limits: Limits = Limits()
  ) throws(DebugFileError) {
    self.limits = limits
    self.path = path
    self.slice = slice
    self.caches = caches
    label = FileInUse.Label(BinaryName(path: path, id: slice.id))
    FileInUse.enter(label, 0)
    defer { FileInUse.leave() }
    if let names = try slice.names(in: path) {
      state = Mutex(State(names: names))
      return
    }
    // For a Mach-O program without debug information a cache would hold only symbols; its object files may have more.
    let isCacheable = slice.hasDWARF || slice.layout == .elf
    if isCacheable, let cache = caches.flatMap({ $0.reader(path, slice) }) {
      state = Mutex(State(cache: cache))
    } else {
      state = try Mutex(State(contents: DebugFileContents(path: path, slice: slice, limits: limits)))
    }
  }

  /// Why the file isn't used any more: it was truncated or written to while it was in use. Nil otherwise.
  ///
  /// Each look-up checks this after it has read, so no answer mixes two states of the file. Truncation is detected by
  /// `MappingGuard`.
  package var failure: DebugFileError? { state.withLock { $0.failure } }

  /// The further files that answers so far needed and that can't be used.
  package var missingParts: [MissingPart] { state.withLock { $0.contents?.missingParts ?? [] } }

  /// Whether the file contains the program's code.
  package var holdsCode: Bool { !slice.code.isEmpty }

  /// The bytes of code in a range of addresses, limited to the section that contains `address`; nil when the file has
  /// none there.
  package func code(
    _ range: Range<LinkedAddress>, around address: LinkedAddress
  ) -> (start: LinkedAddress, bytes: [UInt8])? {
    guard let section = slice.code.first(where: { $0.addresses.contains(address) }), range.contains(address),
      let file = try? MappedFile(path: path)
    else { return nil }
    let part = range.clamped(to: section.addresses)
    let offset = section.fileOffset + Int(part.lowerBound.rawValue - section.addresses.lowerBound.rawValue)
    let count = Int(part.upperBound.rawValue - part.lowerBound.rawValue)
    let bytes = file.view.bytes(at: offset, count: count)
    return file.isTruncated || bytes.count != count ? nil : (part.lowerBound, bytes)
  }

  /// Functions at an address by DWARF: the innermost inlined one first, the real function last.
  ///
  /// Empty when DWARF doesn't cover the address. If DWARF has a line but no function, the symbol table gives the name.
  package func frames(at address: LinkedAddress) -> [SourceFrame] {
    state.withLock { state in
      let frames = state.frames(at: address, in: self)
      return state.isReliable ? frames : []
    }
  }

  /// Functions at each of several addresses, in order: the results of `frames(at:)`, except that the addresses are
  /// looked up in ascending order, so that every unit and every function is visited once.
  package func frames(at addresses: some RandomAccessCollection<LinkedAddress>) -> [[SourceFrame]] {
    frames(at: addresses, maximumText: .max) ?? [[SourceFrame]](repeating: [], count: addresses.count)
  }

  /// Functions at each of several addresses, if all names and paths together have at most a number of bytes: each call
  /// inlined at each address may have 64 KB of them.
  /// - Returns: Nil when they have more.
  package func frames(
    at addresses: some RandomAccessCollection<LinkedAddress>, maximumText: Int
  ) -> [[SourceFrame]]? {
    var order = addresses.enumerated().map { (position: $0.offset, address: $0.element) }
    order.sort { $0.address < $1.address }
    let found: [[SourceFrame]]? = state.withLock { state in
      let found = state.frames(at: order.map(\.address), Budget(maximumText), in: self)
      return state.isReliable ? found : [[SourceFrame]](repeating: [], count: order.count)
    }
    guard let found else { return nil }
    var frames = [[SourceFrame]](repeating: [], count: order.count)
    for (index, (position, _)) in order.enumerated() { frames[position] = found[index] }
    return frames
  }

  /// The variables of the functions at an address, in the order of `frames(at:)`: those in scope there.
  ///
  /// The address is where the program was: the exact one for the innermost frame, inside the call for a caller. Empty
  /// when DWARF has no function there.
  package func variables(at address: LinkedAddress, in context: VariableContext) -> [[Variable]] {
    state.withLock { state in
      FileInUse.enter(label, address.rawValue)
      defer { FileInUse.leave() }
      let variables = state.contents(of: self)?.variables(at: address, in: context, slice) ?? []
      return state.isReliable ? variables : []
    }
  }

  /// The function at an address by the symbol table: a name, and the distance of the address from the function's start
  /// in bytes.
  ///
  /// Nil when there is no symbol at or before the address. In a stripped file, the name may be that of an earlier
  /// function.
  package func symbol(at address: LinkedAddress) -> SourceFrame? {
    state.withLock { state in
      let symbol = state.symbol(at: address, in: self)
      return state.isReliable ? symbol : nil
    }
  }

  /// The names of the functions that begin at each of some addresses, for addresses with several: the linker has folded
  /// functions with identical code into one (`ld64 -deduplicate`, `lld --icf`).
  ///
  /// Names are readable and without duplicates, in alphabetical order. An alias of a C function in an ELF file isn't
  /// another function.
  package func foldedNames(beginningAt addresses: Set<LinkedAddress>) -> [LinkedAddress: [String]] {
    let sorted = addresses.sorted()
    let names: [[String]] = state.withLock { state in
      let names = state.symbolNames(beginningAt: sorted, in: self)
      return state.isReliable ? names : []
    }
    var folded: [LinkedAddress: [String]] = [:]
    for (address, names) in zip(sorted, names) where names.count > 1 {
      let readable = Set(names.compactMap { functionName($0, isELF: slice.layout == .elf) })
      if readable.count > 1 { folded[address] = readable.sorted() }
    }
    return folded
  }

  /// Every function in the symbol table, in ascending order of address; the name is nil if only the start is known.
  package var functions: [(address: UInt64, name: String?)] {
    state.withLock { state in
      FileInUse.enter(label, 0)
      defer { FileInUse.leave() }
      return state.names?.functions ?? state.contents(of: self)?.functions(slice) ?? []
    }
  }

  /// The function that contains the Swift closure with a linkage name, at its start; nil when unknown.
  package func function(around closure: String) -> SourceFrame? {
    state.withLock { state in
      FileInUse.enter(label, 0)
      defer { FileInUse.leave() }
      let frame = state.contents(of: self)?.function(around: closure, slice: slice)
      return state.isReliable ? frame : nil
    }
  }

  /// Whether the file has no cache, and one would speed up later look-ups.
  package var deservesCache: Bool {
    caches != nil && slice.sizeOfDWARF >= CacheDirectory.minimumSize && state.withLock { $0.cache == nil }
  }
}

extension DebugFile.State {
  /// Whether what was just read is reliable. Once it isn't, the file isn't used any more.
  fileprivate var isReliable: Bool {
    mutating get {
      if failure == nil, contents?.isChanged == true || names?.isChanged == true {
        failure = .changedWhileOpen
        (contents, names) = (nil, nil)
      }
      return failure == nil
    }
  }

  fileprivate mutating func frames(at address: LinkedAddress, in file: DebugFile) -> [SourceFrame] {
    FileInUse.enter(file.label, address.rawValue)
    defer { FileInUse.leave() }
    if let cache {
      let frames = cache.chain(at: address)?.completed(at: address, by: cache, in: file.slice)
      if let frames, !cache.isDamaged { return Array(frames.suffix(file.limits.inlineDepth + 1)) }
    }
    if let names { return names.frames(at: address).suffix(file.limits.inlineDepth + 1) }
    return contents(of: file)?.frames(at: address, slice: file.slice) ?? []
  }

  fileprivate mutating func frames(
    at addresses: [LinkedAddress], _ text: Budget, in file: DebugFile
  ) -> [[SourceFrame]]? {
    if cache != nil || names != nil {
      let found = addresses.map { address in
        text.left == 0 ? [] : text.spent(on: frames(at: address, in: file))
      }
      return text.left == 0 ? nil : found
    }
    FileInUse.enter(file.label, addresses.first?.rawValue ?? 0)
    defer { FileInUse.leave() }
    guard let contents = contents(of: file) else {
      return [[SourceFrame]](repeating: [], count: addresses.count)
    }
    return contents.frames(at: addresses, slice: file.slice, text)
  }

  fileprivate mutating func symbol(at address: LinkedAddress, in file: DebugFile) -> SourceFrame? {
    FileInUse.enter(file.label, address.rawValue)
    defer { FileInUse.leave() }
    if let cache {
      let symbol = cache.frame(at: address, in: file.slice)
      if !cache.isDamaged { return symbol }
    }
    if let names { return names.frame(at: address, in: file.slice) }
    return contents(of: file)?.symbol(at: address, slice: file.slice)
  }

  fileprivate mutating func symbolNames(
    beginningAt addresses: [LinkedAddress], in file: DebugFile
  ) -> [[String]] {
    FileInUse.enter(file.label, addresses.first?.rawValue ?? 0)
    defer { FileInUse.leave() }
    if let cache {
      let names = addresses.map { cache.names(beginningAt: $0) }
      if !cache.isDamaged { return names }
    }
    return contents(of: file)?.symbolNames(beginningAt: addresses.map(\.rawValue), slice: file.slice) ?? []
  }

  /// The file itself, for addresses that aren't in the cache; nil when it can't be read any more.
  fileprivate mutating func contents(of file: DebugFile) -> DebugFileContents? {
    if let cache, cache.isDamaged { self.cache = nil }
    if contents == nil, names == nil, failure == nil {
      contents = try? DebugFileContents(path: file.path, slice: file.slice, limits: file.limits)
    }
    return contents
  }
}

/// The readable name of a symbol, if it is that of a function in the source: nil for Swift's thunks, whose mangled
/// names end with an operator `T…`, and for names that Apple has hidden.
private func functionName(_ symbol: String, isELF: Bool) -> String? {
  guard let readable = demangle(symbol) else { return isELF || symbol.hasPrefix("__hidden#") ? nil : symbol }
  let isSwift = symbol.hasPrefix("$s") || symbol.hasPrefix("$S")
  return isSwift && symbol.dropLast().last == "T" ? nil : readable
}

extension BinaryName {
  package init(path: String, id: ImageID?) { self.init(path: path, id: id?.description ?? "") }
}
