internal import CrashReadCore
internal import CrashReadSystem
internal import Glibc

/// Why an archive, or one entry of it, can't be read.
struct ArchiveError: Error {
  /// How much can't be read.
  enum Extent {
    case entry, archive
    /// The archive, and those that contain it.
    case everything
  }
  var message: String
  var extent: Extent
}

/// Reads an archive's entries sequentially, through libarchive.
///
/// The C functions are those of `archive_read(3)`.
@safe
struct ArchiveReader: ~Copyable {
  /// An entry as the archive describes it. None of this can be trusted.
  struct Entry {
    /// Its path; nil when it can't be read.
    var path: String?
    /// Whether it is a regular file.
    var isFile: Bool
    /// The size that the archive states; nil when there is none.
    var size: Int?
  }

  private let library: LibArchive
  private let handle: LibArchive.Handle
  /// The open file; nil when the bytes are in memory.
  private let file: OwnedDescriptor?
  private let kind: ArchiveKind
  /// Whether the last call reported the end, or a fatal error.
  private var isAtEnd: Bool

  private init(
    _ library: LibArchive, _ handle: LibArchive.Handle, _ file: consuming OwnedDescriptor?,
    _ kind: ArchiveKind
  ) {
    self.library = library
    unsafe self.handle = handle
    self.file = file
    self.kind = kind
    isAtEnd = false
  }

  /// Opens a compressed stream, which has a single entry. The bytes must stay valid while it is read.
  /// - Throws: `ArchiveError` when libarchive is missing, or the bytes aren't such a stream.
  static func open(compressed bytes: UnsafeRawBufferPointer) throws(ArchiveError) -> ArchiveReader {
    let library = try LibArchive.loaded()
    guard let handle = unsafe library.new() else {
      throw ArchiveError(message: outOfMemoryMessage, extent: .archive)
    }
    let reader = unsafe ArchiveReader(library, handle, nil, .compressed)
    try reader.start { unsafe library.openMemory(handle, bytes.baseAddress, bytes.count) }
    return reader
  }

  /// Opens an archive.
  /// - Throws: `ArchiveError` when libarchive is missing, or the file can't be opened.
  static func open(_ path: String, _ kind: ArchiveKind) throws(ArchiveError) -> ArchiveReader {
    let library = try LibArchive.loaded()
    let file: OwnedDescriptor
    do throws(SystemError) {
      file = try OwnedDescriptor(regularFile: path)
    } catch {
      throw ArchiveError(message: error.description, extent: .archive)
    }
    let descriptor = file.number
    guard let handle = unsafe library.new() else {
      throw ArchiveError(message: outOfMemoryMessage, extent: .archive)
    }
    let reader = unsafe ArchiveReader(library, handle, file, kind)
    try reader.start { unsafe library.open(handle, descriptor, 1 << 16) }
    return reader
  }

  private func start(_ open: () -> Int32) throws(ArchiveError) {
    switch kind {
    case .zipWithDirectory: _ = unsafe library.zipByDirectory(handle)
    case .zip: _ = unsafe library.zipByStream(handle)
    case .ar: _ = unsafe library.ar(handle)
    case .stream:
      _ = unsafe library.tar(handle)
      unsafe library.compressions.forEach { _ = unsafe $0(handle) }
    case .compressed:
      _ = unsafe library.raw(handle)
      unsafe library.compressions.forEach { _ = unsafe $0(handle) }
    }
    guard open() == LibArchive.Status.ok else {
      throw ArchiveError(message: message, extent: .archive)
    }
  }

  deinit {
    unsafe _ = library.free(handle)
  }

  private var message: String { unsafe copiedString(library.message(handle)) ?? "it is damaged" }

  /// Advances to the next entry.
  /// - Returns: Nil after the last one.
  /// - Throws: `ArchiveError` when this entry, or all the rest, can't be read.
  mutating func next() throws(ArchiveError) -> Entry? {
    guard !isAtEnd else { return nil }
    var entry: LibArchive.Handle?
    let status = unsafe library.next(handle, &entry)
    switch status {
    case LibArchive.Status.end: return nil
    case LibArchive.Status.ok, LibArchive.Status.warning: break
    default:
      isAtEnd = status < LibArchive.Status.failed
      throw ArchiveError(message: message, extent: isAtEnd ? .archive : .entry)
    }
    let size = unsafe library.isSizeKnown(entry) != 0 ? Int(library.size(entry)) : nil
    return Entry(
      path: unsafe copiedString(library.pathInUTF8(entry)) ?? copiedString(library.path(entry)),
      isFile: unsafe library.fileType(entry) == LibArchive.regularFile, size: size)
  }

  /// Reads some of the entry's bytes into a buffer.
  /// - Returns: The number of bytes; 0 at the entry's end.
  /// - Throws: `ArchiveError` when they are damaged; the rest of this entry can't be read then.
  mutating func read(into buffer: inout [UInt8]) throws(ArchiveError) -> Int {
    let count = unsafe library.read(handle, &buffer, buffer.count)
    guard count < 0 else { return count }
    isAtEnd = count < Int(LibArchive.Status.failed)
    throw ArchiveError(message: message, extent: isAtEnd ? .archive : .entry)
  }

  /// Whether an entry can be skipped without reading it, because the offset of the next one is known.
  var skipsFreely: Bool {
    switch kind {
    case .zipWithDirectory: true
    case .zip, .ar, .compressed: false
    case .stream:
      unsafe library.filterCount(handle) <= 1
        && library.format(handle) & LibArchive.formatMask == LibArchive.tarFormat
    }
  }
}

/// Runs a closure in which names are UTF-8, whatever the locale.
///
/// libarchive converts names to the locale's character set, and the program runs in the locale "C", which only has
/// ASCII. The C function is `uselocale`, which affects this thread only.
func withUTF8Names<Result>(_ task: () -> Result) -> Result {
  let characterTypes: Int32 = 1  // LC_CTYPE_MASK, a macro that Swift can't import
  let locale = unsafe newlocale(characterTypes, "C.UTF-8", nil)
  guard let locale = unsafe locale else { return task() }
  let former = unsafe uselocale(locale)
  defer {
    _ = unsafe uselocale(former)
    unsafe freelocale(locale)
  }
  return task()
}
