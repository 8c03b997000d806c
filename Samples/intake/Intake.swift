import CrashReadBatch

/// A folder of uploads, each read once, however often this is run and whatever ends it.
///
///     swift run Intake SYMBOLS STATE UPLOAD...
@main
struct Intake {
  static func main() throws {
    // The batch starts this program again for its workers; this must come first.
    BatchWorker.runIfRequested()

    let arguments = Array(CommandLine.arguments.dropFirst())
    var settings = BatchSettings()
    settings.symbols = [arguments[0]]
    settings.state = arguments[1]
    settings.isolation = .processes(WorkerProgram(path: "/proc/self/exe"))
    settings.inputLimits.seconds = 30

    let batch = CrashBatch(settings)
    try batch.read(arguments[2...].map { BatchInput(path: $0) }) { result in
      // If the process is killed before the state is written, the same key comes again: use it to avoid duplicate rows.
      for report in result.reports {
        print(result.key ?? "", report.location ?? "-", report.title, separator: "\t")
      }
      if !result.isRead { print(result.json, terminator: "") }
    }
    print(try batch.groups().rendered(as: .text), terminator: "")
  }
}
