internal import CrashRead
internal import CrashReadBatch
internal import CrashReadDebugInfo
internal import CrashReadSystem

/// `crashread symbols learn`, `export` and `import`: the memory of system names.
struct SymbolMemoryJob {
  private let options: Options
  private let action: SymbolAction

  init(_ options: Options, _ action: SymbolAction) { (self.options, self.action) = (options, action) }

  func run(on console: inout Console) -> ExitStatus {
    if action == .pack { return pack(&console) }
    guard let path = options.memoryPath(console.environment) else {
      console.error("symbols \(action.rawValue) needs a file for the names; give one with --symbol-memory")
      return .usage
    }
    do throws(SQLite.Failure) {
      let memory = try SymbolMemory(path: path, isReadOnly: action == .export)
      switch action {
      case .learn: return try learn(memory, &console)
      case .import: return try importText(memory, &console)
      case .export, .pack: return try write(memory, &console)
      }
    } catch {
      console.error("the symbol memory can't be used: \(error)", file: path)
      return .failure
    }
  }

  // MARK: Learning

  private func learn(_ memory: SymbolMemory, _ console: inout Console) throws(SQLite.Failure) -> ExitStatus {
    var status = ExitStatus.success
    var result = SymbolMemory.LearningResult()
    var collector = SightingCollector()
    for operand in options.operands {
      let isDirectory = (try? fileKind(operand)) == .directory
      for file in isDirectory ? files(in: operand) : [operand] {
        guard let reports = reports(in: file) else {
          if !isDirectory {
            console.error("contains no report", file: file)
            status = .failure
          }
          continue
        }
        let source = options.learnsByFolder ? canonicalDirectory(of: file) : nil
        for report in reports { collector.add(report, source: source) }
        // Writing many functions in one transaction takes a fraction of the time.
        if collector.newCount >= SymbolMemory.transactionSize {
          result.add(try memory.learn(SightingTable(collector.takeNew())))
        }
      }
    }
    result.add(try memory.learn(SightingTable(collector.takeNew())))
    console.write(result.text + "\n")
    return status
  }

  private func files(in directory: String) -> [String] {
    var walk = DirectoryWalk()
    var files: [String] = []
    _ = walk.enter(directory)
    while let entry = walk.next() {
      if case .file(let path) = entry { files.append(path) }
    }
    return files
  }

  /// The reports in a file; nil when it holds none.
  private func reports(in path: String) -> [SymbolicatedReport]? {
    guard let bytes = try? readOperand(path, limit: options.limits.reportSize),
      let reports = try? CrashReport.parse(bytes, limits: options.limits)
    else { return nil }
    let symbolicator = Symbolicator(store: SymbolStore(searching: []))
    return reports.map { symbolicator.symbolicate($0) }
  }

  // MARK: Packs

  /// Writes the functions of all binaries into one file.
  private func pack(_ console: inout Console) -> ExitStatus {
    let store = SymbolStore(searching: options.operands, limits: options.limits)
    var status = console.reportProblems(of: store, optional: []) ? ExitStatus.failure : .success
    var writer = SymbolPackWriter()
    for candidate in store.candidates {
      switch store.open(candidate) {
      case .success(let file): writer.add(file)
      case .failure(let error):
        console.error(error.description, file: candidate.shownPath)
        status = .failure
      }
    }
    guard writer.imageCount > 0 else {
      console.error("no pack is written: none of the files has a UUID and names of functions")
      return .failure
    }
    guard let bytes = writer.file(), let path = options.targets.first?.path else {
      console.error("the names of so many images don't fit into one pack")
      return .failure
    }
    do throws(SystemError) {
      var stream = try OutputStream(path: path)
      stream.write(bytes: bytes)
      stream.flush()
      if let failure = stream.failure { throw failure }
    } catch {
      console.error("cannot write: \(error.reason)", file: path)
      return .failure
    }
    console.write("\(writer.nameCount) functions of \(writer.imageCount) images, \(bytes.count) bytes\n")
    return status
  }

  // MARK: As text

  private func importText(
    _ memory: SymbolMemory, _ console: inout Console
  ) throws(SQLite.Failure) -> ExitStatus {
    var result = SymbolMemory.LearningResult()
    for path in options.operands {
      switch sightings(ofTextAt: path) {
      case .success(let sightings): result.add(try memory.learn(SightingTable(sightings)))
      case .failure(let problem):
        console.error("\(problem)", file: path)
        return .failure
      }
    }
    console.write(result.text + "\n")
    return .success
  }

  private func sightings(ofTextAt path: String) -> Result<[SymbolSighting], any Error> {
    Result {
      let text = try readOperand(path, limit: Self.maximumTextSize)
      guard text.starts(with: "\(SightingLines.head)\n".utf8) else {
        throw DebugFileError.unsupported("not the output of 'crashread symbols export'")
      }
      return try SightingLines.sightings(text)
    }
  }

  /// The maximum size of an imported text, in bytes.
  private static let maximumTextSize = 1 << 30

  private func write(_ memory: SymbolMemory, _ console: inout Console) throws(SQLite.Failure) -> ExitStatus {
    var sightings: [SymbolSighting] = []
    try memory.forEachSighting { sightings.append($0) }
    let isWritten = writeResult(to: &console, options) { _, _, write in
      write(SightingLines.head + "\n" + String(decoding: SightingLines.text(sightings), as: UTF8.self))
    }
    return isWritten ? .success : .failure
  }
}

extension SymbolMemory.LearningResult {
  /// The outcome, in words.
  var text: String {
    "\(new) sightings of functions learned, \(confirmed) confirmed by another source"
      + (refused > 0 ? ", \(refused) left out: their images have too many functions" : "")
  }
}
