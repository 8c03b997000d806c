/// The exported names of a Mach-O image, stored as a trie (`mach-o/loader.h`, `EXPORT_SYMBOL_FLAGS_…`).
///
/// A node has the export of the name that leads to it, and edges with suffixes and the offsets of child nodes.
struct ExportTrie {
  private let bytes: ByteView
  /// The number of bytes of names that may be examined: real images have a few megabytes.
  private var room = 64 << 20
  private static let maximumNameLength = 4096

  init(_ bytes: ByteView) { self.bytes = bytes }

  private struct PendingNode {
    var node: Int
    var name: [UInt8]
  }

  /// Calls `body` with each name and its offset from the image's start; re-exports are omitted.
  ///
  /// Each node is visited once, so that cycles end.
  mutating func forEachExport(_ body: (_ name: String, _ offset: UInt64) -> Void) {
    var pending = [PendingNode(node: 0, name: [])]
    var seen: Set<Int> = []
    while let next = pending.popLast(), room > 0 {
      guard next.node < bytes.count, seen.insert(next.node).inserted else { continue }
      var cursor = ByteCursor(bytes, at: next.node, end: bytes.count)
      let size = cursor.uleb()
      let children = cursor.offset &+ Int(clamping: min(size, UInt64(cursor.remaining)))
      if size > 0, let offset = Self.offset(&cursor) {
        body(String(decoding: next.name, as: UTF8.self), offset)
      }
      cursor.move(to: children)
      for _ in 0..<cursor.byte() {
        guard let child = edge(&cursor, from: next.name) else { break }
        pending.append(child)
      }
    }
  }

  private mutating func edge(_ cursor: inout ByteCursor, from name: [UInt8]) -> PendingNode? {
    let start = cursor.offset
    var text = ByteCursor(bytes, at: start, end: start + Self.maximumNameLength - name.count + 1)
    text.skipString()
    let length = text.offset - start - 1
    room -= name.count + length + 1
    guard length >= 0, bytes.byte(at: start + length) == 0 else { return nil }
    cursor.move(to: text.offset)
    let node = Int(clamping: cursor.uleb())
    return PendingNode(node: node, name: name + bytes.bytes(at: start, count: length))
  }

  /// The offset of an export's code; nil for a re-export (`REEXPORT`) and for an absolute value.
  private static func offset(_ cursor: inout ByteCursor) -> UInt64? {
    let flags = cursor.uleb()
    return flags & 0x8 != 0 || flags & 0x3 == 2 ? nil : cursor.uleb()
  }
}
