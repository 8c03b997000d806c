internal import CrashRead
internal import CrashReadSystem

/// The variables that CI systems document: which system it is, and where it expects results.
struct CIEnvironment: Equatable, Sendable {
  enum System: Equatable, Sendable {
    case github, gitlab, other
  }

  var system: System
  /// The file for the summary of a step in GitHub Actions.
  var stepSummary: String?
  /// The folder in which GitLab expects artifacts: the top of the checkout.
  var projectFolder: String
  /// The directory for temporary files.
  var temporaryFolder: String
  /// The folder of the Swift toolchain's libraries, which tests load; nil without a toolchain.
  var toolchainLibraries: String?
  /// The user's setting of the Swift runtime's backtraces (`SWIFT_BACKTRACE`).
  var swiftBacktrace: String?

  /// Reads the environment; an empty variable counts as unset.
  init(_ value: (String) -> String?) {
    func set(_ name: String) -> String? { value(name).flatMap { $0.isEmpty ? nil : $0 } }
    system = set("GITHUB_ACTIONS") == "true" ? .github : set("GITLAB_CI") == "true" ? .gitlab : .other
    stepSummary = set("GITHUB_STEP_SUMMARY")
    projectFolder = set("CI_PROJECT_DIR") ?? "."
    temporaryFolder = set("RUNNER_TEMP") ?? set("TMPDIR") ?? "/tmp"
    swiftBacktrace = set("SWIFT_BACKTRACE")
    toolchainLibraries = set("PATH").flatMap(Self.libraries)
  }

  /// The folder `usr/lib/swift` next to the `usr/bin` that contains `swift`.
  private static func libraries(_ path: String) -> String? {
    for folder in path.split(separator: ":") where folder.hasPrefix("/") {
      let program = canonicalPath(folder + "/swift")
      guard (try? fileKind(program)) == .file else { continue }
      let bin = program[..<(program.lastIndex(of: "/") ?? program.startIndex)]
      return bin.hasSuffix("/bin") ? bin.dropLast(3) + "lib/swift" : nil
    }
    return nil
  }
}
