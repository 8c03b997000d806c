internal import CrashRead
internal import CrashReadCore
internal import CrashReadSymbolication
internal import CrashReadSystem

/// The worker's side of the protocol: reads inputs from one pipe and writes their results to another.
struct WorkerServer {
  /// The argument that makes a program a worker; the process ID of the batch, with which it is to end, follows it.
  static let argument = "--batch-worker"
  private let input: Int32
  private let output: Int32
  private var reader: CrashReader?
  private var settings = BatchSettings()
  private var decoder = MessageDecoder()
  private var answer: [UInt8] = []
  private var collector = SightingCollector()
  private let isProcess: Bool

  /// A worker in a thread, which shares a reader with others.
  init(input: Int32, output: Int32, reader: CrashReader, settings: BatchSettings) {
    (self.input, self.output, self.settings, self.reader) = (input, output, settings, reader)
    isProcess = false
  }

  private init(input: Int32, output: Int32) {
    (self.input, self.output) = (input, output)
    isProcess = true
  }

  /// Serves as a worker until the process ends.
  /// - Parameter batch: The process ID of the batch.
  static func runProcess(of batch: String) -> Never {
    // While it reads a report, a worker doesn't notice that its pipe was closed.
    guard let batch = Int32(batch), terminateWithParent(batch) else { exitProcess(1) }
    ignoreClosedPipes()
    disableCoreDumps()
    CrashRecovery.installMessageHandler(writingTo: standardOutput, kind: Message.Kind.crashing.rawValue)
    var server = WorkerServer(input: standardInput, output: standardOutput)
    server.run()
    exitProcess(0)
  }

  /// Serves until the pipe is closed, or contains something that isn't a message.
  mutating func run() {
    if reader != nil { announce() }
    while true {
      guard let bytes = readAvailable(input) else { continue }
      if bytes.isEmpty {
        sendSightings()
        _ = flush()
        return
      }
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
    case .settings: start(BatchSettings(message: message.contents))
    case .refusals: reader?.symbolicator.store.refuse(SymbolStore.Refusals(message.contents))
    case .file: answer(String(decoding: message.contents, as: UTF8.self)) { $0.read($1) }
    case .bytes:
      let (name, bytes) = namedBytes(message.contents)
      answer(name) { $0.read(bytes, input: $1) }
    case .record:
      let (label, line) = namedBytes(message.contents)
      let record = BatchRecord(line)
      let name = record.id ?? label
      // The batch must know the name even if this look-up crashes the process.
      answer.appendMessage(.name, name.utf8)
      guard flush() else { return }
      answer(name) { $0.read(record, input: $1) }
    case .lookup: lookUp(message.contents)
    case .makeCaches:
      // Making caches may take longer than the batch waits for the sightings.
      sendSightings()
      if flush() { makeCaches() }
    case .problem, .ready, .name, .line, .occurrence, .sightings, .done, .crashing: break
    }
  }

  private mutating func start(_ settings: BatchSettings) {
    self.settings = settings
    reader = settings.reader()
    announce()
  }

  private mutating func announce() {
    let problems = reader?.symbolicator.store.problems ?? []
    for problem in problems where !settings.optionalSymbols.contains(problem.path) {
      answer.appendMessage(.problem, joinedTexts([problem.path, problem.message]))
    }
    answer.appendMessage(.ready)
    _ = flush()
  }

  private mutating func answer(_ name: String, _ read: (ReportReading, String) -> [InputResult]) {
    guard let reader else { return }
    if isProcess { CrashRecovery.limitTime(to: settings.inputLimits.seconds) }
    let renderer = JSONRenderer(.lines, style: style)
    var end = End(outcome: .read)
    for result in read(ReportReading(reader: reader, sizeLimit: settings.limits.reportSize), name) {
      switch result {
      case .analysis(let analysis):
        answer.appendMessage(.occurrence, occurrenceJSON(analysis).utf8)
        end.unresolved += analysis.diagnosis.symbolicated.unresolvedAppFrames
        if settings.learns { collector.add(analysis.diagnosis.symbolicated, source: source(of: name)) }
        if settings.writesResults { answer.appendMessage(.line, renderer.line(analysis)) }
      case .unread(let input):
        if settings.writesResults { answer.appendMessage(.line, renderer.line(input)) }
        end.outcome = input.kind == .unreadable ? .unread : .noReport
      }
    }
    if collector.newCount >= Self.maximumUnsent { sendSightings() }
    answer.appendMessage(.done, end.message)
  }

  /// The source of an input, if the folder identifies it; otherwise nil.
  private func source(of name: String) -> String? {
    settings.learnsByFolder ? canonicalDirectory(of: name) : nil
  }

  /// The number of functions with new sightings at which these are sent; the rest are sent at the end. So a function
  /// that thousands of reports name is sent once or twice. Sightings of a worker that crashes are lost.
  private static let maximumUnsent = 20_000

  private mutating func sendSightings() {
    if collector.newCount > 0 { answer.appendMessage(.sightings, SightingMessage.bytes(collector.takeNew())) }
  }

  private var style: RenderingStyle {
    var style = RenderingStyle()
    style.showsReasoning = settings.showsReasoning
    style.brief = settings.brief
    style.language = settings.language
    return style
  }

  /// Does a single look-up, within the time limit of a report.
  private mutating func lookUp(_ message: [UInt8]) {
    if isProcess { CrashRecovery.limitTime(to: settings.inputLimits.seconds) }
    if let lookup = DebugLookup(message) {
      reader?.symbolicator.store.tryLookup(at: lookup.address, in: lookup.binary)
    }
    answer.appendMessage(.done, End(outcome: .read).message)
  }

  /// The outcome of an input, as in the message `done`.
  struct End {
    var outcome: BatchOutcome
    /// The number of the app's frames that lack a debug file.
    var unresolved = 0

    init(outcome: BatchOutcome) { self.outcome = outcome }

    /// Decodes a message; nil for other bytes.
    init?(_ message: [UInt8]) {
      guard message.count == 5, let outcome = BatchOutcome(rawValue: message[0]) else { return nil }
      self.outcome = outcome
      unresolved = message.dropFirst().reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    var message: [UInt8] {
      [outcome.rawValue] + UInt32(clamping: unresolved).littleEndianBytes
    }
  }

  private func makeCaches() {
    guard let reader, let caches = settings.caches else { return }
    CacheDirectory(path: caches).makeCachesLater(
      of: reader.symbolicator.store.uncachedPaths, by: settings.cacheCommand)
  }
}

/// The name that a zero byte separates from the rest, and the rest.
private func namedBytes(_ contents: [UInt8]) -> (name: String, bytes: [UInt8]) {
  let name = contents.prefix { $0 != 0 }
  return (String(decoding: name, as: UTF8.self), Array(contents.dropFirst(name.count + 1)))
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
        "not a record: expected a JSON object with a report or a path, such as "
        + #"{"id": "a", "report": "…"}"#
      return [.unread(UnreadInput(input: input, kind: .unrecognised, message: message))]
    }
  }
}

extension SymbolStore.Refusals {
  /// The contents of the message: the reason for all files or nothing, then paths, each with identity and reason.
  init(_ message: [UInt8]) {
    self.init()
    let texts = splitTexts(message)
    reasonForAll = texts[0].isEmpty ? nil : texts[0]
    for index in stride(from: 3, to: texts.count, by: 3) {
      reasons[BinaryName(path: texts[index - 2], id: texts[index - 1])] = texts[index]
    }
  }

  var message: [UInt8] {
    joinedTexts([reasonForAll ?? ""] + reasons.flatMap { [$0.key.path, $0.key.id, $0.value] })
  }
}
