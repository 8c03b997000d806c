internal import CrashRead
internal import CrashReadCore
internal import CrashReadSystem

/// A worker from the batch's side: its pipes, and its current task.
struct Worker {
  /// The process; nil for a thread.
  let process: Int32?
  let input: Int32
  let output: Int32
  private var decoder = MessageDecoder()
  /// The bytes that it hasn't accepted yet.
  private var outgoing: ArraySlice<UInt8> = []
  private var refusals = SymbolStore.Refusals()

  private(set) var isReady = false
  /// Its current task; nil when it is idle.
  private(set) var task: BatchTask?
  private(set) var result = BatchResult(name: "")
  /// The number of inputs it has read.
  private(set) var served = 0
  /// The time in milliseconds during which it has used no processor time.
  private var stalled = 0
  /// The clock ticks of processor time that it had used at the last check.
  private var used: [Substring] = []
  /// The look-up in progress when it crashed; nil when there was none.
  private(set) var lastLookup: DebugLookup?
  /// Why it is being terminated; nil when it isn't.
  private(set) var overrun: Overrun?
  private var killTime = Int.max

  /// A limit that a worker can exceed: processor time, memory, output; or it has stalled.
  enum Overrun: Equatable { case time, memory, result, stalled }

  /// A worker's message that concerns the whole batch.
  enum Event {
    case problem(path: String, message: String)
    case finished(BatchTask, BatchResult)
    /// It has ended, or its messages are corrupt.
    case ended
  }

  /// The grace period in milliseconds, in which a terminated worker reports which debug file it is reading.
  private static let gracePeriod = 3000

  init(process: Int32?, input: Int32, output: Int32) {
    (self.process, self.input, self.output) = (process, input, output)
    // A worker that doesn't read must not block the others.
    setNonBlocking(input)
  }

  mutating func send(_ message: [UInt8]) {
    outgoing.append(contentsOf: message)
    flush()
  }

  /// Gives it a task.
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

  /// Whether it has bytes that it hasn't accepted yet.
  var hasUnsentInput: Bool { !outgoing.isEmpty }

  /// Writes as much as the pipe accepts. Failures are noticed when reading.
  mutating func flush() {
    while !outgoing.isEmpty {
      guard let count = writeAvailable(outgoing, to: input) else { return }
      outgoing = outgoing.dropFirst(count)
    }
    outgoing = []
  }

  /// Reads the messages that have arrived.
  mutating func receive(limit: Int) -> [Event] {
    guard let bytes = readAvailable(output) else { return [] }
    guard !bytes.isEmpty else { return [.ended] }
    decoder.append(bytes)
    var events: [Event] = []
    do throws(MessageDecoder.Garbled) {
      while let message = try decoder.next() {
        if let event = try take(message) { events.append(event) }
        if result.lines.count > limit { break }
      }
    } catch {
      return events + [.ended]
    }
    guard result.lines.count + decoder.count > limit else { return events }
    overrun = .result
    return [.ended]
  }

  private mutating func take(_ message: Message) throws(MessageDecoder.Garbled) -> Event? {
    switch message.kind {
    case .ready: isReady = true
    case .problem:
      let texts = splitTexts(message.contents)
      return .problem(path: texts[0], message: texts.last ?? "")
    case .name: result.name = String(decoding: message.contents, as: UTF8.self)
    case .line:
      // Each message must be one line; otherwise the output of a corrupted worker could pass for results of other
      // inputs.
      guard message.contents.span.firstOffset(of: UInt8(ascii: "\n")) == message.contents.count - 1 else {
        throw MessageDecoder.Garbled()
      }
      // Most results have one line, which isn't copied.
      if result.lines.isEmpty { result.lines = message.contents } else { result.lines += message.contents }
    case .occurrence: result.occurrences.append(message.contents)
    case .sightings: result.sightings.append(message.contents)
    case .done:
      guard let task, let end = WorkerServer.End(message.contents) else { throw MessageDecoder.Garbled() }
      (result.outcome, result.unresolved) = (end.outcome, end.unresolved)
      (self.task, served) = (nil, served + 1)
      return .finished(task, result)
    case .crashing: lastLookup = DebugLookup(message.contents)
    case .settings, .refusals, .file, .bytes, .record, .lookup, .makeCaches: throw MessageDecoder.Garbled()
    }
    return nil
  }

  // MARK: Termination

  /// Sends SIGTERM; until the grace period ends with SIGKILL, the worker can report which debug file it is reading.
  mutating func end(because overrun: Overrun) {
    guard self.overrun == nil, let process else { return }
    self.overrun = overrun
    killTime = monotonicMilliseconds() + Self.gracePeriod
    terminate(process)
  }

  /// Terminates it when it has stalled for `limit` milliseconds; `passed` milliseconds have passed since the last call.
  ///
  /// A worker notices itself when it has used too much processor time.
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

  /// Closes its pipes; it ends when it has finished its work.
  /// - Parameter isForced: Whether it is killed at once.
  /// - Returns: How it ended; nil for a thread.
  mutating func close(isForced: Bool) -> ProcessEnd? {
    if isForced, let process { killProcess(process) }
    closeDescriptor(input)
    if !isForced {
      receiveLast()
      if let process { killProcess(process) }
    }
    let end = process.flatMap { processEnd(of: $0, waits: true) }
    closeDescriptor(output)
    return end
  }

  /// Waits until it has closed its output; the sightings that it still sends become its result.
  private mutating func receiveLast() {
    result = BatchResult(name: "")
    while waitForBytes(output, milliseconds: Int32(Self.gracePeriod)), let bytes = readAvailable(output),
      !bytes.isEmpty
    {
      decoder.append(bytes)
      while let message = try? decoder.next() {
        if message.kind == .sightings { result.sightings.append(message.contents) }
      }
    }
  }

  /// Bytes of private memory; 0 for a thread.
  var memory: Int { process.map { privateMemory(ofProcess: String($0)) } ?? 0 }
}

/// An input on its way through the workers.
struct BatchTask: Sendable {
  /// Its position among all inputs.
  var position: Int
  var input: BatchInput
  /// Debug files to avoid for this input only, besides those avoided for all.
  var refusals = SymbolStore.Refusals()
  /// Whether the input is retried because the worker that crashed had read other inputs before.
  var isRetry = false
  /// A look-up to try alone before the input is read again; nil to read the input.
  var suspect: Suspect?

  /// A look-up during which a worker crashed. The report may be the cause: it may have used up time or memory before.
  struct Suspect: Sendable {
    var lookup: DebugLookup
    var exit: WorkerExit
    /// The input's name in the output.
    var name: String
  }
}

/// An address of one binary of a debug file.
struct DebugLookup: Sendable {
  var binary: BinaryName
  var address: LinkedAddress

  /// Decodes the last message of a worker; nil for other bytes.
  init?(_ message: [UInt8]) {
    let texts = splitTexts(message)
    guard texts.count == 3, let address = UInt64(texts[2], radix: 16) else { return nil }
    binary = BinaryName(path: texts[0], id: texts[1])
    self.address = LinkedAddress(address)
  }

  /// The look-up as encoded in a worker's last message.
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
