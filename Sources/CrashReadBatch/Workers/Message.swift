/// What a batch and a worker tell each other through pipes: a kind, a length, and as many bytes.
package struct Message: Equatable {
  package enum Kind: UInt8 {
    // To the worker: how to work, which debug files not to use, and then one input after another.
    case settings, refusals, file, bytes, record
    /// To a worker, at the end: make caches of the debug files it has opened.
    case makeCaches
    // From the worker, once: places for debug files that can't be used, and that it is ready.
    case problem, ready
    // From the worker, for each input: its name, lines of the result, and how it went.
    case name, line, done
    /// From the worker, for each report: what grouping needs of it.
    case occurrence
    /// From the worker, for each report: what it says of the system's functions.
    case sightings
    /// From the worker's handler of fatal signals: the look-up that was going on.
    case dying
    /// To the worker, instead of an input: one look-up, and nothing else.
    case lookup
  }

  package var kind: Kind
  package var contents: [UInt8]

  /// The kind in one byte, the length in four, the lowest first.
  static let headSize = 5
}

extension [UInt8] {
  /// Appends a message.
  package mutating func appendMessage(_ kind: Message.Kind, _ contents: some Collection<UInt8> = []) {
    append(kind.rawValue)
    let length = UInt32(clamping: contents.count)
    for shift in [0, 8, 16, 24] as [UInt32] { append(UInt8(truncatingIfNeeded: length >> shift)) }
    append(contentsOf: contents)
  }
}

/// Takes messages out of a stream of bytes, as they come in.
package struct MessageDecoder {
  private var buffer: [UInt8] = []
  private var position = 0

  /// The stream is corrupt.
  package struct Garbled: Error {}

  package init() {}

  package mutating func append(_ bytes: ArraySlice<UInt8>) { buffer.append(contentsOf: bytes) }

  /// Bytes that are held and belong to no whole message yet.
  var count: Int { buffer.count - position }

  /// The next whole message; nil until it has come.
  package mutating func next() throws(Garbled) -> Message? {
    guard count >= Message.headSize else { return nil }
    guard let kind = Message.Kind(rawValue: buffer[position]) else { throw Garbled() }
    let length = (0..<4).reduce(0) { $0 | Int(buffer[position + 1 + $1]) << (8 * $1) }
    guard count - Message.headSize >= length else { return nil }
    let start = position + Message.headSize
    let contents = Array(buffer[start..<start + length])
    position = start + length
    if position == buffer.count || position > 1 << 20 {
      buffer.removeFirst(position)
      position = 0
    }
    return Message(kind: kind, contents: contents)
  }
}

/// Texts with a zero between them: none has one in it, as paths and messages of the system haven't.
package func joinedTexts(_ texts: [String]) -> [UInt8] {
  Array(texts.map { Array($0.utf8) }.joined(separator: [0]))
}

/// The texts that `joinedTexts` put together.
package func splitTexts(_ bytes: some Collection<UInt8>) -> [String] {
  bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
}
