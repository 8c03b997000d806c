internal import CrashRead
internal import CrashReadDebugInfo
internal import CrashReadSystem

/// What a batch learns about system functions.
struct BatchLesson {
  let path: String
  private let memory: SymbolMemory
  private var pending = SightingTable()
  private(set) var total = SymbolMemory.Lesson()

  /// Opens the memory, creating it where names are to be learned; nil when there is none.
  /// - Throws: `BatchError` when the memory can't be used, even if only for reading.
  init?(_ settings: BatchSettings) throws(BatchError) {
    guard let path = settings.symbolMemory else { return nil }
    self.path = path
    do throws(SQLite.Failure) {
      memory = try SymbolMemory(path: path, isReadOnly: !settings.learns)
    } catch {
      throw BatchError(file: path, message: "the symbol memory can't be used: \(error)")
    }
    if !settings.learns { return nil }
  }

  /// Adds what workers report; messages that can't be decoded are ignored.
  mutating func add(_ messages: [[UInt8]]) throws(BatchError) {
    for message in messages {
      for sighting in SightingMessage.sightings(message) { _ = pending.add(sighting) }
    }
    if pending.count >= SymbolMemory.portion { try end() }
  }

  /// Writes what has been added.
  mutating func end() throws(BatchError) {
    do throws(SQLite.Failure) {
      total.add(try memory.learn(pending))
    } catch {
      throw BatchError(file: path, message: "cannot learn: \(error)")
    }
    pending = SightingTable()
  }
}

/// What a worker has reported already, so that thousands of similar reports don't repeat it.
struct ToldSightings {
  private var table = SightingTable()

  /// When there are more functions, counting starts over.
  private static let maximumCount = 200_000

  /// Those that say something new.
  mutating func new(among sightings: [SymbolSighting]) -> [SymbolSighting] {
    if table.count > Self.maximumCount { table = SightingTable() }
    return sightings.filter { table.add($0) }
  }
}
