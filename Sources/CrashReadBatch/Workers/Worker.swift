internal import CrashRead
internal import CrashReadSystem

/// A worker as the batch sees it: what goes to it, what comes from it, and what it is doing.
struct Worker {
  /// nil for a thread.
  let process: Int32?
  let input: Int32
  let output: Int32
  private var decoder = MessageDecoder()
  /// What it hasn't taken yet.
  private var outgoing: ArraySlice<UInt8> = []
  private var refusals = SymbolStore.Refusals()

  private(set) var isReady = false
  /// What it is doing; nil when it waits for work.
  private(set) var task: BatchTask?
  private(set) var result = BatchResult(name: "")
  /// How many inputs it has read.
  private(set) var served = 0
  /// Milliseconds by the clock in which it has used no processor.
  private var stalled = 0
  /// Clock ticks of the processor that it has used when that was looked at last.
  private var used: [Substring] = []
  /// What it was looking up when it died.
  private(set) var lastLookup: DebugLookup?
  /// Why it is being ended; nil when it isn't.
  private(set) var overrun: Overrun?
  private var killTime = Int.max

  /// What a worker can have too much of: processor time, memory, output; or it does nothing at all.
  enum Overrun: Equatable { case time, memory, result, stalled }

  /// What the worker says that concerns the whole batch.
  enum Event {
    case problem(path: String, message: String)
    case finished(BatchTask, BatchResult)
    /// It has ended, or its messages are corrupt.
    case dead
  }

  /// Milliseconds in which a worker that is to end can say which debug file it reads.
  private static let patience = 3000

  init(process: Int32?, input: Int32, output: Int32) {
    (self.process, self.input, self.output) = (process, input, output)
    // A worker that doesn't read must not stop everybody else.
    setNonBlocking(input)
  }

  mutating func send(_ message: [UInt8]) {
    outgoing.append(contentsOf: message)
    flush()
  }

  /// Gives it something to do.
  mutating func begin(_ task: BatchTask, refusing refusals: SymbolStore.Refusals) {
    (self.task, result, stalled) = (task, BatchResult(name: task.input.name), 0)
    var messages: [UInt8] = []
    if refusals != self.refusals { messages.appendMessage(.refusals, refusals.message) }
    self.refusals = refusals
    if let suspect = task.suspect {
      messages.appendMessage(.lookup, suspect.lookup.message)
    } else {
      task.input.write(to: &messages)
    }
    send(messages)
  }

  /// Whether it still has to take something.
  var isBehind: Bool { !outgoing.isEmpty }

  /// Writes as much as it takes. Failures show when reading.
  mutating func flush() {
    while !outgoing.isEmpty {
      guard let count = writeAvailable(outgoing, to: input) else { return }
      outgoing = outgoing.dropFirst(count)
    }
    outgoing = []
  }

  /// Reads what has come.
  mutating func receive(limit: Int) -> [Event] {
    guard let bytes = readAvailable(output) else { return [] }
    guard !bytes.isEmpty else { return [.dead] }
    decoder.append(bytes)
    var events: [Event] = []
    do throws(MessageDecoder.Garbled) {
      while let message = try decoder.next() {
        if let event = try take(message) { events.append(event) }
        if result.lines.count > limit { break }
      }
    } catch {
      return events + [.dead]
    }
    guard result.lines.count + decoder.count > limit else { return events }
    overrun = .result
    return [.dead]
  }

  private mutating func take(_ message: Message) throws(MessageDecoder.Garbled) -> Event? {
    switch message.kind {
    case .ready: isReady = true
    case .problem:
      let texts = splitTexts(message.contents)
      return .problem(path: texts[0], message: texts.last ?? "")
    case .name: result.name = String(decoding: message.contents, as: UTF8.self)
    case .line:
      // Each line is one: else what a damaged worker says would pass for results of others.
      guard message.contents.firstIndex(of: UInt8(ascii: "\n")) == message.contents.count - 1 else {
        throw MessageDecoder.Garbled()
      }
      result.lines += message.contents
    case .occurrence: result.occurrences.append(message.contents)
    case .sightings: result.sightings.append(message.contents)
    case .done:
      guard let task, let end = WorkerServer.End(message.contents) else { throw MessageDecoder.Garbled() }
      (result.outcome, result.unresolved) = (end.outcome, end.unresolved)
      (self.task, served) = (nil, served + 1)
      return .finished(task, result)
    case .dying: lastLookup = DebugLookup(message.contents)
    case .settings, .refusals, .file, .bytes, .record, .lookup, .makeCaches: throw MessageDecoder.Garbled()
    }
    return nil
  }

  // MARK: The end

  /// Sends SIGTERM; until SIGKILL follows, it can say which debug file it reads.
  mutating func end(because overrun: Overrun) {
    guard self.overrun == nil, let process else { return }
    self.overrun = overrun
    killTime = monotonicMilliseconds() + Self.patience
    terminate(process)
  }

  /// Has it end when it does nothing for as long as `limit` says, in milliseconds, of which some more have `passed`.
  ///
  /// That a worker takes too much time it finds out itself.
  mutating func checkProgress(passed: Int, limit: Int) {
    guard let process, isReady, let used = usedTime(ofProcess: process) else { return }
    stalled = used == self.used ? stalled + passed : 0
    self.used = used
    if stalled > limit { end(because: .stalled) }
  }

  /// Sends SIGKILL after the grace period.
  func killIfDue(_ now: Int) {
    if now >= killTime, let process { killProcess(process) }
  }

  /// Closes its pipes; it ends when it has nothing more to do.
  /// - Parameter isForced: Whether it ends at once.
  /// - Returns: How it ended; nil for a thread.
  func close(isForced: Bool) -> ProcessEnd? {
    if isForced, let process { killProcess(process) }
    closeDescriptor(input)
    if !isForced {
      while waitForBytes(output, milliseconds: Int32(Self.patience)), readAvailable(output)?.isEmpty == false
      {}
      if let process { killProcess(process) }
    }
    let end = process.flatMap { processEnd(of: $0, waits: true) }
    closeDescriptor(output)
    return end
  }

  /// Bytes of memory that it has for itself; 0 for a thread.
  var memory: Int { process.map { privateMemory(ofProcess: String($0)) } ?? 0 }
}

/// An input on its way through the workers.
struct BatchTask: Sendable {
  /// Its position among all inputs.
  var position: Int
  var input: BatchInput
  /// Debug files to avoid for this input, besides those that are avoided for all.
  var refusals = SymbolStore.Refusals()
  /// Whether a worker that had read others died of it.
  var isAgain = false
  /// What is looked up alone before the input is read again; nil for the input itself.
  var suspect: Suspect?

  /// A look-up in which a worker died. That may be the report's doing: the time or memory that it took before.
  struct Suspect: Sendable {
    var lookup: DebugLookup
    var death: WorkerDeath
    /// What output calls the input.
    var name: String
  }
}

/// An address of one binary of a debug file.
struct DebugLookup: Sendable {
  var binary: BinaryName
  var address: LinkedAddress

  /// Takes what a worker's last words say; nil when that is something else.
  init?(_ message: [UInt8]) {
    let texts = splitTexts(message)
    guard texts.count == 3, let address = UInt64(texts[2], radix: 16) else { return nil }
    binary = BinaryName(path: texts[0], id: texts[1])
    self.address = LinkedAddress(address)
  }

  /// As the last words say it.
  var message: [UInt8] { joinedTexts([binary.path, binary.id, String(address.rawValue, radix: 16)]) }
}

extension BatchInput {
  fileprivate func write(to messages: inout [UInt8]) {
    switch source {
    case .file: messages.appendMessage(.file, name.utf8)
    case .bytes(let bytes): messages.appendMessage(.bytes, Array(name.utf8) + [0] + bytes)
    case .record(let line): messages.appendMessage(.record, Array(name.utf8) + [0] + line)
    case .unread: break
    }
  }
}
