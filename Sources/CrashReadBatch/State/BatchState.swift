internal import CrashRead
internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadSystem

/// The inputs read by earlier runs, in a database that one process at a time may use.
///
/// Reports are identified by a keyed hash of their bytes, so that no report can be forged to pass for another and the
/// database reveals nothing about them. Files are identified by their `stat` data as well, so that most aren't read
/// twice.
package final class BatchState {
  /// A hash; equal hashes mean the same report.
  typealias Key = [UInt8]

  /// An output and its committed length: anything after that was written by a run that was killed.
  struct Output: Equatable {
    var path: String
    var file: FileStatus.ID
    var length: Int64
  }

  let path: String
  private let database: SQLite
  private let contentKey: [UInt8]
  private let fileKey: [UInt8]
  /// Inputs being read that aren't in the database yet, and inputs of this run that still lack debug files: neither is
  /// started again.
  private var begun: Set<Key> = []
  /// The number of inputs that were skipped although they lacked debug files.
  private(set) var waiting = 0
  /// Whether reports that lacked debug files are read again.
  private let retriesUnresolved: Bool

  /// What is stored about an input that was read.
  struct Finished {
    /// The key of its content, then that of the file version, if that is settled.
    var keys: [Key]
    /// The number of frames that lack a debug file.
    var unresolved: Int
    /// The properties of its reports by which they are grouped; nil to keep the stored ones.
    var occurrences: [[UInt8]]?
  }

  /// SQLite stores these in the file's header; the first is "crsh".
  private static let application: Int64 = 0x6372_7368
  private static let version: Int64 = 3

  /// Opens a state, or creates one when the file is missing or empty.
  ///
  /// - Throws: `BatchError`; a file that isn't such a state is left unchanged.
  package convenience init(path: String, retriesUnresolved: Bool = false) throws(BatchError) {
    do throws(SQLite.Failure) {
      try self.init(opening: path, retriesUnresolved: retriesUnresolved)
    } catch {
      throw BatchError(file: path, message: error.description)
    }
  }

  private init(opening path: String, retriesUnresolved: Bool) throws(SQLite.Failure) {
    self.path = path
    self.retriesUnresolved = retriesUnresolved
    do throws(SystemError) {
      try makePrivateFile(path)
    } catch {
      throw SQLite.Failure(description: error.reason)
    }
    database = try SQLite(path: path)
    do throws(SQLite.Failure) {
      // The lock is held until the process ends in any way.
      try database.run("PRAGMA locking_mode = EXCLUSIVE")
      try database.run("BEGIN EXCLUSIVE")
      try Self.makeTables(in: database)
      contentKey = try Self.secret("contentKey", in: database)
      fileKey = try Self.secret("fileKey", in: database)
    } catch {
      if error.isBusy { throw SQLite.Failure(code: error.code, description: "another process uses it") }
      if error.isDamage {
        throw SQLite.Failure(
          code: error.code, description: "not a state file of crashread, or damaged: \(error)")
      }
      throw error
    }
  }

  private static func makeTables(in database: SQLite) throws(SQLite.Failure) {
    let application = try database.run("PRAGMA application_id").first?.first?.integer ?? 0
    let isEmpty = try database.run("SELECT 1 FROM sqlite_master LIMIT 1").isEmpty
    if application == Self.application {
      let version = try database.run("PRAGMA user_version").first?.first?.integer ?? 0
      if version == Self.version { return }
      guard (1..<Self.version).contains(version) else {
        throw SQLite.Failure(description: "a state file of another version of crashread (\(version))")
      }
      if version == 1 {
        // Earlier versions stored these without an expiry time, and excluded all binaries of a file with one bad
        // binary.
        try database.run("DROP TABLE bad")
        try database.run(badTable)
      }
      // Earlier versions didn't record whether a report lacked debug files.
      try database.run("ALTER TABLE seen ADD COLUMN unresolved INTEGER DEFAULT 0")
      try database.run("ALTER TABLE occurrence ADD COLUMN input BLOB")
      try database.run(occurrenceIndex)
      try database.run("PRAGMA user_version = \(Self.version)")
      return
    }
    guard application == 0, isEmpty else {
      throw SQLite.Failure(description: "a database, but not a state file of crashread")
    }
    try database.run("PRAGMA application_id = \(Self.application)")
    try database.run("PRAGMA user_version = \(Self.version)")
    try database.run("CREATE TABLE secret (name TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID")
    try database.run(
      "CREATE TABLE seen (key BLOB PRIMARY KEY, unresolved INTEGER DEFAULT 0) WITHOUT ROWID")
    try database.run("CREATE TABLE occurrence (number INTEGER PRIMARY KEY, report BLOB, input BLOB)")
    try database.run(occurrenceIndex)
    try database.run(
      "CREATE TABLE output (one INTEGER PRIMARY KEY, path TEXT, device INTEGER, inode INTEGER, length INTEGER)"
    )
    try database.run(badTable)
  }

  private static let occurrenceIndex = "CREATE INDEX occurrenceOfInput ON occurrence (input)"

  private static let badTable = """
    CREATE TABLE bad (path TEXT, id TEXT, device INTEGER, inode INTEGER, size INTEGER, changed INTEGER, \
    time INTEGER, reason TEXT, PRIMARY KEY (path, id)) WITHOUT ROWID
    """

  /// A secret of 16 random bytes, generated when the state is created.
  private static func secret(_ name: String, in database: SQLite) throws(SQLite.Failure) -> [UInt8] {
    var random = SystemRandomNumberGenerator()
    let made = (0..<16).map { _ in UInt8.random(in: 0...255, using: &random) }
    try database.run("INSERT OR IGNORE INTO secret VALUES (?, ?)", .text(name), .blob(made))
    let rows = try database.run("SELECT value FROM secret WHERE name = ?", .text(name))
    guard let value = rows.first?.first?.blob, value.count == 16 else {
      throw SQLite.Failure(code: 11, description: "a secret is missing")
    }
    return value
  }

  // MARK: Inputs

  /// The key of a report's bytes.
  func key(_ bytes: [UInt8]) -> Key { SipHash.hash(bytes, key: contentKey) }

  /// The key of a file version.
  func key(_ file: FileStatus) -> Key {
    let numbers = [
      file.id.device, file.id.inode, file.size, UInt64(bitPattern: file.changed),
    ]
    return SipHash.hash(
      numbers.flatMap(\.littleEndianBytes), key: fileKey)
  }

  /// The number of frames that lacked a debug file when the report was read; nil when it was never read.
  func unresolved(_ key: Key) throws(SQLite.Failure) -> Int? {
    try database.run("SELECT unresolved FROM seen WHERE key = ?", .blob(key)).first
      .map { Int($0[0].integer ?? 0) }
  }

  /// Whether a report was read, and isn't to be read again.
  func isDone(_ key: Key) throws(SQLite.Failure) -> Bool {
    guard let unresolved = try unresolved(key) else { return false }
    if unresolved == 0 { return true }
    if !retriesUnresolved { waiting += 1 }
    return !retriesUnresolved || begun.contains(key)
  }

  /// Begins a report.
  /// - Returns: Whether it is to be read.
  func begin(_ key: Key) throws(SQLite.Failure) -> Bool {
    if begun.contains(key) { return false }
    if try isDone(key) { return false }
    return begun.insert(key).inserted
  }

  /// Records a finished input; the record becomes permanent with the next commit.
  func finish(_ input: Finished) throws(SQLite.Failure) {
    if let occurrences = input.occurrences, let first = input.keys.first {
      try database.run("DELETE FROM occurrence WHERE input = ?", .blob(first))
      for occurrence in occurrences {
        try database.run(
          "INSERT INTO occurrence (report, input) VALUES (?, ?)", .blob(occurrence), .blob(first))
      }
    }
    for key in input.keys {
      if input.unresolved > 0 { begun.insert(key) } else { begun.remove(key) }
      try database.run(
        "INSERT OR REPLACE INTO seen VALUES (?, ?)", .blob(key), .integer(Int64(input.unresolved)))
    }
  }

  /// Makes all records permanent, together with the length of the output.
  func commit(_ output: Output?, _ badFiles: [BadDebugFiles.Entry]) throws(SQLite.Failure) {
    if let output {
      try database.run(
        "INSERT OR REPLACE INTO output VALUES (1, ?, ?, ?, ?)", .text(output.path),
        .integer(Int64(bitPattern: output.file.device)), .integer(Int64(bitPattern: output.file.inode)),
        .integer(output.length))
    }
    for entry in badFiles { try keep(entry) }
    try database.run("COMMIT")
    try database.run("BEGIN EXCLUSIVE")
  }

  /// The stored occurrences of all finished reports, as `occurrenceJSON` writes them.
  package func forEachOccurrence(_ body: ([UInt8]) -> Void) throws(BatchError) {
    let page = "SELECT number, report FROM occurrence WHERE number > ? ORDER BY number LIMIT 1000"
    var last: Int64 = 0
    while true {
      let after = last
      let rows = try run { () throws(SQLite.Failure) in try database.run(page, .integer(after)) }
      guard let number = rows.last?[0].integer else { return }
      for row in rows { row[1].blob.map(body) }
      last = number
    }
  }

  /// Runs a block on the database and converts its errors.
  func run<Result>(_ body: () throws(SQLite.Failure) -> Result) throws(BatchError) -> Result {
    do throws(SQLite.Failure) { return try body() } catch {
      throw BatchError(file: path, message: error.description)
    }
  }

  // MARK: Output and debug files

  /// The output of the previous run; nil when it wasn't written to a file.
  func lastOutput() throws(BatchError) -> Output? {
    let rows = try run { () throws(SQLite.Failure) in
      try database.run("SELECT path, device, inode, length FROM output")
    }
    guard let row = rows.first,
      let path = row[0].text, let device = row[1].integer, let inode = row[2].integer,
      let length = row[3].integer
    else { return nil }
    return Output(
      path: path, file: .init(device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode)),
      length: length)
  }

  private func keep(_ entry: BadDebugFiles.Entry) throws(SQLite.Failure) {
    try database.run(
      "INSERT OR REPLACE INTO bad VALUES (?, ?, ?, ?, ?, ?, ?, ?)", .text(entry.binary.path),
      .text(entry.binary.id),
      .integer(Int64(bitPattern: entry.version.id.device)),
      .integer(Int64(bitPattern: entry.version.id.inode)),
      .integer(Int64(clamping: entry.version.size)), .integer(entry.version.changed), .integer(entry.time),
      .text(entry.reason))
  }

  /// Debug files that crashed workers in earlier runs.
  func badFiles() throws(BatchError) -> [BadDebugFiles.Entry] {
    let rows = try run { () throws(SQLite.Failure) in
      try database.run("SELECT path, id, device, inode, size, changed, time, reason FROM bad")
    }
    return rows.compactMap { row -> BadDebugFiles.Entry? in
      guard let path = row[0].text, let name = row[1].text, let device = row[2].integer,
        let inode = row[3].integer, let size = row[4].integer, let changed = row[5].integer,
        let time = row[6].integer, let reason = row[7].text
      else { return nil }
      let id = FileStatus.ID(device: UInt64(bitPattern: device), inode: UInt64(bitPattern: inode))
      // The modification time isn't compared: every write also changes the status-change time.
      let version = FileStatus(
        id: id, kind: .file, size: UInt64(clamping: size), written: 0, changed: changed)
      return .init(binary: BinaryName(path: path, id: name), version: version, time: time, reason: reason)
    }
  }
}
