/// A command line worth showing, for help and the manual page.
struct Example: Sendable {
  var command: String
  var meaning: String

  static let all = [
    Example(
      command: "crashread HogeApp.ips HogeApp.app.dSYM",
      meaning: "Why the app died, with the functions and lines of the thread that crashed."),
    Example(
      command: "crashread --format=json -o result.json *.ips build/dSYMs",
      meaning: "All reports as one JSON document, with debug files found by their identity in a directory."),
    Example(
      command: "crashread --path-map=/Users/ci/build=. report.crash App.dSYM",
      meaning: "Source paths as they are here, not as they were on the machine that built the app."),
    Example(
      command: "crashread --format=crash report.ips App.dSYM > report.crash",
      meaning: "Apple's text of the report, with functions and lines, for tools that read no .ips."),
    Example(
      command: "crashread --source-root=. --blame -o crash.html -o crash.sarif report.ips build/dSYMs",
      meaning: "A page to read and a file for code scanning, with the last change of the blamed line."),
    Example(
      command: "crashread batch reports --symbols=dSYMs --state=seen -o results.ndjson",
      meaning:
        "Every new report of a directory, one line of JSON each, also after a run that was ended midway."),
    Example(
      command: "crashread kind *",
      meaning: "Which files hold reports, and of what."),
    Example(
      command: "crashread explain 0x8badf00d EXC_GUARD brk 1",
      meaning: "What these codes mean, and what to do next."),
    Example(
      command: "crashread lookup --arch=arm64 App.dSYM 0x100004f2c",
      meaning: "The frames at one link-time address."),
    Example(
      command: "crashread symbols --index build/dSYMs",
      meaning: "Caches of all debug files in a directory, so that even the first look-up is fast."),
    Example(
      command: "crashread symbols --for HogeApp.ips ~/Archives",
      meaning: "Whether the right debug files are there, and where to get those that aren't."),
    Example(
      command: "crashread --generate=bash > ~/.local/share/bash-completion/completions/crashread",
      meaning: "Completion for bash, from the next shell on."),
  ]
}

/// A variable the program looks at, for help and the manual page.
struct EnvironmentVariable: Sendable {
  var name: String
  var meaning: String

  static let all = [
    EnvironmentVariable(
      name: "NO_COLOR",
      meaning: "When set and not empty, no colour is used unless --color=always asks for it."),
    EnvironmentVariable(
      name: "CRASHREAD_SYMBOL_PATH",
      meaning:
        "More places to look for debug files, with colons between them; those not there are passed over."),
    EnvironmentVariable(
      name: "CRASHREAD_CACHE",
      meaning: "Where caches are kept, or off, when --cache doesn't say."),
    EnvironmentVariable(
      name: "XDG_CACHE_HOME",
      meaning:
        "Caches are in its directory crashread, when it is an absolute path; otherwise in ~/.cache/crashread."
    ),
    EnvironmentVariable(
      name: "DEBUGINFOD_URLS",
      meaning:
        "Servers that are asked for the debug files of ELF binaries that are not at hand, by build-id. libdebuginfod "
        + "does it (Debian package libdebuginfod1) and has more such variables: see debuginfod_find_debuginfo(3). "
        + "Without DEBUGINFOD_TIMEOUT an answer has to begin within 30 seconds, without DEBUGINFOD_MAXTIME it has to end "
        + "within 300."),
    EnvironmentVariable(
      name: "CRASHREAD_SYMBOL_SERVERS",
      meaning:
        "More servers for --symbol-server, with blanks between them; words that name none are passed over."),
    EnvironmentVariable(
      name: "TMPDIR", meaning: "Where archives are extracted to when there is no directory for caches."),
    EnvironmentVariable(name: "TERM", meaning: "On a terminal that calls itself dumb, no colour is used."),
    EnvironmentVariable(
      name: "LC_ALL, LC_MESSAGES, LANG",
      meaning: "The first that is set gives the language: Japanese when it begins with ja, otherwise English."
    ),
    EnvironmentVariable(
      name: "GITHUB_WORKSPACE, CI_PROJECT_DIR",
      meaning:
        "The top of the sources in a CI job: files are looked for there, and their paths are given from there on."
    ),
    EnvironmentVariable(
      name: "FORCE_HYPERLINK",
      meaning:
        "With --hyperlinks=auto: 0 for none, anything else for links; otherwise TERM, TERM_PROGRAM, VTE_VERSION and "
        + "the like tell whether the terminal follows them."),
    EnvironmentVariable(name: "COLUMNS", meaning: "How wide the output is; otherwise the terminal is asked."),
  ]
}
