internal import CrashRead

/// What `crashread ci` has gathered when it begins to read: the test command isn't run again when reading has to begin anew.
struct GatheredInputs: Equatable {
  /// Bytes that may hold reports.
  struct Input: Equatable {
    var name: String
    var bytes: [UInt8]
  }

  var inputs: [Input] = []
  /// How the command ended; nil when there was none.
  var code: Int32?
  /// Whether something that was named could not be read.
  var isFailed = false

  /// Nothing yet.
  init() {}

  /// As they were kept; nil for other bytes.
  init?(_ bytes: [UInt8]) {
    var decoder = MessageDecoder()
    decoder.append(bytes[...])
    guard let head = try? decoder.next(), head.kind == .options else { return nil }
    let words = split(head.contents)
    guard words.count == 2 else { return nil }
    code = Int32(words[0])
    isFailed = words[1] == "failed"
    while let name = try? decoder.next() {
      guard let contents = try? decoder.next() else { return nil }
      inputs.append(Input(name: String(decoding: name.contents, as: UTF8.self), bytes: contents.contents))
    }
  }

  /// All of it as bytes to keep.
  var encoded: [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendMessage(.options, joined([code.map(String.init) ?? "", isFailed ? "failed" : ""]))
    for input in inputs {
      bytes.appendMessage(.name, input.name.utf8)
      bytes.appendMessage(.bytes, input.bytes)
    }
    return bytes
  }
}
