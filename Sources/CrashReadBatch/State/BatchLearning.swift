internal import CrashRead
internal import CrashReadDebugInfo
internal import CrashReadSystem

/// The system functions that a batch learns from its reports.
struct BatchLearning {
  let path: String
  private let memory: SymbolMemory
  private var pending = SightingTable()
  private(set) var total = SymbolMemory.LearningResult()

  /// Opens the symbol memory, and creates it if the batch learns; nil if the settings name none or the batch only reads it.
  /// - Throws: `BatchError` if it can't be used, even only for reading.
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

  /// Adds sightings from workers' messages; a message's undecodable part is ignored.
  mutating func add(_ messages: [[UInt8]]) throws(BatchError) {
    for message in messages {
      for sighting in SightingMessage.sightings(message) { _ = pending.add(sighting) }
    }
    if pending.count >= SymbolMemory.transactionSize { try end() }
  }

  /// Writes the sightings collected so far.
  mutating func end() throws(BatchError) {
    do throws(SQLite.Failure) {
      total.add(try memory.learn(pending))
    } catch {
      throw BatchError(file: path, message: "cannot learn: \(error)")
    }
    pending = SightingTable()
  }
}
