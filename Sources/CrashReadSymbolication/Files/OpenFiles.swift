internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadSystem
internal import Synchronization

/// The most recently used debug files, each opened once.
///
/// A million reports may need thousands of files in succession; only a limited number stays open, besides those in use.
/// While a slow file is being opened, only threads that need the same file wait.
final class OpenFiles: Sendable {
  /// One binary of one file.
  struct Key: Hashable, Sendable {
    var path: String
    var offset: Int
    var id: ImageID?
  }

  typealias Opened = Result<DebugFile, DebugFileError>

  private final class Slot: Sendable {
    let file = Mutex<Opened?>(nil)
  }

  private struct State {
    var slots: [Key: (slot: Slot, lastUse: UInt64)] = [:]
    var uses: UInt64 = 0
    /// Paths of files for which a cache would speed up look-ups, including files closed again.
    var uncached: Set<String> = []
  }

  private let state = Mutex(State())
  private let limit: Int

  /// Creates an empty set of open files.
  /// - Parameter limit: The maximum number of unused files that stay open.
  init(limit: Int) { self.limit = limit }

  /// The file for a key, opened if necessary. Failures are remembered, except those of the system, since lack of memory
  /// or a missing file may be temporary.
  func file(_ key: Key, open: () -> Opened) -> Opened {
    slot(of: key).file.withLock { file in
      if let file { return file }
      let opened = open()
      if case .failure(.system(let error)) = opened, error.code != nil { return opened }
      file = opened
      note(opened)
      return opened
    }
  }

  private func slot(of key: Key) -> Slot {
    state.withLock { state in
      state.uses += 1
      if let slot = state.slots[key]?.slot {
        state.slots[key]?.lastUse = state.uses
        return slot
      }
      if state.slots.count >= limit, let oldest = state.slots.min(by: { $0.value.lastUse < $1.value.lastUse })
      {
        state.slots[oldest.key] = nil
      }
      let slot = Slot()
      state.slots[key] = (slot, state.uses)
      return slot
    }
  }

  private func note(_ opened: Opened) {
    guard case .success(let file) = opened, file.deservesCache else { return }
    state.withLock { _ = $0.uncached.insert(file.path) }
  }

  /// Paths of the files opened so far that have no cache, but would profit from one.
  var uncachedPaths: [String] {
    let (slots, known) = state.withLock { state in (state.slots.values.map(\.slot), state.uncached) }
    // Damage to a cache may be detected only when it is read.
    let now = slots.compactMap { slot in slot.file.withLock { try? $0?.get() } }.filter(\.deservesCache).map(
      \.path)
    return known.union(now).sorted()
  }
}
