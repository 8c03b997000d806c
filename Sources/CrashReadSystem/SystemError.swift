internal import Glibc

/// An error of the operating system.
package enum SystemError: Error, Hashable, Sendable {
  /// A C function failed: its name, and `errno`.
  case failed(String, code: Int32)
  /// The path names a directory, socket or device.
  case notAFile
  /// The file is empty.
  case empty
  /// The file has more bytes than the limit.
  case tooLarge(limit: Int)
  /// The directory doesn't belong to the user, or others can write to it.
  case writableByOthers
  /// The path leads out of the folder that it must stay in.
  case outsideFolder
  /// The file to be written is a symbolic link.
  case symbolicLink

  /// The failure of the C function that was just called.
  package static func last(_ function: String) -> SystemError { .failed(function, code: errno) }

  /// The reader has closed the pipe.
  package static let brokenPipe = SystemError.failed("write", code: EPIPE)

  /// There is no such file.
  package static let noSuchFile = SystemError.failed("open", code: ENOENT)

  /// The value of `errno`; nil when no C function failed.
  package var code: Int32? {
    if case .failed(_, let code) = self { code } else { nil }
  }

  /// Whether there is no such file.
  package var isAbsent: Bool { code == ENOENT }

  /// The error in words, without the C function's name.
  package var reason: String {
    switch self {
    case .failed(_, let code): systemMessage(code)
    case .notAFile: "not a regular file"
    case .empty: "the file is empty"
    case .tooLarge(let limit): "a file of more than \(limit) bytes is not supported"
    case .writableByOthers: "a directory that others can write to is not supported"
    case .outsideFolder: "a path that leads out of its folder is not supported"
    case .symbolicLink: "writing through a symbolic link is not supported"
    }
  }
}

extension SystemError: CustomStringConvertible {
  /// The error in words, without the file's name.
  package var description: String {
    if case .failed(let function, _) = self { "\(function): \(reason)" } else { reason }
  }
}

/// The text for an `errno` value. The C function is `strerror`.
package func systemMessage(_ code: Int32) -> String {
  unsafe copiedString(strerror(code)) ?? "error \(code)"
}

/// The system's message for exhausted memory.
package let outOfMemoryMessage = systemMessage(ENOMEM)

/// A copy of a C string; nil for a null pointer.
package func copiedString(_ pointer: UnsafePointer<CChar>?) -> String? {
  unsafe pointer.map { unsafe String(cString: $0) }
}
