/// The location of a report in a container: a result bundle, an archive, a mail.
package struct ContainerLocation: Sendable, Hashable {
  /// Kinds of containers; raw values are those of the JSON output.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The result bundle of a test run in Xcode.
    case xcresult
    /// The Xcode Organizer's record of one crash, with many logs of it.
    case xccrashpoint
    /// The diagnostics that a device collects on request.
    case sysdiagnose
    /// A compressed file, or many files in one.
    case archive
    /// A mail with reports as text or attachments.
    case mail
    /// A directory.
    case directory
  }

  /// The kind of container.
  package var kind: Kind
  /// The path inside the container.
  package var path: String
  /// The test to which the report belongs according to the container; nil when unknown.
  package var test: String?
  /// The device it happened on, according to the container.
  package var device: String?
  /// The test plan's configuration.
  package var configuration: String?
  /// Whether it happened while the tests ran; nil when unknown.
  package var isDuringRun: Bool?
  /// Reports of the same device from about the same time, nearest first.
  package var neighbours: [Neighbour] = []

  /// Another report of the container.
  package struct Neighbour: Sendable, Hashable {
    /// Its path inside the container.
    package var path: String
    /// What it is about.
    package var kind: ReportKind
    /// The number of seconds by which it is later; negative if it is earlier.
    package var seconds: Int

    /// A report beside another one.
    package init(path: String, kind: ReportKind, seconds: Int) {
      self.path = path
      self.kind = kind
      self.seconds = seconds
    }
  }

  /// A location with only a path.
  package init(kind: Kind, path: String) {
    self.kind = kind
    self.path = path
  }
}
