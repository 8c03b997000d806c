internal import CrashReadReports
import Foundation
import TestSupport

/// A small report to grow.
package struct Seed: Sendable {
  /// What it is made of.
  package enum Content: Sendable {
    case text([UInt8])
    /// A document, and the text before it: the header line of .ips.
    case json(header: [UInt8], JSONTree)
    /// A message of the wire format: members are named by field numbers.
    case wire(JSONTree)
  }

  /// The file's name.
  package var name: String
  package var content: Content

  /// A sample as it is in a file.
  package init(name: String, bytes: [UInt8]) {
    self.name = name
    let lineEnd = bytes.firstIndex(of: 0x0a).map { $0 + 1 } ?? bytes.endIndex
    if let document = JSONValue(document: bytes) {
      content = name.hasPrefix("plcrash") ? .wire(JSONTree(document)) : .json(header: [], JSONTree(document))
    } else if bytes.first == UInt8(ascii: "{"), let body = JSONValue(document: Array(bytes[lineEnd...])) {
      content = .json(header: Array(bytes[..<lineEnd]), JSONTree(body))
    } else {
      content = .text(bytes)
    }
  }

  /// One sample for each format, and for each layout with its own reader.
  package static func all() throws -> [Seed] {
    let directory = Repository.root.appending(path: "Tests/Growth/Dimensions/Seeds")
    let names = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    let own = try names.map {
      Seed(name: $0, bytes: Array(try Data(contentsOf: directory.appending(path: $0))))
    }
    let samples =
      ["ips/HogeApp.ips", "other/swift-trap-backtrace.json", "other/swift-trap-backtrace.txt"].map {
        "reports/" + $0
      }
      + [
        "app-store-connect", "bugsnag", "crashlytics", "datadog", "embrace", "measure", "newrelic", "unknown",
      ].map { "reporters/\($0).json" }
    return own + (try samples.map { Seed(name: $0, bytes: try Samples.bytes($0)) })
  }
}
