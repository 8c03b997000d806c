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

  /// The maximum size assumed for a function, in bytes: an address further past a symbol belongs to another function of
  /// a stripped image.
  static let maximumFunctionSize: UInt32 = 0x1_0000
  /// The maximum length of a stored name, in bytes; longer ones are ignored.
  static let maximumNameLength = 4096

  /// Creates a sighting.
  package init(_ function: SightedFunction, _ witnesses: FunctionWitnesses) {
    (self.function, self.witnesses) = (function, witnesses)
  }

  /// The name to store for a reported symbol: empty for a placeholder, nil for text that can't be a symbol.
  static func keptName(_ symbol: String) -> String? {
    if symbol.isPlaceholder { return "" }
    let isText = symbol.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7f }
    return isText && !symbol.isEmpty && symbol.utf8.count <= maximumNameLength ? symbol : nil
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
  var isPlaceholder: Bool {
    let bytes = utf8.span
    // The first two letters suffice for nearly all names.
    guard bytes.count > 1 else { return false }
    switch (bytes[0], bytes[1]) {
    case (UInt8(ascii: "_"), let second) where second != UInt8(ascii: "_") && second != UInt8(ascii: "m"):
      return false
    case (UInt8(ascii: "_"), _), (UInt8(ascii: "<"), _), (UInt8(ascii: "G"), _), (UInt8(ascii: "?"), _),
      (UInt8(ascii: "0"), _):
      return placeholders.contains { bytes.begins(with: $0) }
    default: return false
    }
  }
}

extension String {
  /// Whether Apple put it in place of the name in an app built with bitcode: `__hidden#7509_`. Symbolicators drop underscores.
  package var isHiddenName: Bool {
    let bytes = utf8.span
    guard bytes.count > 7 else { return false }
    let start = bytes.indices.first { bytes[$0] != UInt8(ascii: "_") } ?? 0
    return start <= 2 && bytes.extracting(droppingFirst: start).begins(with: "hidden#")
  }
}

/// Prefixes of placeholders.
private let placeholders: [StaticString] = [
  "<redacted>", "___lldb_un", "GCC_except_table", "_mh_", "__mh_", "<unknown", "???", "0x",
]

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
