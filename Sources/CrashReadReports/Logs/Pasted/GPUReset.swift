internal import CrashReadCore

/// A report of a GPU that did not respond and was reset: macOS writes it to `gpuRestart….txt`, with a head like that of
/// other reports, followed by the driver's data.
struct GPUReset {
  private static let keys: Set = ["Graphics Hardware", "Hung Channels", "Signature"]
  private static let maximumLines = 8

  private var lines: [String] = []
  private var application: String?

  /// Takes a line; false when it isn't part of such a report's head.
  mutating func read(_ line: Line) -> Bool {
    guard let (key, value) = line.keyAndValue else { return false }
    if key == "Event", value.equals("GPU Reset") {
      lines = ["Event: GPU Reset"]
      return true
    }
    guard !lines.isEmpty, lines.count < Self.maximumLines else { return false }
    if key == "Application" {
      application = value.nonEmptyString
      return true
    }
    guard Self.keys.contains(key), let text = value.nonEmptyString else { return false }
    lines.append(key + ": " + text)
    return true
  }

  /// Whether its first line was found.
  var isFound: Bool { !lines.isEmpty }

  /// Adds what the head states; the format of the driver's data isn't published.
  func add(to report: inout CrashReport) {
    guard isFound else { return }
    report.kind = .other
    report.header.process = report.header.process ?? application
    for line in lines { report.take(.message(line)) }
  }
}
