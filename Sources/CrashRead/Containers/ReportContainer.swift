package import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadReports
internal import CrashReadSystem

/// Reports that one file of a container holds.
package struct ContainedReports: Sendable {
  /// Where in the container the file is.
  package var location: ContainerLocation
  /// The text they were read from; nil for a crash that is recorded as properties rather than text.
  var text: ReportText?
  /// The reports; never empty.
  package var reports: [CrashReport]
}

/// A container of reports: a directory, an archive, a compressed file, a mail, or one of Xcode's bundles; recognised by
/// content. All of it is read at once.
///
/// Symbolic links that lead out of it are not followed, and nothing in it is run. Nested archives are opened, to a
/// limited depth.
package struct ReportContainer {
  /// The kind of container.
  package private(set) var kind: ContainerLocation.Kind
  /// The reports, in the order of their paths.
  package private(set) var found: [ContainedReports] = []
  /// Files that couldn't be read, as sentences without a full stop.
  package private(set) var problems: [String] = []
  /// Whether it holds binaries, which may be debug files.
  package private(set) var holdsBinaries = false

  private let limits: Limits
  /// How many reports of a directory or an archive the caller wants.
  private var maximum = Int.max
  /// The number of bytes that may still be read.
  private var bytesLeft = Self.maximumBytes
  /// The number of bytes that archives may still expand to on disk.
  private var extractionLeft: Int
  private var seen = SeenReports()

  /// The maximum size of all files together, in bytes.
  private static let maximumBytes = 1 << 30
  /// The maximum size that all archives together may expand to on disk, in bytes.
  private static let maximumExtracted = 4 << 30
  private static let maximumFiles = 100_000
  private static let maximumDepth = 12
  /// The maximum nesting depth of archives and mails.
  private static let maximumNesting = 3
  private static let maximumProblems = 16

  /// Whether a path is certainly meant as a container of reports: a bundle of Xcode's.
  package static func isBundle(_ path: String) -> Bool {
    isResultBundle(path) || ConfinedFolder(path).map(isCrashPoint) ?? false
  }

  /// Whether a path is a result bundle.
  package static func isResultBundle(_ path: String) -> Bool {
    ConfinedFolder(path).flatMap { ResultBundleFolder($0, "") } != nil
  }

  /// Whether the bytes of a file are those of a container.
  package static func isContainer(_ bytes: [UInt8]) -> Bool { isArchive(bytes) || MailMessage.isMail(bytes) }

  /// Reads a directory, or a file that is an archive; an archive may be larger than a report.
  ///
  /// - Parameters:
  ///   - path: The directory or the file.
  ///   - limits: The limits for the container and for each report.
  ///   - maximum: How many reports of a directory or an archive are wanted; when there are more, only some are read and
  ///     `holdsMany` is true.
  /// - Throws: `PathError` when it is neither, or can't be read.
  package init(path: String, limits: Limits, maximum: Int = .max) throws(PathError) {
    self.limits = limits
    self.maximum = maximum
    extractionLeft = min(limits.archiveSize, Self.maximumExtracted)
    if isArchive(path) {
      kind = .archive
      readArchive(file: path, at: "", nesting: 1)
      found = ReportNeighbours(found).marked
      return
    }
    guard let folder = ConfinedFolder(path) else { throw PathError(path: path, message: "not a directory") }
    kind = Self.isCrashPoint(folder) ? .xccrashpoint : .directory
    do throws(SystemError) {
      try read(folder, prefix: "", nesting: 0)
    } catch {
      throw PathError(path: path, message: error.description)
    }
    found = ReportNeighbours(found).marked
  }

  /// Reads the bytes of a file that is a container.
  package init(_ bytes: [UInt8], limits: Limits) {
    self.limits = limits
    extractionLeft = min(limits.archiveSize, Self.maximumExtracted)
    kind = isArchive(bytes) ? .archive : .mail
    read(bytes, at: "", nesting: 0)
    found = ReportNeighbours(found).marked
  }

  /// Whether it holds more reports than are wanted. A bundle of Xcode's is always read completely.
  package var holdsMany: Bool {
    (kind == .directory || kind == .archive) && maximum < .max
      && found.reduce(0) { $0 + $1.reports.count } > maximum
  }

  private mutating func note(_ problem: String) {
    if problems.count < Self.maximumProblems { problems.append(problem) }
  }
}

// MARK: - Directories

extension ReportContainer {
  private mutating func read(
    _ folder: ConfinedFolder, prefix: String, nesting: Int
  ) throws(SystemError) {
    let files = try folder.files(depth: Self.maximumDepth, count: Self.maximumFiles)
    if files.count == Self.maximumFiles {
      note("more than \(Self.maximumFiles) files: the rest was left out")
    }
    let bundles = resultBundles(files, in: folder)
    for bundle in bundles { read(bundle, prefix: prefix) }
    let bundlePaths = Set(bundles.map(\.path))
    for path in files where !isIn(bundlePaths, path) {
      guard hasRoom else {
        if !holdsMany { note("more than \(limits.reports) files with reports: the rest was left out") }
        return
      }
      if isBinary(folder.path + "/" + path) {
        holdsBinaries = true
      } else if !path.contains(".dSYM/"), !isSourceOrDocumentation(path),
        let bytes = bytes(of: path, in: folder)
      {
        read(bytes, at: prefix + path, nesting: nesting)
      }
    }
  }

  /// Whether a file lies in one of some folders, whose paths end with slashes.
  private func isIn(_ folders: Set<String>, _ path: String) -> Bool {
    if folders.isEmpty { return false }
    return folders.contains("")
      || path.indices.contains { path[$0] == "/" && folders.contains(String(path[...$0])) }
  }

  private func resultBundles(_ files: [String], in folder: ConfinedFolder) -> [ResultBundleFolder] {
    files.filter { $0 == "Info.plist" || $0.hasSuffix("/Info.plist") }.compactMap {
      ResultBundleFolder(folder, String($0.dropLast("Info.plist".count)))
    }
  }

  /// Whether a path is that of source code or documentation, which may quote reports.
  private func isSourceOrDocumentation(_ path: String) -> Bool {
    looksLikeSource(path) || [".md", ".html", ".htm", ".rst", ".py", ".js"].contains { path.hasSuffix($0) }
  }

  private mutating func bytes(of path: String, in folder: ConfinedFolder) -> [UInt8]? {
    guard bytesLeft > 0 else { return nil }
    guard let bytes = try? folder.readFile(path, limit: min(limits.reportSize, bytesLeft)) else {
      if isNamedAsReport(path) { note("\(path) can't be read, or is too large") }
      return nil
    }
    bytesLeft -= bytes.count
    if bytesLeft <= 0 { note("more than \(Self.maximumBytes) bytes: the rest was left out") }
    return bytes
  }

  /// Xcode's Organizer keeps the logs of a crash below folders of these names.
  private static func isCrashPoint(_ folder: ConfinedFolder) -> Bool {
    folder.path.hasSuffix(".xccrashpoint")
      || ["DistributionInfos/all/Logs", "Filters"].allSatisfy { folder.realPath(of: $0, .directory) != nil }
  }

  private mutating func read(_ bundle: ResultBundleFolder, prefix: String) {
    let contents = bundle.contents(limits)
    kind = .xcresult
    problems += contents.problems.prefix(Self.maximumProblems - problems.count)
    for var reports in contents.found where hasRoom {
      reports.location.path = prefix + reports.location.path
      found.append(reports)
    }
  }

  private var hasRoom: Bool { found.count < limits.reports && !holdsMany }
}

// MARK: - Files

extension ReportContainer {
  /// Reads a file, which may itself be an archive or a mail.
  private mutating func read(_ bytes: [UInt8], at path: String, nesting: Int) {
    guard hasRoom else { return }
    let isNested = nesting < Self.maximumNesting
    if isNested, isArchive(bytes) {
      readArchive(bytes, at: path, nesting: nesting + 1)
    } else if isNested, let parts = MailMessage.parts(of: bytes) {
      for part in parts { read(part.bytes, at: joined(path, part.name), nesting: nesting + 1) }
    } else {
      readReports(bytes, at: path)
    }
  }

  private func joined(_ path: String, _ name: String) -> String { path.isEmpty ? name : "\(path)/\(name)" }

  private mutating func readReports(_ bytes: [UInt8], at path: String) {
    let text = ReportText(bytes)
    guard let reports = try? CrashReport.parse(text, limits: limits),
      seen.insert(bytes, kind == .xccrashpoint ? reports : [])
    else { return }
    found.append(ContainedReports(location: location(of: path), text: text, reports: reports))
  }

  private func location(of path: String) -> ContainerLocation {
    let parts = path.split(separator: "/")
    var location = ContainerLocation(kind: kind, path: path)
    if parts.contains(where: { $0.hasSuffix(".xccrashpoint") }) { location.kind = .xccrashpoint }
    if parts.contains(where: { $0.hasPrefix("sysdiagnose_") }) { location.kind = .sysdiagnose }
    return location
  }

  /// Reads an archive from a temporary file, since libarchive reads zip files from their end.
  private mutating func readArchive(_ bytes: [UInt8], at path: String, nesting: Int) {
    do throws(SystemError) {
      let scratch = try ScratchFile(bytes)
      withExtendedLifetime(scratch) { readArchive(file: scratch.path, at: path, nesting: nesting) }
    } catch {
      note("\(path.isEmpty ? "the archive" : path) can't be read: \(error.description)")
    }
  }

  /// Extracts those files of an archive that may hold reports, and reads them.
  private mutating func readArchive(file: String, at path: String, nesting: Int) {
    var archive = ArchiveLimits()
    archive.bytes = extractionLeft
    let archives = ExtractedArchives(caches: nil, limits: archive, purpose: .reports)
    let contents = archives.contents(of: file)
    extractionLeft = max(0, extractionLeft - contents.expandedBytes)
    holdsBinaries = holdsBinaries || contents.hasOtherBinaries
    if contents.directory == nil, readCompressed(file, at: path, nesting) { return }
    for problem in contents.problems { note(message(problem, in: path)) }
    guard let directory = contents.directory, let folder = ConfinedFolder(directory) else { return }
    withExtendedLifetime(archives) {
      try? read(folder, prefix: path.isEmpty ? "" : path + "/", nesting: nesting)
    }
  }

  private func message(_ problem: ArchiveProblem, in path: String) -> String {
    let location = problem.entry.isEmpty ? path : joined(path, problem.entry)
    return location.isEmpty ? problem.message : "\(location): \(problem.message)"
  }

  /// Reads a single compressed file that isn't an archive; false when it isn't compressed, or is damaged.
  private mutating func readCompressed(_ file: String, at path: String, _ nesting: Int) -> Bool {
    guard bytesLeft > 0, let bytes = try? readFile(file, limit: min(limits.reportSize, bytesLeft)),
      isCompressed(bytes),
      let whole = try? expanded(bytes, limit: limits.reportSize, spending: &bytesLeft), !isArchive(whole)
    else { return false }
    read(whole, at: path, nesting: nesting)
    return true
  }
}

/// Detects reports that a container holds twice.
private struct SeenReports {
  private var contents: Set<Int> = []
  private var incidents: Set<String> = []

  /// Adds a file.
  /// - Parameters:
  ///   - bytes: The bytes of the file.
  ///   - reports: The reports in it. Reports of the same incident are the same: a log may be present both raw and
  ///     symbolicated.
  /// - Returns: Whether the file is new.
  mutating func insert(_ bytes: [UInt8], _ reports: [CrashReport]) -> Bool {
    guard contents.insert(bytes.hashValue).inserted else { return false }
    let names = reports.compactMap(\.header.incident)
    guard !names.isEmpty, names.allSatisfy(incidents.contains) else {
      incidents.formUnion(names)
      return true
    }
    return false
  }
}
