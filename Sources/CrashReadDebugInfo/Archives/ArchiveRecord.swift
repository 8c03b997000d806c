internal import CrashReadSystem

/// Identifies an archive, its state, and the limit: equal if path, device, inode, size, times and limit are.
struct ArchiveIdentity: Equatable {
  /// All of these as text.
  let text: String
  /// The size of the archive in bytes.
  let size: Int

  /// The version of the format of extracted directories.
  private static let form = 3

  /// The identity of the archive at a path.
  /// - Returns: Nil when the path can't be reached.
  init?(_ path: String, _ limits: ArchiveLimits) {
    guard let status = try? FileStatus(path) else { return nil }
    size = Int(clamping: status.size)
    let numbers: [any BinaryInteger] = [
      Self.form, status.id.device, status.id.inode, status.size, status.written, status.changed, limits.bytes,
    ]
    text = numbers.map { "\($0)" }.joined(separator: " ") + " " + canonicalPath(path)
  }

  /// A name for the directory. Two archives may share it; the record distinguishes them.
  var directoryName: String {
    let sum = unsafe Array(text.utf8).withUnsafeBytes { unsafe checksum($0) }
    return String(sum, radix: 16) + CachedArchives.suffix
  }
}

/// The list of the files extracted from an archive, stored beside them.
struct ArchiveRecord {
  var identity: String
  var files: [ArchiveExtraction.File]
  var problems: [ArchiveProblem]

  static let name = "record"
  private static let maximumSize = 1 << 28

  /// The size of all files in bytes.
  var size: Int { files.reduce(0) { $0 &+ $1.size } }

  /// Null-terminated texts, since names can contain any other byte.
  var bytes: [UInt8] {
    var texts = [identity, String(files.count)]
    for file in files { texts += [String(file.size), file.path] }
    for problem in problems { texts += [problem.entry, problem.message] }
    return texts.flatMap { Array($0.utf8) + [0] }
  }

  init(identity: ArchiveIdentity, _ extraction: ArchiveExtraction) {
    self.identity = identity.text
    files = extraction.files
    problems = extraction.problems
  }

  /// Reads the record of a directory; nil when there is no valid one.
  init?(of directory: String) {
    guard let bytes = try? readFile(directory + "/" + Self.name, limit: Self.maximumSize), bytes.last == 0
    else { return nil }
    let texts = bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false).map {
      String(decoding: $0, as: UTF8.self)
    }
    guard texts.count >= 2, let count = Int(texts[1]), count >= 0, count <= (texts.count - 2) / 2,
      texts.count % 2 == 0
    else { return nil }
    identity = texts[0]
    files = []
    problems = []
    for index in stride(from: 2, to: texts.count, by: 2) {
      if files.count < count {
        guard let size = Int(texts[index]), size >= 0 else { return nil }
        files.append(.init(path: texts[index + 1], size: size))
      } else {
        problems.append(ArchiveProblem(entry: texts[index], message: texts[index + 1]))
      }
    }
  }

  /// Whether every file still exists with its recorded size.
  func isWhole(in directory: String) -> Bool {
    files.allSatisfy {
      let status = try? FileStatus.ofLink(directory + "/files/" + $0.path)
      return status?.kind == .file && status?.size == UInt64($0.size)
    }
  }
}
