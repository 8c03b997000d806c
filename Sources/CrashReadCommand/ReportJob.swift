internal import CrashRead

/// The main job: reports and debug files in, verdicts out.
struct ReportJob {
  let options: Options
  private let language: Language
  private var status = ExitStatus.success

  /// Bigger reports are refused: a 50 MB spindump is large, and nobody writes ten of them into one file.
  static let maximumReportSize = 512 << 20

  init(_ options: Options, _ environment: Environment) {
    self.options = options
    language = options.language ?? environment.language
  }

  /// Reads every operand and writes what there is to say.
  mutating func run(on console: inout Console) -> ExitStatus {
    let (reports, symbols) = sortOperands()
    let caches = cacheDirectory(options, console.environment)
    var reader = CrashReader(
      symbols: symbols, caches: caches,
      sources: SourceFinder(
        roots: options.sourceRoots, maps: options.pathMaps.map { .init(old: $0.old, new: $0.new) }),
      language: language)
    reader.symbolicator.allowsMismatch = options.allowsMismatch
    for problem in reader.symbolicator.store.problems {
      console.error(problem.message, file: problem.path)
      status = .failure
    }
    if reports.isEmpty {
      console.error(
        "no report among the operands, only debug files; 'crashread lookup' resolves single addresses")
      return .usage
    }
    let analyses = reports.flatMap { read($0, with: reader, console: &console) }
    if !analyses.isEmpty { write(analyses, to: &console) }
    makeCachesLater(of: reader.symbolicator.store.uncachedPaths, in: caches, &console)
    return status
  }

  /// Tells reports from places to look for debug files, by content.
  private func sortOperands() -> (reports: [String], symbols: [String]) {
    var reports: [String] = []
    var symbols = options.symbols
    for operand in options.operands {
      if operand != "-", isSymbolPlace(operand) { symbols.append(operand) } else { reports.append(operand) }
    }
    return (reports, symbols)
  }

  private func isSymbolPlace(_ path: String) -> Bool {
    switch try? fileKind(path) {
    case .directory: true
    case .file: isBinary(path)
    case .other, nil: false
    }
  }

  private mutating func read(
    _ path: String, with reader: CrashReader, console: inout Console
  ) -> [ReportAnalysis] {
    do {
      let bytes = try readFile(path, limit: Self.maximumReportSize)
      let analyses = try reader.read(bytes, input: path)
      for analysis in analyses { check(analysis, console: &console) }
      return analyses
    } catch let error as DebugFileError {
      console.error("cannot read the file: \(error.description)\(verbHint(path))", file: path)
    } catch ReportError.empty {
      console.error("the file is empty; a crash report was expected", file: path)
    } catch {
      console.error(
        "neither a report nor a debug file; expected Apple's text report (.crash), an .ips file, another crash tool's "
          + "report or log, or a Mach-O or ELF file", file: path)
    }
    status = .failure
    return []
  }

  /// What was meant, when a word that names no file looks like a command.
  private func verbHint(_ word: String) -> String {
    let verb = nearest(to: word, among: Verb.named.map(\.rawValue))
    return verb.map { "; did you mean the command '\($0)'?" } ?? ""
  }

  /// Says on standard error what of a report could not be used, and applies `--strict`.
  private mutating func check(_ analysis: ReportAnalysis, console: inout Console) {
    let symbolicated = analysis.diagnosis.symbolicated
    for note in symbolicated.report.notes {
      console.note(note.message, file: analysis.input, line: note.line)
    }
    for (image, match) in zip(symbolicated.report.images, symbolicated.images) {
      guard match.status == .identityMismatch || match.status == .unusable else { continue }
      for attempt in match.attempts where attempt.outcome != .used {
        console.error(refusal(of: attempt, for: image), file: attempt.path)
      }
      status = .failure
    }
    if options.isStrict, hasUnresolvedAppFrame(symbolicated) { status = .failure }
  }

  private func refusal(of attempt: SymbolAttempt, for image: BinaryImage) -> String {
    let name = image.name ?? "an image"
    if let message = attempt.message { return "cannot be used for \(name): \(message)" }
    let found = attempt.id?.description ?? "no identity"
    let wanted = image.id?.description ?? "none"
    return
      "not used: it is \(found), and the report wants \(wanted) for \(name) (--allow-mismatch uses it, marked)"
  }

  private func hasUnresolvedAppFrame(_ report: SymbolicatedReport) -> Bool {
    (report.threads.joined() + report.lastExceptionBacktrace).contains {
      $0.isInApp && $0.resolution != .debugInfo
    }
  }
}

// MARK: - Output

extension ReportJob {
  private mutating func write(_ analyses: [ReportAnalysis], to console: inout Console) {
    if options.format == .ips, !canWriteIPS(analyses, &console) { return }
    let isWritten = writeResult(to: &console, options) { isColored, width, write in
      write(rendered(analyses, isColored: isColored, width: width))
    }
    if !isWritten { status = .failure }
  }

  /// Whether any report is in an .ips file; those that aren't are named on standard error.
  private mutating func canWriteIPS(_ analyses: [ReportAnalysis], _ console: inout Console) -> Bool {
    var isAny = false
    for analysis in analyses {
      let report = analysis.diagnosis.symbolicated.report
      if IPSWriter.canWrite(report) {
        isAny = true
        continue
      }
      console.error(
        "a report in the format \(report.format.rawValue) cannot be written as .ips, only an .ips file can; use "
          + "--format=crash for Apple's text or --format=json for programs", file: analysis.input)
      status = .failure
    }
    return isAny
  }

  private func rendered(_ analyses: [ReportAnalysis], isColored: Bool, width: Int?) -> String {
    switch options.format {
    case .json: return render(analyses, with: JSONRenderer(isArray: analyses.count > 1))
    case .crash: return render(analyses, with: CrashTextWriter())
    case .ips: return render(analyses, with: IPSWriter())
    case .text, .tsv:
      var style = TextRenderer.Style()
      style.isColored = isColored
      style.width = min(max(width ?? style.width, 60), 160)
      style.showsAllThreads = options.showsAllThreads
      style.language = language
      style.showsLinkageNames = options.showsLinkageNames
      return render(analyses, with: TextRenderer(style: style))
    }
  }

  private func render(_ analyses: [ReportAnalysis], with renderer: some Renderer) -> String {
    var renderer = renderer
    var text = ""
    renderer.begin(into: &text)
    for analysis in analyses { renderer.render(analysis, into: &text) }
    renderer.end(into: &text)
    return text
  }
}
