import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

/// A library to be loaded before libdw, with which debug files that hold a mark do what damaged ones can do to libdw.
private enum DeadlyLibrary {
  static let compiler = installedProgram("clang")

  /// The letter behind the mark `DEADLY:` says what happens.
  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <signal.h>
    #include <stdlib.h>
    #include <string.h>
    #include <unistd.h>
    extern char *elf_rawfile(void *, size_t *);
    static void log_death(void) {
      int log = open(getenv("DEADLY_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
      write(log, "x", 1);
      close(log);
    }
    void *dwarf_begin_elf(void *elf, int command, void *group) {
      size_t size;
      char *bytes = elf_rawfile(elf, &size);
      char *mark = bytes ? memmem(bytes, size, "DEADLY:", 7) : 0;
      if (mark) log_death();
      switch (mark ? mark[7] : 0) {
      case 'S': raise(SIGSEGV); break;
      case 'A': abort();
      case 'E': exit(1);
      case 'B': truncate(getenv("DEADLY_FILE"), 24576); return (void *)(long)bytes[size - 1];
      case 'K': kill(getpid(), SIGKILL); break;
      case 'T': for (volatile int i = 0;; i++) ;
      case 'M': for (;;) memset(malloc(1 << 22), 1, 1 << 22);
      case 'R': { volatile char frame[1 << 16]; frame[0] = 1; return dwarf_begin_elf(elf, command, (void *)frame); }
      }
      return ((void *(*)(void *, int, void *))dlsym(RTLD_NEXT, "dwarf_begin_elf"))(elf, command, group);
    }
    """

  /// Compiled in a directory.
  static func make(in directory: TemporaryDirectory) throws -> String {
    try directory.write(source, to: "deadly.c")
    let path = directory.path("deadly.so")
    let run = try CommandRun(
      program: #require(compiler),
      ["-shared", "-fPIC", "-O0", "-o", path, directory.path("deadly.c"), "-ldl"])
    try #require(run.outcome == .exited(0), "\(run.errors)")
    return path
  }
}

/// Debug files that kill who reads them: everything else arrives unchanged, and the report as far as it goes without them.
@Suite(.enabled(if: DeadlyLibrary.compiler != nil, "clang isn't installed")) struct BatchDeathTests {
  private let directory: TemporaryDirectory
  private let library: String
  private var environment: [String: String] {
    // The runner's own library stays.
    let libraries = [library, ProcessInfo.processInfo.environment["LD_PRELOAD"]].compactMap { $0 }
    return [
      "LD_PRELOAD": libraries.joined(separator: ":"), "DEADLY_FILE": directory.path(Self.killer),
      "DEADLY_LOG": directory.path("log"),
    ]
  }
  /// How many seconds a healthy report surely doesn't take.
  private static let seconds = isSanitized ? 20 : 1
  /// How many megabytes a healthy report surely doesn't need.
  private static let megabytes = isSanitized ? 2048 : 256
  /// Whether what a letter does ever comes to an end here.
  private static func arrives(_ letter: String) -> Bool { letter != "T" || !defersSignals }
  private static let killer = "s/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp"

  init() throws {
    directory = try TemporaryDirectory()
    library = try DeadlyLibrary.make(in: directory)
    for folder in ["symbols", "reports"] {
      try FileManager.default.copyItem(
        atPath: Samples.path(folder), toPath: directory.path(String(folder.prefix(1))))
    }
  }

  private func mark(_ file: String, _ letter: String) throws {
    let handle = try FileHandle(forWritingTo: directory.url.appending(path: file))
    try handle.seekToEnd()
    try handle.write(contentsOf: Data("DEADLY:\(letter)".utf8))
    try handle.close()
  }

  private func run(_ arguments: String..., input: String = "") throws -> CommandRun {
    try CommandRun.crashread(arguments, input: input, environment: environment, in: directory)
  }

  @Test(
    arguments: [
      ("S", "by signal 11 (Segmentation fault)"), ("R", "by signal 11 (Segmentation fault)"),
      ("A", "by signal 6 (Aborted)"), ("E", "with status 1"),
      ("T", "since it took more than \(Self.seconds) seconds (--timeout)"),
      ("M", "since it needed more than \(Self.megabytes) MB of memory (--memory)"),
    ].filter { Self.arrives($0.0) })
  func everyOtherResultArrivesUnchanged(_ letter: String, _ end: String) throws {
    let arguments = [
      "batch", "r", "--symbols=s", "--jobs=2", "--timeout=\(Self.seconds)", "--memory=\(Self.megabytes)M",
    ]
    let healthy = try CommandRun.crashread(arguments, in: directory).output.split(separator: "\n")
    try mark(Self.killer, letter)
    let run = try CommandRun.crashread(arguments, environment: environment, in: directory)
    let lines = run.output.split(separator: "\n")
    try #require(lines.count == healthy.count)
    for (line, before) in zip(lines, healthy) where !before.contains(#""debugFile":"\#(Self.killer)""#) {
      #expect(line == before)
    }
    let hit = lines.indices.filter { healthy[$0].contains(#""debugFile":"\#(Self.killer)""#) }
    #expect(!hit.isEmpty)
    for index in hit {
      let isUnusable = lines[index].contains(#""status":"unusable""#)
      let saysWhy = lines[index].contains(#""message":"the worker process that read it ended \#(end)""#)
      let isResolved = lines[index].contains(#""resolution":"debugInfo""#)
      #expect(isUnusable && saysWhy && !isResolved, "\(lines[index].prefix(300))")
    }
    #expect(run.errors.contains("crashread: \(Self.killer): the worker process that read it ended \(end)\n"))
    #expect(run.outcome == .exited(1))
  }

  @Test func withoutLastWordsAllDebugFilesAreLeftOut() throws {
    try mark(Self.killer, "K")
    let run = try run("batch", "r/text/HogeApp.crash", "r/text/JumpNull.crash", "--symbols=s")
    let lines = run.output.split(separator: "\n")
    try #require(lines.count == 2)
    let reason = "left out, since the worker process that read the report ended by signal 9 (Killed)"
    #expect(lines[0].contains(#""outcome":"unusable","message":"\#(reason)""#))
    #expect(lines[1].contains(#""resolution":"debugInfo""#))
    #expect(run.errors.contains("r/text/HogeApp.crash: read without debug files:"))
    #expect(run.outcome == .exited(1))
  }

  @Test func severalKillersInOneReport() throws {
    // The same file twice more: every one is tried, and none helps.
    for name in ["s/copy1", "s/copy2"] {
      try FileManager.default.copyItem(atPath: directory.path(Self.killer), toPath: directory.path(name))
      try mark(name, "A")
    }
    try mark(Self.killer, "S")
    let run = try run("batch", "r/text/HogeApp.crash", "--symbols=s")
    #expect(run.output.split(separator: "\n").count == 1)
    #expect(run.output.components(separatedBy: #""outcome":"unusable""#).count == 4)
    #expect(run.errors.split(separator: "\n").count == 3)
    // Where one of them is good, it is used.
    try FileManager.default.copyItem(
      atPath: Samples.path("symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp"),
      toPath: directory.path("s/good"))
    let better = try self.run("batch", "r/text/HogeApp.crash", "--symbols=s")
    #expect(better.output.contains(#""debugFile":"s/good""#))
    #expect(better.output.contains(#""resolution":"debugInfo""#))
  }

  @Test(arguments: [("A", 1), ("T", 2)].filter { Self.arrives($0.0) }) func killersAreNotTriedForEver(
    _ letter: String, _ times: Int
  ) throws {
    try mark(Self.killer, letter)
    let text = String(decoding: try Samples.bytes("reports/text/HogeApp.crash"), as: UTF8.self)
    for index in 0..<6 { try directory.write(text + "\n\(index)\n", to: "report\(index)") }
    let list = (0..<6).map { "report\($0)\n" }.joined()
    let first = try run(
      "batch", "--symbols=s", "--jobs=1", "--timeout=\(Self.seconds)", "--state=state", "--files-from=-",
      input: list)
    #expect(first.output.components(separatedBy: #""status":"unusable""#).count == 7)
    #expect(try directory.bytes("log").count == times)
    #expect(first.errors.components(separatedBy: Self.killer).count == 2)
    // The next run knows, and says nothing of it; when the file has changed, it is tried again.
    try directory.write(text + "\nnew\n", to: "report9")
    let second = try run("batch", "report9", "--symbols=s", "--state=state")
    #expect(second.output.contains(#""status":"unusable""#))
    #expect(second.errors == "" && second.outcome == .exited(0))
    try mark(Self.killer, "")
    try directory.write(text + "\nnewer\n", to: "report9")
    let third = try run("batch", "report9", "--symbols=s", "--state=state", "--timeout=\(Self.seconds)")
    #expect(third.errors.contains(Self.killer))
  }

  @Test func inputsThatKillAreErrors() throws {
    // Not even a small report can be read in so little memory.
    let run = try run("batch", "r/text/HogeApp.crash", "--memory=1K")
    let result = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    #expect(result?["input"] as? String == "r/text/HogeApp.crash")
    if let error = result?["error"] as? [String: String] {
      #expect(error["kind"] == "tooLarge")
    } else {
      // It was quicker than the look at its memory.
      #expect(result?["report"] != nil)
    }
    let large = try self.run("batch", "r/text/HogeApp.crash", "r/text/JumpNull.crash", "--max-result-size=2K")
    let lines = large.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines.allSatisfy {
        $0.contains(#""error":{"kind":"tooLarge","message":"the worker process ended since the"#)
      })
    #expect(large.outcome == .exited(1))
  }

  // MARK: The main job

  @Test(
    arguments: [
      ("S", "ended crashread by signal 11 (Segmentation fault)"),
      ("R", "ended crashread by signal 11 (Segmentation fault)"),
      ("A", "ended crashread by signal 6 (Aborted)"),
      ("E", "ended crashread"),
      ("T", "took too long (--timeout)"), ("M", "needed too much memory (--memory)"),
    ].filter { Self.arrives($0.0) })
  func aSingleReportIsStillShown(_ letter: String, _ end: String) throws {
    let arguments = ["r/text/HogeApp.crash", "--timeout=\(Self.seconds)", "--memory=\(Self.megabytes)M"]
    let bare = try CommandRun.crashread(arguments, in: directory).output
    try mark(Self.killer, letter)
    let run = try CommandRun.crashread(
      arguments + [Self.killer], environment: environment, in: directory)
    #expect(run.outcome == .exited(1))
    #expect(run.errors == "crashread: \(Self.killer): cannot be used for HogeApp: reading it \(end)\n")
    #expect(run.output.prefix { $0 != "\n" } == bare.prefix { $0 != "\n" })
    #expect(run.output.contains("Thread 0 crashed"))
  }

  /// Of what the shell leaves, half is for the report without the debug file.
  @Test(
    .enabled(if: !isSanitized && !defersSignals),
    arguments: [
      ("T", "ulimit -t 4", "took too long (--timeout)"),
      ("M", "ulimit -v 1000000", "needed too much memory (--memory)"),
    ])
  func limitsOfTheShellAreKept(_ letter: String, _ limit: String, _ end: String) throws {
    try mark(Self.killer, letter)
    let run = try CommandRun(
      program: URL(filePath: "/bin/sh"),
      [
        "-c", limit + #"; exec "$@""#, "sh", builtProgram("crashread").path, "r/text/HogeApp.crash",
        Self.killer,
      ],
      environment: environment, in: directory)
    #expect(run.outcome == .exited(1))
    #expect(run.errors == "crashread: \(Self.killer): cannot be used for HogeApp: reading it \(end)\n")
    #expect(run.output.contains("Thread 0 crashed"))
  }

  @Test func aLookupSaysWhatHappened() throws {
    try mark(Self.killer, "A")
    let run = try run("lookup", Self.killer, "0x100000000")
    #expect(run.output == "" && run.outcome == .exited(1))
    #expect(
      run.errors
        == "crashread: \(Self.killer): cannot be used: reading it ended crashread by signal 6 (Aborted)\n")
  }

  @Test func aFileThatShrinksIsNoDeath() throws {
    try mark(Self.killer, "B")
    let run = try run("r/text/HogeApp.crash", Self.killer)
    // What is left of it says so itself.
    #expect(run.errors.hasPrefix("crashread: \(Self.killer): cannot be used for HogeApp: damaged: "))
    #expect(run.output.contains("Thread 0 crashed"))
    #expect(run.outcome == .exited(1))
    #expect(try directory.bytes("log").count == 1)
  }

  @Test func standardInputIsReadAgain() throws {
    try mark(Self.killer, "S")
    let text = String(decoding: try Samples.bytes("reports/text/HogeApp.crash"), as: UTF8.self)
    let fromFile = try run("-", Self.killer, input: text)
    #expect(fromFile.output.contains("Thread 0 crashed"))
    try directory.write(text, to: "text")
    let shell = URL(filePath: "/bin/sh")
    let command = #"cat text | "$0" - "$1""#
    let fromPipe = try CommandRun(
      program: shell, ["-c", command, builtProgram("crashread").path, Self.killer],
      environment: environment, in: directory)
    #expect(fromPipe.output == fromFile.output)
    #expect(fromPipe.errors == fromFile.errors)
  }
}
