internal import CrashRead

/// `crashread kind`: what each file holds, without a look at debug files.
struct KindJob {
  let options: Options
  private var status = ExitStatus.success

  init(_ options: Options) { self.options = options }

  /// Reads the files in the order given.
  mutating func run(on console: inout Console) -> ExitStatus {
    var found: [(file: String, report: CrashReport)] = []
    for file in options.operands {
      if (try? fileKind(file)) == .directory {
        found += readFolder(file, &console)
      } else {
        for report in read(file, &console) { found.append((file, report)) }
      }
    }
    let isWritten = writeResult(to: &console, options) { format, _, write in
      write(
        format == .json
          ? kindJSON(found) : found.map { plainText(kindLine($0.file, $0.report)) + "\n" }.joined())
    }
    return isWritten ? status : .failure
  }

  /// The reports in a directory, where other files are no concern.
  private mutating func readFolder(
    _ folder: String, _ console: inout Console
  ) -> [(file: String, report: CrashReport)] {
    let paths = (try? ReportFolder(path: folder).files(since: nil)) ?? []
    let found = paths.sorted().flatMap { path in
      let bytes = try? readFile(path, limit: options.limits.reportSize)
      let reports = bytes.flatMap { try? CrashReport.parse($0, limits: options.limits) } ?? []
      return reports.map { (file: path, report: $0) }
    }
    if found.isEmpty {
      console.error("no report is in the directory", file: folder)
      status = .failure
    }
    return found
  }

  private mutating func read(_ file: String, _ console: inout Console) -> [CrashReport] {
    do {
      return try CrashReport.parse(
        try readOperand(file, limit: options.limits.reportSize), limits: options.limits)
    } catch let error as DebugFileError {
      console.error("cannot read the file: \(error.description)", file: file)
    } catch ReportError.empty {
      console.error("holds no report: it is empty", file: file)
    } catch {
      console.error(
        "holds no report; expected Apple's text report (.crash), an .ips file, or another crash tool's report or log",
        file: file)
    }
    status = .failure
    return []
  }
}
