internal import CrashRead

/// Where the Swift runtime of a test command writes its crash logs, and how they are combined with the command's
/// output.
///
/// The variable is `SWIFT_BACKTRACE`; see docs/Backtracing.rst in Swift's repository.
struct SwiftBacktraces {
  /// The environment of the command.
  let variables: [String: String]
  /// The folder for the logs; nil when the user's setting leaves them in the command's output.
  let folder: String?

  /// Without a setting of the user's, the runtime writes JSON to `folder` and leaves symbolication to this program. A
  /// setting of the user's is kept.
  init(folder: String?, setting: String?) {
    if let setting, !setting.isEmpty {
      variables = [:]
      let output = setting.split(separator: ",").first { $0.hasPrefix("output-to=") }
      self.folder = output.map { String($0.dropFirst("output-to=".count)) }
    } else if let folder {
      variables = [
        "SWIFT_BACKTRACE":
          "enable=yes,color=no,interactive=no,symbolicate=off,threads=all,images=all,format=json,output-to=\(folder)/"
      ]
      self.folder = folder
    } else {
      (variables, self.folder) = ([:], nil)
    }
  }

  /// A crash log with the lines that the runtime printed before it: the message of a failed check is only there.
  ///
  /// - Parameters:
  ///   - log: The JSON document.
  ///   - printed: What the command printed on each stream; `swift test` may forward its tests' output to either.
  /// - Returns: The log after those lines, as if the runtime had printed it there; the log alone when there are none.
  static func log(_ log: [UInt8], after printed: [[UInt8]]) -> [UInt8] {
    guard let address = faultAddress(log) else { return log }
    let newline = UInt8(ascii: "\n")
    for stream in printed {
      let lines = stream.split(separator: newline)
      guard let end = lines.lastIndex(where: { contains($0, mark + address) }) else { continue }
      // Lines before an earlier crash belong to that crash.
      let start = lines[..<end].lastIndex { contains($0, mark) }.map { $0 + 1 } ?? 0
      return Array(lines[max(start, end - maximumDistance)...end].joined(separator: [newline])) + [newline]
        + log
    }
    return log
  }

  private static let mark = Array("Backtracing from ".utf8)
  /// The maximum number of lines between a message and the crash: other tests print at the same time.
  private static let maximumDistance = 20

  /// The fault address of a log, as digits: `0x7f57c6d6df7f` for `"faultAddress": "0x00007f57c6d6df7f"`.
  private static func faultAddress(_ log: [UInt8]) -> [UInt8]? {
    let head = String(decoding: log.prefix(4096), as: UTF8.self)
    let parts = head.split(separator: "\"")
    guard let key = parts.firstIndex(of: "faultAddress"), parts.indices.contains(key + 2),
      let value = UInt64(parts[key + 2].dropFirst(2), radix: 16)
    else { return nil }
    return Array(hexadecimal(value).utf8)
  }

  private static func contains(_ line: ArraySlice<UInt8>, _ text: [UInt8]) -> Bool {
    line.span.firstOffset(of: text.span) != nil
  }
}
