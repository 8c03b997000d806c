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
/// Files are opened only now, when all input has been read: a file can be input and output.
/// - Parameters:
///   - console: Standard output, and where failures are reported.
///   - options: Where to write, in which forms, and whether in colour.
///   - render: Makes the text for one place; nil when there is nothing to write in that form.
/// - Returns: Whether everything was written.
func writeResult(
  to console: inout Console, _ options: Options, _ render: (Format, Surface) -> String?
) -> Bool {
  var isWritten = true
  for target in options.targets {
    if target.path == "-" {
      if let text = render(target.format, console.surface(options)) { console.write(text) }
      continue
    }
    let surface = Surface(
      isColored: options.color == .always,
      linkHost: options.hyperlinks == .always ? hostName() : nil)
    guard let text = render(target.format, surface) else { continue }
    do throws(SystemError) {
      var file = try OutputStream(path: target.path)
      file.write(text)
      try file.close()
    } catch {
      console.error("cannot write: \(error)", file: target.path)
      isWritten = false
    }
  }
  return isWritten
}
