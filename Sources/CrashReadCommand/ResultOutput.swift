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
      try writeFile(target.path) { write in render(target.format, surface, write) }
    } catch {
      console.error("cannot write: \(error)", file: target.path)
      isWritten = false
    }
  }
  return isWritten
}

/// Writes pieces to a file, which is made when the first one comes.
private func writeFile(_ path: String, _ render: (_ write: (String) -> Void) -> Void) throws(SystemError) {
  var file: Result<OutputStream, SystemError>?
  render { piece in
    if file == nil { file = Result { () throws(SystemError) in try OutputStream(path: path) } }
    if case .success(var stream)? = file {
      stream.write(piece)
      file = .success(stream)
    }
  }
  guard var stream = try file?.get() else { return }
  try stream.close()
}
