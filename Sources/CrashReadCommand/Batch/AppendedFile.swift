internal import CrashRead
private import Glibc

/// A file that grows by whole lines, and whose end can be taken back to what a state vouches for.
struct AppendedFile {
  private let descriptor: Int32
  private var stream: OutputStream
  /// What a state is to remember of it.
  private(set) var place: BatchState.Output

  /// Opens a file, or makes it, to write behind what it holds.
  ///
  /// The C functions are `open`, `fstat` and `ftruncate`.
  /// - Parameters:
  ///   - path: The file.
  ///   - last: What the state knows of the last run's output: of the same file, what stands behind that length is cut off.
  /// - Throws: `Refusal` when something there can't be what the last run left.
  init(path: String, last: BatchState.Output?) throws(Refusal) {
    if let last, last.path != path { try Self.checkEnd(of: last) }
    let descriptor = unsafe open(
      path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0o666)
    guard descriptor >= 0 else { throw .system(.last) }
    self.descriptor = descriptor
    stream = OutputStream(descriptor: descriptor)
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0 else { throw .system(.last) }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .notAFile }
    let version = FileVersion(status)
    place = .init(path: path, device: version.device, inode: version.inode, length: version.size)
    guard let last, last.device == place.device, last.inode == place.inode else { return }
    guard place.length >= last.length else { throw .shorter(by: last.length - place.length) }
    guard ftruncate(descriptor, off_t(last.length)) == 0 else { throw .system(.last) }
    place.length = last.length
  }

  /// Why a file can't be the output.
  enum Refusal: Error, Equatable, CustomStringConvertible {
    case system(SystemError)
    case notAFile
    case shorter(by: Int64)
    case unfinished(String)

    var description: String {
      switch self {
      case .system(let error): "cannot write: \(error)"
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
    guard let version = FileVersion(of: last.path), version.device == last.device,
      version.inode == last.inode, version.size > last.length
    else { return }
    throw .unfinished(last.path)
  }

  /// Appends whole lines.
  mutating func write(lines: [UInt8]) throws(SystemError) {
    stream.write(bytes: lines)
    stream.flush()
    if let failure = stream.failure { throw failure }
    place.length += Int64(lines.count)
  }

  /// Waits until the disk has it. The C function is `fdatasync`.
  func synchronize() throws(SystemError) {
    if fdatasync(descriptor) != 0 { throw .last }
  }
}
