/// Where in a container a report was: a result bundle, an archive, a mail.
package struct ContainerPlace: Sendable, Hashable {
  /// What a report can lie in; raw values are those of the JSON output.
  package enum Kind: String, Sendable, Hashable, CaseIterable {
    /// What Xcode leaves of a test run.
    case xcresult
    /// What Xcode's Organizer keeps of one crash: the same in many logs.
    case xccrashpoint
    /// What a device tells of itself on request.
    case sysdiagnose
    /// A compressed file, or many files in one.
    case archive
    /// A mail with reports as text or attachments.
    case mail
    /// A directory.
    case directory
  }

  /// What the report lies in.
  package var kind: Kind
  /// The path inside it.
  package var path: String
  /// The test that the container says it belongs to.
  package var test: String?
  /// The device it happened on, by the container's words.
  package var device: String?
  /// The test plan's configuration.
  package var configuration: String?
  /// Whether it happened while the tests ran; nil when nothing tells.
  package var isDuringRun: Bool?
  /// Reports of the same device that are of about the same time, the nearest first.
  package var neighbours: [Neighbour] = []

  /// Another report of the container.
  package struct Neighbour: Sendable, Hashable {
    /// Its path inside the container.
    package var path: String
    /// What it is about.
    package var kind: ReportKind
    /// How many seconds later it is; negative for an earlier one.
    package var seconds: Int

    /// A report beside another one.
    package init(path: String, kind: ReportKind, seconds: Int) {
      self.path = path
      self.kind = kind
      self.seconds = seconds
    }
  }

  /// A place of which no more than the path is known.
  package init(kind: Kind, path: String) {
    self.kind = kind
    self.path = path
  }
}
