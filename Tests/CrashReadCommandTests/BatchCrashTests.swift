import Foundation
import TestSupport
import Testing

@testable import CrashReadCommand

/// A library loaded before libdw: debug files with a mark make it do what damaged files can make libdw do.
private enum CrashingLibrary {
  static let compiler = installedProgram("clang")

  /// The letter after the mark `DEADLY:` selects what happens.
  private static let source = """
    #define _GNU_SOURCE
    #include <dlfcn.h>
    #include <fcntl.h>
    #include <signal.h>
    #include <stdlib.h>
    #include <string.h>
    #include <time.h>
    #include <unistd.h>
    extern char *elf_rawfile(void *, size_t *);
    static void log_death(void) {
      int log = open(getenv("DEADLY_LOG"), O_WRONLY | O_CREAT | O_APPEND, 0600);
      write(log, "x", 1);
      close(log);
    }
    static void burn(double seconds) {
      clock_t end = clock() + seconds * CLOCKS_PER_SEC;
      while (clock() < end)
        for (volatile int i = 0; i < 1000000; i++) ;
    }
    char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status) {
      if (strstr(name, "DEADLIEST")) burn(1000);
      if (strstr(name, "DEADLY") && !getenv("DEADLY_AGAIN")) setenv("DEADLY_AGAIN", "1", 1), burn(4 * atof(getenv("DEADLY_SECONDS")));
      return ((char *(*)(const char *, char *, size_t *, int *))dlsym(RTLD_NEXT, "__cxa_demangle"))(
          name, buffer, length, status);
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
      case 'L': burn(0.6 * atof(getenv("DEADLY_SECONDS"))); break;
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

/// Debug files that crash the process that reads them: all other results are unchanged, and the report is read without
/// the file.
@Suite(.enabled(if: CrashingLibrary.compiler != nil, "clang isn't installed")) struct BatchCrashTests {
  private let directory: TemporaryDirectory
  private let library: String
  private var environment: [String: String] {
    // The runner's own library stays.
    let libraries = [library, ProcessInfo.processInfo.environment["LD_PRELOAD"]].compactMap { $0 }
    return [
      "LD_PRELOAD": libraries.joined(separator: ":"), "DEADLY_FILE": directory.path(Self.killer),
      "DEADLY_LOG": directory.path("log"), "DEADLY_SECONDS": String(Self.seconds),
    ]
  }
  /// More seconds than a valid report takes.
  private static let seconds = isSanitized ? 20 : 1
  /// More megabytes than a valid report needs.
  private static let megabytes = isSanitized ? 2048 : 256
  /// Whether a letter's effect can be tested in this build.
  private static func arrives(_ letter: String) -> Bool { letter != "T" || !defersSignals }
  private static let killer = "s/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp"

  private static let batch = [
    "batch", "r", "--symbols=s", "--jobs=2", "--timeout=\(seconds)", "--memory=\(megabytes)M",
  ]
  /// The results of all samples without a crashing file.
  private static let healthy = Result {
    let directory = try samples()
    return try CommandRun.crashread(batch, in: directory).output.split(separator: "\n")
  }

  init() throws {
    directory = try Self.samples()
    library = try CrashingLibrary.make(in: directory)
  }

  /// A copy of the samples: `s` has the debug files, `r` the reports.
  private static func samples() throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    for folder in ["symbols", "reports"] {
      try FileManager.default.copyItem(
        atPath: Samples.path(folder), toPath: directory.path(String(folder.prefix(1))))
    }
    return directory
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
      ("T", "because it took more than \(Self.seconds) seconds (--timeout)"),
      ("M", "because it needed more than \(Self.megabytes) MB of memory (--memory)"),
    ].filter { Self.arrives($0.0) })
  func otherResultsAreUnchanged(_ letter: String, _ end: String) throws {
    let healthy = try Self.healthy.get()
    try mark(Self.killer, letter)
    let run = try CommandRun.crashread(Self.batch, environment: environment, in: directory)
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

  @Test func allDebugFilesAreExcludedWithoutAMessage() throws {
    try mark(Self.killer, "K")
    let run = try run("batch", "r/text/HogeApp.crash", "r/text/JumpNull.crash", "--symbols=s")
    let lines = run.output.split(separator: "\n")
    try #require(lines.count == 2)
    let reason = "skipped, because the worker process that read the report ended by signal 9 (Killed)"
    #expect(lines[0].contains(#""outcome":"unusable","message":"\#(reason)""#))
    #expect(lines[1].contains(#""resolution":"debugInfo""#))
    #expect(run.errors.contains("r/text/HogeApp.crash: read without debug files:"))
    #expect(run.outcome == .exited(1))
  }

  @Test func severalCrashingFilesInOneReport() throws {
    // Two further copies of the file: each is tried, and none is usable.
    for name in ["s/copy1", "s/copy2"] {
      try FileManager.default.copyItem(atPath: directory.path(Self.killer), toPath: directory.path(name))
      try mark(name, "A")
    }
    try mark(Self.killer, "S")
    let run = try run("batch", "r/text/HogeApp.crash", "--symbols=s")
    #expect(run.output.split(separator: "\n").count == 1)
    #expect(run.output.components(separatedBy: #""outcome":"unusable""#).count == 4)
    #expect(run.errors.split(separator: "\n").count == 3)
    // A valid copy is used.
    try FileManager.default.copyItem(
      atPath: Samples.path("symbols/HogeApp.app.dSYM/Contents/Resources/DWARF/HogeApp"),
      toPath: directory.path("s/good"))
    let better = try self.run("batch", "r/text/HogeApp.crash", "--symbols=s")
    #expect(better.output.contains(#""debugFile":"s/good""#))
    #expect(better.output.contains(#""resolution":"debugInfo""#))
  }

  @Test(arguments: [("A", 2), ("T", 2)].filter { Self.arrives($0.0) })
  func crashingFilesAreNotRetriedIndefinitely(
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
    // The next run doesn't mention the file again; after it has changed, it is tried again.
    try directory.write(text + "\nnew\n", to: "report9")
    let second = try run("batch", "report9", "--symbols=s", "--state=state")
    #expect(second.output.contains(#""status":"unusable""#))
    #expect(second.errors == "" && second.outcome == .exited(0))
    try mark(Self.killer, "")
    try directory.write(text + "\nnewer\n", to: "report9")
    let third = try run("batch", "report9", "--symbols=s", "--state=state", "--timeout=\(Self.seconds)")
    #expect(third.errors.contains(Self.killer))
  }

  /// Five reports in one input, each with a debug file that takes more than half of the time. The time runs out in one
  /// of them; which one doesn't matter.
  @Test(.enabled(if: arrives("T"))) func reportTimeoutBlamesNoFile() throws {
    let reports = ["HogeApp", "JumpNull", "ObjCThrow", "c-abort", "c-divide"]
    let files = ["HogeApp.app", "JumpNull", "ObjCThrow"].map { "s/\($0).dSYM/Contents/Resources/DWARF/" }
    var together = ""
    for name in reports { together += try directory.read("r/text/\(name).crash") + "\n\n" }
    for (name, folder) in zip(reports, files) { try mark(folder + name, "L") }
    for name in reports.suffix(2) { try mark("s/\(name).debug", "L") }
    try directory.write(together, to: "together.crash")
    let run = try run(
      "batch", "together.crash", "r/text/JumpNull.crash", "r/text/ObjCThrow.crash", "--symbols=s",
      "--timeout=\(Self.seconds)", "--state=state", "--jobs=1")
    let lines = run.output.split(separator: "\n")
    try #require(lines.count == 7)
    let reason =
      "skipped, because the worker process that read the report ended because it took more than "
      + "\(Self.seconds) seconds (--timeout)"
    for line in lines.prefix(5) { #expect(line.contains(reason), "\(line.prefix(300))") }
    for line in lines.suffix(2) {
      #expect(line.contains(#""resolution":"debugInfo""#) && !line.contains("unusable"))
    }
    #expect(!run.errors.contains("DWARF/"))
    // The state doesn't record anything against the files either.
    try directory.write(try directory.read("r/text/JumpNull.crash") + "\nnew\n", to: "new.crash")
    let next = try self.run("batch", "new.crash", "--symbols=s", "--state=state")
    #expect(next.output.contains(#""resolution":"debugInfo""#) && !next.output.contains("unusable"))
  }

  @Test(.enabled(if: arrives("T"))) func busyWorkersExitWhenBatchIsKilled() throws {
    try mark(Self.killer, "T")
    let run = try PipedRun(
      ["batch", "r/text/HogeApp.crash", "--symbols=s", "--timeout=600", "--jobs=2"], environment: environment,
      at: directory.url)
    for _ in 0..<6000 where (try? directory.bytes("log").count) != 1 { usleep(10_000) }
    #expect(try directory.bytes("log").count == 1)
    let children = run.children
    try #require(!children.isEmpty)
    kill(run.process.processIdentifier, SIGTERM)
    _ = run.end()
    for _ in 0..<6000 where children.contains(where: { kill($0, 0) == 0 }) { usleep(10_000) }
    #expect(children.allSatisfy { kill($0, 0) != 0 })
  }

  /// The batch may have ended before a worker asked to be notified of it.
  @Test func orphanedWorkerExits() throws {
    // Opened for writing as well, so that its standard input never ends.
    try directory.makePipe("input")
    let run = try CommandRun(
      program: URL(filePath: "/bin/sh"),
      ["-c", #""$0" --batch-worker 1 <>input; echo $?"#, builtProgram("crashread").path], in: directory)
    #expect(run.output == "1\n" && run.outcome == .exited(0))
  }

  @Test func crashingInputsAreErrors() throws {
    // Not even a small report can be read in so little memory.
    let run = try run("batch", "r/text/HogeApp.crash", "--memory=1K")
    let result = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
    #expect(result?["input"] as? String == "r/text/HogeApp.crash")
    if let error = result?["error"] as? [String: String] {
      #expect(error["kind"] == "tooLarge")
    } else {
      // It finished before its memory was checked.
      #expect(result?["report"] != nil)
    }
    let large = try self.run("batch", "r/text/HogeApp.crash", "r/text/JumpNull.crash", "--max-result-size=2K")
    let lines = large.output.split(separator: "\n")
    #expect(lines.count == 2)
    #expect(
      lines.allSatisfy {
        $0.contains(#""error":{"kind":"tooLarge","message":"the worker process ended because the"#)
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
  func singleReportIsStillShown(_ letter: String, _ end: String) throws {
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

  @Test(.enabled(if: arrives("T"))) func slowReportIsShownWithoutDebugFiles() throws {
    let text = try directory.read("r/text/HogeApp.crash")
    try directory.write(
      text.replacing("UIApplicationMain + 340", with: "_ZN6DEADLY4nameEv + 340"), to: "slow.crash")
    let run = try run("slow.crash", "s/HogeApp.app.dSYM", "--timeout=\(Self.seconds)")
    #expect(run.output.contains("Thread 0 crashed"))
    #expect(run.errors.contains("skipped, because reading the report took too long (--timeout)"))
    #expect(!run.output.contains("JSON.integer"))
  }

  /// Most of the time that the shell allows is for the report without the debug file.
  @Test(
    .enabled(if: !isSanitized && !defersSignals),
    arguments: [
      ("T", "ulimit -t 9", "took too long (--timeout)"),
      ("M", "ulimit -v 1000000", "needed too much memory (--memory)"),
    ])
  func shellLimitsAreRespected(_ letter: String, _ limit: String, _ end: String) throws {
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

  /// Runs crashread with four seconds of processor time on `slow.crash`, a report that takes longer even without any
  /// debug file.
  private func runOutOfTime(_ arguments: String) throws -> CommandRun {
    let text = try directory.read("r/text/HogeApp.crash")
    try directory.write(
      text.replacing("UIApplicationMain + 340", with: "_ZN9DEADLIEST4nameEv + 340"), to: "slow.crash")
    return try CommandRun(
      program: URL(filePath: "/bin/sh"),
      ["-c", #"ulimit -t 4; exec "$0" "# + arguments, builtProgram("crashread").path],
      environment: environment, in: directory)
  }

  @Test(.enabled(if: arrives("T"))) func exhaustedUlimitIsReported() throws {
    let run = try runOutOfTime("slow.crash")
    #expect(run.outcome == .exited(1))
    #expect(run.errors == "crashread: needs more processor time than the system allows (ulimit -t)\n")
  }

  // MARK: ci

  /// The command runs once, whatever happens while the results are read.
  @Test(
    arguments: [
      ("S", "ended crashread by signal 11 (Segmentation fault)"),
      ("T", "took too long (--timeout)"), ("M", "needed too much memory (--memory)"),
    ].filter { Self.arrives($0.0) })
  func testCommandIsNotRunAgain(_ letter: String, _ end: String) throws {
    try mark(Self.killer, letter)
    let run = try run(
      "ci", "--symbols=s/HogeApp.app.dSYM", "--timeout=\(Self.seconds)", "--memory=\(Self.megabytes)M",
      "--format=json", "sh", "-c", "echo once >> runs; cat r/text/HogeApp.crash; exit 3")
    #expect(run.outcome == .exited(3))
    #expect(try directory.read("runs") == "once\n")
    #expect(run.output.contains("\"message\": \"reading it \(end)\""))
    #expect(run.output.contains("\"outcome\": \"unusable\""))
  }

  @Test(.enabled(if: arrives("T"))) func slowLogExitsWithCommandStatus() throws {
    let run = try runOutOfTime(#"ci sh -c "cat slow.crash; exit 3""#)
    #expect(run.outcome == .exited(3))
    #expect(run.errors == "crashread: needs more processor time than the system allows (ulimit -t)\n")
  }

  @Test func lookupReportsTheCrash() throws {
    try mark(Self.killer, "A")
    let run = try run("lookup", Self.killer, "0x100000000")
    #expect(run.output == "" && run.outcome == .exited(1))
    #expect(
      run.errors
        == "crashread: \(Self.killer): cannot be used: reading it ended crashread by signal 6 (Aborted)\n")
  }

  @Test func truncatedFileDoesNotCrash() throws {
    try mark(Self.killer, "B")
    let run = try run("r/text/HogeApp.crash", Self.killer)
    // What remains of it states that itself.
    #expect(run.errors.hasPrefix("crashread: \(Self.killer): cannot be used for HogeApp: damaged: "))
    #expect(run.output.contains("Thread 0 crashed"))
    #expect(run.outcome == .exited(1))
    #expect(try directory.bytes("log").count == 1)
  }

  @Test func standardInputIsRereadAfterRestart() throws {
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
