internal import Synchronization

/// One binary in a debug file; of a universal file's binaries only one may be damaged.
package struct BinaryName: Hashable, Sendable {
  package var path: String
  /// Its UUID or build-id as text; empty when it has none.
  package var id: String

  package init(path: String, id: String) { (self.path, self.id) = (path, id) }
}

/// The binary being read and the address being looked up, available to a handler of fatal signals.
///
/// A handler can't take locks or create strings, so the name is kept in plain memory. For programs that read debug
/// files in one thread; others must not call `watch`.
@safe package enum FileInUse {
  /// The maximum size in bytes: a path and an identity, each with a terminating zero, and an address. Longer ones are
  /// truncated.
  static let capacity = pathCapacity + idCapacity + addressDigits
  private static let pathCapacity = 4096
  private static let idCapacity = 160
  private static let addressDigits = 16

  /// A binary's name in the form in which it is stored.
  package struct Label: Sendable {
    fileprivate let bytes: [CChar]

    package init(_ name: BinaryName) {
      bytes =
        (name.path.utf8.prefix(pathCapacity - 1) + [0] + name.id.utf8.prefix(idCapacity - 1) + [0])
        .map { CChar(bitPattern: $0) }
    }
  }

  /// Holds the name, or only a zero while no debug file is being read; nil until `watch` is called.
  nonisolated(unsafe) private static var buffer: UnsafeMutablePointer<CChar>?
  /// Several threads may look up addresses in a file at the same time; the last one to start is recorded.
  private static let address = Atomic<UInt64>(0)
  private static let entries = Atomic<UInt64>(0)

  /// Starts recording the name in a buffer, which must have room for `capacity` bytes and stay valid.
  static func watch(at buffer: UnsafeMutablePointer<CChar>) {
    unsafe buffer.initialize(repeating: 0, count: capacity)
    // Globals are initialised lazily, which isn't async-signal-safe: done here.
    address.store(0, ordering: .relaxed)
    entries.store(0, ordering: .relaxed)
    unsafe self.buffer = buffer
  }

  /// Records that this file is being read, which may crash the process.
  package static func enter(_ label: Label, _ address: UInt64) {
    guard let buffer = unsafe buffer else { return }
    recordLookup(of: address)
    for index in label.bytes.indices { unsafe buffer[index] = label.bytes[index] }
  }

  /// Records that this address is being looked up.
  package static func recordLookup(of address: UInt64) {
    guard unsafe buffer != nil else { return }
    self.address.store(address, ordering: .relaxed)
    entries.wrappingAdd(1, ordering: .relaxed)
  }

  /// Records that the file is no longer being read.
  package static func leave() {
    if let buffer = unsafe buffer { unsafe buffer[0] = 0 }
  }

  /// How many look-ups have begun: while the number is the same, so is the look-up. Async-signal-safe.
  static var lookups: UInt64 { entries.load(ordering: .relaxed) }

  /// The identity, after the path. Async-signal-safe.
  static func id(in buffer: UnsafeMutablePointer<CChar>) -> UnsafeMutablePointer<CChar> {
    var end = 0
    while unsafe buffer[end] != 0 { end += 1 }
    return unsafe buffer + end + 1
  }

  /// Writes the address after path and identity, in hexadecimal. Async-signal-safe.
  /// - Returns: The total number of bytes: three texts separated by zeros.
  static func writeAddress(after buffer: UnsafeMutablePointer<CChar>) -> Int {
    let digits = unsafe id(in: id(in: buffer))
    let address = address.load(ordering: .relaxed)
    for index in 0..<addressDigits {
      let digit = CChar(truncatingIfNeeded: address >> UInt64(4 * (addressDigits - 1 - index)) & 0xf)
      unsafe digits[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
    }
    return unsafe digits + addressDigits - buffer
  }
}
