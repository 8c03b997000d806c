internal import CrashRead
internal import CrashReadSystem

/// `crashread kind`: the kinds of reports in each file, without debug files.
struct KindJob {
  let options: Options
  private var status = ExitStatus.success

  init(_ options: Options) { self.options = options }

  /// Reads the files in the order given.
  mutating func run(on console: inout Console) -> ExitStatus {
    var found: [(file: String, report: CrashReport)] = []
    for file in options.operands {
      found += read(file, &console)
    }
    let isWritten = writeResult(to: &console, options) { format, _, write in
      write(
        format == .report(.json)
          ? kindJSON(found) : found.map { plainText(kindLine($0.file, $0.report)) + "\n" }.joined())
    }
    return isWritten ? status : .failure
  }

  /// The reports in a directory or an archive; other files in it are ignored.
  private mutating func readContainer(
    _ container: ReportContainer, _ file: String, _ console: inout Console
  ) -> [(file: String, report: CrashReport)] {
    if container.found.isEmpty {
      console.error(container.emptyMessage, file: file)
      status = .failure
    } else {
      for problem in container.problems { console.note(problem, file: file) }
    }
    return container.found.flatMap { found in
      found.reports.map { (file: joined(file, found.location.path), report: $0) }
    }
  }

  private func joined(_ folder: String, _ path: String) -> String {
    path.isEmpty ? folder : folder.hasSuffix("/") ? folder + path : "\(folder)/\(path)"
  }

  private mutating func read(
    _ file: String, _ console: inout Console
  ) -> [(file: String, report: CrashReport)] {
    do {
      if (try? fileKind(file)) == .directory || isArchive(file) {
        return readContainer(try ReportContainer(path: file, limits: options.limits), file, &console)
      }
      let bytes = try readOperand(file, limit: options.limits.reportSize)
      if ReportContainer.isContainer(bytes) {
        let container = ReportContainer(bytes, limits: options.limits)
        // The text of a mail may be the report.
        if container.kind != .mail || !container.found.isEmpty {
          return readContainer(container, file, &console)
        }
      }
      return try CrashReport.parse(bytes, limits: options.limits).map { (file: file, report: $0) }
    } catch let error as PathError {
      console.error("cannot read it: \(error.message)", file: file)
    } catch let error as SystemError {
      console.error("cannot read the file: \(error.description)", file: file)
    } catch ReportError.empty {
      console.error("contains no report: it is empty", file: file)
    } catch {
      console.error(
        "contains no report; expected Apple's text report (.crash), an .ips file, or another crash tool's report or log",
        file: file)
    }
    status = .failure
    return []
  }
}
