internal import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadSystem
internal import Synchronization

/// The names of the system's functions that reports have brought, kept in a database.
///
/// Each sighting is kept with its witnesses, by a number that tells them apart and doesn't name them: the same report
/// counts once, however often it is read, and memories can be put together in any order.
package final class SymbolMemory: Sendable {
  private struct State: ~Copyable {
    let database: SQLite
    /// Images asked for lately.
    var functions: [ImageID: LearnedFunctions] = [:]
    /// How many sightings of each image there are, as far as anything was learnt of it.
    var counts: [ImageID: Int] = [:]
  }

  private let state: Mutex<State>
  private let quorum: Int
  private let maximumSightings: Int

  /// More sightings of an image aren't kept: an image has some ten thousand functions.
  package static let maximumSightings = 200_000
  /// More witnesses of a sighting aren't counted.
  package static let maximumWitnesses = 32
  /// As many sources must say the same, unless something else is wanted: strangers' reports can say anything.
  package static let defaultQuorum = 2
  /// So many sightings are best learnt together.
  package static let portion = 50_000
  private static let maximumImages = 1000

  /// SQLite keeps these in the file's head; the first is "crsy".
  private static let application: Int64 = 0x6372_7379
  private static let version: Int64 = 1

  /// Opens a memory.
  /// - Parameters:
  ///   - path: The database; made when there is none, unless it is only read.
  ///   - quorum: How many sources must say the same.
  ///   - isReadOnly: Whether nothing is to be learnt.
  ///   - maximumSightings: How many sightings of an image are kept.
  /// - Throws: `SQLite.Failure`, also when the file is something else.
  package init(
    path: String, quorum: Int = defaultQuorum, isReadOnly: Bool = true,
    maximumSightings: Int = maximumSightings
  ) throws(SQLite.Failure) {
    let database = try SQLite(path: path, isReadOnly: isReadOnly)
    database.limitRows(to: 1 << 16)
    do throws(SQLite.Failure) {
      try database.run("PRAGMA busy_timeout = 10000")
      try Self.check(database, isReadOnly: isReadOnly)
    } catch {
      throw error.isDamage
        ? .init(code: error.code, description: "no symbol memory, or damaged: \(error)") : error
    }
    (self.quorum, self.maximumSightings) = (quorum, maximumSightings)
    state = Mutex(State(database: database))
  }

  private static func check(_ database: SQLite, isReadOnly: Bool) throws(SQLite.Failure) {
    let application = try database.run("PRAGMA application_id").first?.first?.integer
    if application == Self.application {
      let version = try database.run("PRAGMA user_version").first?.first?.integer ?? 0
      if version == Self.version { return try checkSchema(database) }
      throw SQLite.Failure(description: "the symbol memory of another version of crashread (\(version))")
    }
    guard !isReadOnly, application == 0, try database.run("SELECT 1 FROM sqlite_master LIMIT 1").isEmpty
    else {
      throw SQLite.Failure(description: "no symbol memory")
    }
    try database.run("BEGIN IMMEDIATE")
    try database.run("PRAGMA application_id = \(Self.application)")
    try database.run("PRAGMA user_version = \(Self.version)")
    try database.run("CREATE TABLE IF NOT EXISTS \(table)")
    try database.run("COMMIT")
  }

  private static let table =
    "sighting (image BLOB, start INTEGER, extent INTEGER, name TEXT, witnesses BLOB, day INTEGER, "
    + "PRIMARY KEY (image, start, extent, name)) WITHOUT ROWID"

  /// A file that somebody else has made could have views without end, and triggers.
  private static func checkSchema(_ database: SQLite) throws(SQLite.Failure) {
    let schema = try database.run("SELECT sql FROM sqlite_master")
    guard schema == [[.text("CREATE TABLE \(table)")]] else {
      throw SQLite.Failure(description: "no symbol memory: its tables are none of crashread's")
    }
  }

  // MARK: Use

  /// What reports say of the function at an offset from an image's start; nil when nothing is proven of it.
  func function(at offset: UInt64, in image: ImageID) -> LearnedFunctions.Function? {
    state.withLock { state in
      if let known = state.functions[image] { return known.function(at: offset) }
      if state.functions.count >= Self.maximumImages { state.functions = [:] }
      let rows = try? state.database.sightings(of: image)
      let functions = LearnedFunctions(rows ?? [], quorum: quorum)
      state.functions[image] = functions
      return functions.function(at: offset)
    }
  }

  // MARK: Learning

  /// How a memory took what it was told.
  package struct Lesson: Sendable, Equatable {
    /// Sightings that it hadn't.
    package var new = 0
    /// Those that it had, and that somebody else has made too.
    package var confirmed = 0
    /// Those of images about which it keeps no more.
    package var refused = 0

    /// Nothing is learnt yet.
    package init() {}

    /// Counts another lesson, too.
    package mutating func add(_ other: Self) {
      new += other.new
      confirmed += other.confirmed
      refused += other.refused
    }
  }

  /// Learns what reports say. All of it is kept, or nothing.
  package func learn(_ sightings: some Sequence<SymbolSighting>) throws(SQLite.Failure) -> Lesson {
    let sightings = Array(sightings)
    return try state.withLock { (state) throws(SQLite.Failure) in
      state.functions = [:]
      var pupil = Pupil(database: state.database, maximumSightings: maximumSightings, counts: state.counts)
      // What is rolled back is counted anew.
      state.counts = [:]
      try pupil.learn(all: sightings)
      state.counts = pupil.counts
      return pupil.lesson
    }
  }

  /// Calls `body` with all that is known, the sightings of an image together and in order.
  package func forEachSighting(_ body: (SymbolSighting) -> Void) throws(SQLite.Failure) {
    let images = try state.withLock { (state) throws(SQLite.Failure) in
      try state.database.run("SELECT DISTINCT image FROM sighting ORDER BY image")
    }
    for image in images.compactMap({ $0[0].blob.flatMap { ImageID(bytes: $0) } }) {
      let sightings = try state.withLock { (state) throws(SQLite.Failure) in
        try state.database.sightings(of: image)
      }
      sightings.forEach(body)
    }
  }
}

/// Writes sightings into a memory.
private struct Pupil {
  let database: SQLite
  let maximumSightings: Int
  private(set) var lesson = SymbolMemory.Lesson()
  /// How many sightings of each image there are.
  private(set) var counts: [ImageID: Int]
  /// Images of which single sources' sightings were forgotten.
  private var swept: Set<ImageID> = []

  init(database: SQLite, maximumSightings: Int, counts: [ImageID: Int]) {
    (self.database, self.maximumSightings, self.counts) = (database, maximumSightings, counts)
  }

  mutating func learn(all sightings: [SymbolSighting]) throws(SQLite.Failure) {
    try database.run("BEGIN IMMEDIATE")
    do throws(SQLite.Failure) {
      for sighting in sightings where sighting.isPlausible { try learn(sighting) }
      try database.run("COMMIT")
    } catch {
      _ = try? database.run("ROLLBACK")
      throw error
    }
  }

  private mutating func learn(_ sighting: SymbolSighting) throws(SQLite.Failure) {
    if try makeRoom(for: sighting.image), try database.add(sighting) {
      lesson.new += 1
      counts[sighting.image, default: 0] += 1
      return
    }
    guard let known = try database.sighting(like: sighting) else {
      lesson.refused += 1
      return
    }
    let merged = known.merged(with: sighting)
    if merged == known { return }
    if merged.witnesses != known.witnesses { lesson.confirmed += 1 }
    try database.keep(merged)
  }

  /// Forgets what a single source has said of an image of which too much is known.
  private mutating func makeRoom(for image: ImageID) throws(SQLite.Failure) -> Bool {
    var count = counts[image] ?? 0
    if counts[image] == nil { count = try database.count(of: image) }
    if count >= maximumSightings, swept.insert(image).inserted {
      try database.run("DELETE FROM sighting WHERE image = ? AND length(witnesses) <= 4", .blob(image.bytes))
      count = try database.count(of: image)
    }
    counts[image] = count
    return count < maximumSightings
  }
}

// The statements about sightings.
extension SQLite {
  fileprivate func sightings(of image: ImageID) throws(Failure) -> [SymbolSighting] {
    let rows = try run(
      "SELECT start, extent, name, witnesses, day FROM sighting WHERE image = ? ORDER BY start, extent, name",
      .blob(image.bytes))
    return rows.compactMap { row in
      guard let start = row[0].integer, let extent = row[1].integer, let name = row[2].text,
        let witnesses = row[3].blob
      else { return nil }
      let sighting = SymbolSighting(
        image: image, start: UInt64(bitPattern: start), extent: UInt64(bitPattern: extent), name: name,
        witnesses: numbers(witnesses), day: row[4].integer)
      return sighting.isPlausible ? sighting : nil
    }
  }

  fileprivate func sighting(like sighting: SymbolSighting) throws(Failure) -> SymbolSighting? {
    let rows = try run(
      "SELECT witnesses, day FROM sighting WHERE image = ? AND start = ? AND extent = ? AND name = ?",
      .blob(sighting.image.bytes), .integer(Int64(bitPattern: sighting.start)),
      .integer(Int64(bitPattern: sighting.extent)), .text(sighting.name))
    guard let row = rows.first else { return nil }
    var known = sighting
    (known.witnesses, known.day) = (numbers(row[0].blob ?? []), row[1].integer)
    return known
  }

  fileprivate func count(of image: ImageID) throws(Failure) -> Int {
    let count = try run("SELECT count(*) FROM sighting WHERE image = ?", .blob(image.bytes)).first?.first
    return Int(count?.integer ?? 0)
  }

  /// Adds a sighting; false when one like it is there.
  fileprivate func add(_ sighting: SymbolSighting) throws(Failure) -> Bool {
    try insert(sighting, "INSERT OR IGNORE INTO sighting VALUES (?, ?, ?, ?, ?, ?)")
    return changeCount > 0
  }

  /// Puts a sighting in the place of the one like it.
  fileprivate func keep(_ sighting: SymbolSighting) throws(Failure) {
    try insert(sighting, "INSERT OR REPLACE INTO sighting VALUES (?, ?, ?, ?, ?, ?)")
  }

  private func insert(_ sighting: SymbolSighting, _ statement: String) throws(Failure) {
    try run(
      statement, .blob(sighting.image.bytes), .integer(Int64(bitPattern: sighting.start)),
      .integer(Int64(bitPattern: sighting.extent)), .text(sighting.name), .blob(bytes(sighting.witnesses)),
      sighting.day.map { .integer($0) } ?? .null)
  }
}

extension SymbolSighting {
  /// Two of the same as one.
  fileprivate func merged(with other: SymbolSighting) -> SymbolSighting {
    var merged = self
    let all = Set(witnesses).union(other.witnesses).sorted()
    merged.witnesses =
      witnesses.count >= SymbolMemory.maximumWitnesses
      ? witnesses : Array(all.prefix(SymbolMemory.maximumWitnesses))
    merged.day = [day, other.day].compactMap(\.self).min()
    return merged
  }

  /// Whether it is one that a report could have brought; those of files can be anybody's.
  fileprivate var isPlausible: Bool {
    image.bytes.count == 16 && extent > 0 && extent <= Self.longestFunction && start < 1 << 40
      && !witnesses.isEmpty && (name.isEmpty || Self.keptName(name) == name)
  }
}

private func numbers(_ bytes: [UInt8]) -> [UInt32] {
  stride(from: 0, to: bytes.count & ~3, by: 4).map { start in
    (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) }
  }
}

private func bytes(_ numbers: [UInt32]) -> [UInt8] {
  numbers.flatMap { number in (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * UInt32($0))) } }
}
