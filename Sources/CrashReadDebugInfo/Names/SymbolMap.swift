/// A file `UUID.bcsymbolmap`: the names that `HiddenNames` are numbers of.
struct SymbolMap {
  /// In bytes. Real ones have some megabytes.
  static let largestSize = 256 << 20

  private let bytes: [UInt8]
  /// Where each name begins.
  private let starts: [Int]

  /// Reads a version line and a name a line.
  /// - Throws: `DebugFileError` when the version is none known here.
  init(_ bytes: [UInt8]) throws(DebugFileError) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    let head = String(decoding: lines.first ?? [], as: UTF8.self).prefix { $0 != "\r" }
    guard head == "BCSymbolMap Version: 2.0" || head == "BCSymbolMap Version: 1.0" else {
      throw .unsupported("a symbol map that begins '\(head.prefix(40))'")
    }
    self.bytes = bytes
    starts = lines.dropFirst().map(\.startIndex)
  }

  /// The name of a number; nil when there is none.
  func name(_ number: Int) -> String? {
    guard starts.indices.contains(number) else { return nil }
    let line = bytes[starts[number]...].prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
    // 1 stands in front of names that the linker takes as they are: methods of Objective-C.
    let name = String(decoding: line.first == 1 ? line.dropFirst() : line, as: UTF8.self)
    return name.isEmpty ? nil : name
  }
}
