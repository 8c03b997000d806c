internal import CrashReadCore
internal import CrashReadReports

/// Collects what reports state about the system's functions.
///
/// There is one statement per frame, and nearly all repeat earlier ones: a symbol seen before is recognised by its
/// start, at the cost of one look-up.
package struct SightingCollector {
  /// A system image.
  private struct Image {
    let id: ImageID
    /// Its path, if that proves that the image is the system's; nil if that depends on the rest of the report.
    let path: String?
    /// The step back from a return address, in bytes; nil on 32-bit ARM, where addresses have the Thumb bit.
    let callStep: UInt32?
  }
  /// What a frame states.
  private struct Statement {
    /// The frame, as an index into the backtrace.
    let frame: Int
    /// The number of its image.
    let image: Int
    /// The offset from the symbol, in bytes.
    let distance: UInt32
    /// The digest of the symbol; nil for a frame without an address.
    let digest: UInt64?
    /// The symbol's position in `symbols`; nil if it wasn't seen.
    var position: Int?
  }
  /// A witness to be added to a function.
  private struct Note {
    /// The symbol's position in `symbols`.
    let position: Int
    /// The function, as an index.
    let function: Int
    let witness: FunctionWitnesses.Witness
  }
  private struct Function {
    let identity: SightedFunction
    var known = FunctionWitnesses()
    /// Whether witnesses were added that weren't taken yet.
    var isChanged = false
  }

  private var images: [Image] = []
  private var imageNumbers: [ImageID: Int] = [:]
  /// The number of each image of the last report; nil for one that isn't the system's or has no frames.
  private var lastNumbers: [Int?] = []
  private var symbols = SeenSymbols()
  /// Those of the frames that are being added.
  private var statements: [Statement] = []
  private var notes: [Note] = []
  private var functions: [Function] = []
  private var indices: [SightedFunction: Int] = [:]
  /// The functions with new witnesses.
  private var changed: [Int] = []

  /// The maximum number of symbols and of functions; beyond it they are dropped, and functions are reported again.
  private static let maximumCount = 1 << 18
  /// The number of frames that are looked up together.
  private static let blockSize = 256

  /// Creates an empty collection.
  package init() {}

  /// The number of functions with witnesses that weren't taken yet.
  package var newCount: Int { changed.count }

  /// Adds the system functions that a report names.
  ///
  /// Images of apps are ignored, and so are symbols so far from the address that the symbolicator knew no nearer one.
  /// - Parameters:
  ///   - symbolicated: The report.
  ///   - source: Where it comes from; nil for the device that it names.
  package mutating func add(_ symbolicated: SymbolicatedReport, source: String? = nil) {
    guard symbolicated.report.kind != .panic else { return }
    if symbols.count > Self.maximumCount { symbols = SeenSymbols() }
    if functions.count > Self.maximumCount, changed.isEmpty { self = Self() }
    var reading = Reading(symbolicated, source: source)
    for thread in symbolicated.threads.indices { add(symbolicated.threads[thread], &reading) }
    add(symbolicated.lastExceptionBacktrace, &reading)
    for backtrace in symbolicated.applicationSpecificBacktraces { add(backtrace, &reading) }
    lastNumbers = reading.numbers.map { $0 ?? nil }
  }

  /// The functions with sightings that were added since the last call, with all their witnesses.
  package mutating func takeNew() -> [SymbolSighting] {
    defer { changed = [] }
    return changed.map { index in
      functions[index].isChanged = false
      return SymbolSighting(functions[index].identity, functions[index].known)
    }
  }

  /// Adds the frames of a backtrace.
  ///
  /// In steps for many frames at once: each step waits for memory, and the CPU can wait for that of several frames together.
  private mutating func add(_ frames: [ResolvedFrame], _ reading: inout Reading) {
    for start in stride(from: 0, to: frames.count, by: Self.blockSize) {
      statements.removeAll(keepingCapacity: true)
      let end = min(start + Self.blockSize, frames.count)
      for index in start..<end { addStatement(of: frames, at: index, &reading) }
      symbols.reserve(statements.count)
      for index in statements.indices {
        statements[index].position = statements[index].digest.flatMap { symbols.position(of: $0) }
      }
      addNotes(frames, &reading)
      notes.removeAll { !functions[$0.function].known.accepts($0.witness, day: reading.day) }
      for note in notes { add(note, on: reading.day) }
    }
  }

  /// Adds what a frame states to the statements. Frames are large: accessed by index, so that none is copied.
  private mutating func addStatement(of frames: [ResolvedFrame], at index: Int, _ reading: inout Reading) {
    guard !frames[index].isInApp, !frames[index].symbolIsFar, !frames[index].captured.isInlined,
      let image = frames[index].image, let distance = frames[index].captured.reportedSymbolOffset,
      distance <= SymbolSighting.maximumFunctionSize, let symbol = frames[index].captured.reportedSymbol,
      let number = number(of: image, &reading)
    else { return }
    let digest = frames[index].captured.address.map {
      symbols.digest(image: number, start: reading.offset(of: $0, in: image) &- distance, name: symbol)
    }
    statements.append(Statement(frame: index, image: number, distance: UInt32(distance), digest: digest))
  }

  /// Makes the notes of statements about symbols that were seen; adds the others.
  private mutating func addNotes(_ frames: [ResolvedFrame], _ reading: inout Reading) {
    notes.removeAll(keepingCapacity: true)
    for statement in statements {
      if let seen = statement.position, let step = images[statement.image].callStep {
        if let note = note(statement, frames, seen: seen, step: step, reading) { notes.append(note) }
      } else {
        addNew(statement, frames[statement.frame], &reading)
      }
    }
  }

  /// The witness to add for a symbol that was seen; nil if it changes nothing.
  private func note(
    _ statement: Statement, _ frames: [ResolvedFrame], seen: Int, step: UInt32, _ reading: borrowing Reading
  ) -> Note? {
    let step = frames[statement.frame].captured.kind == .returnAddress ? step : 0
    guard statement.distance > step, let image = frames[statement.frame].image else { return nil }
    let witness = FunctionWitnesses.Witness(reading.witness, extent: statement.distance - step)
    // The usual case after some hundred reports: memory of the function itself is not accessed.
    if let bound = symbols[seen].bound, bound.covers(witness, on: reading.day) { return nil }
    guard reading.holds(frames[statement.frame].captured, in: image) else { return nil }
    return Note(position: seen, function: Int(symbols[seen].function), witness: witness)
  }

  /// Adds what a frame states of a symbol that no frame has stated before.
  private mutating func addNew(_ statement: Statement, _ frame: ResolvedFrame, _ reading: inout Reading) {
    guard let image = frame.image, let symbol = frame.captured.reportedSymbol,
      let sighting = reading.sighting(of: frame, symbol, UInt64(statement.distance), in: image)
    else { return }
    let function = self.index(
      of: SightedFunction(image: images[statement.image].id, start: sighting.start, name: sighting.name))
    add(.init(reading.witness, extent: sighting.extent), to: function, on: reading.day)
    if let digest = statement.digest, symbols.position(of: digest) == nil {
      symbols.insert(digest, function: function)
    }
  }

  private mutating func add(_ note: Note, on day: Int64?) {
    add(note.witness, to: note.function, on: day)
    symbols[note.position].bound = SeenSymbols.Bound(functions[note.function].known)
  }

  /// Adds that a source saw code of a function.
  private mutating func add(_ witness: FunctionWitnesses.Witness, to function: Int, on day: Int64?) {
    guard functions[function].known.add(witness, day: day) else { return }
    if !functions[function].isChanged { changed.append(function) }
    functions[function].isChanged = true
  }

  /// The number of an image; nil for one that isn't the system's.
  private mutating func number(of image: Int, _ reading: inout Reading) -> Int? {
    if let known = reading.numbers[image] { return known }
    let number = newNumber(of: image, &reading)
    reading.numbers[image] = .some(number)
    return number
  }

  private mutating func newNumber(of image: Int, _ reading: inout Reading) -> Int? {
    guard let id = reading.id(of: image) else { return nil }
    let path = reading.path(of: image)
    // Reports of one system list its images in the same order.
    if image < lastNumbers.count, let last = lastNumbers[image], images[last].id == id,
      let known = images[last].path,
      known == path
    {
      return last
    }
    let known = imageNumbers[id]
    if let known, let ownPath = images[known].path, ownPath == path { return known }
    guard reading.isSystemImage(image) else { return nil }
    if let known { return known }
    let cpu = reading.architecture(of: image)
    let systemPath = path.flatMap { AppImages.isInSystemFolder($0) ? $0 : nil }
    imageNumbers[id] = images.count
    images.append(
      Image(id: id, path: systemPath, callStep: cpu.flatMap { $0.isARM32 ? nil : UInt32($0.callStep) }))
    return images.count - 1
  }

  private mutating func index(of identity: SightedFunction) -> Int {
    if let known = indices[identity] { return known }
    indices[identity] = functions.count
    functions.append(Function(identity: identity))
    return functions.count - 1
  }
}

/// A report whose frames are read.
private struct Reading {
  private let report: CrashReport
  private lazy var locator = FrameLocator(report)
  private lazy var appImages = AppImages(report)
  let witness: UInt32
  let day: Int64?
  /// The number of each system image in the collection, nil for other images; filled on demand, since most have no frame.
  var numbers: [Int??]

  init(_ symbolicated: SymbolicatedReport, source: String?) {
    report = symbolicated.report
    witness = source.map { fnv1a32($0) } ?? report.witness
    day = report.header.date.flatMap { secondsSince1970($0, offset: 0) }.map { $0 / 86_400 }
    numbers = [Int??](repeating: nil, count: report.images.count)
  }

  func id(of image: Int) -> ImageID? { report.images[image].id }

  func path(of image: Int) -> String? { report.images[image].path }

  func architecture(of image: Int) -> Architecture? {
    report.images[image].architecture ?? report.architecture
  }

  mutating func isSystemImage(_ image: Int) -> Bool { appImages.isSystemImage(report.images[image]) }

  func offset(of address: RuntimeAddress, in image: Int) -> UInt64 {
    address.rawValue &- report.images[image].start.rawValue
  }

  /// Whether an image contains the address of a frame.
  func holds(_ frame: Frame, in image: Int) -> Bool {
    frame.address.map { report.images[image].holds(offset(of: $0, in: image)) } ?? false
  }

  /// The sighting that a frame's symbol states: the function's start, its name, and the offset of the code from the
  /// start; nil for none.
  mutating func sighting(
    of frame: ResolvedFrame, _ symbol: String, _ distance: UInt64, in image: Int
  ) -> (start: UInt64, name: String, extent: UInt32)? {
    guard distance <= SymbolSighting.maximumFunctionSize, let name = SymbolSighting.keptName(symbol),
      let offset = locator.lookupOffset(of: frame.captured, in: image)?.rawValue,
      let callOffset = locator.codeOffset(of: frame.captured, in: image)?.rawValue, callOffset >= distance,
      // Reporters that don't know the offset print 0.
      case let start = callOffset - distance, start < offset, let extent = UInt32(exactly: offset - start),
      report.images[image].holds(offset)
    else { return nil }
    return (start, name, extent)
  }
}

extension BinaryImage {
  fileprivate func holds(_ offset: UInt64) -> Bool {
    end.map { offset <= $0.rawValue &- start.rawValue } ?? true
  }
}
