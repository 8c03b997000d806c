internal import CrashReadCore
internal import CrashReadSystem

/// How an archive is read.
enum ArchiveKind: Equatable {
  /// A zip file whose central directory is read.
  case zipWithDirectory
  /// A zip file that is read from its start: it is truncated, or its directory is too large for memory.
  case zip
  /// A tar file, or anything compressed by gzip, bzip2, xz or zstd.
  case stream
  /// An ar file (a Debian package). Not inside another compression: libarchive keeps its name table, of up to 1 GB, in
  /// memory.
  case ar
  /// A stream compressed by one of these, treated as a single file whatever it contains.
  case compressed

  /// The number of bytes from the start that suffice to recognise every kind.
  static let headSize = 262

  /// Recognises archives by their first bytes.
  ///
  /// - Returns: Nil when it isn't an archive; `zip` for every zip file.
  init?(head: some RandomAccessCollection<UInt8>) {
    if Self.zipStarts.contains(where: { head.starts(with: $0) }) {
      self = .zip
    } else if head.starts(with: "!<arch>\n".utf8) {
      self = .ar
    } else if Self.streamStarts.contains(where: { head.starts(with: $0) })
      || head.dropFirst(257).starts(with: "ustar".utf8)
    {
      self = .stream
    } else {
      return nil
    }
  }

  /// The local file header `PK\3\4`, and the first bytes of empty and spanned archives.
  private static let zipStarts: [[UInt8]] = [
    [0x50, 0x4b, 3, 4], [0x50, 0x4b, 5, 6], [0x50, 0x4b, 7, 8, 0x50, 0x4b, 3, 4],
  ]

  /// gzip (RFC 1952), bzip2, xz, zstd (RFC 8878).
  private static let streamStarts: [[UInt8]] = [
    [0x1f, 0x8b, 8], Array("BZh".utf8), [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0], [0x28, 0xb5, 0x2f, 0xfd],
  ]

  /// How to read a file; nil when it is no archive or can't be read.
  init?(path: String) {
    guard let head = try? readHead(path, count: Self.headSize), let kind = ArchiveKind(head: head) else {
      return nil
    }
    let hasDirectory = kind == .zip && (try? MappedFile(path: path))?.withBytes(hasSmallDirectory) ?? false
    self = hasDirectory ? .zipWithDirectory : kind
  }
}

/// Whether a file begins like an archive that may contain debug files; false when it can't be read.
package func isArchive(_ path: String) -> Bool { ArchiveKind(path: path) != nil }

/// Whether a file has the name of an archive that may contain debug files: in directories full of other files, only
/// these are examined.
package func isNamedAsArchive(_ path: String) -> Bool {
  let name = path.lowercased()
  return archiveEndings.contains { name.hasSuffix($0) }
}

private let archiveEndings = [
  ".zip", ".tar", ".tgz", ".tbz", ".tbz2", ".txz", ".tar.gz", ".tar.bz2", ".tar.xz", ".tar.zst", ".tzst",
  ".deb", ".ddeb",
]

/// Whether a zip file ends with a directory small enough for libarchive to read it into memory, which takes about six
/// times its size.
///
/// The end-of-central-directory record (APPNOTE.TXT 4.3.16) is searched for backwards from the file's end. libarchive
/// may accept another one, or locate the directory by the record's other fields, so all of them must be right.
private func hasSmallDirectory(_ bytes: Span<UInt8>) -> Bool {
  let maximumDirectorySize = 32 << 20
  var isFound = false
  // The record is followed by a comment of at most 65535 bytes.
  for offset in stride(from: bytes.count - 22, through: max(0, bytes.count - 22 - 0xffff), by: -1)
  where isInteger(0x0605_4b50, bytes, at: offset) {
    isFound = true
    guard let starts = try? directoryStarts(bytes, endRecord: offset),
      starts.allSatisfy({ $0 >= UInt64(max(0, bytes.count - maximumDirectorySize)) })
    else { return false }
  }
  return isFound
}

/// Every offset at which the directory may begin, according to the end record and to that of Zip64.
private func directoryStarts(_ bytes: Span<UInt8>, endRecord: Int) throws(TruncationError) -> [UInt64] {
  let elsewhere: UInt32 = 0xffff_ffff  // the value is in the Zip64 record
  let size = try bytes.integer(UInt32.self, at: endRecord + 12)
  let start = try bytes.integer(UInt32.self, at: endRecord + 16)
  var starts: [UInt64] = []
  if start != elsewhere { starts.append(UInt64(start)) }
  if size != elsewhere { starts.append(UInt64(max(0, endRecord - Int(size)))) }
  if isInteger(0x0706_4b50, bytes, at: endRecord - 20) {  // the locator (4.3.15) of the Zip64 record (4.3.14)
    let record = try bytes.integer(UInt64.self, at: endRecord - 12)
    starts.append(record)
    starts.append(
      try bytes.integer(UInt64.self, at: Int(clamping: record.addingReportingOverflow(48).partialValue)))
  }
  return starts
}

private func isInteger(_ value: UInt32, _ bytes: Span<UInt8>, at offset: Int) -> Bool {
  (try? bytes.integer(UInt32.self, at: offset)) == value
}

/// What an archive is opened for, which decides which files are extracted.
package enum ArchivePurpose: Sendable {
  case symbols, reports

  /// Whether a file is extracted, judged by its name and its first bytes.
  func wants(_ name: String, _ head: ArraySlice<UInt8>) -> Bool {
    switch self {
    case .symbols: isForSymbols(name, head)
    case .reports: isForReports(name, head)
    }
  }
}

/// Whether it is a binary, another file of a dSYM, or a map of names hidden by Apple's bitcode compiler.
private func isForSymbols(_ name: String, _ head: ArraySlice<UInt8>) -> Bool {
  isBinary(head) || name.hasSuffix(".bcsymbolmap") || name.hasSuffix(".plist") && name.contains(".dSYM/")
}

/// Whether it is an object of a result bundle, text, or one of PLCrashReporter's files. From a sysdiagnose, only files
/// named as reports are extracted; the rest is thousands of lists.
private func isForReports(_ name: String, _ head: ArraySlice<UInt8>) -> Bool {
  let parts = name.split(separator: "/")
  guard let last = parts.last, !parts.contains(where: { $0.hasPrefix("._") || $0 == "__MACOSX" }) else {
    return false
  }
  if parts.dropLast().last == "Data", last.hasPrefix("data.") || last.hasPrefix("refs.") { return true }
  if parts.contains(where: { $0.hasPrefix("sysdiagnose_") }) {
    return parts.contains { ["crashes_and_spins", "Panics"].contains($0) } && isText(head)
  }
  if parts.contains(where: { $0.hasSuffix(".logarchive") || $0.hasSuffix(".dSYM") }) { return false }
  return head.starts(with: "plcrash".utf8) || isText(head)
}

/// Whether bytes can begin a text: they contain no NUL, unless they start with the byte order mark of UTF-16.
private func isText(_ head: ArraySlice<UInt8>) -> Bool {
  guard !head.starts(with: "bplist".utf8) else { return false }
  return !head.prefix(512).contains(0) || head.starts(with: [0xff, 0xfe]) || head.starts(with: [0xfe, 0xff])
}
