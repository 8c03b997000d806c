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
      for report in read(file, &console) { found.append((file, report)) }
    }
    let isWritten = writeResult(to: &console, options) { format, _, write in
      write(
        format == .json
          ? kindJSON(found) : found.map { plainText(kindLine($0.file, $0.report)) + "\n" }.joined())
    }
    return isWritten ? status : .failure
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
