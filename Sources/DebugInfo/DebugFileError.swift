public import BinaryIdentity

/// Why a debug file can't be used.
public enum DebugFileError: Error, Sendable, Hashable {
  /// The system refused: the operation's name, and `errno`.
  case system(operation: String, code: Int32)
  /// The path names a directory, socket or device.
  case notAFile
  /// The file is empty.
  case empty
  /// Neither Mach-O nor ELF.
  case unrecognised
  /// Mach-O or ELF of a kind that isn't read, such as big-endian: which, in words.
  case unsupported(String)
  /// The file contradicts itself: what, and where in bytes from the file's start.
  case damaged(String, at: Int)
  /// The file was cut or written to while it was in use, so that nobody knows what was read.
  case changed
  /// The file has other identities than the one asked for.
  case wrongIdentity(expected: ImageID, found: [ImageID])
  /// libdw or libelf refused the file: their message.
  case elfutils(String)
}

extension DebugFileError: CustomStringConvertible {
  /// The error in words, without the file's name.
  public var description: String {
    switch self {
    case .system(let operation, let code): "\(operation): \(systemMessage(code))"
    case .notAFile: "not a regular file"
    case .empty: "the file is empty"
    case .unrecognised: "neither a Mach-O nor an ELF file"
    case .unsupported(let what): "\(what) is not supported"
    case .damaged(let what, let offset): "damaged: \(what) at byte \(offset)"
    case .changed: "damaged: the file changed while it was read"
    case .wrongIdentity(let expected, let found):
      "has \(found.isEmpty ? "no identity" : found.map(\.description).joined(separator: ", "))"
        + " where \(expected) is wanted"
    case .elfutils(let message): message
    }
  }
}
