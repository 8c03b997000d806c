/// The path of the debug file that is being read, where a handler of fatal signals can find it.
///
/// A handler can take no lock and make no string, so the path is kept in plain memory. For programs that read debug files
/// in one thread; in others nobody may watch.
@safe package enum FileInUse {
  /// Bytes that a path may have, with the zero behind it; a longer one is cut.
  package static let capacity = 4096

  /// Holds the path and a zero, or only the zero while no debug file is read; nil as long as nobody watches.
  nonisolated(unsafe) private static var place: UnsafeMutablePointer<CChar>?

  /// From now on keeps the path there; it must have room for `capacity` bytes, and stay.
  package static func watch(at place: UnsafeMutablePointer<CChar>) {
    unsafe place.initialize(repeating: 0, count: capacity)
    unsafe self.place = place
  }

  /// Says that from here on a file's contents may end the process.
  static func enter(_ path: String) {
    guard let place = unsafe place else { return }
    var end = 0
    for byte in path.utf8.prefix(capacity - 1) {
      unsafe place[end] = CChar(bitPattern: byte)
      end += 1
    }
    unsafe place[end] = 0
  }

  /// Says that the file isn't read any more.
  static func leave() {
    if let place = unsafe place { unsafe place[0] = 0 }
  }
}
