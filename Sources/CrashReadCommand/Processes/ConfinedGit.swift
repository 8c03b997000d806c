internal import CrashRead
internal import CrashReadSystem

/// Git with access to nothing but a repository's objects: it runs in a bare repository made for the purpose, with a
/// configuration of its own.
///
/// So Git doesn't use the repository's configuration, attributes, hooks, references or remotes, and can't fetch missing
/// objects.
struct ConfinedGit {
  private let folder: ScratchDirectory
  private let program: String
  private let objects: String
  /// Whether commits may lack their parents.
  let isShallow: Bool

  /// - Throws: `SystemError` when Git or a directory for temporary files is missing.
  init(_ repository: GitRepository, below temporaryFolder: String) throws(SystemError) {
    guard let program = gitProgram else { throw .noSuchFile }
    self.program = program
    objects = repository.objects
    isShallow = repository.shallow?.isEmpty == false
    folder = try ScratchDirectory(in: temporaryFolder)
    try make(repository)
  }

  private func make(_ repository: GitRepository) throws(SystemError) {
    let isSHA256 = repository.head.utf8.count == 64
    let configuration = """
      [core]
      repositoryformatversion = \(isSHA256 ? 1 : 0)
      bare = true
      \(isSHA256 ? "[extensions]\nobjectformat = sha256" : "")

      """
    try makeDirectories(folder.path + "/refs")
    try folder.write(Array(configuration.utf8), to: "config")
    try folder.write(Array((repository.head + "\n").utf8), to: "HEAD")
    if let shallow = repository.shallow { try folder.write(shallow, to: "shallow") }
  }

  /// Runs a Git command with a time limit.
  func run(_ arguments: [String], limit: Int) -> ChildOutcome {
    let always = ["--literal-pathspecs", "--no-replace-objects", "-c", "safe.bareRepository=explicit"]
    return runProgram(
      [program] + always + arguments, variables: variables, inherits: { !$0.hasPrefix("GIT_") }, seconds: 10,
      limit: limit)
  }

  /// The environment of Git (git(1), "Environment Variables"), which inherits none of this process's variables for Git.
  /// One variable is documented only in Git's source: `GIT_ALLOC_LIMIT` bounds each allocation (wrapper.c).
  private var variables: [String: String] {
    [
      "GIT_DIR": folder.path, "GIT_OBJECT_DIRECTORY": objects,
      "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_SYSTEM": "/dev/null", "GIT_CONFIG_GLOBAL": "/dev/null",
      "GIT_ATTR_NOSYSTEM": "1", "GIT_ALLOW_PROTOCOL": "", "GIT_NO_LAZY_FETCH": "1",
      "GIT_TERMINAL_PROMPT": "0",
      "GIT_OPTIONAL_LOCKS": "0", "GIT_ALLOC_LIMIT": "256m", "LC_ALL": "C",
    ]
  }
}

/// The path of Git, from absolute folders in `PATH`; a relative one could be the checkout.
private var gitProgram: String? {
  let path = variable("PATH") ?? "/usr/bin:/bin"
  return path.split(separator: ":").filter { $0.hasPrefix("/") }.map { $0 + "/git" }.first(
    where: isExecutable)
}
