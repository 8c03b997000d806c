import CrashReadSystem
import Glibc
import Synchronization
import Testing

@testable import CrashReadDebugInfo

@Suite("Work on several threads")
struct ConcurrentMapTests {
  @Test("returns the results in order for any number of threads", arguments: [0, 1, 2, 7, 200])
  func order(_ threads: Int) {
    for count in [0, 1, 2, 100] {
      #expect(concurrentMap(count, threads: threads) { $0 * 3 } == (0..<count).map { $0 * 3 })
    }
  }

  @Test("uses several threads, and at most the requested number")
  func severalThreads() {
    let waiting = Atomic(0)
    let names = concurrentMap(3, threads: 3) { _ in
      // All three wait here for one another.
      waiting.add(1, ordering: .relaxed)
      while waiting.load(ordering: .relaxed) < 3 { sched_yield() }
      return UInt(pthread_self())
    }
    #expect(Set(names).count == 3)
    #expect(Set(concurrentMap(100, threads: 2) { _ in UInt(pthread_self()) }).count <= 2)
    let caller = UInt(pthread_self())
    #expect(concurrentMap(2, threads: 1) { _ in UInt(pthread_self()) } == [caller, caller])
  }

  @Test("keeps one value per key for all threads")
  func cache() {
    let cache = LockedCache<Int, [Int]>()
    nonisolated(unsafe) let shared = cache
    let values = concurrentMap(1000, threads: 4) { number in
      unsafe shared.value(of: number % 10) { [number % 10] }
    }
    #expect(values == (0..<1000).map { [$0 % 10] })
    #expect(cache.value(of: 3) { [] } == [3])
  }
}
