import CrashReadCore
import CrashReadSystem
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CrashReadDebugInfo
@testable import CrashReadSymbolication

@Suite("Open debug files")
struct OpenFilesTests {
  private func key(_ number: Int) -> OpenFiles.Key { .init(path: "\(number)", offset: 0, id: nil) }

  /// Mappings of files below a directory, in this process.
  private func mappings(in directory: TemporaryDirectory) throws -> Int {
    let maps = try readFile("/proc/self/maps", limit: 1 << 26)
    return String(decoding: maps, as: UTF8.self).split(separator: "\n").count {
      $0.contains(directory.url.path)
    }
  }

  @Test func openFileCountIsLimited() throws {
    let directory = try TemporaryDirectory()
    for number: UInt16 in 0..<60 { try directory.write(machO(number), to: "App\(number)") }
    let store = SymbolStore(searching: [directory.url.path], openFiles: 8)
    try #require(store.candidates.count == 60)
    #expect(try mappings(in: directory) == 0)
    let used = try store.open(store.candidates[0]).get()
    for candidate in store.candidates + store.candidates { _ = try store.open(candidate).get() }
    // The one that is used, and 8 more.
    let count = try mappings(in: directory)
    #expect(count == 9)
    let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
    let targets = descriptors.compactMap {
      try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
    }
    #expect(!targets.contains { $0.hasPrefix(directory.url.path) })
    #expect(used.slice.id == uuid(0))
  }

  @Test func leastRecentlyUsedIsClosed() throws {
    let file = Samples.path("symbols/c-abort.debug")
    let slice = try #require(BinarySlice.all(in: file).first)
    let files = OpenFiles(limit: 2)
    let opened = Mutex<[Int]>([])
    func use(_ number: Int) {
      _ = files.file(key(number)) {
        opened.withLock { $0.append(number) }
        return Result { () throws(DebugFileError) in try DebugFile(path: file, slice: slice) }
      }
    }
    for number in [1, 2, 1, 3, 1, 2] { use(number) }
    #expect(opened.withLock { $0 } == [1, 2, 3, 2])
  }

  @Test func systemErrorsAreNotCached() {
    let files = OpenFiles(limit: 4)
    let count = Mutex(0)
    func use(_ error: DebugFileError) {
      for _ in 0..<3 {
        _ = files.file(key(error == .system(.empty) ? 1 : 2)) {
          count.withLock { $0 += 1 }
          return .failure(error)
        }
      }
    }
    use(.system(.empty))
    #expect(count.withLock { $0 } == 1)
    use(.system(.failed("open", code: EMFILE)))
    #expect(count.withLock { $0 } == 4)
  }

  @Test func slowFileDoesNotBlockOthers() throws {
    let files = OpenFiles(limit: 4)
    let (isSlow, mayGoOn) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let slow = Thread {
      _ = files.file(self.key(1)) {
        isSlow.signal()
        mayGoOn.wait()
        return .failure(.system(.empty))
      }
    }
    slow.start()
    #expect(isSlow.wait(timeout: .now() + 300) == .success)
    let other = DispatchSemaphore(value: 0)
    let quick = Thread {
      _ = files.file(self.key(2)) { .failure(.system(.notAFile)) }
      other.signal()
    }
    quick.start()
    #expect(other.wait(timeout: .now() + 300) == .success)
    mayGoOn.signal()
    guard case .failure(.system(.empty)) = files.file(key(1), open: { .failure(.system(.notAFile)) }) else {
      Issue.record("a file was opened twice")
      return
    }
  }

  @Test func concurrentOpensShareOneFile() throws {
    let path = Samples.path("symbols/HogeApp.app.dSYM")
    let store = SymbolStore(searching: [path])
    let candidate = try #require(store.candidates.first)
    let found = Mutex<Set<ObjectIdentifier>>([])
    DispatchQueue.concurrentPerform(iterations: 64) { _ in
      guard let file = try? store.open(candidate).get() else { return }
      found.withLock { _ = $0.insert(ObjectIdentifier(file)) }
    }
    #expect(found.withLock { $0.count } == 1)
  }
}
