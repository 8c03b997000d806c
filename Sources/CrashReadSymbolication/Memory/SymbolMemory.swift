internal import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadSystem
internal import Synchronization

/// The names of the system's functions that reports have brought, kept in a database.
///
/// Each function is kept with its witnesses, by a number that tells them apart and doesn't name them: the same report
/// counts once, however often it is read, and memories can be put together in any order.
package final class SymbolMemory: Sendable {
  private struct State: ~Copyable {
    let database: SQLite
    /// Images asked for lately.
    var functions: [ImageID: LearnedFunctions] = [:]
    /// How many functions of each image there are, as far as anything was learnt of it.
    var counts: [ImageID: Int] = [:]
  }

  private let state: Mutex<State>
  private let quorum: Int
  private let maximumFunctions: Int

  /// More functions of an image aren't kept: it has some ten thousand, and each may have several names.
  package static let maximumFunctions = 200_000
  /// As many sources must say the same, unless something else is wanted: strangers' reports can say anything.
  package static let defaultQuorum = 2
  /// What is said of so many functions is best learnt together.
  package static let portion = 50_000
  private static let maximumImages = 1000

  /// SQLite keeps these in the file's head; the first is "crsy".
  private static let application: Int64 = 0x6372_7379
  private static let version: Int64 = 2

  /// Opens a memory.
  /// - Parameters:
  ///   - path: The database; made when there is none, unless it is only read.
  ///   - quorum: How many sources must say the same.
  ///   - isReadOnly: Whether nothing is to be learnt.
  ///   - maximumFunctions: How many functions of an image are kept.
  /// - Throws: `SQLite.Failure`, also when the file is something else.
  package init(
    path: String, quorum: Int = defaultQuorum, isReadOnly: Bool = true,
    maximumFunctions: Int = maximumFunctions
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
    (self.quorum, self.maximumFunctions) = (quorum, maximumFunctions)
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
    "function (image BLOB, start INTEGER, name TEXT, witnesses BLOB, day INTEGER, "
    + "PRIMARY KEY (image, start, name)) WITHOUT ROWID"

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
    /// Functions that it hadn't.
    package var new = 0
    /// How often somebody else has seen one that it had.
    package var confirmed = 0
    /// Functions of images of which it keeps no more.
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
  package func learn(_ sightings: SightingTable) throws(SQLite.Failure) -> Lesson {
    // Rows that lie together are written together.
    let sightings = sightings.sightings.filter(\.isPlausible).sorted {
      $0.function.stands(before: $1.function)
    }
    return try state.withLock { (state) throws(SQLite.Failure) in
      state.functions = [:]
      var pupil = Pupil(database: state.database, maximumFunctions: maximumFunctions, counts: state.counts)
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
      try state.database.run("SELECT DISTINCT image FROM function ORDER BY image")
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
  let maximumFunctions: Int
  private(set) var lesson = SymbolMemory.Lesson()
  /// How many functions of each image there are.
  private(set) var counts: [ImageID: Int]
  /// Images of which the functions that a single source has seen were forgotten.
  private var swept: Set<ImageID> = []

  init(database: SQLite, maximumFunctions: Int, counts: [ImageID: Int]) {
    (self.database, self.maximumFunctions, self.counts) = (database, maximumFunctions, counts)
  }

  mutating func learn(all sightings: [SymbolSighting]) throws(SQLite.Failure) {
    try database.run("BEGIN IMMEDIATE")
    do throws(SQLite.Failure) {
      for sighting in sightings { try learn(sighting) }
      try database.run("COMMIT")
    } catch {
      _ = try? database.run("ROLLBACK")
      throw error
    }
  }

  private mutating func learn(_ sighting: SymbolSighting) throws(SQLite.Failure) {
    let hasRoom = try makeRoom(for: sighting.function.image)
    if var known = try database.witnesses(of: sighting.function) {
      lesson.confirmed += known.countOfNew(in: sighting.witnesses)
      if known.add(sighting.witnesses) { try database.keep(SymbolSighting(sighting.function, known)) }
    } else if hasRoom {
      try database.keep(sighting)
      lesson.new += 1
      lesson.confirmed += sighting.witnesses.all.count - 1
      counts[sighting.function.image, default: 0] += 1
    } else {
      lesson.refused += 1
    }
  }

  /// Forgets what a single source has seen of an image of which too much is known.
  private mutating func makeRoom(for image: ImageID) throws(SQLite.Failure) -> Bool {
    var count = counts[image] ?? 0
    if counts[image] == nil { count = try database.count(of: image) }
    if count >= maximumFunctions, swept.insert(image).inserted {
      try database.run(
        "DELETE FROM function WHERE image = ? AND length(witnesses) <= \(FunctionWitnesses.byteCount)",
        .blob(image.bytes))
      count = try database.count(of: image)
    }
    counts[image] = count
    return count < maximumFunctions
  }
}

// The statements about functions.
extension SQLite {
  fileprivate func sightings(of image: ImageID) throws(Failure) -> [SymbolSighting] {
    let rows = try run(
      "SELECT start, name, witnesses, day FROM function WHERE image = ? ORDER BY start, name",
      .blob(image.bytes))
    return rows.compactMap { row in
      guard let start = row[0].integer, let name = row[1].text, let witnesses = row[2].blob else {
        return nil
      }
      let sighting = SymbolSighting(
        SightedFunction(image: image, start: UInt64(bitPattern: start), name: name),
        FunctionWitnesses(bytes: witnesses, day: row[3].integer))
      return sighting.isPlausible ? sighting : nil
    }
  }

  fileprivate func witnesses(of function: SightedFunction) throws(Failure) -> FunctionWitnesses? {
    let rows = try run(
      "SELECT witnesses, day FROM function WHERE image = ? AND start = ? AND name = ?",
      .blob(function.image.bytes), .integer(Int64(bitPattern: function.start)), .text(function.name))
    return rows.first.map { FunctionWitnesses(bytes: $0[0].blob ?? [], day: $0[1].integer) }
  }

  fileprivate func count(of image: ImageID) throws(Failure) -> Int {
    let count = try run("SELECT count(*) FROM function WHERE image = ?", .blob(image.bytes)).first?.first
    return Int(count?.integer ?? 0)
  }

  /// Puts a function in, in the place of what was known of it.
  fileprivate func keep(_ sighting: SymbolSighting) throws(Failure) {
    let (function, witnesses) = (sighting.function, sighting.witnesses)
    try run(
      "INSERT OR REPLACE INTO function VALUES (?, ?, ?, ?, ?)", .blob(function.image.bytes),
      .integer(Int64(bitPattern: function.start)), .text(function.name), .blob(witnesses.bytes),
      witnesses.day.map { .integer($0) } ?? .null)
  }
}

extension SightedFunction {
  fileprivate func stands(before other: Self) -> Bool {
    if image != other.image { return image.bytes.lexicographicallyPrecedes(other.image.bytes) }
    return start != other.start ? start < other.start : name < other.name
  }
}

extension SymbolSighting {
  /// Whether it is one that a report could have brought; those of files can be anybody's.
  fileprivate var isPlausible: Bool {
    function.image.bytes.count == 16 && function.start < 1 << 40 && !witnesses.all.isEmpty
      && witnesses.all.allSatisfy { (1...Self.longestFunction).contains($0.extent) }
      && (function.name.isEmpty || Self.keptName(function.name) == function.name)
  }
}

extension FunctionWitnesses {
  /// What a witness takes in the database: number and extent, four bytes each, the lowest first.
  fileprivate static let byteCount = 8

  fileprivate init(bytes: [UInt8], day: Int64?) {
    func number(_ start: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) }
    }
    let starts = stride(from: 0, through: bytes.count - Self.byteCount, by: Self.byteCount)
    self.init(starts.map { Witness(number($0), extent: UInt64(number($0 + 4))) }, day: day)
  }

  fileprivate var bytes: [UInt8] {
    all.flatMap { $0.number.littleEndianBytes + UInt32(clamping: $0.extent).littleEndianBytes }
  }
}
