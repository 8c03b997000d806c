internal import CrashReadCore
internal import CrashReadReports

/// Collects what reports state about the system's functions.
///
/// Most threads of a system wait in the same few places, and there are as many statements as frames. So a place that was
/// seen before is recognised by its address, and a function that enough sources know costs no more than that.
package struct SightingCollector {
  /// The address that a frame states, relative to its image.
  private struct Place: Hashable {
    var image: Int
    var offset: UInt64
    var isReturnAddress: Bool
  }
  /// What a symbol at a place says.
  private struct Statement {
    var symbol: String
    var distance: UInt64
    /// The function, as an index; nil if nothing can be learned from the symbol.
    var function: Int?
    /// How far past the function's start the code is, in bytes.
    var extent: UInt64 = 0
  }
  private struct Function {
    let identity: SightedFunction
    var known = FunctionWitnesses()
    /// Those that weren't taken yet; one that was seen further into the function is repeated.
    var new: [FunctionWitnesses.Witness] = []
  }

  private var images: [ImageID: Int] = [:]
  private var identities: [ImageID] = []
  private var statements: [Statement] = []
  private var places: [Place: Int] = [:]
  private var functions: [Function] = []
  private var indices: [SightedFunction: Int] = [:]
  /// The functions with new witnesses.
  private var changed: [Int] = []

  /// Beyond so many places or functions they are forgotten, and functions are reported again.
  private static let maximumCount = 1 << 18

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
    if statements.count > Self.maximumCount { (statements, places) = ([], [:]) }
    if functions.count > Self.maximumCount, changed.isEmpty { self = Self() }
    var reading = Reading(symbolicated, source: source)
    for thread in symbolicated.threads.indices { add(symbolicated.threads[thread], &reading) }
    add(symbolicated.lastExceptionBacktrace, &reading)
    for backtrace in symbolicated.applicationSpecificBacktraces { add(backtrace, &reading) }
  }

  /// What was added since the last call.
  package mutating func takeNew() -> [SymbolSighting] {
    defer { changed = [] }
    return changed.map { index in
      defer { functions[index].new = [] }
      let function = functions[index]
      return SymbolSighting(function.identity, FunctionWitnesses(function.new, day: function.known.day))
    }
  }

  private mutating func add(_ frames: [ResolvedFrame], _ reading: inout Reading) {
    for index in frames.indices { add(frames[index], &reading) }
  }

  private mutating func add(_ frame: ResolvedFrame, _ reading: inout Reading) {
    guard !frame.isInApp, !frame.symbolIsFar, !frame.captured.isInlined, let image = frame.image,
      let distance = frame.captured.reportedSymbolOffset, let symbol = frame.captured.reportedSymbol,
      let number = number(of: image, &reading)
    else { return }
    let statement = statement(frame, symbol, distance, in: image, number, &reading)
    guard let function = statement.function else { return }
    let witness = FunctionWitnesses.Witness(reading.witness, extent: statement.extent)
    guard functions[function].known.add(witness, day: reading.day) else { return }
    if functions[function].new.isEmpty { changed.append(function) }
    functions[function].new.append(witness)
  }

  /// The number of an image; nil for one that isn't the system's.
  private mutating func number(of image: Int, _ reading: inout Reading) -> Int? {
    if let known = reading.numbers[image] { return known }
    let number = reading.systemImage(image).map { id in
      if let known = images[id] { return known }
      images[id] = identities.count
      identities.append(id)
      return identities.count - 1
    }
    reading.numbers[image] = .some(number)
    return number
  }

  private mutating func statement(
    _ frame: ResolvedFrame, _ symbol: String, _ distance: UInt64, in image: Int, _ number: Int,
    _ reading: inout Reading
  ) -> (function: Int?, extent: UInt64) {
    let place = frame.captured.address.map {
      Place(
        image: number, offset: reading.offset(of: $0, in: image),
        isReturnAddress: frame.captured.kind == .returnAddress)
    }
    let known = place.flatMap { places[$0] }
    if let known, statements[known].distance == distance, statements[known].symbol == symbol {
      return (statements[known].function, statements[known].extent)
    }
    var statement = Statement(symbol: symbol, distance: distance)
    if let sighting = reading.sighting(of: frame, symbol, distance, in: image) {
      let identity = SightedFunction(image: identities[number], start: sighting.start, name: sighting.name)
      (statement.function, statement.extent) = (index(of: identity), sighting.extent)
    }
    if let known {
      statements[known] = statement
    } else if let place {
      places[place] = statements.count
      statements.append(statement)
    }
    return (statement.function, statement.extent)
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

  mutating func systemImage(_ image: Int) -> ImageID? {
    appImages.isSystems(report.images[image]) ? report.images[image].id : nil
  }

  func offset(of address: RuntimeAddress, in image: Int) -> UInt64 {
    address.rawValue &- report.images[image].start.rawValue
  }

  /// What a frame's symbol says of a function: its start, its name, and how far past its start the code is.
  mutating func sighting(
    of frame: ResolvedFrame, _ symbol: String, _ distance: UInt64, in image: Int
  ) -> (start: UInt64, name: String, extent: UInt64)? {
    guard distance <= SymbolSighting.longestFunction, let name = SymbolSighting.keptName(symbol),
      let offset = locator.lookupOffset(of: frame.captured, in: image)?.rawValue,
      let callOffset = locator.codeOffset(of: frame.captured, in: image)?.rawValue, callOffset >= distance,
      // Reporters that don't know the offset print 0.
      case let start = callOffset - distance, start < offset, report.images[image].holds(offset)
    else { return nil }
    return (start, name, offset - start)
  }
}

extension BinaryImage {
  fileprivate func holds(_ offset: UInt64) -> Bool {
    end.map { offset <= $0.rawValue &- start.rawValue } ?? true
  }
}
