internal import CrashReadCore

/// A message between a batch and a worker: a kind, a length, and that number of bytes.
package struct Message: Equatable {
  package enum Kind: UInt8 {
    // To the worker: settings, then debug files not to use, then inputs one after another.
    case settings, refusals, file, bytes, record
    /// To the worker, at the end: cache the debug files it has opened.
    case makeCaches
    // From the worker, once: paths of debug files that can't be used, and that it is ready.
    case problem, ready
    // From the worker, for each input: its name, the lines of the result, and the outcome.
    case name, line, done
    // From the worker, for each report: the properties by which it is grouped.
    case occurrence
    // From the worker, occasionally and at the end: sightings of system functions in its reports.
    case sightings
    /// From the worker's handler of fatal signals: the look-up in progress.
    case crashing
    /// To the worker, instead of an input: a single look-up.
    case lookup
  }

  package var kind: Kind
  package var contents: [UInt8]

  /// The kind in one byte, the length in four, little-endian.
  static let headSize = 5
}

extension [UInt8] {
  /// Appends a message.
  package mutating func appendMessage(_ kind: Message.Kind, _ contents: some Collection<UInt8> = []) {
    append(kind.rawValue)
    append(littleEndian: UInt32(clamping: contents.count))
    append(contentsOf: contents)
  }
}

/// Splits a stream of bytes into messages, as they arrive.
package struct MessageDecoder {
  private var buffer: [UInt8] = []
  private var position = 0

  /// A stream that doesn't consist of messages.
  package struct Garbled: Error {}

  package init() {}

  package mutating func append(_ bytes: ArraySlice<UInt8>) { buffer.append(contentsOf: bytes) }

  /// Bytes that belong to no complete message yet.
  var count: Int { buffer.count - position }

  /// The next complete message; nil until it has arrived.
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

/// Texts joined by zero bytes; neither paths nor system messages contain one.
package func joinedTexts(_ texts: [String]) -> [UInt8] {
  Array(texts.map { Array($0.utf8) }.joined(separator: [0]))
}

/// The texts that `joinedTexts` put together.
package func splitTexts(_ bytes: some Collection<UInt8>) -> [String] {
  bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
}
