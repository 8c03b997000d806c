internal import CrashReadSystem

/// A problem with an archive or an entry of it.
package struct ArchiveProblem: Sendable, Hashable {
  /// The entry's name, preceded by those of the archives that contain it; empty for the whole archive.
  package var entry: String
  /// What is wrong.
  package var message: String
}

/// Extracts the debug files of an archive, and of archives in it, to a directory.
///
/// Only regular files are written, as new files under validated names; links and devices are skipped. So nothing in the
/// directory refers outside of it.
struct ArchiveExtraction {
  /// A file that was written: its path below the directory, and its size.
  struct File: Equatable {
    var path: String
    var size: Int
  }

  /// A directory of the user's own; files are extracted to its subdirectory `files`.
  let workspace: String
  private(set) var files: [File] = []
  private(set) var problems: [ArchiveProblem] = []
  /// Whether binaries were skipped.
  private(set) var hasUnwantedBinaries = false
  private let purpose: ArchivePurpose
  private var budget: ArchiveBudget
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)
  /// The number of bytes that were extracted or examined.
  var expandedBytes: Int { budget.bytes }

  init(in workspace: String, limits: ArchiveLimits, archiveSize: Int, for purpose: ArchivePurpose) {
    self.workspace = workspace
    self.purpose = purpose
    budget = ArchiveBudget(limits, archiveSize: archiveSize)
  }

  /// Extracts the wanted files; failures are added to the problems.
  mutating func run(_ archive: String) {
    do throws(ArchiveError) {
      try open(archive, prefix: "", depth: 1)
    } catch {
      note("", error.message)
    }
  }

  private mutating func note(_ entry: String, _ message: String) {
    if problems.count < ArchiveLimits.problems { problems.append(.init(entry: entry, message: message)) }
  }

  /// Reads an archive and the archives in it.
  /// - Throws: `ArchiveError` when a limit is reached. Other failures are noted.
  private mutating func open(_ path: String, prefix: String, depth: Int) throws(ArchiveError) {
    let archiveName = String(prefix.dropLast())
    guard let kind = ArchiveKind(path: path) else { return note(archiveName, "it can't be read") }
    if kind == .zip {
      note(archiveName, "its directory is truncated or too large, so it is read from the start")
    }
    var name = ""
    do throws(ArchiveError) {
      var reader = try ArchiveReader.open(path, kind)
      var isReading = true
      while isReading {
        name = archiveName
        do throws(ArchiveError) {
          try budget.spendEntry()
          let entry = try reader.next()
          isReading = entry != nil
          name = prefix + (entry?.path ?? "an entry without a name")
          if let entry { try take(entry, from: &reader, prefix, depth) }
        } catch {
          guard error.extent == .entry else { throw error }
          note(name, error.message)
        }
      }
    } catch {
      guard error.extent == .archive else { throw error }
      note(name, error.message)
    }
  }

  private mutating func take(
    _ entry: ArchiveReader.Entry, from reader: inout ArchiveReader, _ prefix: String, _ depth: Int
  ) throws(ArchiveError) {
    guard entry.isFile else { return }
    let head = try readPart(from: &reader)
    let name = entry.path ?? ""
    if isNamedAsArchive(name), ArchiveKind(head: buffer[..<head]) != nil {
      try takeArchive(prefix + name, head, from: &reader, depth)
    } else if purpose.wants(name, buffer[..<head]) {
      let path = try prefix + safePath(name)
      let size = try write(to: workspace + "/files/" + path, head, from: &reader)
      files.append(File(path: path, size: size))
    } else {
      hasUnwantedBinaries = hasUnwantedBinaries || isBinary(buffer[..<head])
      if reader.skipsFreely { return }
      // libarchive would read the rest anyway, without counting it.
      while try readPart(from: &reader) > 0 {}
    }
  }

  private mutating func takeArchive(
    _ name: String, _ head: Int, from reader: inout ArchiveReader, _ depth: Int
  ) throws(ArchiveError) {
    guard depth < budget.limits.depth else {
      throw ArchiveError(message: "archives nested this deeply are not opened", extent: .entry)
    }
    let prefix = try safePath(name) + "/"
    let copy = workspace + "/archive-\(depth)"
    defer { removeFile(copy) }
    _ = try write(to: copy, head, from: &reader)
    try open(copy, prefix: prefix, depth: depth + 1)
  }

  /// Reads up to a buffer full.
  /// - Returns: The number of bytes; 0 at the entry's end.
  private mutating func readPart(from reader: inout ArchiveReader) throws(ArchiveError) -> Int {
    let count = try reader.read(into: &buffer)
    try budget.spend(count)
    return count
  }

  /// Writes the first bytes, which are in the buffer, and the rest of an entry. An incomplete file is removed.
  /// - Returns: The size of the file.
  private mutating func write(
    to path: String, _ head: Int, from reader: inout ArchiveReader
  ) throws(ArchiveError) -> Int {
    let file = try create(path)
    var size = 0
    do throws(ArchiveError) {
      var count = head
      while count > 0 {
        do { try file.write(buffer[..<count]) } catch {
          throw ArchiveError(message: "can't be extracted: \(error)", extent: .everything)
        }
        size += count
        count = try readPart(from: &reader)
      }
    } catch {
      removeFile(path)
      throw error
    }
    return size
  }

  private func create(_ path: String) throws(ArchiveError) -> OwnedDescriptor {
    let name = path.split(separator: "/").last ?? ""
    let directory = String(path.dropLast(name.count))
    do throws(SystemError) {
      try makeDirectories(directory)
      return try OwnedDescriptor(directory: directory).open(String(name), .new)
    } catch {
      throw ArchiveError(message: "can't be extracted: \(error)", extent: .entry)
    }
  }
}

/// Converts an entry's name to a path that stays below the directory it is extracted to.
private func safePath(_ name: String) throws(ArchiveError) -> String {
  let components = name.split(separator: "/").filter { $0 != "." }
  guard !name.hasPrefix("/"), !components.contains("..") else {
    throw ArchiveError(message: "its path leads out of the archive", extent: .entry)
  }
  guard (1...ArchiveLimits.components).contains(components.count) else {
    throw ArchiveError(message: "its path is empty or nested too deeply", extent: .entry)
  }
  return components.joined(separator: "/")
}
