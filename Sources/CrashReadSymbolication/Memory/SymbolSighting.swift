package import CrashReadCore
internal import CrashReadReports

/// What a report says of a function of the system: how it is called, where it begins, and how far it reaches at least.
package struct SymbolSighting: Sendable, Hashable {
  /// The image that holds it.
  package var image: ImageID
  /// Where the function begins, in bytes from the image's start.
  package var start: UInt64
  /// How far behind its start code of the function was seen, in bytes.
  package var extent: UInt64
  /// Its name as reported; empty for a function that is there and isn't named, and `foldedName` for one of several.
  package var name: String
  /// Who says so.
  package var witnesses: [UInt32]
  /// The first day on which somebody did, in days since 1970; nil when no report has a date.
  package var day: Int64?

  /// What symbolicators call code that the linker has folded for several functions.
  package static let foldedName = "<deduplicated_symbol>"
  /// Names that stand for any function, by their beginnings.
  private static let placeholders = [
    "<redacted>", "___lldb_un", "GCC_except_table", "_mh_", "__mh_", "<unknown", "???", "0x",
  ]

  /// No function is taken to be longer: what lies further behind a symbol is in a stripped image's other functions.
  package static let longestFunction: UInt64 = 0x1_0000
  /// In bytes; a longer name is left out.
  package static let longestName = 4096

  package init(
    image: ImageID, start: UInt64, extent: UInt64, name: String, witnesses: [UInt32], day: Int64? = nil
  ) {
    (self.image, self.start, self.extent) = (image, start, extent)
    (self.name, self.witnesses, self.day) = (name, witnesses, day)
  }

  /// The name to keep for what a report states; nil when that can't be a symbol at all.
  static func keptName(_ symbol: String) -> String? {
    if placeholders.contains(where: symbol[...].begins) { return "" }
    let isText = symbol.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    return isText && !symbol.isEmpty && symbol.utf8.count <= longestName ? symbol : nil
  }
}

extension SymbolicatedReport {
  /// What the report says of the system's functions, each once, in the order of the frames.
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
  /// The identity of each image of the system; nil for others.
  private let identities: [ImageID?]
  private let witness: UInt32
  private let day: Int64?
  private(set) var sightings: [SymbolSighting] = []
  /// One symbolicator calls what stands in one place by one name.
  private var seen: Set<Place> = []

  private struct Place: Hashable {
    var image: Int
    var start: UInt64
    var extent: UInt64
  }

  init(_ symbolicated: SymbolicatedReport) {
    report = symbolicated.report
    locator = FrameLocator(report)
    let appImages = AppImages(report)
    identities = report.images.map { appImages.isSystems($0) ? $0.id : nil }
    witness = report.witness
    day = report.header.date.flatMap { secondsSince1970($0, offset: 0) }.map { $0 / 86_400 }
  }

  /// Takes what a frame says, if it says anything new.
  mutating func add(_ frame: ResolvedFrame) {
    let captured = frame.captured
    guard !frame.isInApp, !frame.symbolIsFar, !captured.isInlined, let image = frame.image,
      let id = identities[image], let symbol = captured.reportedSymbol,
      let distance = captured.reportedSymbolOffset, distance <= SymbolSighting.longestFunction,
      let name = SymbolSighting.keptName(symbol),
      let offset = locator.lookupOffset(of: captured, in: image)?.rawValue,
      let place = locator.codeOffset(of: captured, in: image)?.rawValue, place >= distance,
      // Reporters that know no distances print 0.
      case let start = place - distance, start < offset, report.images[image].holds(offset),
      seen.insert(Place(image: image, start: start, extent: offset - start)).inserted
    else { return }
    sightings.append(
      SymbolSighting(
        image: id, start: start, extent: offset - start, name: name, witnesses: [witness], day: day))
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
