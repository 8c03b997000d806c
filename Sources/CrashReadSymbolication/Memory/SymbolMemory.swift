internal import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadSystem
internal import Synchronization

/// A database of system functions' names, collected from reports.
///
/// Each function is stored with its witnesses, identified by hashes: a report counts once, however often it is read, and
/// databases can be merged in any order.
package final class SymbolMemory: Sendable {
  private struct State: ~Copyable {
    let database: SQLite
    /// The images looked up so far.
    var functions: [ImageID: LearnedFunctions] = [:]
    /// The number of stored functions of each image that was written to.
    var counts: [ImageID: Int] = [:]
  }

  private let state: Mutex<State>
  private let quorum: Int
  private let maximumFunctions: Int

  /// The maximum number of functions per image: images have tens of thousands, each with a few names at most.
  package static let maximumFunctions = 200_000
  /// The default number of sources that must agree: a single report may be forged.
  package static let defaultQuorum = 2
  /// The number of functions that are written in one transaction.
  package static let transactionSize = 50_000
  private static let maximumImages = 1000

  /// SQLite's `application_id` ("crsy") and `user_version`.
  private static let application: Int64 = 0x6372_7379
  private static let version: Int64 = 2

  /// Opens a database.
  /// - Parameters:
  ///   - path: The database's path; the file is created if it is missing, unless `isReadOnly`.
  ///   - quorum: The number of sources that must agree on a name.
  ///   - isReadOnly: Whether names are only looked up.
  ///   - maximumFunctions: The maximum number of functions per image.
  /// - Throws: `SQLite.Failure`, also if the file isn't a symbol memory.
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
        ? .init(code: error.code, description: "not a symbol memory, or damaged: \(error)") : error
    }
    (self.quorum, self.maximumFunctions) = (quorum, maximumFunctions)
    state = Mutex(State(database: database))
  }

  private static func check(_ database: SQLite, isReadOnly: Bool) throws(SQLite.Failure) {
    let application = try database.run("PRAGMA application_id").first?.first?.integer
    if application == Self.application {
      let version = try database.run("PRAGMA user_version").first?.first?.integer ?? 0
      if version == Self.version { return try checkSchema(database) }
      throw SQLite.Failure(description: "a symbol memory of another version of crashread (\(version))")
    }
    guard !isReadOnly, application == 0, try database.run("SELECT 1 FROM sqlite_master LIMIT 1").isEmpty
    else {
      throw SQLite.Failure(description: "not a symbol memory")
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

  /// Checks the schema: a foreign database could contain endless views, and triggers.
  private static func checkSchema(_ database: SQLite) throws(SQLite.Failure) {
    let schema = try database.run("SELECT sql FROM sqlite_master")
    guard schema == [[.text("CREATE TABLE \(table)")]] else {
      throw SQLite.Failure(description: "not a symbol memory: its tables aren't crashread's")
    }
  }

  // MARK: Use

  /// The function at an offset from an image's start, in bytes; nil if reports prove none there.
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

  /// The effect of learning on the database.
  package struct LearningResult: Sendable, Equatable {
    /// The number of functions that were added.
    package var new = 0
    /// The number of new witnesses of known functions.
    package var confirmed = 0
    /// The number of functions refused since their image has the maximum number.
    package var refused = 0

    /// Creates an empty count.
    package init() {}

    /// Adds other counts.
    package mutating func add(_ other: Self) {
      new += other.new
      confirmed += other.confirmed
      refused += other.refused
    }
  }

  /// Stores sightings, in one transaction.
  package func learn(_ sightings: SightingTable) throws(SQLite.Failure) -> LearningResult {
    // In the order of the primary key, so that neighbouring rows are written together.
    let images = Dictionary(grouping: sightings.sightings.lazy.filter(\.isPlausible), by: \.function.image)
      .sorted { $0.key.bytes.lexicographicallyPrecedes($1.key.bytes) }
    let sightings = images.flatMap { $0.value.sorted { $0.function.precedes(before: $1.function) } }
    return try state.withLock { (state) throws(SQLite.Failure) in
      state.functions = [:]
      var writer = SightingWriter(
        database: state.database, maximumFunctions: maximumFunctions, counts: state.counts)
      // Counted again after a rollback.
      state.counts = [:]
      try writer.learn(all: sightings)
      state.counts = writer.counts
      return writer.result
    }
  }

  /// Calls `body` with every sighting, those of an image together and in ascending order of address.
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

/// Writes sightings to a database.
private struct SightingWriter {
  let database: SQLite
  let maximumFunctions: Int
  private(set) var result = SymbolMemory.LearningResult()
  /// The number of stored functions of each image.
  private(set) var counts: [ImageID: Int]
  /// Images of which nothing was stored before.
  private var newImages: Set<ImageID> = []
  /// Images whose functions with a single witness were deleted.
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
    let isNewImage = newImages.contains(sighting.function.image)
    if !isNewImage, var known = try database.witnesses(of: sighting.function) {
      result.confirmed += known.countOfNew(in: sighting.witnesses)
      if known.add(sighting.witnesses) { try database.keep(SymbolSighting(sighting.function, known)) }
    } else if hasRoom {
      try database.keep(sighting)
      result.new += 1
      result.confirmed += sighting.witnesses.all.count - 1
      counts[sighting.function.image, default: 0] += 1
    } else {
      result.refused += 1
    }
  }

  /// Deletes the functions with a single witness if an image has too many.
  /// - Returns: Whether another function can be added.
  private mutating func makeRoom(for image: ImageID) throws(SQLite.Failure) -> Bool {
    var count = counts[image] ?? 0
    if counts[image] == nil {
      count = try database.count(of: image)
      if count == 0 { newImages.insert(image) }
    }
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

// MARK: - Statements

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

  /// Inserts a function, or replaces it.
  fileprivate func keep(_ sighting: SymbolSighting) throws(Failure) {
    let (function, witnesses) = (sighting.function, sighting.witnesses)
    try run(
      "INSERT OR REPLACE INTO function VALUES (?, ?, ?, ?, ?)", .blob(function.image.bytes),
      .integer(Int64(bitPattern: function.start)), .text(function.name), .blob(witnesses.bytes),
      witnesses.day.map { .integer($0) } ?? .null)
  }
}

extension SightedFunction {
  /// Whether it comes before another function of the same image.
  fileprivate func precedes(before other: Self) -> Bool {
    start != other.start ? start < other.start : name < other.name
  }
}

extension SymbolSighting {
  /// Whether a report could have stated it; foreign databases may contain any values.
  fileprivate var isPlausible: Bool {
    function.image.bytes.count == 16 && function.start < 1 << 40 && !witnesses.all.isEmpty
      && witnesses.all.allSatisfy { (1...Self.maximumFunctionSize).contains($0.extent) }
      && (function.name.isEmpty || Self.keptName(function.name) == function.name)
  }
}

extension FunctionWitnesses {
  /// The size of a witness in the database: number and extent, four bytes each, little-endian.
  fileprivate static let byteCount = 8

  fileprivate init(bytes: [UInt8], day: Int64?) {
    func number(_ start: Int) -> UInt32 {
      (0..<4).reduce(0) { $0 | UInt32(bytes[start + $1]) << (8 * UInt32($1)) }
    }
    let starts = stride(from: 0, through: bytes.count - Self.byteCount, by: Self.byteCount)
    self.init(starts.map { Witness(number($0), extent: number($0 + 4)) }, day: day)
  }

  fileprivate var bytes: [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(all.count * Self.byteCount)
    for witness in all {
      bytes.append(littleEndian: witness.number)
      bytes.append(littleEndian: witness.extent)
    }
    return bytes
  }
}
