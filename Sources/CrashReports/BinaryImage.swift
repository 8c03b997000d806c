public import BinaryIdentity

/// One loaded image of the crashed process.
public struct BinaryImage: Sendable, Hashable {
  /// The image's name as printed: a file name, or a bundle identifier on macOS; nil for `???`.
  public var name: String?
  /// The file's path on the device, as printed.
  public var path: String?
  /// `LC_UUID` or build-id; nil when absent or all zeros.
  public var id: ImageID?
  /// The slice that was loaded.
  public var architecture: Architecture?
  /// The load address: where the Mach-O header or the first ELF segment lies.
  public var start: RuntimeAddress
  /// The last address inside the image (inclusive, as Apple prints it); nil when unknown.
  public var end: RuntimeAddress?
  /// Version text in parentheses.
  public var version: String?
  /// Whether the line carries the `+` of an image that is not the system's.
  public var isMarkedAsApp: Bool
  /// The line of the input it stands on, 1-based; nil in JSON formats.
  public var line: Int?

  /// An image of which only the load address is known.
  public init(start: RuntimeAddress) {
    self.start = start
    isMarkedAsApp = false
  }
}

/// Finds the image that holds an address.
///
/// Lists of images are unsorted and can overlap; look-up is by binary search over a sorted copy.
public struct ImageMap: Sendable {
  private struct Entry: Sendable {
    var start: UInt64
    var last: UInt64?
    var index: Int
  }

  private var entries: [Entry]

  /// Sorts a report's images once.
  public init(_ images: [BinaryImage]) {
    entries = images.enumerated().map {
      Entry(start: $1.start.rawValue, last: $1.end?.rawValue, index: $0)
    }
    entries.sort { ($0.start, $0.index) < ($1.start, $1.index) }
  }

  /// The index of the image whose range holds the address; nil when none does.
  ///
  /// Of overlapping images the one that starts last (the most specific) wins. An image without an end counts only when
  /// no image with one holds the address, and then up to the next image's start.
  public func image(containing address: RuntimeAddress) -> Int? {
    let address = address.rawValue
    var low = 0
    var high = entries.count
    while low < high {
      let middle = (low + high) / 2
      if entries[middle].start <= address { low = middle + 1 } else { high = middle }
    }
    // Ranges rarely overlap; a few steps back are enough for those that do.
    for entry in entries[..<low].reversed().prefix(16) {
      guard let last = entry.last else { continue }
      if address <= last { return entry.index }
    }
    guard low > 0, entries[low - 1].last == nil else { return nil }
    return entries[low - 1].index
  }
}
