internal import CrashRead
internal import CrashReadSystem

/// `crashread symbols`: the binaries in debug files, their caches, and whether they match a report.
struct SymbolsJob {
  let options: Options

  init(_ options: Options) { self.options = options }

  func run(on console: inout Console) -> ExitStatus {
    if let action = options.symbolAction { return SymbolMemoryJob(options, action).run(on: &console) }
    let caches = cacheDirectory(options, console.environment)
    let others = options.checkedReport == nil ? [] : console.environment.symbolPath
    let store = SymbolStore(
      searching: options.operands + others, caches: caches,
      programFolders: options.namedFolders(console.environment), limits: options.limits)
    var status = console.reportProblems(of: store, optional: others) ? ExitStatus.failure : .success
    let candidates = store.candidates.filter { $0.slice.fits(options) }
    if options.makesCaches, !makeCaches(of: candidates, in: caches, &console) { status = .failure }
    if let report = options.checkedReport {
      return check(report, store, &console) ? status : .failure
    }
    let isCached =
      caches?.hasCaches(of: candidates.map { ($0.path, $0.slice) }) ?? candidates.map { _ in false }
    let rows = Array(zip(candidates, isCached))
    let isWritten = writeResult(to: &console, options) { format, _, write in
      write(
        format == .report(.json)
          ? sliceJSON(rows)
          : rows.map { plainText(sliceLine($0, isCached: $1, base: base(of: $0))) + "\n" }.joined())
    }
    return isWritten ? status : .failure
  }

  private func makeCaches(
    of candidates: [SymbolStore.Candidate], in caches: CacheDirectory?, _ console: inout Console
  ) -> Bool {
    guard let caches else {
      console.error("--index needs a directory for caches, and there is none; give one with --cache")
      return false
    }
    var isComplete = true
    for candidate in candidates where candidate.slice.hasDWARF {
      do throws(DebugFileError) {
        let slice = try BinarySlice(path: candidate.path, summary: candidate.slice)
        _ = try caches.makeCache(of: candidate.path, slice)
      } catch {
        console.error(
          "no cache was created in \(caches.path): \(error.description)", file: candidate.shownPath)
        isComplete = false
      }
    }
    return isComplete
  }

  // MARK: Checking a report

  /// Checks the debug files against the reports in a file.
  ///
  /// - Returns: Whether every relevant image of the app has its debug file, and everything was written.
  private func check(_ path: String, _ store: SymbolStore, _ console: inout Console) -> Bool {
    guard let reports = readReports(path, &console) else { return false }
    let checks = reports.map { Symbolicator(store: store).check($0) }
    let language = options.language ?? console.environment.language
    let isWritten = writeResult(to: &console, options) { format, surface, write in
      if format == .report(.json) {
        return write(symbolCheckJSON(checks.map { (path, $0) }, language: language))
      }
      let writer = SymbolCheckText(
        isColored: surface.isColored, width: surface.textWidth, language: language)
      write(checks.map { writer.text($0) }.joined(separator: "\n"))
    }
    return isWritten && checks.allSatisfy(\.isComplete)
  }

  /// The address of an image without a slide, from its headers.
  private func base(of candidate: SymbolStore.Candidate) -> LinkedAddress? {
    (try? BinarySlice(path: candidate.path, summary: candidate.slice))?.linkedBase
  }

  private func readReports(_ path: String, _ console: inout Console) -> [CrashReport]? {
    do {
      return try CrashReport.parse(
        try readOperand(path, limit: options.limits.reportSize), limits: options.limits)
    } catch let error as SystemError {
      console.error("cannot read the file: \(error.description)", file: path)
    } catch {
      console.error("contains no report", file: path)
    }
    return nil
  }
}

extension BinarySlice.Summary {
  /// Whether it has the requested CPU and identity.
  func fits(_ options: Options) -> Bool {
    options.architecture.map { $0 == architecture } ?? true
      && options.uuid.map { id?.isNamed(by: $0) == true } ?? true
  }
}
