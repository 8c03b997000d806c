internal import CrashRead
internal import CrashReadSystem

/// What a result is written to.
struct Surface {
  var isColored = false
  /// The name of this machine, where links to its files are wanted.
  var linkHost: String?
  /// The width in columns; nil for the default.
  var width: Int?

  /// The width of text: long lines are hard to read, and short ones break its columns.
  var textWidth: Int { min(max(width ?? 100, 60), 160) }
}

/// Writes a result to every target of `--output`, or to standard output.
///
/// Files are opened only after all input was read, since a file may be both input and output. When there is nothing to
/// write, a file isn't touched.
/// - Parameters:
///   - console: Standard output, and where errors are reported.
///   - options: The targets, formats and colours.
///   - render: Renders the text for one target and writes it piece by piece.
/// - Returns: Whether everything was written.
func writeResult(
  to console: inout Console, _ options: Options,
  _ render: (FormatOption, Surface, _ write: (String) -> Void) -> Void
) -> Bool {
  var isWritten = true
  for target in options.targets {
    if target.path == "-" {
      let isShownAsIs =
        !(console.interpretsCommands && [.report(.crash), .report(.ips)].contains(target.format))
      render(target.format, console.surface(options)) {
        console.write(isShownAsIs ? $0 : visibleReport($0, isJSON: target.format == .report(.ips)))
      }
      continue
    }
    let surface = Surface(
      isColored: options.color == .always,
      linkHost: options.hyperlinks == .always ? hostName() : nil)
    do {
      var file = LazyOutputFile(
        path: target.path, checkouts: options.checkouts(console.environment))
      render(target.format, surface) { file.write($0) }
      try file.close()
    } catch {
      console.error("cannot write: \(error.reason)", file: target.path)
      isWritten = false
    }
  }
  return isWritten
}

/// A file that is created when the first piece is written.
private struct LazyOutputFile {
  let path: String
  private var stream: OutputStream?
  private let checkouts: [String]
  private var failure: SystemError?

  init(path: String, checkouts: [String]) {
    self.path = path
    self.checkouts = checkouts
  }

  mutating func write(_ piece: String) {
    guard failure == nil else { return }
    do throws(SystemError) {
      if stream == nil { stream = try openOutput(path, checkouts: checkouts) }
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

/// Opens the file of a result: created or truncated, or opened for appending.
///
/// The contents of a CI system's checkout aren't trusted: an output below it is opened without following links out of
/// it, and must not itself be a link or a pipe. An absolute path elsewhere, or one with `..`, is the user's own choice.
/// - Throws: `SystemError`, also when something in the checkout prevents it.
func openOutput(
  _ path: String, appends: Bool = false, checkouts: [String]
) throws(SystemError) -> OutputStream {
  let whole = path.hasPrefix("/") ? path : canonicalPath(".") + "/" + path
  let folders = path.split(separator: "/").contains("..") ? [] : checkouts.compactMap { ConfinedFolder($0) }
  for folder in folders {
    guard let name = folder.remainder(of: whole) else { continue }
    return OutputStream(descriptor: try folder.openForWriting(name, appends: appends))
  }
  return try OutputStream(path: path, appends: appends)
}

extension Options {
  /// Folders of checkouts, whose contents aren't trusted.
  fileprivate func checkouts(_ environment: Environment) -> [String] {
    (environment.checkout.map { [$0] } ?? []) + (verb == .ci ? ["."] : [])
  }
}
