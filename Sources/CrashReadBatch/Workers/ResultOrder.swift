/// Restores the order of the inputs, and bounds how far reading runs ahead.
struct ResultOrder {
  private var waiting: [Int: BatchResult] = [:]
  /// The position of the input whose result is written next.
  private var next = 0
  /// The number of inputs that were begun.
  private var begun = 0
  private var waitingBytes = 0

  /// The maximum number of inputs begun beyond the first one whose result is missing.
  private let window: Int
  /// The maximum size in bytes of results that wait for an earlier one.
  private static let maximumBytes = 64 << 20

  init(window: Int) { self.window = window }

  /// Whether another input may be begun.
  var hasRoom: Bool { begun - next < window && waitingBytes < Self.maximumBytes }

  /// Whether no result is missing.
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

  /// The next result in order, with its position; nil until it has arrived.
  mutating func take() -> (position: Int, result: BatchResult)? {
    guard let result = waiting.removeValue(forKey: next) else { return nil }
    waitingBytes -= result.lines.count
    defer { next += 1 }
    return (next, result)
  }
}
