internal import CrashReadCore
internal import CrashReadSystem

/// The functions of libarchive that are used here (`archive.h`, `archive_entry.h`).
///
/// Only readers that work inside this process, on the archive alone, are enabled: libarchive has others that start
/// programs (lrzip, grzip, lzop) or open files named by an entry (mtree).
@safe
struct LibArchive: Sendable {
  typealias Handle = UnsafeMutableRawPointer
  typealias Step = @convention(c) @Sendable (Handle?) -> Int32
  typealias Text = @convention(c) @Sendable (Handle?) -> UnsafePointer<CChar>?

  /// The results of functions that can fail.
  enum Status {
    static let end: Int32 = 1
    static let ok: Int32 = 0
    static let warning: Int32 = -20
    static let failed: Int32 = -25
  }

  /// `AE_IFREG` of `archive_entry_filetype`.
  static let regularFile: UInt32 = 0o100000
  /// `ARCHIVE_FORMAT_BASE_MASK` and `ARCHIVE_FORMAT_TAR` of `archive_format`.
  static let (formatMask, tarFormat): (Int32, Int32) = (0xff0000, 0x30000)

  let new: @convention(c) @Sendable () -> Handle?
  let free: Step
  /// Functions that enable formats and compressions.
  let (zipByDirectory, zipByStream, tar, ar, raw): (Step, Step, Step, Step, Step)
  let compressions: [Step]
  let open: @convention(c) @Sendable (Handle?, Int32, Int) -> Int32
  let openMemory: @convention(c) @Sendable (Handle?, UnsafeRawPointer?, Int) -> Int32
  let next: @convention(c) @Sendable (Handle?, UnsafeMutablePointer<Handle?>?) -> Int32
  let read: @convention(c) @Sendable (Handle?, UnsafeMutableRawPointer?, Int) -> Int
  let format: Step
  let filterCount: Step
  let message: Text
  let (path, pathInUTF8): (Text, Text)
  let fileType: @convention(c) @Sendable (Handle?) -> UInt32
  let size: @convention(c) @Sendable (Handle?) -> Int64
  let isSizeKnown: Step

  /// Opened on first use.
  static let shared = Result { () throws(MissingLibrary) in try LibArchive() }

  /// The library.
  /// - Throws: `ArchiveError` when it is missing.
  static func loaded() throws(ArchiveError) -> LibArchive {
    switch shared {
    case .success(let found): return found
    case .failure(let missing): throw ArchiveError(message: missing.description, extent: .archive)
    }
  }

  private init() throws(MissingLibrary) {
    let library = try RuntimeLibrary("libarchive.so.13", package: "libarchive13")
    unsafe new = try library.function("archive_read_new")
    unsafe free = try library.function("archive_read_free")
    let formats = "archive_read_support_format_"
    unsafe zipByDirectory = try library.function(formats + "zip_seekable")
    unsafe zipByStream = try library.function(formats + "zip_streamable")
    unsafe tar = try library.function(formats + "tar")
    unsafe ar = try library.function(formats + "ar")
    unsafe raw = try library.function(formats + "raw")
    let filters = "archive_read_support_filter_"
    unsafe compressions = [
      try library.function(filters + "gzip"), try library.function(filters + "bzip2"),
      try library.function(filters + "xz"), try library.function(filters + "zstd"),
    ]
    unsafe open = try library.function("archive_read_open_fd")
    unsafe openMemory = try library.function("archive_read_open_memory")
    unsafe next = try library.function("archive_read_next_header")
    unsafe read = try library.function("archive_read_data")
    unsafe format = try library.function("archive_format")
    unsafe filterCount = try library.function("archive_filter_count")
    unsafe message = try library.function("archive_error_string")
    unsafe path = try library.function("archive_entry_pathname")
    unsafe pathInUTF8 = try library.function("archive_entry_pathname_utf8")
    unsafe fileType = try library.function("archive_entry_filetype")
    unsafe size = try library.function("archive_entry_size")
    unsafe isSizeKnown = try library.function("archive_entry_size_is_set")
  }
}
