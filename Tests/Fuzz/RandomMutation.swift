import TestSupport

/// Changes seeds at random, always in the same way: a small stand-in for libFuzzer, which needs a build of its own.
struct RandomMutation {
  private let seeds: [[UInt8]]
  private var random: SeededRandom

  init(of seeds: [[UInt8]], seed: UInt64) {
    self.seeds = seeds
    random = SeededRandom(seed: seed)
  }

  /// One to eight changes to one of the seeds.
  mutating func next() -> [UInt8] {
    var bytes = seeds[below(seeds.count)]
    for _ in 0...below(8) { change(&bytes) }
    return bytes
  }

  private mutating func below(_ limit: Int) -> Int { limit > 0 ? .random(in: 0..<limit, using: &random) : 0 }

  private mutating func change(_ bytes: inout [UInt8]) {
    let start = below(bytes.count)
    let end = min(bytes.count, start + 1 + below(1 << below(8)))
    switch below(8) {
    case 0: bytes.removeSubrange(start..<end)
    case 1: bytes.insert(contentsOf: bytes[start..<end], at: below(bytes.count))
    case 2:
      let other = seeds[below(seeds.count)]
      let from = below(other.count)
      bytes.insert(contentsOf: other[from...].prefix(1 << below(10)), at: start)
    case 3: bytes.insert(contentsOf: [[0xff], [0], Array("99999999999999999999".utf8)][below(3)], at: start)
    case 4:
      bytes.insert(contentsOf: (0...below(12)).map { _ in .random(in: 0...255, using: &random) }, at: start)
    case 5: for index in start..<end { bytes[index] = .random(in: 0...255, using: &random) }
    case 6 where start < bytes.count: bytes[start] ^= 1 << UInt8(below(8))
    default: for index in start..<end { bytes[index] = [0, 0xff, 0x7f, 0x80][below(4)] }
    }
  }
}
