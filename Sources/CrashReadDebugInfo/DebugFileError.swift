package import CrashReadCore
package import CrashReadSystem

/// Why a debug file can't be used.
package enum DebugFileError: Error, Sendable, Hashable {
  /// The system can't open it, or it isn't a regular file with contents.
  case system(SystemError)
  /// Neither Mach-O nor ELF.
  case unrecognised
  /// Mach-O or ELF of an unsupported kind, such as big-endian: which, in words.
  case unsupported(String)
  /// The file is inconsistent: how, and at which offset in bytes.
  case damaged(String, at: Int)
  /// The file was truncated or written to while it was in use, so that what was read may be wrong.
  case changedWhileOpen
  /// The file has other identities than the one asked for.
  case wrongIdentity(expected: ImageID, found: [ImageID])
  /// The file was rebuilt since it was found: the identities it has now.
  case changed(found: [ImageID])
  /// The file isn't the target of a program's debug link: the expected CRC-32, and the file's.
  case wrongChecksum(expected: UInt32, found: UInt32)
  /// The file comes from another compilation than the file that refers to it: how this is known, in words.
  case otherBuild(String)
  /// libdw or libelf refused the file: their message.
  case elfutils(String)
  /// The file must not be opened because of an earlier failure, in words.
  case refused(String)
}

extension DebugFileError {
  /// Runs a closure and converts errors of the system to errors of the debug file.
  package static func wrap<Result: ~Copyable>(
    _ body: () throws(SystemError) -> Result
  ) throws(DebugFileError) -> Result {
    do throws(SystemError) { return try body() } catch { throw .system(error) }
  }

  /// Whether the reason is that there is no such file.
  var isAbsent: Bool {
    if case .system(let error) = self { error.isAbsent } else { false }
  }
}

extension DebugFileError: CustomStringConvertible {
  /// The error in words, without the file's name.
  package var description: String {
    switch self {
    case .system(let error): error.description
    case .unrecognised: "neither a Mach-O nor an ELF file"
    case .unsupported(let what): "\(what) is not supported"
    case .damaged(let what, let offset): "damaged: \(what) at byte \(offset)"
    case .changedWhileOpen: "damaged: the file changed while it was read"
    case .wrongIdentity(let expected, let found):
      "has \(list(found)) where \(expected) is wanted"
    case .changed(let found): "changed since it was found: has \(list(found)) now"
    case .wrongChecksum(let expected, let found):
      "belongs to another build: its CRC-32 is \(hexadecimal(UInt64(found))), and the program's debug link requires \(hexadecimal(UInt64(expected)))"
    case .otherBuild(let sign): "it belongs to another build: \(sign)"
    case .elfutils(let message), .refused(let message): message
    }
  }
}

private func list(_ found: [ImageID]) -> String {
  found.isEmpty ? "no identity" : found.map(\.description).joined(separator: ", ")
}
