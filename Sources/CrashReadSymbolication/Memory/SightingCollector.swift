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
    let callStep: UInt64?
  }
  /// The start of a symbol according to a frame: its address relative to the image, minus the distance.
  private struct SymbolStart: Hashable {
    var image: Int
    var offset: UInt64
  }
  private struct Statement {
    /// The symbol as reported.
    var symbol: String
    /// The function, as an index.
    var function: Int
    /// What was kept of the function at its last sighting; nil while further witnesses are kept in any case.
    var bound: Bound?
  }
  /// A lower bound of what is kept of a function.
  private struct Bound {
    /// The last witness kept: one that doesn't precede it adds nothing.
    var last: FunctionWitnesses.Witness
    /// The day of the earliest report.
    var day: Int64?

    init?(_ known: FunctionWitnesses) {
      guard known.all.count == FunctionWitnesses.maximumCount, let last = known.all.last else { return nil }
      (self.last, day) = (last, known.day)
    }

    /// Whether a witness changes nothing, on a day.
    func covers(_ new: FunctionWitnesses.Witness, on day: Int64?) -> Bool {
      !new.precedes(last) && (day.map { new in self.day.map { $0 <= new } ?? false } ?? true)
    }
  }
  private struct Function {
    let identity: SightedFunction
    var known = FunctionWitnesses()
    /// Witnesses not taken yet; one seen at a larger offset in the function is added again.
    var new: [FunctionWitnesses.Witness] = []
  }

  private var images: [Image] = []
  private var imageNumbers: [ImageID: Int] = [:]
  private var statements: [SymbolStart: Statement] = [:]
  private var functions: [Function] = []
  private var indices: [SightedFunction: Int] = [:]
  /// The functions with new witnesses.
  private var changed: [Int] = []

  /// The maximum number of statements and of functions; beyond it they are dropped, and functions are reported again.
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
    if statements.count > Self.maximumCount { statements = [:] }
    if functions.count > Self.maximumCount, changed.isEmpty { self = Self() }
    var reading = Reading(symbolicated, source: source)
    for thread in symbolicated.threads.indices { add(symbolicated.threads[thread], &reading) }
    add(symbolicated.lastExceptionBacktrace, &reading)
    for backtrace in symbolicated.applicationSpecificBacktraces { add(backtrace, &reading) }
  }

  /// The sightings added since the last call.
  package mutating func takeNew() -> [SymbolSighting] {
    defer { changed = [] }
    return changed.map { index in
      defer { functions[index].new = [] }
      let function = functions[index]
      return SymbolSighting(function.identity, FunctionWitnesses(function.new, day: function.known.day))
    }
  }

  private mutating func add(_ frames: [ResolvedFrame], _ reading: inout Reading) {
    for index in frames.indices { add(frames, at: index, &reading) }
  }

  /// Adds one frame of a backtrace. Frames are large: accessed by index, so that none is copied.
  private mutating func add(_ frames: [ResolvedFrame], at index: Int, _ reading: inout Reading) {
    guard !frames[index].isInApp, !frames[index].symbolIsFar, !frames[index].captured.isInlined,
      let image = frames[index].image, let distance = frames[index].captured.reportedSymbolOffset,
      let symbol = frames[index].captured.reportedSymbol, let number = number(of: image, &reading)
    else { return }
    let start = frames[index].captured.address.map {
      SymbolStart(image: number, offset: reading.offset(of: $0, in: image) &- distance)
    }
    if let known = start.flatMap({ statements.index(forKey: $0) }), statements.values[known].symbol == symbol,
      let step = images[number].callStep
    {
      let step = frames[index].captured.kind == .returnAddress ? step : 0
      guard distance > step, distance <= SymbolSighting.maximumFunctionSize else { return }
      // The usual case after some hundred reports: memory of the function itself is not accessed.
      let witness = FunctionWitnesses.Witness(reading.witness, extent: distance - step)
      if let bound = statements.values[known].bound, bound.covers(witness, on: reading.day) { return }
      guard reading.holds(frames[index].captured, in: image) else { return }
      let function = statements.values[known].function
      note(witness, of: function, on: reading.day)
      statements.values[known].bound = Bound(functions[function].known)
    } else if let sighting = reading.sighting(of: frames[index], symbol, distance, in: image) {
      let function = self.index(
        of: SightedFunction(image: images[number].id, start: sighting.start, name: sighting.name))
      note(.init(reading.witness, extent: sighting.extent), of: function, on: reading.day)
      if let start { statements[start] = Statement(symbol: symbol, function: function) }
    }
  }

  /// Adds that a source saw code of a function.
  private mutating func note(_ witness: FunctionWitnesses.Witness, of function: Int, on day: Int64?) {
    guard functions[function].known.add(witness, day: day) else { return }
    if functions[function].new.isEmpty { changed.append(function) }
    functions[function].new.append(witness)
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
    let known = imageNumbers[id]
    if let known, let path = images[known].path, path == reading.path(of: image) { return known }
    guard reading.isSystemImage(image) else { return nil }
    if let known { return known }
    let cpu = reading.architecture(of: image)
    let path = reading.path(of: image).flatMap { AppImages.isInSystemFolder($0) ? $0 : nil }
    imageNumbers[id] = images.count
    images.append(Image(id: id, path: path, callStep: cpu.flatMap { $0.isARM32 ? nil : $0.callStep }))
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
  ) -> (start: UInt64, name: String, extent: UInt64)? {
    guard distance <= SymbolSighting.maximumFunctionSize, let name = SymbolSighting.keptName(symbol),
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
