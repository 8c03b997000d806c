import CrashReadCore
import TestSupport
import Testing

@testable import CrashReadDebugInfo

/// The slices that `BinarySlice.all` finds in some bytes.
func slices(of bytes: [UInt8]) throws -> Result<[BinarySlice], DebugFileError> {
  let directory = try TemporaryDirectory()
  try directory.write(bytes, to: "file")
  return Result { () throws(DebugFileError) in try BinarySlice.all(in: directory.path("file")) }
}

extension Result where Failure == DebugFileError {
  var error: DebugFileError? {
    if case .failure(let error) = self { error } else { nil }
  }

  var isDamaged: Bool {
    if case .damaged = error { true } else { false }
  }
}

extension Result<[BinarySlice], DebugFileError> {
  /// The only slice; nil when there is an error or more than one.
  var single: BinarySlice? {
    if case .success(let slices) = self, slices.count == 1 { slices[0] } else { nil }
  }
}

extension BinarySlice {
  /// The first binary of a file.
  static func first(in path: String) throws -> BinarySlice { try #require(all(in: path).first) }

  /// All addresses of its code.
  var codeAddresses: [LinkedAddress] {
    codeRanges.flatMap { ($0.lowerBound.rawValue..<$0.upperBound.rawValue).map { LinkedAddress($0) } }
  }
}

extension DebugFile {
  /// Opens the first binary of a file.
  convenience init(firstIn path: String) throws { try self.init(path: path, slice: .first(in: path)) }
}
