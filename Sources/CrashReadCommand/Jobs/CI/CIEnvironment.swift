internal import CrashRead
internal import CrashReadSystem

/// What a CI system says of itself and of the places where it wants results, in variables it documents.
struct CIEnvironment: Equatable, Sendable {
  enum System: Equatable, Sendable {
    case github, gitlab, other
  }

  var system: System
  /// The file to which GitHub Actions wants a step's summary appended.
  var stepSummary: String?
  /// Where GitLab looks for artifacts: the top of the checkout.
  var projectFolder: String
  /// Where temporary files go.
  var temporaryFolder: String
  /// Where the libraries of the installed Swift toolchain are, which tests run with; nil without a toolchain.
  var toolchainLibraries: String?
  /// The user's own setting of the Swift runtime's backtraces.
  var swiftBacktrace: String?

  /// Reads the environment; a variable that is empty is like one that isn't set.
  init(_ value: (String) -> String?) {
    func set(_ name: String) -> String? { value(name).flatMap { $0.isEmpty ? nil : $0 } }
    system = set("GITHUB_ACTIONS") == "true" ? .github : set("GITLAB_CI") == "true" ? .gitlab : .other
    stepSummary = set("GITHUB_STEP_SUMMARY")
    projectFolder = set("CI_PROJECT_DIR") ?? "."
    temporaryFolder = set("RUNNER_TEMP") ?? set("TMPDIR") ?? "/tmp"
    swiftBacktrace = set("SWIFT_BACKTRACE")
    toolchainLibraries = set("PATH").flatMap(Self.libraries)
  }

  /// `usr/lib/swift` beside the `usr/bin` in which the program `swift` is.
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
