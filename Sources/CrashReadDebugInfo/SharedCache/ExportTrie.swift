/// The names that a Mach-O image exports, which share their beginnings (`mach-o/loader.h`, `EXPORT_SYMBOL_FLAGS_…`).
///
/// Each node has what the name so far stands for, and edges with the rest of names and where their nodes are.
struct ExportTrie {
  private let bytes: ByteView
  /// Bytes of names that may be looked at: real images have some megabytes.
  private var room = 64 << 20
  private static let longestName = 4096

  init(_ bytes: ByteView) { self.bytes = bytes }

  private struct Place {
    var node: Int
    var name: [UInt8]
  }

  /// Calls `body` with each name and its distance from the image's start; those that stand for another image's are left out.
  ///
  /// Each node is gone through once, so that a circle has an end.
  mutating func forEachExport(_ body: (_ name: String, _ offset: UInt64) -> Void) {
    var pending = [Place(node: 0, name: [])]
    var seen: Set<Int> = []
    while let place = pending.popLast(), room > 0 {
      guard place.node < bytes.count, seen.insert(place.node).inserted else { continue }
      var cursor = ByteCursor(bytes, at: place.node, end: bytes.count)
      let size = cursor.uleb()
      let children = cursor.offset &+ Int(clamping: min(size, UInt64(cursor.remaining)))
      if size > 0, let offset = Self.offset(&cursor) {
        body(String(decoding: place.name, as: UTF8.self), offset)
      }
      cursor.move(to: children)
      for _ in 0..<cursor.byte() {
        guard let child = edge(&cursor, from: place.name) else { break }
        pending.append(child)
      }
    }
  }

  private mutating func edge(_ cursor: inout ByteCursor, from name: [UInt8]) -> Place? {
    let start = cursor.offset
    var text = ByteCursor(bytes, at: start, end: start + Self.longestName - name.count + 1)
    text.skipString()
    let length = text.offset - start - 1
    room -= name.count + length + 1
    guard length >= 0, bytes.byte(at: start + length) == 0 else { return nil }
    cursor.move(to: text.offset)
    let node = Int(clamping: cursor.uleb())
    return Place(node: node, name: name + bytes.bytes(at: start, count: length))
  }

  /// Where the code of an export is; nil for another image's (`REEXPORT`) and for an absolute number.
  private static func offset(_ cursor: inout ByteCursor) -> UInt64? {
    let flags = cursor.uleb()
    return flags & 0x8 != 0 || flags & 0x3 == 2 ? nil : cursor.uleb()
  }
}
