internal import CrashRead
internal import CrashReadSystem

/// The side of a worker that works: takes inputs from one pipe and puts their results into another.
struct WorkerServer {
  /// What the program is started with to be a worker; behind it stands the batch's process, with which it is to end.
  static let argument = "--batch-worker"
  private let input: Int32
  private let output: Int32
  private var reader: CrashReader?
  private var options = Options()
  private var decoder = MessageDecoder()
  private var answer: [UInt8] = []
  private var told = ToldSightings()
  private let isProcess: Bool

  /// A worker in a thread, which shares a reader with others.
  init(input: Int32, output: Int32, reader: CrashReader, options: Options) {
    (self.input, self.output, self.options, self.reader) = (input, output, options, reader)
    isProcess = false
  }

  private init(input: Int32, output: Int32) {
    (self.input, self.output) = (input, output)
    isProcess = true
  }

  /// Is a worker from here to the process's end.
  /// - Parameter batch: The number of the batch's process.
  static func runProcess(of batch: String) -> Never {
    // In the middle of a report a worker doesn't see that its pipe was closed.
    guard let batch = Int32(batch), endWithParent(batch) else { exitProcess(ExitStatus.failure.code) }
    forbidCoreFile()
    CrashRecovery.installMessageHandler(writingTo: standardOutput, kind: Message.Kind.dying.rawValue)
    var server = WorkerServer(input: standardInput, output: standardOutput)
    server.run()
    exitProcess(ExitStatus.success.code)
  }

  /// Serves until the pipe is closed, or holds what is no message.
  mutating func run() {
    if reader != nil { announce() }
    while true {
      guard let bytes = readAvailable(input) else { continue }
      if bytes.isEmpty { return }
      decoder.append(bytes)
      while true {
        guard let message = try? decoder.next() else { break }
        take(message)
        guard flush() else { return }
      }
    }
  }

  private mutating func flush() -> Bool {
    guard !answer.isEmpty else { return true }
    var stream = OutputStream(descriptor: output)
    stream.write(bytes: answer)
    stream.flush()
    answer.removeAll(keepingCapacity: answer.count < 1 << 20)
    return stream.failure == nil
  }

  private mutating func take(_ message: Message) {
    switch message.kind {
    case .options: start(split(message.contents))
    case .refusals: reader?.symbolicator.store.refuse(SymbolStore.Refusals(message.contents))
    case .file: answer(String(decoding: message.contents, as: UTF8.self)) { $0.read($1) }
    case .bytes:
      let name = message.contents.prefix { $0 != 0 }
      let bytes = Array(message.contents.dropFirst(name.count + 1))
      answer(String(decoding: name, as: UTF8.self)) { $0.read(bytes, input: $1) }
    case .record:
      let place = message.contents.prefix { $0 != 0 }
      let record = BatchRecord(Array(message.contents.dropFirst(place.count + 1)))
      let name = record.id ?? String(decoding: place, as: UTF8.self)
      // Should it be the last that is heard of it.
      answer.appendMessage(.name, name.utf8)
      guard flush() else { return }
      answer(name) { $0.read(record, input: $1) }
    case .lookup: lookUp(message.contents)
    case .makeCaches: makeCaches()
    case .problem, .ready, .name, .line, .occurrence, .sightings, .done, .dying: break
    }
  }

  private mutating func start(_ words: [String]) {
    options = (try? parseArguments(words)) ?? options
    reader = Self.reader(options)
    announce()
  }

  /// A reader as a worker has it.
  static func reader(_ options: Options) -> CrashReader {
    var reader = ReportSetting(options, .current).reader(symbols: options.symbols)
    reader.sources = nil  // the form has no place for them
    return reader
  }

  private mutating func announce() {
    // Places of the environment may be for other programs.
    let optional = Environment.current.symbolPath
    for problem in reader?.symbolicator.store.problems ?? [] where !optional.contains(problem.path) {
      answer.appendMessage(.problem, joined([problem.path, problem.message]))
    }
    answer.appendMessage(.ready)
    _ = flush()
  }

  private mutating func answer(_ name: String, _ read: (ReportReading, String) -> [InputResult]) {
    guard let reader else { return }
    if isProcess { CrashRecovery.limitTime(to: options.workerLimits.seconds) }
    var renderer = JSONRenderer(.lines, style: style)
    var end = End(outcome: .read)
    for result in read(ReportReading(reader: reader, sizeLimit: options.limits.reportSize), name) {
      var line = ""
      switch result {
      case .analysis(let analysis):
        answer.appendMessage(.occurrence, occurrenceJSON(analysis).utf8)
        end.unresolved += analysis.diagnosis.symbolicated.unresolvedAppFrames
        if options.learns {
          let new = told.new(among: analysis.diagnosis.symbolicated.symbolSightings)
          if !new.isEmpty { answer.appendMessage(.sightings, SightingLines.text(new).utf8) }
        }
        if options.printsResults { renderer.render(analysis, into: &line) }
      case .unread(let input):
        if options.printsResults { renderer.render(input, into: &line) }
        end.outcome = input.kind == .unreadable ? .unread : .noReport
      }
      if !line.isEmpty { answer.appendMessage(.line, line.utf8) }
    }
    answer.appendMessage(.done, end.message)
  }

  private var style: RenderingStyle {
    var style = RenderingStyle()
    style.showsReasoning = options.showsReasoning
    style.brief = options.brief
    style.language = options.language ?? Environment.current.language
    return style
  }

  /// Does nothing but one look-up, in the time that a report may take.
  private mutating func lookUp(_ message: [UInt8]) {
    if isProcess { CrashRecovery.limitTime(to: options.workerLimits.seconds) }
    if let lookup = DebugLookup(message) {
      reader?.symbolicator.store.tryLookup(at: lookup.address, in: lookup.binary)
    }
    answer.appendMessage(.done, End(outcome: .read).message)
  }

  /// How it went with an input, as `done` says it.
  struct End {
    var outcome: BatchOutcome
    /// How many frames of the app wait for a debug file.
    var unresolved = 0

    init(outcome: BatchOutcome) { self.outcome = outcome }

    /// Takes what a worker says; nil when that is something else.
    init?(_ message: [UInt8]) {
      guard message.count == 5, let outcome = BatchOutcome(rawValue: message[0]) else { return nil }
      self.outcome = outcome
      unresolved = message.dropFirst().reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    var message: [UInt8] {
      let count = UInt32(clamping: unresolved)
      return [outcome.rawValue] + (0..<4).map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
    }
  }

  private func makeCaches() {
    guard let reader else { return }
    let caches = cacheDirectory(options, .current)
    var console = Console()
    makeCachesLater(of: reader.symbolicator.store.uncachedPaths, in: caches, &console)
  }
}

extension ReportReading {
  fileprivate func read(_ record: BatchRecord, input: String) -> [InputResult] {
    switch record.content {
    case .report(let bytes): return read(bytes, input: input)
    case .path(let path):
      return read(path).map { result in
        switch result {
        case .analysis(var analysis):
          analysis.input = input
          return .analysis(analysis)
        case .unread(var unread):
          unread.input = input
          return .unread(unread)
        }
      }
    case .nothing:
      let message =
        "no record: expected a JSON object with a report or a path, such as "
        + #"{"id": "a", "report": "…"}"#
      return [.unread(UnreadInput(input: input, kind: .unrecognised, message: message))]
    }
  }
}

extension SymbolStore.Refusals {
  /// What a message holds: the reason for all files or nothing, then paths, each with an identity and its reason.
  init(_ message: [UInt8]) {
    self.init()
    let texts = split(message)
    reasonForAll = texts[0].isEmpty ? nil : texts[0]
    for index in stride(from: 3, to: texts.count, by: 3) {
      reasons[BinaryName(path: texts[index - 2], id: texts[index - 1])] = texts[index]
    }
  }

  var message: [UInt8] {
    joined([reasonForAll ?? ""] + reasons.flatMap { [$0.key.path, $0.key.id, $0.value] })
  }
}
