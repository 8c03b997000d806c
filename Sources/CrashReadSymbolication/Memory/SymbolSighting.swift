package import CrashReadCore
internal import CrashReadReports

/// What reports say of a function of the system: how it is called, where it begins, and who has seen it reach how far.
package struct SymbolSighting: Sendable, Hashable {
  /// The function under one of its names.
  package var function: SightedFunction
  /// Who has seen it.
  package var witnesses: FunctionWitnesses

  /// What symbolicators call code that the linker has folded for several functions.
  package static let foldedName = "<deduplicated_symbol>"

  /// No function is taken to be longer: what lies further behind a symbol is in a stripped image's other functions.
  package static let longestFunction: UInt64 = 0x1_0000
  /// In bytes; a longer name is left out.
  package static let longestName = 4096

  /// Puts a sighting together.
  package init(_ function: SightedFunction, _ witnesses: FunctionWitnesses) {
    (self.function, self.witnesses) = (function, witnesses)
  }

  /// The name to keep for what a report states; nil when that can't be a symbol at all.
  static func keptName(_ symbol: String) -> String? {
    if symbol.isPlaceholder { return "" }
    let isText = symbol.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    return isText && !symbol.isEmpty && symbol.utf8.count <= longestName ? symbol : nil
  }
}

/// A function of an image, under one of its names.
package struct SightedFunction: Sendable, Hashable {
  /// The image that holds it.
  package var image: ImageID
  /// Where it begins, in bytes from the image's start.
  package var start: UInt64
  /// Its name as reported; empty for a function that is there and isn't named, and `foldedName` for one of several.
  package var name: String

  /// Puts one together.
  package init(image: ImageID, start: UInt64, name: String) {
    (self.image, self.start, self.name) = (image, start, name)
  }
}

extension String {
  /// Whether it stands for any function.
  fileprivate var isPlaceholder: Bool {
    let bytes = utf8.span
    return placeholders.contains { bytes.begins(with: $0) }
  }
}

/// Names that stand for any function, by their beginnings.
private let placeholders: [StaticString] = [
  "<redacted>", "___lldb_un", "GCC_except_table", "_mh_", "__mh_", "<unknown", "???", "0x",
]

extension SymbolicatedReport {
  /// What the report says of the system's functions, in the order of the frames.
  ///
  /// Images of apps are left out, and so is what a symbolicator says only because it knew no nearer symbol.
  package var symbolSightings: [SymbolSighting] {
    guard report.kind != .panic else { return [] }
    var source = SightingSource(self)
    for frame in threads.joined() { source.add(frame) }
    for frame in lastExceptionBacktrace + applicationSpecificBacktraces.joined() { source.add(frame) }
    return source.sightings
  }
}

/// Takes sightings from the frames of one report.
private struct SightingSource {
  private let report: CrashReport
  private let locator: FrameLocator
  private let appImages: AppImages
  /// The identity of each image of the system, nil for others; images that no frame lies in aren't asked about.
  private var identities: [ImageID??]
  private let witness: UInt32
  private let day: Int64?
  private(set) var sightings: [SymbolSighting] = []

  init(_ symbolicated: SymbolicatedReport) {
    report = symbolicated.report
    locator = FrameLocator(report)
    appImages = AppImages(report)
    identities = [ImageID??](repeating: nil, count: report.images.count)
    witness = report.witness
    day = report.header.date.flatMap { secondsSince1970($0, offset: 0) }.map { $0 / 86_400 }
  }

  /// Takes what a frame says, if it says anything new.
  mutating func add(_ frame: ResolvedFrame) {
    let captured = frame.captured
    guard !frame.isInApp, !frame.symbolIsFar, !captured.isInlined, let image = frame.image,
      let id = identity(of: image), let symbol = captured.reportedSymbol,
      let distance = captured.reportedSymbolOffset, distance <= SymbolSighting.longestFunction,
      let name = SymbolSighting.keptName(symbol),
      let offset = locator.lookupOffset(of: captured, in: image)?.rawValue,
      let callOffset = locator.codeOffset(of: captured, in: image)?.rawValue, callOffset >= distance,
      // Reporters that know no distances print 0.
      case let start = callOffset - distance, start < offset, report.images[image].holds(offset)
    else { return }
    sightings.append(
      SymbolSighting(
        SightedFunction(image: id, start: start, name: name),
        FunctionWitnesses([.init(witness, extent: offset - start)], day: day)))
  }
}

extension SightingSource {
  private mutating func identity(of image: Int) -> ImageID? {
    if let known = identities[image] { return known }
    let id = appImages.isSystems(report.images[image]) ? report.images[image].id : nil
    identities[image] = .some(id)
    return id
  }
}

extension BinaryImage {
  fileprivate func holds(_ offset: UInt64) -> Bool {
    end.map { offset <= $0.rawValue &- start.rawValue } ?? true
  }
}

extension CrashReport {
  /// Who speaks in the report: the device that made it, by the key that Apple's reporters give it; else all reports of a
  /// version of an app on a kind of device are one.
  var witness: UInt32 {
    let origin = [
      header.hardwareModel, header.bundleID ?? header.process, header.version, header.build, header.osVersion,
    ]
    let text = header.deviceKey ?? origin.map { $0 ?? "" }.joined(separator: "\0")
    return fnv1a32(text)
  }
}
