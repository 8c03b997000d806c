/// An example of a command line, for help and the manual page.
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
      meaning: "Source paths on this machine instead of those on the build machine."),
    Example(
      command: "crashread --format=crash report.ips App.dSYM > report.crash",
      meaning: "Apple's text of the report, with functions and lines, for tools that don't read .ips files."),
    Example(
      command: "crashread --source-root=. --blame -o crash.html -o crash.sarif report.ips build/dSYMs",
      meaning: "A page to read and a file for code scanning, with the last change of the blamed line."),
    Example(
      command: "crashread batch reports --symbols=dSYMs --state=seen -o results.ndjson",
      meaning:
        "Every new report of a directory, one line of JSON each, even after an interrupted run."),
    Example(
      command: "crashread kind *",
      meaning: "Which files contain reports, and of what kind."),
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
      meaning: "Whether the right debug files are available, and where to get missing ones."),
    Example(
      command: "crashread --generate=bash > ~/.local/share/bash-completion/completions/crashread",
      meaning: "Completion for bash, from the next shell on."),
  ]
}

/// An environment variable that the program reads, for help and the manual page.
struct EnvironmentVariable: Sendable {
  var name: String
  var meaning: String

  static let all = [
    EnvironmentVariable(
      name: "NO_COLOR",
      meaning: "When set and not empty, no colour is used unless --color=always is given."),
    EnvironmentVariable(
      name: "CRASHREAD_SYMBOL_PATH",
      meaning:
        "Further paths to search for debug files, separated by colons; missing ones are ignored."),
    EnvironmentVariable(
      name: "CRASHREAD_CACHE",
      meaning: "The directory of caches, or off, unless --cache is given."),
    EnvironmentVariable(
      name: "XDG_CACHE_HOME",
      meaning:
        "Caches are in its subdirectory crashread if it is an absolute path; otherwise in ~/.cache/crashread."
    ),
    EnvironmentVariable(
      name: "DEBUGINFOD_URLS",
      meaning:
        "Servers for missing debug files of ELF binaries, by build-id. libdebuginfod "
        + "(Debian package libdebuginfod1) reads it and further variables: see debuginfod_find_debuginfo(3). "
        + "By default an answer must begin within 30 seconds (DEBUGINFOD_TIMEOUT) and end "
        + "within 300 (DEBUGINFOD_MAXTIME)."),
    EnvironmentVariable(
      name: "CRASHREAD_SYMBOL_SERVERS",
      meaning:
        "Further servers for --symbol-server, separated by blanks; invalid ones are ignored."),
    EnvironmentVariable(
      name: "TMPDIR", meaning: "Where archives are extracted without a cache directory."),
    EnvironmentVariable(name: "TERM", meaning: "No colour is used on a dumb terminal."),
    EnvironmentVariable(
      name: "LC_ALL, LC_MESSAGES, LANG",
      meaning:
        "The first that is set determines the language: Japanese if it begins with ja, otherwise English."
    ),
    EnvironmentVariable(
      name: "GITHUB_WORKSPACE, CI_PROJECT_DIR",
      meaning:
        "The checkout of a CI job: source files are looked up there, and shown with relative paths."
    ),
    EnvironmentVariable(
      name: "FORCE_HYPERLINK",
      meaning:
        "With --hyperlinks=auto: 0 for none, anything else for links; otherwise TERM, TERM_PROGRAM, VTE_VERSION and "
        + "the like tell whether the terminal supports them."),
    EnvironmentVariable(
      name: "COLUMNS", meaning: "The width of the output; by default that of the terminal."),
  ]
}
