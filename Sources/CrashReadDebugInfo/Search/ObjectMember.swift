internal import CrashReadCore
internal import CrashReadSystem

/// The bytes of an object file: a file of its own, or a member of a static library.
struct ObjectMember {
  let file: String
  let slice: BinarySlice

  /// Finds the file that a debug map refers to: `main.o`, or `libShelf.a(shelf.o)`.
  /// - Throws: `DebugFileError` when it is missing, its time isn't the recorded one, or it can't be read.
  init(_ object: DebugMap.Object, at path: String, _ architecture: Architecture?) throws(DebugFileError) {
    if path.hasSuffix(")"), let parenthesis = path.lastIndex(of: "(") {
      file = String(path[..<parenthesis])
      let member = path[path.index(after: parenthesis)...].dropLast()
      slice = try Self.member(String(member), of: file, time: object.time)
    } else {
      file = path
      if object.time != 0 { try Self.check(object.time, try modificationTime(file)) }
      let slices = try BinarySlice.all(in: file)
      guard let fitting = slices.first(where: { $0.architecture == architecture }) else {
        throw .otherBuild("it is for another CPU")
      }
      slice = fitting
    }
  }

  private static func check(_ wanted: UInt64, _ found: UInt64) throws(DebugFileError) {
    guard wanted == found else {
      throw .otherBuild(
        "its modification time is \(found), and the linker recorded \(wanted) (seconds since 1970)")
    }
  }

  private static func member(
    _ name: String, of path: String, time: UInt64
  ) throws(DebugFileError) -> BinarySlice {
    let archive = try MappedFile.debugFile(path)
    guard let members = StaticArchive(archive.view)?.members else {
      throw .unsupported("an archive of this kind")
    }
    let named = members.filter { $0.name == name }
    guard let first = named.first else { throw .otherBuild("it has no \(name)") }
    let fitting = named.filter { time == 0 || $0.time == time }
    if fitting.isEmpty { try check(time, first.time) }
    // Members with the same name and time can't be distinguished.
    guard fitting.count == 1 else { throw .unsupported("an archive with several \(name)") }
    return try archive.withBytes { (bytes) throws(DebugFileError) in
      do throws(TruncationError) {
        return try readMachO(bytes, at: fitting[0].offset)
      } catch {
        throw .damaged("a header is truncated or inconsistent", at: error.offset)
      }
    }
  }
}

/// When a file was last changed, in seconds since 1970.
private func modificationTime(_ path: String) throws(DebugFileError) -> UInt64 {
  let status = try DebugFileError.wrap { () throws(SystemError) in try FileStatus(path) }
  return UInt64(max(0, status.written) / 1_000_000_000)
}
