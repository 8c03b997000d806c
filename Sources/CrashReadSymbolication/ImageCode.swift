internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports

/// Code of a function, read from the binary of a report's image.
package struct ImageCode: Sendable, Hashable {
  /// The address of the first byte in the process.
  package var start: UInt64
  package var bytes: [UInt8]
  /// The start of the function in the process; nil when these bytes don't include it.
  package var entry: UInt64?

  /// Bytes at an address.
  package init(start: UInt64, bytes: [UInt8], entry: UInt64?) {
    (self.start, self.bytes, self.entry) = (start, bytes, entry)
  }
}

extension ImageCode {
  /// Reads the code around a frame from a file with the identity of its image; nil when the file has none there.
  init?(_ frame: ResolvedFrame, _ image: BinaryImage, _ locator: FrameLocator, in file: DebugFile) {
    guard file.holdsCode, let index = frame.image,
      let address = locator.codeAddress(of: frame.captured, image: index),
      let linked = address.offset(from: image.start).flatMap({ file.slice.linkedBase.advanced(by: $0) })
    else { return nil }
    let distance = frame.entryDistance
    let ahead = min(distance ?? Self.maximumWithoutEntry, linked.rawValue)
    let isWhole = distance.map { $0 <= Self.maximumBefore } ?? false
    let first = linked.rawValue - (isWhole ? ahead : min(ahead, Self.maximumWithoutEntry))
    let (end, overflow) = linked.rawValue.addingReportingOverflow(Self.maximumAfter)
    // A call can be the last instruction of a section: the return address is then just after it.
    let probe =
      frame.captured.kind == .returnAddress && linked.rawValue > 0 ? linked.rawValue - 1 : linked.rawValue
    guard !overflow,
      let code = file.code(LinkedAddress(first)..<LinkedAddress(end), around: LinkedAddress(probe))
    else { return nil }
    start = address.rawValue &- (linked.rawValue &- code.start.rawValue)
    bytes = code.bytes
    entry = isWhole && code.start.rawValue == first ? start : nil
  }

  /// The maximum number of bytes read before an address; functions are shorter.
  private static let maximumBefore: UInt64 = 1 << 16
  /// The maximum number of bytes read before an address when the function's start is unknown.
  private static let maximumWithoutEntry: UInt64 = 1 << 14
  private static let maximumAfter: UInt64 = 256
}

extension ResolvedFrame {
  /// The offset of the frame's address from its function's start: from a debug file, otherwise from the report.
  fileprivate var entryDistance: UInt64? {
    if let functionOffset { return functionOffset }
    return locations.isEmpty && ownSymbol != nil ? captured.reportedSymbolOffset : nil
  }
}
