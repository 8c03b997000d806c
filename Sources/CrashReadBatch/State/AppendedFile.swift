internal import CrashRead
internal import CrashReadSystem

/// A file that grows by whole lines, and whose end can be taken back to what a state vouches for.
struct AppendedFile {
  private let file: AppendableFile
  private var stream: OutputStream
  /// What a state is to remember of it.
  private(set) var end: BatchState.Output

  /// Opens a file, or makes it, to write behind what it holds.
  ///
  /// - Parameters:
  ///   - path: The file.
  ///   - last: What the state knows of the last run's output: of the same file, what stands behind that length is cut off.
  /// - Throws: `Refusal` when something there can't be what the last run left.
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
    do throws(SystemError) { try file.cut(to: last.length) } catch { throw .system(error) }
    end.length = last.length
  }

  /// Why a file can't be the output.
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
        "\(bytes) bytes shorter than --state remembers: results are missing that won't be made again"
      case .unfinished(let path):
        "the last run with this state was ended while it wrote \(path); run once more with that output"
      }
    }
  }

  /// The results at the end of another output, which no state vouches for, would be made a second time here.
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

  /// Waits until the disk has it.
  func synchronize() throws(SystemError) { try file.synchronize() }
}
