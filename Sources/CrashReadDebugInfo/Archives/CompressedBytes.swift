/// Expands a compressed stream (gzip, bzip2, xz, zstd); other bytes are returned unchanged.
///
/// - Parameters:
///   - bytes: The whole stream.
///   - limit: The maximum size of the expanded bytes.
///   - budget: The bytes that several streams may expand to in total, including those of damaged ones.
/// - Returns: The expanded bytes. Those of an archive are the archive itself.
/// - Throws: `DebugFileError` when the stream is damaged or truncated, expands to more, or libarchive is missing.
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
  // The number of bytes that libarchive expanded before it found the damage is unknown: the whole buffer is charged.
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

/// Whether bytes begin like a compressed stream.
package func isCompressed(_ bytes: [UInt8]) -> Bool {
  ArchiveKind(head: bytes.prefix(6)) == .stream
}

/// Whether bytes begin like an archive or a compressed stream.
package func isArchive(_ bytes: [UInt8]) -> Bool {
  ArchiveKind(head: bytes.prefix(ArchiveKind.headSize)) != nil
}
