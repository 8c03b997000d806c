internal import CrashRead
internal import CrashReadSystem

/// A file that grows by whole lines and can be truncated to the length that a state has committed.
struct AppendedFile {
  private let file: AppendableFile
  private var stream: OutputStream
  /// The file and its committed length, as the state stores them.
  private(set) var end: BatchState.Output

  /// Opens a file for appending, or creates it.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - last: The output of the last run according to the state: if it is this file, what was written after the
  ///     committed length is cut off.
  /// - Throws: `Refusal` when the file can't be what the last run left.
  init(path: String, last: BatchState.Output?) throws(Refusal) {
    if let last, last.path != path { try Self.checkEnd(of: last) }
    do throws(SystemError) {
      file = try AppendableFile(path: path)
    } catch {
      throw error == .notAFile ? .notAFile : .system(error)
    }
    stream = OutputStream(descriptor: file.descriptor)
    end = .init(path: path, file: file.status.id, length: Int64(clamping: file.status.size))
    guard let last, last.file == end.file else { return }
    guard end.length >= last.length else { throw .shorter(by: last.length - end.length) }
    do throws(SystemError) { try file.truncate(to: last.length) } catch { throw .system(error) }
    end.length = last.length
  }

  /// Why a file can't be used as the output.
  enum Refusal: Error, Equatable, CustomStringConvertible {
    case system(SystemError)
    case notAFile
    case shorter(by: Int64)
    case unfinished(String)

    var description: String {
      switch self {
      case .system(let error): "cannot write: \(error.reason)"
      case .notAFile: "not a regular file, which --state needs to write each result once"
      case .shorter(let bytes):
        "\(bytes) bytes shorter than recorded by --state: the missing results won't be written again"
      case .unfinished(let path):
        "the last run with this state was interrupted while it wrote \(path); run it again with that output first"
      }
    }
  }

  /// Checks that the file ends as committed. With another output, the last uncommitted results would be written twice.
  private static func checkEnd(of last: BatchState.Output) throws(Refusal) {
    guard let status = try? FileStatus(last.path), status.id == last.file, status.size > last.length
    else { return }
    throw .unfinished(last.path)
  }

  /// Appends whole lines.
  mutating func write(lines: [UInt8]) throws(SystemError) {
    stream.write(bytes: lines)
    stream.flush()
    if let failure = stream.failure { throw failure }
    end.length += Int64(lines.count)
  }

  /// Waits until the data is on disk.
  func synchronize() throws(SystemError) { try file.synchronize() }
}
