/// Writes a result to every place that `--output` names, or to standard output.
///
/// Files are opened only now, when all input has been read: a file can be input and output.
/// - Parameters:
///   - console: Standard output, and where failures are reported.
///   - options: Where to write, and whether in colour.
///   - render: Makes the text, in colour or not, for some columns (nil for as many as it likes), and hands it on piece by
///     piece.
/// - Returns: Whether everything was written.
func writeResult(
  to console: inout Console, _ options: Options,
  _ render: (_ isColored: Bool, _ width: Int?, _ write: (String) -> Void) -> Void
) -> Bool {
  var isWritten = true
  for path in options.outputs.isEmpty ? ["-"] : options.outputs {
    if path == "-" {
      render(console.usesColor(options.color), console.width) { console.write($0) }
      continue
    }
    do throws(SystemError) {
      var file = try OutputStream(path: path)
      render(options.color == .always, nil) { file.write($0) }
      try file.close()
    } catch {
      console.error("cannot write: \(error)", file: path)
      isWritten = false
    }
  }
  return isWritten
}
