package import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadReports
internal import CrashReadSystem

/// Reports that one file of a container holds.
package struct ContainedReports: Sendable {
  /// Where they are.
  package var place: ContainerPlace
  /// The text they were read from; nil for a crash recorded in words.
  var text: ReportText?
  /// At least one.
  package var reports: [CrashReport]
}

/// What holds reports among other things: a directory, an archive, a compressed file, a mail, one of Xcode's bundles; told
/// by content. All of it is read at once.
///
/// No symbolic link in it is followed out of it, and nothing of it is run. Archives in it are opened, to a depth.
package struct ReportContainer {
  /// What it is.
  package private(set) var kind: ContainerPlace.Kind
  /// The reports, in the order of their places.
  package private(set) var found: [ContainedReports] = []
  /// What of it can't be used, as sentences without a full stop.
  package private(set) var problems: [String] = []
  /// Whether there are binaries in it, which may be debug files.
  package private(set) var holdsBinaries = false

  private let limits: Limits
  /// How many reports of a directory or an archive whoever asks would read.
  private var most = Int.max
  /// Bytes that may still be read.
  private var bytesLeft = Self.maximumBytes
  /// Bytes that archives may still expand to on disk.
  private var extractionLeft: Int
  private var seen = SeenReports()

  /// Bytes of all files together.
  private static let maximumBytes = 1 << 30
  /// What all archives together may expand to on disk.
  private static let maximumExtracted = 4 << 30
  private static let maximumFiles = 100_000
  private static let maximumDepth = 12
  /// Archives and mails in each other.
  private static let maximumNesting = 3
  private static let maximumProblems = 16

  /// Whether a path is a container that nothing but its reports can be meant by: a bundle of Xcode's.
  package static func isBundle(_ path: String) -> Bool {
    isResultBundle(path) || ConfinedFolder(path).map(isCrashPoint) ?? false
  }

  /// Whether a path is a result bundle.
  package static func isResultBundle(_ path: String) -> Bool {
    ConfinedFolder(path).flatMap { ResultBundleFolder($0, "") } != nil
  }

  /// Whether a file's bytes are a container's.
  package static func isContainer(_ bytes: [UInt8]) -> Bool { isArchive(bytes) || MailMessage.isMail(bytes) }

  /// Reads a directory, or a file that is an archive, which may be larger than a report.
  ///
  /// - Parameters:
  ///   - path: Where it is.
  ///   - limits: For all of it, and each report.
  ///   - most: How many reports of a directory or an archive are wanted; of more, some are read, and `holdsMany` is true.
  /// - Throws: `PathError` when it is neither, or can't be read.
  package init(path: String, limits: Limits, most: Int = .max) throws(PathError) {
    self.limits = limits
    self.most = most
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

  /// Whether it holds more reports than are wanted. A bundle of Xcode's belongs together.
  package var holdsMany: Bool {
    (kind == .directory || kind == .archive) && most < .max
      && found.reduce(0) { $0 + $1.reports.count } > most
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
      note("of more than \(Self.maximumFiles) files the rest was left out")
    }
    let bundles = resultBundles(files, in: folder)
    for bundle in bundles { read(bundle, prefix: prefix) }
    let places = Set(bundles.map(\.path))
    for path in files where !isIn(places, path) {
      guard hasRoom else {
        if !holdsMany { note("of more than \(limits.reports) files with reports the rest was left out") }
        return
      }
      if isBinary(folder.path + "/" + path) {
        holdsBinaries = true
      } else if !path.contains(".dSYM/"), !isProse(path), let bytes = bytes(of: path, in: folder) {
        read(bytes, at: prefix + path, nesting: nesting)
      }
    }
  }

  /// Whether one of the folders around a file, which end with slashes, is among some.
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

  /// Source and documentation quote reports, and are none.
  private func isProse(_ path: String) -> Bool {
    looksLikeSource(path) || [".md", ".html", ".htm", ".rst", ".py", ".js"].contains { path.hasSuffix($0) }
  }

  private mutating func bytes(of path: String, in folder: ConfinedFolder) -> [UInt8]? {
    guard bytesLeft > 0 else { return nil }
    guard let bytes = try? folder.readFile(path, limit: min(limits.reportSize, bytesLeft)) else {
      if isNamedAsReport(path) { note("\(path) can't be read, or is too large") }
      return nil
    }
    bytesLeft -= bytes.count
    if bytesLeft <= 0 { note("of more than \(Self.maximumBytes) bytes the rest was left out") }
    return bytes
  }

  /// Xcode's Organizer keeps a crash's logs below folders of these names.
  private static func isCrashPoint(_ folder: ConfinedFolder) -> Bool {
    folder.path.hasSuffix(".xccrashpoint")
      || ["DistributionInfos/all/Logs", "Filters"].allSatisfy { folder.realPath(of: $0, .directory) != nil }
  }

  private mutating func read(_ bundle: ResultBundleFolder, prefix: String) {
    let contents = bundle.contents(limits)
    kind = .xcresult
    problems += contents.problems.prefix(Self.maximumProblems - problems.count)
    for var reports in contents.found where hasRoom {
      reports.place.path = prefix + reports.place.path
      found.append(reports)
    }
  }

  private var hasRoom: Bool { found.count < limits.reports && !holdsMany }
}

// MARK: - Files

extension ReportContainer {
  /// Reads a file, which can be an archive or a mail again.
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
    found.append(ContainedReports(place: place(of: path), text: text, reports: reports))
  }

  private func place(of path: String) -> ContainerPlace {
    let parts = path.split(separator: "/")
    var place = ContainerPlace(kind: kind, path: path)
    if parts.contains(where: { $0.hasSuffix(".xccrashpoint") }) { place.kind = .xccrashpoint }
    if parts.contains(where: { $0.hasPrefix("sysdiagnose_") }) { place.kind = .sysdiagnose }
    return place
  }

  /// Reads an archive through a file of its own, since libarchive reads zip files from their end.
  private mutating func readArchive(_ bytes: [UInt8], at path: String, nesting: Int) {
    do throws(SystemError) {
      let scratch = try ScratchFile(bytes)
      withExtendedLifetime(scratch) { readArchive(file: scratch.path, at: path, nesting: nesting) }
    } catch {
      note("\(path.isEmpty ? "the archive" : path) can't be read: \(error.description)")
    }
  }

  /// Takes the files out of an archive that may hold reports, and reads them.
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
    let place = problem.entry.isEmpty ? path : joined(path, problem.entry)
    return place.isEmpty ? problem.message : "\(place): \(problem.message)"
  }

  /// Reads one compressed file, which is no archive; false when it is none, or is damaged.
  private mutating func readCompressed(_ file: String, at path: String, _ nesting: Int) -> Bool {
    guard bytesLeft > 0, let bytes = try? readFile(file, limit: min(limits.reportSize, bytesLeft)),
      isCompressed(bytes),
      let whole = try? expanded(bytes, limit: limits.reportSize, spending: &bytesLeft), !isArchive(whole)
    else { return false }
    read(whole, at: path, nesting: nesting)
    return true
  }
}

/// Tells reports that are in a container twice.
private struct SeenReports {
  private var contents: Set<Int> = []
  private var incidents: Set<String> = []

  /// - Parameters:
  ///   - bytes: The file's.
  ///   - reports: Those that are the same when they are of the same incident: one log can be there as it came, and with names.
  /// - Returns: Whether it is new.
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
