import CrashReadSystem
import Glibc
import Synchronization
import Testing

@testable import CrashReadDebugInfo

@Suite("Work on several threads")
struct ConcurrentMapTests {
  @Test("gives the results in order, however many threads there are", arguments: [0, 1, 2, 7, 200])
  func order(_ threads: Int) {
    for count in [0, 1, 2, 100] {
      #expect(concurrentMap(count, threads: threads) { $0 * 3 } == (0..<count).map { $0 * 3 })
    }
  }

  @Test("is done by several threads at once, and by no more than asked for")
  func severalThreads() {
    let waiting = Atomic(0)
    let names = concurrentMap(3, threads: 3) { _ in
      // Nobody gets on before all three are here.
      waiting.add(1, ordering: .relaxed)
      while waiting.load(ordering: .relaxed) < 3 { sched_yield() }
      return UInt(pthread_self())
    }
    #expect(Set(names).count == 3)
    #expect(Set(concurrentMap(100, threads: 2) { _ in UInt(pthread_self()) }).count <= 2)
    let caller = UInt(pthread_self())
    #expect(concurrentMap(2, threads: 1) { _ in UInt(pthread_self()) } == [caller, caller])
  }

  @Test("makes a value once for a key, whoever asks")
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
