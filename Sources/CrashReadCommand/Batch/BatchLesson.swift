internal import CrashRead
internal import CrashReadDebugInfo
internal import CrashReadSystem

/// What a batch learns of the system's functions.
struct BatchLesson {
  private let path: String
  private let memory: SymbolMemory
  private var pending: [SymbolSighting] = []
  private var total = SymbolMemory.Lesson()

  /// Opens the memory, and makes one where names are to be learnt; nil when nothing is.
  /// - Throws: `BatchJob.Failure` when the memory can't be used, also when it is only to be read.
  init?(_ options: Options, _ environment: Environment) throws(BatchJob.Failure) {
    guard let path = options.memoryPath(environment) else {
      if options.learns {
        throw BatchJob.Failure(message: "--learn needs a file for the names; give one by --symbol-memory")
      }
      return nil
    }
    self.path = path
    do throws(SQLite.Failure) {
      memory = try SymbolMemory(path: path, isReadOnly: !options.learns)
    } catch {
      throw BatchJob.Failure(file: path, message: "the symbol memory can't be used: \(error)")
    }
    if !options.learns { return nil }
  }

  /// Takes what workers write; what is none of theirs is left out.
  mutating func add(_ texts: [[UInt8]]) throws(BatchJob.Failure) {
    for text in texts {
      pending += (try? SightingLines.sightings(String(decoding: text, as: UTF8.self))) ?? []
    }
    if pending.count >= SymbolMemory.portion { try end() }
  }

  /// Writes what has been taken.
  mutating func end() throws(BatchJob.Failure) {
    do throws(SQLite.Failure) {
      total.add(try memory.learn(pending))
    } catch {
      throw BatchJob.Failure(file: path, message: "cannot learn: \(error)")
    }
    pending = []
  }

  func tell(_ console: inout Console) { console.note(total.text, file: path) }
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
  private static let most = 200_000

  /// Those that say something new.
  mutating func new(among sightings: [SymbolSighting]) -> [SymbolSighting] {
    if witnesses.count > Self.most { witnesses = [:] }
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
    count < SymbolMemory.mostWitnesses && others.contains { insert($0).inserted }
  }
}
