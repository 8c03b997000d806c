package import CrashReadCore
internal import CrashReadReports

/// A system function as reports show it: its name, its start, and how far past the start each witness saw its code.
package struct SymbolSighting: Sendable, Hashable {
  /// The function, under one of its names.
  package var function: SightedFunction
  /// The devices that reported it.
  package var witnesses: FunctionWitnesses

  /// The name symbolicators give to code that the linker folded from several functions.
  package static let foldedName = "<deduplicated_symbol>"

  /// The longest function assumed, in bytes: an address further past a symbol is in another function of a stripped image.
  package static let longestFunction: UInt64 = 0x1_0000
  /// The longest name kept, in bytes; longer ones are ignored.
  package static let longestName = 4096

  /// Creates a sighting.
  package init(_ function: SightedFunction, _ witnesses: FunctionWitnesses) {
    (self.function, self.witnesses) = (function, witnesses)
  }

  /// The name to store for a reported symbol: empty for a placeholder, nil for what can't be a symbol.
  static func keptName(_ symbol: String) -> String? {
    if symbol.isPlaceholder { return "" }
    let isText = symbol.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    return isText && !symbol.isEmpty && symbol.utf8.count <= longestName ? symbol : nil
  }
}

/// A function of an image, under one of its names.
package struct SightedFunction: Sendable, Hashable {
  /// The image that contains it.
  package var image: ImageID
  /// Its start, in bytes from the image's load address.
  package var start: UInt64
  /// Its name as reported; empty if the report hid it, `foldedName` if the code is shared by several functions.
  package var name: String

  /// Creates a function.
  package init(image: ImageID, start: UInt64, name: String) {
    (self.image, self.start, self.name) = (image, start, name)
  }
}

extension String {
  /// Whether it is a placeholder, which symbolicators print for any function.
  fileprivate var isPlaceholder: Bool {
    let bytes = utf8.span
    return placeholders.contains { bytes.begins(with: $0) }
  }
}

/// Prefixes of placeholders.
private let placeholders: [StaticString] = [
  "<redacted>", "___lldb_un", "GCC_except_table", "_mh_", "__mh_", "<unknown", "???", "0x",
]

extension SymbolicatedReport {
  /// The system functions named by the report, in the order of its frames.
  ///
  /// Images of apps are ignored, and so are symbols so far from the address that the symbolicator knew no nearer one.
  package var symbolSightings: [SymbolSighting] {
    guard report.kind != .panic else { return [] }
    var source = SightingSource(self)
    for frame in threads.joined() { source.add(frame) }
    for frame in lastExceptionBacktrace + applicationSpecificBacktraces.joined() { source.add(frame) }
    return source.sightings
  }
}

/// Collects the sightings of one report.
private struct SightingSource {
  private let report: CrashReport
  private let locator: FrameLocator
  private let appImages: AppImages
  /// The identity of each system image, nil for other images; filled on demand, since most images have no frame.
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

  /// Adds the function named by a frame, if it is a system function and its start is known.
  mutating func add(_ frame: ResolvedFrame) {
    let captured = frame.captured
    guard !frame.isInApp, !frame.symbolIsFar, !captured.isInlined, let image = frame.image,
      let id = identity(of: image), let symbol = captured.reportedSymbol,
      let distance = captured.reportedSymbolOffset, distance <= SymbolSighting.longestFunction,
      let name = SymbolSighting.keptName(symbol),
      let offset = locator.lookupOffset(of: captured, in: image)?.rawValue,
      let callOffset = locator.codeOffset(of: captured, in: image)?.rawValue, callOffset >= distance,
      // Reporters that don't know the offset print 0.
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
  /// A number for the report's source: the device, by the key that Apple's reporters write; without one, all reports of
  /// the same version of an app on the same device model count as one source.
  var witness: UInt32 {
    let origin = [
      header.hardwareModel, header.bundleID ?? header.process, header.version, header.build, header.osVersion,
    ]
    let text = header.deviceKey ?? origin.map { $0 ?? "" }.joined(separator: "\0")
    return fnv1a32(text)
  }
}
