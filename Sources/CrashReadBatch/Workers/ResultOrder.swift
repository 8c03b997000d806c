/// Puts results back into the order of their inputs, and keeps how far the inputs may run ahead within bounds.
struct ResultOrder {
  private var waiting: [Int: BatchResult] = [:]
  /// The input whose result is to be written next.
  private var next = 0
  /// How many inputs were begun.
  private var begun = 0
  private var waitingBytes = 0

  /// Inputs that may be begun beyond the one that all wait for.
  private let window: Int
  /// Bytes of results that may wait.
  private static let maximumBytes = 64 << 20

  init(window: Int) { self.window = window }

  /// Whether another input may be begun.
  var hasRoom: Bool { begun - next < window && waitingBytes < Self.maximumBytes }

  /// Whether nothing is waited for.
  var isEmpty: Bool { next == begun }

  /// Begins an input.
  /// - Returns: Its position.
  mutating func begin() -> Int {
    defer { begun += 1 }
    return begun
  }

  mutating func put(_ result: BatchResult, at position: Int) {
    waiting[position] = result
    waitingBytes += result.lines.count
  }

  /// The next result in order, with its position; nil until it is there.
  mutating func take() -> (position: Int, result: BatchResult)? {
    guard let result = waiting.removeValue(forKey: next) else { return nil }
    waitingBytes -= result.lines.count
    defer { next += 1 }
    return (next, result)
  }
}
