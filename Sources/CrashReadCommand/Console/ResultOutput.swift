/// What a result is written on.
struct Surface {
  var isColored = false
  /// This machine's name, where links to its files are wanted.
  var linkHost: String?
  /// Columns to fill; nil for as many as the writer likes.
  var width: Int?
}

/// Writes a result to every place that `--output` names, or to standard output.
///
/// Files are opened only now, when all input has been read: a file can be input and output. When there is nothing to
/// write, a file stays as it is.
/// - Parameters:
///   - console: Standard output, and where failures are reported.
///   - options: Where to write, in which forms, and whether in colour.
///   - render: Makes the text for one place, and hands it on piece by piece.
/// - Returns: Whether everything was written.
func writeResult(
  to console: inout Console, _ options: Options,
  _ render: (Format, Surface, _ write: (String) -> Void) -> Void
) -> Bool {
  var isWritten = true
  for target in options.targets {
    if target.path == "-" {
      render(target.format, console.surface(options)) { console.write($0) }
      continue
    }
    let surface = Surface(
      isColored: options.color == .always,
      linkHost: options.hyperlinks == .always ? hostName() : nil)
    do throws(SystemError) {
      var file = LateFile(path: target.path)
      render(target.format, surface) { file.write($0) }
      try file.close()
    } catch {
      console.error("cannot write: \(error)", file: target.path)
      isWritten = false
    }
  }
  return isWritten
}

/// A file that is made when the first piece comes.
private struct LateFile {
  let path: String
  private var stream: OutputStream?
  private var failure: SystemError?

  init(path: String) { self.path = path }

  mutating func write(_ piece: String) {
    guard failure == nil else { return }
    do throws(SystemError) {
      if stream == nil { stream = try OutputStream(path: path) }
      stream?.write(piece)
    } catch {
      failure = error
    }
  }

  mutating func close() throws(SystemError) {
    if let failure { throw failure }
    try stream?.close()
  }
}
