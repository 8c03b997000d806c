/// Writes a result to every place that `--output` names, or to standard output.
///
/// Files are opened only now, when all input has been read: a file can be input and output.
/// - Parameters:
///   - console: Standard output, and where failures are reported.
///   - options: Where to write, and whether in colour.
///   - render: Makes the text, in colour or not, for some columns; nil for as many as it likes.
/// - Returns: Whether everything was written.
func writeResult(
  to console: inout Console, _ options: Options, _ render: (_ isColored: Bool, _ width: Int?) -> String
) -> Bool {
  var isWritten = true
  for path in options.outputs.isEmpty ? ["-"] : options.outputs {
    if path == "-" {
      console.write(render(console.usesColor(options.color), console.width))
      continue
    }
    do throws(SystemError) {
      var file = try OutputStream(path: path)
      file.write(render(options.color == .always, nil))
      try file.close()
    } catch {
      console.error("cannot write: \(error)", file: path)
      isWritten = false
    }
  }
  return isWritten
}
