internal import CrashRead
internal import CrashReadBatch
internal import CrashReadSystem

/// The inputs that `crashread ci` has gathered before it reads them, so that a restart of the reading doesn't run the
/// test command again.
struct GatheredInputs: Equatable {
  /// Bytes that may contain reports.
  struct Input: Equatable {
    var name: String
    var bytes: [UInt8]
    /// Whether they are the output of a test run, reports included.
    var isLog = true
  }

  var inputs: [Input] = []
  /// How the command ended; nil without a command.
  var end: ProcessEnd?
  /// Whether an input that was given could not be read.
  var isFailed = false

  /// No inputs yet.
  init() {}

  /// Decodes what `bytes` encodes; nil for other bytes.
  init?(_ bytes: [UInt8]) {
    var decoder = MessageDecoder()
    decoder.append(bytes[...])
    guard let head = try? decoder.next(), head.kind == .settings else { return nil }
    let fields = splitTexts(head.contents)
    guard fields.count == 3 else { return nil }
    end = Int32(fields[0]).map { .exited($0) } ?? Int32(fields[1]).map { .signalled($0) }
    isFailed = fields[2] == "failed"
    while let head = try? decoder.next() {
      let fields = splitTexts(head.contents)
      guard fields.count == 2, let contents = try? decoder.next() else { return nil }
      inputs.append(Input(name: fields[0], bytes: contents.contents, isLog: fields[1] == "log"))
    }
  }

  /// All of it, encoded.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    var (code, signal) = ("", "")
    switch end {
    case .exited(let value): code = String(value)
    case .signalled(let value): signal = String(value)
    case nil: break
    }
    bytes.appendMessage(.settings, joinedTexts([code, signal, isFailed ? "failed" : ""]))
    for input in inputs {
      bytes.appendMessage(.name, joinedTexts([input.name, input.isLog ? "log" : ""]))
      bytes.appendMessage(.bytes, input.bytes)
    }
    return bytes
  }
}
