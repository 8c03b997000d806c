import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

/// A setting by which, according to Git's documentation, a repository can name a program to run or a file to read: what
/// is written into its configuration and attributes.
private struct Way: CustomTestStringConvertible {
  var name: String
  /// `key = value` lines of sections; `PROGRAM` is replaced by a program that leaves a mark.
  var configuration: String
  var attributes = ""
  /// Files below the repository's top.
  var files: [String: String] = [:]
  var testDescription: String { name }

  static let all = [
    Way(
      name: "filter.clean", configuration: "[filter \"x\"]\nclean = PROGRAM\nrequired = true",
      attributes: "filter=x"),
    Way(name: "filter.process", configuration: "[filter \"x\"]\nprocess = PROGRAM", attributes: "filter=x"),
    Way(name: "filter.smudge", configuration: "[filter \"x\"]\nsmudge = PROGRAM", attributes: "filter=x"),
    Way(name: "diff.textconv", configuration: "[diff \"x\"]\ntextconv = PROGRAM", attributes: "diff=x"),
    Way(name: "diff.command", configuration: "[diff \"x\"]\ncommand = PROGRAM", attributes: "diff=x"),
    Way(name: "diff.external", configuration: "[diff]\nexternal = PROGRAM"),
    Way(name: "merge.driver", configuration: "[merge \"x\"]\ndriver = PROGRAM", attributes: "merge=x"),
    Way(name: "core.fsmonitor", configuration: "[core]\nfsmonitor = PROGRAM"),
    Way(name: "core.hooksPath", configuration: "[core]\nhooksPath = hooks"),
    Way(
      name: "core.pager",
      configuration: "[core]\npager = PROGRAM\n[pager]\nblame = PROGRAM\ncat-file = PROGRAM"),
    Way(name: "core.editor", configuration: "[core]\neditor = PROGRAM\n[sequence]\neditor = PROGRAM"),
    Way(name: "core.askPass", configuration: "[core]\naskPass = PROGRAM\n[credential]\nhelper = !PROGRAM"),
    Way(
      name: "core.sshCommand",
      configuration: "[core]\nsshCommand = PROGRAM\ngitProxy = PROGRAM\n" + promisor("ssh://host/x")),
    Way(name: "core.alternateRefsCommand", configuration: "[core]\nalternateRefsCommand = PROGRAM"),
    Way(name: "core.worktree", configuration: "[core]\nworktree = /"),
    Way(name: "alias", configuration: "[alias]\nblame = !PROGRAM\ncat-file = !PROGRAM\nrev-parse = !PROGRAM"),
    Way(
      name: "include",
      configuration: "[include]\npath = ../extra\n[includeIf \"gitdir:**\"]\npath = ../extra",
      attributes: "filter=x",
      files: ["extra": "[filter \"x\"]\nclean = PROGRAM\n[core]\nfsmonitor = PROGRAM\n"]),
    Way(
      name: "config.worktree", configuration: "[extensions]\nworktreeConfig = true", attributes: "filter=x",
      files: [".git/config.worktree": "[filter \"x\"]\nclean = PROGRAM\n[core]\nfsmonitor = PROGRAM\n"]),
    Way(
      name: "gpg.program",
      configuration:
        "[gpg]\nprogram = PROGRAM\n[log]\nshowSignature = true\n[gpg \"ssh\"]\ndefaultKeyCommand = PROGRAM"),
    Way(
      name: "help and tools",
      configuration:
        "[man \"x\"]\ncmd = PROGRAM\n[browser \"x\"]\ncmd = PROGRAM\n[difftool \"x\"]\ncmd = PROGRAM\n[mergetool \"x\"]\ncmd = PROGRAM\n[tar \"x\"]\ncommand = PROGRAM\n[trailer \"x\"]\ncommand = PROGRAM\n[interactive]\ndiffFilter = PROGRAM\n[sendemail]\nsmtpServer = PROGRAM\n[submodule \"x\"]\nupdate = !PROGRAM"
    ),
    Way(
      name: "uploadpack",
      configuration:
        "[uploadpack]\npackObjectsHook = PROGRAM\n[remote \"origin\"]\nuploadpack = PROGRAM\nreceivepack = PROGRAM\n"
        + promisor("../x")),
    Way(
      name: "protocol.ext",
      configuration: "[protocol]\nallow = always\n[protocol \"ext\"]\nallow = always\n"
        + promisor("ext::PROGRAM")),
    Way(
      name: "remote.vcs",
      configuration: "[remote \"origin\"]\nvcs = ext\n[protocol \"ext\"]\nallow = always\n"
        + promisor("PROGRAM")),
    Way(
      name: "url.insteadOf",
      configuration: "[protocol \"ext\"]\nallow = always\n[url \"ext::PROGRAM \"]\ninsteadOf = x:\n"
        + promisor("x:y")),
    Way(
      name: "maintenance",
      configuration: "[gc]\nauto = 1\nrecentObjectsHook = PROGRAM\n[maintenance]\nauto = true"),
    Way(
      name: "files that are pipes",
      configuration:
        "[blame]\nignoreRevsFile = pipe\n[mailmap]\nfile = pipe\n[core]\nattributesFile = pipe\nexcludesFile = pipe\n[include]\npath = ../pipe"
    ),
  ]

  /// A remote from which Git fetches missing objects.
  private static func promisor(_ url: String) -> String {
    """
    repositoryformatversion = 1
    [core]
    repositoryformatversion = 1
    [extensions]
    partialClone = origin
    [remote "origin"]
    promisor = true
    partialclonefilter = blob:none
    url = \(url)
    """
  }
}

@Suite("Untrusted repositories", .enabled(if: installedProgram("git") != nil))
struct HostileRepositoryTests {
  private let crash = "Samples/reports/text/HogeApp.crash"

  /// A repository with the blamed file and one commit, and a program that leaves a mark.
  private func repository() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try directory.makeDirectory("HogeApp")
    try directory.write(try Samples.bytes("sources/HogeApp/Fuga.swift"), to: "HogeApp/Fuga.swift")
    for words in [["init", "-q"], ["add", "."], ["commit", "-q", "-m", "first"]] {
      try git(words, in: directory)
    }
    try directory.write("#!/bin/sh\ntouch \(directory.path("mark"))\ncat\n", to: "program")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: directory.path("program"))
    try directory.makeDirectory("hooks")
    for hook in ["post-index-change", "fsmonitor-watchman", "reference-transaction", "post-checkout"] {
      for folder in ["hooks", ".git/hooks"] {
        try? FileManager.default.copyItem(
          atPath: directory.path("program"), toPath: directory.path(folder + "/" + hook))
      }
    }
    try directory.makePipe("pipe")
    return directory
  }

  @discardableResult
  private func git(_ arguments: [String], in directory: TemporaryDirectory) throws -> CommandRun {
    let run = try CommandRun(
      program: try #require(installedProgram("git")), arguments,
      environment: [
        "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "c",
        "GIT_COMMITTER_EMAIL": "c@d",
        "GIT_CONFIG_GLOBAL": "/dev/null",
      ], in: directory)
    return run
  }

  private func blame(
    _ root: String, environment: [String: String] = [:], in directory: TemporaryDirectory? = nil
  ) throws -> [String: Any] {
    let path = Repository.root.path + "/"
    let run = try CommandRun.crashread(
      ["--blame", "--format=json", "--source-root", root, path + crash, path + "Samples/symbols"],
      environment: environment, in: directory)
    let document = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    return try #require(document?["blame"] as? [String: Any])
  }

  private func isMarked(_ directory: TemporaryDirectory) -> Bool {
    FileManager.default.fileExists(atPath: directory.path("mark"))
  }

  /// Writes the files of an attack, and changes the file's times, so that Git reads the file again.
  private func prepare(_ way: Way, in directory: TemporaryDirectory) throws {
    func text(_ text: String) -> String { text.replacing("PROGRAM", with: directory.path("program")) }
    try directory.write(
      try directory.read(".git/config") + text(way.configuration) + "\n", to: ".git/config")
    if !way.attributes.isEmpty {
      try directory.write("*.swift \(way.attributes)\n", to: ".gitattributes")
      try directory.write("*.swift \(way.attributes)\n", to: ".git/info/attributes")
    }
    for (name, contents) in way.files { try directory.write(text(contents), to: name) }
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: directory.path("HogeApp/Fuga.swift"))
  }

  @Test("run no programs, and block nothing", arguments: Way.all)
  fileprivate func ways(_ way: Way) throws {
    let directory = try repository()
    try prepare(way, in: directory)
    #expect(try blame(directory.url.path)["commit"] != nil)
    #expect(!isMarked(directory))
    // The same is true if Git lacks objects, and would request them from a server or a program.
    for folder in try FileManager.default.contentsOfDirectory(atPath: directory.path(".git/objects"))
    where folder.count == 2 {
      try FileManager.default.removeItem(atPath: directory.path(".git/objects/" + folder))
    }
    #expect(try blame(directory.url.path)["reason"] as? String == "untracked")
    #expect(!isMarked(directory))
  }

  @Test func bareRepositoryFilesAreNoRepository() throws {
    let directory = try repository()
    let bare = try TemporaryDirectory()
    try git(["clone", "-q", "--bare", directory.url.path, bare.path("HogeApp")], in: directory)
    try bare.write(try Samples.bytes("sources/HogeApp/Fuga.swift"), to: "HogeApp/Fuga.swift")
    try bare.write(
      try bare.read("HogeApp/config").replacing("bare = true", with: "bare = false")
        + "worktree = .\nfsmonitor = \(directory.path("program"))\n", to: "HogeApp/config")
    for root in [bare.url.path, bare.path("HogeApp")] {
      #expect(try blame(root)["reason"] as? String == "untracked")
    }
    #expect(!isMarked(directory))
  }

  @Test func environmentDoesNotRedirect() throws {
    let directory = try repository()
    let program = directory.path("program")
    let other = try repository()
    let blamed = try blame(
      directory.url.path,
      environment: [
        "GIT_DIR": other.path(".git"), "GIT_WORK_TREE": other.url.path, "GIT_EXEC_PATH": other.url.path,
        "GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_0": "core.fsmonitor", "GIT_CONFIG_VALUE_0": program,
        "GIT_CONFIG_KEY_1": "core.pager", "GIT_CONFIG_VALUE_1": program, "GIT_EXTERNAL_DIFF": program,
        "GIT_PAGER": program, "GIT_SSH_COMMAND": program, "GIT_OBJECT_DIRECTORY": "/nonexistent",
        "GIT_INDEX_FILE": "/nonexistent", "GIT_CEILING_DIRECTORIES": "/",
      ])
    #expect(blamed["commit"] != nil)
    #expect(!isMarked(directory) && !isMarked(other))
  }

  @Test func gitProgramInCheckoutIsNotRun() throws {
    let directory = try repository()
    try FileManager.default.copyItem(atPath: directory.path("program"), toPath: directory.path("git"))
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    for start in ["", ".:", "HogeApp/..:"] {
      let blamed = try blame(".", environment: ["PATH": start + ":" + path], in: directory)
      #expect(blamed["commit"] != nil)
    }
    #expect(!isMarked(directory))
  }

  @Test("a `.git` that is a link, names another folder or contains links isn't read")
  func linkedFolders() throws {
    let directory = try repository()
    let other = try repository()
    func replaceGit(_ make: () throws -> Void) throws -> String? {
      try? FileManager.default.removeItem(atPath: directory.path(".git"))
      try make()
      return try blame(directory.url.path)["reason"] as? String
    }
    #expect(
      try replaceGit {
        try directory.link(".git", to: other.path(".git"))
      } == "untracked")
    #expect(
      try replaceGit { try directory.write("gitdir: \(other.path(".git"))\n", to: ".git") } == "untracked")
    #expect(try replaceGit { try directory.makePipe(".git") } == "untracked")
    // Parts of the folder that are links.
    for part in ["HEAD", "objects"] {
      #expect(
        try replaceGit {
          try FileManager.default.copyItem(atPath: other.path(".git"), toPath: directory.path(".git"))
          try FileManager.default.removeItem(atPath: directory.path(".git/" + part))
          try directory.link(".git/" + part, to: other.path(".git/" + part))
        } == "untracked")
    }
  }

  @Test func worktreesPackedRefsAndSubmodulesAreFound() throws {
    let directory = try repository()
    try git(["pack-refs", "--all"], in: directory)
    #expect(try blame(directory.url.path)["commit"] != nil)
    // A source root inside the repository.
    #expect(try blame(directory.path("HogeApp"))["commit"] != nil)
    let worktree = try TemporaryDirectory()
    try git(["worktree", "add", "-q", "-b", "other", worktree.path("tree")], in: directory)
    #expect(try blame(worktree.path("tree"))["commit"] != nil)
    let outer = try TemporaryDirectory()
    try git(["init", "-q"], in: outer)
    try git(
      ["-c", "protocol.file.allow=always", "submodule", "add", "-q", directory.url.path, "sub"], in: outer)
    #expect(try blame(outer.path("sub"))["commit"] != nil)
  }

  @Test func temporaryFilesAreRemoved() throws {
    let directory = try repository()
    let scratch = try TemporaryDirectory()
    #expect(try blame(directory.url.path, environment: ["TMPDIR": scratch.url.path])["commit"] != nil)
    #expect(try FileManager.default.contentsOfDirectory(atPath: scratch.url.path).isEmpty)
  }
}

@Suite("Lines of a changed file")
struct LineNumberTests {
  @Test(
    "have the number that they have in the committed file",
    arguments: [
      ("a\nb\nc", "a\nb\nc", [1, 2, 3]), ("new\na\nb", "a\nb", [nil, 1, 2]),
      ("a\nx\nc", "a\nb\nc", [1, nil, 3]),
      ("a\nc", "a\nb\nc", [1, 3]), ("a\r\nb\r\n", "a\nb\n", [1, 2, 3]), ("a\na\na", "a\na", [1, 2, nil]),
      ("", "a", [nil]), ("x", "", [nil]),
    ] as [(String, String, [Int?])])
  func numbers(_ present: String, _ committed: String, _ expected: [Int?]) {
    for (index, number) in expected.enumerated() {
      #expect(lineNumber(index + 1, of: Array(present.utf8), in: Array(committed.utf8)) == number)
    }
  }
}
