internal import CrashRead
internal import CrashReadSystem

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
      let isShownAsIs = !(console.isObeyed && [.crash, .ips].contains(target.format))
      render(target.format, console.surface(options)) {
        console.write(isShownAsIs ? $0 : visibleReport($0, isJSON: target.format == .ips))
      }
      continue
    }
    let surface = Surface(
      isColored: options.color == .always,
      linkHost: options.hyperlinks == .always ? hostName() : nil)
    do {
      var file = LateFile(
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

/// A file that is made when the first piece comes.
private struct LateFile {
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

/// Opens the file of a result, which is made or emptied unless more is to be appended.
///
/// What is in a CI system's checkout may have been committed by a stranger: a file below it is reached through no link
/// that leads out, is none itself, and no pipe. An absolute path elsewhere, or one with `..`, is the user's own word.
/// - Throws: `SystemError`, also when something in the checkout is in the way.
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
  /// Folders whose contents strangers may have committed.
  fileprivate func checkouts(_ environment: Environment) -> [String] {
    (environment.checkout.map { [$0] } ?? []) + (verb == .ci ? ["."] : [])
  }
}
