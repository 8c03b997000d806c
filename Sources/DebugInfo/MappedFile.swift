internal import BinaryIdentity
internal import Glibc

/// Owns a private mapping of a whole file, with room for a head in front of it.
///
/// The corresponding C function is `mmap`. Head and file are adjacent in memory, so a header written into the head can
/// point at the file's bytes by offset. The file's pages are writable, because libelf writes into the section headers
/// of what `elf_memory` is given (it clears `SHF_COMPRESSED`); what it writes stays in this process.
@safe
struct MappedFile: ~Copyable {
  /// Bytes of the head; a multiple of the page size, or 0.
  let headSize: Int
  /// Bytes of the file.
  let fileSize: Int
  private let base: UnsafeMutableRawPointer
  /// Its entry in the `MappingTable`; nil when that is full.
  private let slot: Int?
  /// What the path named when it was opened; nil for one that was opened by descriptor.
  private let origin: (path: String, state: FileState)?

  /// Maps a regular file.
  /// - Throws: `DebugFileError` when the path isn't a regular file with bytes in it, or can't be read.
  init(path: String, headSize: Int = 0) throws(DebugFileError) {
    let descriptor = try openRegularFile(path)
    defer { close(descriptor) }
    try self.init(descriptor: descriptor, path: path, headSize: headSize)
  }

  /// Maps a regular file that is open for reading.
  /// - Throws: `DebugFileError` when it isn't a regular file with bytes in it, or can't be mapped.
  init(descriptor: Int32, path: String? = nil, headSize: Int = 0) throws(DebugFileError) {
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system(operation: "fstat", code: errno) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    guard status.st_size > 0 else { throw .empty }

    let fileSize = Int(status.st_size)
    unsafe base = try map(descriptor, size: fileSize, behind: headSize)
    self.headSize = headSize
    self.fileSize = fileSize
    unsafe slot = MappingTable.add(UnsafeMutableRawBufferPointer(start: base, count: headSize + fileSize))
    origin = path.map { ($0, FileState(status)) }
  }

  deinit {
    if let slot { MappingTable.remove(slot) }
    unsafe munmap(base, headSize + fileSize)
  }

  /// Whether bytes that were read are missing from the file by now and were zeros; only with `MappingGuard` installed.
  var isCut: Bool { slot.map(MappingTable.isCut) ?? false }

  /// Whether the file was cut or written to since it was mapped. One that another has replaced at its path is still
  /// itself, and so is one that was removed.
  var isChanged: Bool {
    if isCut { return true }
    guard let origin else { return false }
    var status = stat()
    guard unsafe stat(origin.path, &status) == 0 else { return false }
    let state = FileState(status)
    return state.isSameFile(as: origin.state) && state != origin.state
  }

  /// Lends the file's bytes.
  func withBytes<Result, Failure: Error>(
    _ body: (Span<UInt8>) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let bytes = unsafe UnsafeRawBufferPointer(start: base + headSize, count: fileSize)
    return try unsafe body(bytes.bindMemory(to: UInt8.self).span)
  }

  /// The file's bytes. Valid as long as this value lives.
  var view: ByteView {
    unsafe ByteView(UnsafeRawBufferPointer(start: base + headSize, count: fileSize))
  }

  /// Copies bytes to the start of the head; they must fit in it.
  func writeHead(_ bytes: [UInt8]) {
    precondition(bytes.count <= headSize, "the head is too small")
    unsafe base.copyMemory(from: bytes, byteCount: bytes.count)
  }

  /// The head and the file as one block, for libelf. Valid as long as this value lives.
  var block: UnsafeMutableRawBufferPointer {
    unsafe UnsafeMutableRawBufferPointer(start: base, count: headSize + fileSize)
  }
}

/// Maps a file behind a head of zeros.
private func map(
  _ descriptor: Int32, size: Int, behind headSize: Int
) throws(DebugFileError) -> UnsafeMutableRawPointer {
  let protection = PROT_READ | PROT_WRITE
  let flags = MAP_PRIVATE | MAP_NORESERVE
  // Reserve both parts at once, then put the file over the second.
  let isFile = headSize == 0
  let whole = unsafe mmap(
    nil, headSize + size, protection, isFile ? flags : flags | MAP_ANONYMOUS, isFile ? descriptor : -1, 0)
  guard let base = unsafe whole, unsafe base != MAP_FAILED else {
    throw .system(operation: "mmap", code: errno)
  }
  guard !isFile else { return unsafe base }
  let file = unsafe mmap(base + headSize, size, protection, flags | MAP_FIXED, descriptor, 0)
  guard unsafe file != MAP_FAILED else {
    let code = errno
    unsafe munmap(base, headSize + size)
    throw .system(operation: "mmap", code: code)
  }
  return unsafe base
}

/// What tells one state of a file from another, without reading it.
private struct FileState: Equatable {
  private let device: UInt64
  private let inode: UInt64
  private let size: Int64
  private let seconds: Int
  private let nanoseconds: Int

  init(_ status: stat) {
    device = UInt64(status.st_dev)
    inode = UInt64(status.st_ino)
    size = Int64(status.st_size)
    seconds = status.st_mtim.tv_sec
    nanoseconds = status.st_mtim.tv_nsec
  }

  func isSameFile(as other: FileState) -> Bool { device == other.device && inode == other.inode }
}
