internal import Synchronization

/// Which binary of which file: of a file with several only one may be damaged.
package struct BinaryName: Hashable, Sendable {
  package var path: String
  /// Its UUID or build-id in words; empty when it has none.
  package var id: String

  package init(path: String, id: String) { (self.path, self.id) = (path, id) }
}

/// The binary that is being read and the address that is looked up in it, where a handler of fatal signals can find them.
///
/// A handler can take no lock and make no string, so the name is kept in plain memory. For programs that read debug files
/// in one thread; others must not call `watch`.
@safe package enum FileInUse {
  /// Bytes kept at most: a path and an identity, each with a zero behind it, and room for an address. Longer ones are cut.
  package static let capacity = pathCapacity + idCapacity + addressDigits
  private static let pathCapacity = 4096
  private static let idCapacity = 160
  private static let addressDigits = 16

  /// A binary's name as it is kept.
  package struct Label: Sendable {
    fileprivate let bytes: [CChar]

    package init(_ name: BinaryName) {
      bytes =
        (name.path.utf8.prefix(pathCapacity - 1) + [0] + name.id.utf8.prefix(idCapacity - 1) + [0])
        .map { CChar(bitPattern: $0) }
    }
  }

  /// Holds the name, or only a zero while no debug file is read; nil until `watch` is called.
  nonisolated(unsafe) private static var place: UnsafeMutablePointer<CChar>?
  /// Several threads may look up addresses of one file at a time; the last one to begin is kept.
  private static let address = Atomic<UInt64>(0)
  private static let entries = Atomic<UInt64>(0)

  /// From now on keeps the name there; it must have room for `capacity` bytes, and stay.
  package static func watch(at place: UnsafeMutablePointer<CChar>) {
    unsafe place.initialize(repeating: 0, count: capacity)
    // A handler must not be the first to use them.
    address.store(0, ordering: .relaxed)
    entries.store(0, ordering: .relaxed)
    unsafe self.place = place
  }

  /// Says that from here on a file's contents may end the process.
  package static func enter(_ label: Label, _ address: UInt64) {
    guard let place = unsafe place else { return }
    look(at: address)
    for index in label.bytes.indices { unsafe place[index] = label.bytes[index] }
  }

  /// Says that this address is looked up from here on.
  package static func look(at address: UInt64) {
    guard unsafe place != nil else { return }
    self.address.store(address, ordering: .relaxed)
    entries.wrappingAdd(1, ordering: .relaxed)
  }

  /// Says that the file isn't read any more.
  package static func leave() {
    if let place = unsafe place { unsafe place[0] = 0 }
  }

  /// How many look-ups have begun: while it stays the same, it is the same one. May be called by a handler.
  package static var lookups: UInt64 { entries.load(ordering: .relaxed) }

  /// The identity, behind the path. May be called by a handler.
  package static func id(in place: UnsafeMutablePointer<CChar>) -> UnsafeMutablePointer<CChar> {
    var end = 0
    while unsafe place[end] != 0 { end += 1 }
    return unsafe place + end + 1
  }

  /// Writes the address behind path and identity, in hexadecimal digits. May be called by a handler.
  /// - Returns: How many bytes there are now: three texts with zeros between them.
  package static func writeAddress(behind place: UnsafeMutablePointer<CChar>) -> Int {
    let digits = unsafe id(in: id(in: place))
    let address = address.load(ordering: .relaxed)
    for index in 0..<addressDigits {
      let digit = CChar(truncatingIfNeeded: address >> UInt64(4 * (addressDigits - 1 - index)) & 0xf)
      unsafe digits[index] = digit < 10 ? 0x30 + digit : 0x57 + digit
    }
    return unsafe digits + addressDigits - place
  }
}
