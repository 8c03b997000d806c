/// The bytes that a compressed stream (gzip, bzip2, xz, zstd) stands for; others are returned as they are.
///
/// - Parameters:
///   - bytes: All of the stream.
///   - limit: How many bytes it may expand to.
///   - budget: How many bytes several streams together may; what was expanded in vain counts, too.
/// - Returns: The expanded bytes. Of an archive they are the archive's, unread.
/// - Throws: `DebugFileError` when the stream is damaged or cut, expands to more, or libarchive isn't there.
package func expanded(
  _ bytes: [UInt8], limit: Int, spending budget: inout Int
) throws(DebugFileError) -> [UInt8] {
  let limit = min(limit, budget)
  guard isCompressed(bytes) else {
    budget -= bytes.count
    return bytes
  }
  let result = unsafe bytes.withUnsafeBytes { stream in
    Result { () throws(ArchiveError) in unsafe try expand(stream, limit, &budget) }
  }
  do throws(ArchiveError) { return try result.get() } catch {
    throw .unsupported("the compressed data: \(error.message)")
  }
}

private func expand(
  _ stream: UnsafeRawBufferPointer, _ limit: Int, _ budget: inout Int
) throws(ArchiveError) -> [UInt8] {
  var buffer = [UInt8](repeating: 0, count: 1 << 16)
  // What libarchive expands before it finds damage isn't told, and has its cost.
  budget -= buffer.count
  var reader = try unsafe ArchiveReader.open(compressed: stream)
  guard try reader.next() != nil else { return [] }
  var result: [UInt8] = []
  while case let count = try reader.read(into: &buffer), count > 0 {
    budget -= count
    guard count <= limit - result.count else {
      throw ArchiveError(message: "it expands to more than \(limit) bytes", extent: .everything)
    }
    result += buffer[..<count]
  }
  budget += buffer.count
  return result
}

/// Whether bytes begin as a compressed stream does.
package func isCompressed(_ bytes: [UInt8]) -> Bool {
  ArchiveKind(head: bytes.prefix(6)) == .stream
}

/// Whether bytes begin as an archive does, or as a compressed stream.
package func isArchive(_ bytes: [UInt8]) -> Bool {
  ArchiveKind(head: bytes.prefix(ArchiveKind.headSize)) != nil
}
