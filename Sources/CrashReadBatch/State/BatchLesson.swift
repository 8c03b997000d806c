internal import CrashRead
internal import CrashReadDebugInfo
internal import CrashReadSystem

/// What a batch learns of the system's functions.
struct BatchLesson {
  let path: String
  private let memory: SymbolMemory
  private var pending: [SymbolSighting] = []
  private(set) var total = SymbolMemory.Lesson()

  /// Opens the memory, and makes one where names are to be learnt; nil when nothing is.
  /// - Throws: `BatchError` when the memory can't be used, also when it is only to be read.
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

  /// Takes what workers write; what is none of theirs is left out.
  mutating func add(_ texts: [[UInt8]]) throws(BatchError) {
    for text in texts {
      pending += (try? SightingLines.sightings(String(decoding: text, as: UTF8.self))) ?? []
    }
    if pending.count >= SymbolMemory.portion { try end() }
  }

  /// Writes what has been taken.
  mutating func end() throws(BatchError) {
    do throws(SQLite.Failure) {
      total.add(try memory.learn(pending))
    } catch {
      throw BatchError(file: path, message: "cannot learn: \(error)")
    }
    pending = []
  }
}

/// What a worker has told of its reports' sightings: not each of thousands of reports needs to be told again.
struct ToldSightings {
  private struct Statement: Hashable {
    var image: ImageID
    var start: UInt64
    var extent: UInt64
    var name: String
  }

  private var witnesses: [Statement: Set<UInt32>] = [:]

  /// More aren't kept; then it begins anew.
  private static let maximumCount = 200_000

  /// Those that say something new.
  mutating func new(among sightings: [SymbolSighting]) -> [SymbolSighting] {
    if witnesses.count > Self.maximumCount { witnesses = [:] }
    return sightings.filter { sighting in
      let key = Statement(
        image: sighting.image, start: sighting.start, extent: sighting.extent, name: sighting.name)
      return witnesses[key, default: []].addsAny(of: sighting.witnesses)
    }.sorted { $0.image.bytes.lexicographicallyPrecedes($1.image.bytes) }
  }
}

extension Set<UInt32> {
  /// Adds witnesses as long as more count; false when none is new.
  fileprivate mutating func addsAny(of others: [UInt32]) -> Bool {
    count < SymbolMemory.maximumWitnesses && others.contains { insert($0).inserted }
  }
}
