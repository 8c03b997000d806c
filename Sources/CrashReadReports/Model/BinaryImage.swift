public import CrashReadCore

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
  /// The load address: that of the Mach-O header or the first ELF segment; 0 together with a nil `end` when unknown.
  public var start: RuntimeAddress
  /// The last address inside the image (inclusive, as Apple prints it); nil when unknown.
  public var end: RuntimeAddress?
  /// The version, printed in parentheses.
  public var version: String?
  /// Whether the line has the `+` with which Apple's tools mark images that aren't the system's.
  public var isMarkedAsApp: Bool
  /// Its line in the input, 1-based; nil in JSON formats.
  package var line: Int?

  /// An image with only a load address.
  package init(start: RuntimeAddress) {
    self.start = start
    isMarkedAsApp = false
  }

  /// Whether an address lies inside the image; false when the end is unknown. To look up many addresses, use `ImageMap`.
  package func contains(_ address: UInt64) -> Bool {
    guard let end else { return false }
    return (start.rawValue...max(end.rawValue, start.rawValue)).contains(address)
  }
}

/// The last component of a path.
func fileName(_ path: Bytes) -> Bytes {
  path.lastIndex(of: UInt8(ascii: "/")).map { path[($0 + 1)...] } ?? path
}

/// Finds the image that holds an address.
///
/// Lists of images are unsorted and can overlap; lookup is a binary search in a sorted copy.
package struct ImageMap: Sendable {
  private struct Entry: Sendable {
    var start: UInt64
    var last: UInt64?
    var index: Int
  }

  private var entries: [Entry]

  /// Sorts a report's images once.
  ///
  /// Two kinds of images contain no address: the entry that reports print for unknown code (no name, no identity, from
  /// 0), and images whose location is unknown.
  package init(_ images: [BinaryImage]) {
    entries = images.enumerated().compactMap { index, image in
      if image.start.rawValue == 0, image.end == nil || image.name == nil && image.id == nil { return nil }
      return Entry(start: image.start.rawValue, last: image.end?.rawValue, index: index)
    }
    entries.sort { ($0.start, $0.index) < ($1.start, $1.index) }
  }

  /// The index of the image whose range holds the address; nil when none does.
  ///
  /// Of overlapping images the one that starts last (the most specific) wins. An image without an end counts only
  /// when no image with one holds the address, and then extends to the next image's start.
  package func image(containing address: RuntimeAddress) -> Int? {
    closedImage(containing: address) ?? openImage(before: address)
  }

  /// Of the images whose ranges hold the address, the one that starts last and satisfies a condition; nil when none
  /// does.
  func closedImage(containing address: RuntimeAddress, where isWanted: (Int) -> Bool = { _ in true }) -> Int?
  {
    let count = count(startingBy: address)
    // Ranges rarely overlap; a few steps back are enough for those that do.
    for position in (max(0, count - 16)..<count).reversed() {
      guard let last = entries[position].last, address.rawValue <= last else { continue }
      if isWanted(entries[position].index) { return entries[position].index }
    }
    return nil
  }

  /// The last image without an end that starts at or before the address.
  func openImage(before address: RuntimeAddress) -> Int? {
    let count = count(startingBy: address)
    guard count > 0, entries[count - 1].last == nil else { return nil }
    return entries[count - 1].index
  }

  /// How many images start at or before the address.
  private func count(startingBy address: RuntimeAddress) -> Int {
    entries.partitioningIndex { $0.start > address.rawValue }
  }
}
