internal import Glibc

/// Owns a private mapping of a whole file, with room for a header in front of it.
///
/// The C function is `mmap`. Header and file are adjacent in memory, so that a header written there can refer to the
/// file's bytes by offset. The file's pages are writable, because libelf writes into the section headers of what
/// `elf_memory` is given (it clears `SHF_COMPRESSED`); the writes stay in this process.
@safe
package struct MappedFile: ~Copyable {
  /// The size of the header in bytes; a multiple of the page size, or 0.
  package let headSize: Int
  /// The size of the file in bytes.
  package let fileSize: Int
  private let base: UnsafeMutableRawPointer
  /// Its slot in the `MappingTable`; nil when the table is full.
  private let slot: Int?
  /// The status of the path when it was opened; nil for a file that was opened by descriptor.
  private let origin: (path: String, status: FileStatus)?

  /// Maps a regular file.
  /// - Throws: `SystemError` when the path isn't a regular file with contents, or can't be read.
  package init(path: String, headSize: Int = 0) throws(SystemError) {
    let descriptor = try openRegularFile(path)
    defer { close(descriptor) }
    try self.init(descriptor: descriptor, path: path, headSize: headSize)
  }

  /// Maps a regular file that is open for reading.
  /// - Throws: `SystemError` when it isn't a regular file with bytes in it, or can't be mapped.
  package init(descriptor: Int32, path: String? = nil, headSize: Int = 0) throws(SystemError) {
    let status = try FileStatus(descriptor: descriptor)
    guard status.kind == .file else { throw .notAFile }
    guard status.size > 0 else { throw .empty }

    let fileSize = Int(status.size)
    unsafe base = try map(descriptor, size: fileSize, after: headSize)
    self.headSize = headSize
    self.fileSize = fileSize
    unsafe slot = MappingTable.add(UnsafeMutableRawBufferPointer(start: base, count: headSize + fileSize))
    origin = path.map { ($0, status) }
  }

  deinit {
    if let slot { MappingTable.remove(slot) }
    unsafe munmap(base, headSize + fileSize)
  }

  /// Whether bytes that were read are missing from the file by now and read as zeros; only with `MappingGuard`
  /// installed.
  package var isTruncated: Bool { slot.map(MappingTable.isTruncated) ?? false }

  /// Whether the file was truncated or written to since it was mapped. A file that was replaced at its path, or
  /// removed, is still unchanged.
  package var isChanged: Bool {
    if isTruncated { return true }
    guard let origin, let now = try? FileStatus(origin.path), now.id == origin.status.id else { return false }
    return (now.size, now.written) != (origin.status.size, origin.status.written)
  }

  /// Calls a function with the file's bytes, which are valid only during the call.
  package func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = unsafe UnsafeRawBufferPointer(start: base + headSize, count: fileSize)
    return try unsafe body(bytes.bindMemory(to: UInt8.self).span)
  }

  /// Copies bytes to the start of the header; they must fit.
  package func writeHead(_ bytes: [UInt8]) {
    precondition(bytes.count <= headSize, "the head is too small")
    unsafe base.copyMemory(from: bytes, byteCount: bytes.count)
  }

  /// The header and the file as one block, for libelf. Valid as long as this value lives.
  package var block: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(start: base, count: headSize + fileSize)
  }
}

/// Maps a file after a header of zeros.
private func map(
  _ descriptor: Int32, size: Int, after headSize: Int
) throws(SystemError) -> UnsafeMutableRawPointer {
  let protection = PROT_READ | PROT_WRITE
  let flags = MAP_PRIVATE | MAP_NORESERVE
  // Reserves both parts at once, then maps the file over the second.
  let isFile = headSize == 0
  let whole = unsafe mmap(
    nil, headSize + size, protection, isFile ? flags : flags | MAP_ANONYMOUS, isFile ? descriptor : -1, 0)
  guard let base = unsafe whole, unsafe base != MAP_FAILED else {
    throw .last("mmap")
  }
  guard !isFile else { return unsafe base }
  let file = unsafe mmap(base + headSize, size, protection, flags | MAP_FIXED, descriptor, 0)
  guard unsafe file != MAP_FAILED else {
    let code = errno
    unsafe munmap(base, headSize + size)
    throw .failed("mmap", code: code)
  }
  return unsafe base
}
