internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadSystem
internal import Synchronization

/// The most recently used debug files, each opened once.
///
/// A million reports may need thousands of files one after the other; only a limited number stays open, besides those
/// in use. While a slow file is being opened, only threads that need the same one wait.
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
    /// Paths of files that a cache would speed up, including those closed again.
    var uncached: Set<String> = []
  }

  private let state = Mutex(State())
  private let limit: Int

  /// - Parameter limit: How many unused files stay open.
  init(limit: Int) { self.limit = limit }

  /// The file of a key, opened if necessary. Failures are remembered, too, except those of the system: lack of memory
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

  /// Paths of the files opened so far that a cache would speed up, and that have none.
  var uncachedPaths: [String] {
    let (slots, known) = state.withLock { state in (state.slots.values.map(\.slot), state.uncached) }
    // Damage to a cache may only be found when it is read.
    let now = slots.compactMap { slot in slot.file.withLock { try? $0?.get() } }.filter(\.deservesCache).map(
      \.path)
    return known.union(now).sorted()
  }
}
