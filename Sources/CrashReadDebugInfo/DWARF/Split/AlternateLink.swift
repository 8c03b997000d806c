internal import CrashReadCore
internal import CrashReadSystem

/// Identifies the file to which dwz moved what several debug files have in common.
struct AlternateLink: Sendable, Hashable {
  /// The path, absolute or relative to the debug file's directory.
  var path: String
  /// The file's build-id.
  var id: ImageID

  /// Reads `.gnu_debugaltlink`: a path, a zero byte, a build-id. Nil when it is damaged.
  init?(altlink bytes: Span<UInt8>, at start: Int, length: Int) {
    guard let path = try? bytes.string(at: start, maximum: min(length, 4096)) else { return nil }
    let id = start + path.utf8.count + 1
    self.init(path: path, id: try? bytes.bytes(at: id, length: start + length - id))
  }

  /// Reads `.debug_sup` (DWARF 5, section 7.3.6); the path is empty in the target of the link. Nil when it is damaged.
  init?(supplement bytes: Span<UInt8>, at start: Int, length: Int) {
    guard (try? bytes.integer(UInt16.self, at: start)) == 5,
      let isSupplement = try? bytes.integer(UInt8.self, at: start + 2),
      let path = try? bytes.string(at: start + 3, maximum: min(length, 4096))
    else { return nil }
    let size = start + 3 + path.utf8.count + 1
    // An LEB128 number of one byte, unless the checksum has 128 bytes or more.
    guard let count = try? bytes.integer(UInt8.self, at: size), count < 0x80 else { return nil }
    self.init(path: isSupplement == 1 ? "" : path, id: try? bytes.bytes(at: size + 1, length: Int(count)))
  }

  private init?(path: String, id: [UInt8]?) {
    guard let id = id.flatMap({ ImageID(bytes: $0) }) else { return nil }
    self.path = path
    self.id = id
  }

  /// The possible paths of the file, for a debug file: where dwz wrote it, and where distributions install it.
  func candidates(for debugFile: String) -> [String] {
    if path.hasPrefix("/") { return [path] }
    let name = path.split(separator: "/").last.map(String.init) ?? path
    return [directory(of: canonicalPath(debugFile)) + path, "/usr/lib/debug/.dwz/" + name]
  }

  /// Opens the file at the first path that has it; otherwise notes the problem with the first path that has a file of
  /// this name.
  func open(for debugFile: String, _ missing: inout [MissingPart]) -> AlternateFile? {
    missing.firstUsable(of: candidates(for: debugFile), beside: debugFile, for: .alternate, open)
  }

  private func open(_ candidate: String) throws(DebugFileError) -> AlternateFile {
    let slices = try BinarySlice.all(in: candidate)
    guard let slice = slices.first(where: { $0.id == id || $0.supplementID == id }) else {
      throw .wrongIdentity(expected: id, found: slices.compactMap(\.id))
    }
    return AlternateFile(try DwarfHandle(MappedFile.debugFile(candidate), slice: slice))
  }
}

/// The open file that an `AlternateLink` refers to.
final class AlternateFile {
  let handle: DwarfHandle

  init(_ handle: consuming DwarfHandle) { self.handle = handle }
}
