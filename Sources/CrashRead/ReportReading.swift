internal import CrashReadCore
internal import CrashReadDebugInfo
package import CrashReadRendering
internal import CrashReadReports
internal import CrashReadSystem

/// The result of reading an input: a report, or an error.
package enum InputResult {
  case analysis(ReportAnalysis), unread(UnreadInput)

  package var analysis: ReportAnalysis? {
    if case .analysis(let analysis) = self { analysis } else { nil }
  }
}

/// Reads the reports of an input, or says why there are none.
package struct ReportReading {
  private let reader: CrashReader
  /// The maximum size of a report in bytes.
  private let sizeLimit: Int
  /// Whether paths come from a command line, where `-` and pipes are allowed. False in a worker, whose standard input
  /// belongs to the batch and whose paths may be untrusted.
  private let readsOperands: Bool

  package init(reader: CrashReader, sizeLimit: Int, readsOperands: Bool = false) {
    (self.reader, self.sizeLimit, self.readsOperands) = (reader, sizeLimit, readsOperands)
  }

  /// Reads a file.
  /// - Parameters:
  ///   - path: The file.
  ///   - hint: Added to the message when the file can't be read.
  /// - Returns: One result per report, or a single one that says why there is none.
  package func read(_ path: String, hint: @autoclosure () -> String = "") -> [InputResult] {
    if path != "-", isDirectory(path) || isArchive(path) {
      do throws(PathError) { return read(try ReportContainer(path: path, limits: reader.limits), path) } catch
      {
        return [unread(path, .unreadable, "cannot read it: \(error.message)")]
      }
    }
    do throws(SystemError) {
      return read(try bytes(of: path), input: path)
    } catch {
      return [unread(path, .unreadable, "cannot read the file: \(error.description)\(hint())")]
    }
  }

  private func bytes(of path: String) throws(SystemError) -> [UInt8] {
    guard readsOperands else { return try readFile(path, limit: sizeLimit) }
    return path == "-"
      ? try CrashRecovery.readInput(limit: sizeLimit) : try readOperand(path, limit: sizeLimit)
  }

  private func isDirectory(_ path: String) -> Bool { (try? fileKind(path)) == .directory }

  /// Reads the reports of a container.
  private func read(_ container: ReportContainer, _ input: String) -> [InputResult] {
    let analyses = reader.analyze(container, input: input)
    return analyses.isEmpty
      ? [unread(input, .unrecognised, container.emptyMessage)] : analyses.map { .analysis($0) }
  }

  /// Reads the bytes of a named input.
  package func read(_ bytes: [UInt8], input: String) -> [InputResult] {
    if ReportContainer.isContainer(bytes) {
      let container = ReportContainer(bytes, limits: reader.limits)
      // The text of a mail may be the report.
      if container.kind != .mail || !container.found.isEmpty { return read(container, input) }
    }
    do throws(ReportError) {
      return try reader.analyze(bytes, input: input).map { .analysis($0) }
    } catch {
      switch error {
      case .empty: return [unread(input, .empty, "the file is empty; a crash report was expected")]
      case .unrecognised:
        let message = """
          neither a report nor a debug file; expected Apple's text report (.crash), an .ips file, another crash tool's \
          report or log, or a Mach-O or ELF file
          """
        return [unread(input, .unrecognised, message)]
      case .otherSystem(let system):
        return [
          unread(
            input, .unrecognised, "a crash report of \(system); crashread reads those of Apple's systems")
        ]
      }
    }
  }

  private func unread(_ input: String, _ kind: UnreadInput.Kind, _ message: String) -> InputResult {
    .unread(UnreadInput(input: input, kind: kind, message: message))
  }
}

extension ReportContainer {
  /// The maximum number of reports in a directory or an archive; more are left to `batch`.
  package static let maximumReports = 10

  /// A message that nothing was found, and why.
  package var emptyMessage: String {
    let what =
      switch kind {
      case .xcresult: "the result bundle contains no crash report, and Xcode recorded no crash in it"
      case .xccrashpoint: "the crash point contains no log"
      case .archive, .sysdiagnose: "the archive contains no crash report"
      case .mail: "the mail contains no crash report"
      case .directory: "the directory contains no report"
      }
    return ([what] + problems).joined(separator: "; ")
  }
}
