internal import CrashRead
internal import CrashReadSystem

/// The inputs of a batch, in their order, each as soon as it is known.
struct InputList {
  enum Next {
    case input(BatchInput)
    /// A stream has nothing yet.
    case wait
    case end
  }

  private var walk = DirectoryWalk()
  private var operands: ArraySlice<String>
  private var lists: ArraySlice<String>
  private var lines: LineReader?
  private var lineNumber = 0
  /// Directories in lists, which are passed over: `find` lists what is in them as well, and nothing is to be read twice.
  private(set) var listedDirectories = 0
  private let options: Options

  /// - Parameters:
  ///   - options: Where else to look.
  ///   - operands: Reports and directories; debug files are taken out.
  ///   - readsInput: Whether standard input holds paths when nothing else is given.
  init(_ options: Options, operands: [String], readsInput: Bool = true) {
    self.options = options
    self.operands = operands[...]
    lists =
      (options.readsRecords || readsInput && operands.isEmpty && options.inputLists.isEmpty
      ? ["-"] : options.inputLists)[
        ...]
  }

  /// How many inputs there are; nil when that isn't known beforehand.
  var total: Int? {
    let areFiles = operands.allSatisfy { (try? fileKind($0)) != .directory }
    return lists.isEmpty && areFiles ? operands.count : nil
  }

  /// Whether inputs come out of streams, which can be read but once.
  var readsStreams: Bool { !lists.isEmpty }

  /// The stream that more may come from; nil when none is open.
  var descriptor: Int32? { lines?.descriptor }

  mutating func next() -> Next {
    while true {
      if let entry = walk.next() { return .input(input(entry)) }
      if let operand = operands.popFirst() {
        if let input = input(named: operand) { return .input(input) }
      } else if lines != nil {
        if let next = nextLine() { return next }
      } else if let list = lists.popFirst() {
        if let failure = openList(list) { return .input(failure) }
      } else {
        return .end
      }
    }
  }

  private func input(_ entry: DirectoryWalk.Entry) -> BatchInput {
    switch entry {
    case .file(let path): BatchInput(name: path, source: .file, isFound: true)
    case .failure(let path, let error):
      .unreadable(path, "cannot read the directory: \(error.description)")
    }
  }

  /// nil for a directory, whose files come next.
  private mutating func input(named path: String) -> BatchInput? {
    guard isWalked(path) else { return BatchInput(name: path, source: .file) }
    return walk.enter(path).map(input)
  }

  /// Whether a path is a directory of inputs, and no result bundle, which is one.
  private func isWalked(_ path: String) -> Bool {
    (try? fileKind(path)) == .directory && !ReportContainer.isResultBundle(path)
  }

  // MARK: Streams

  private mutating func openList(_ path: String) -> BatchInput? {
    let separator = options.hasZeroSeparatedLists ? 0 : UInt8(ascii: "\n")
    // In JSON text takes up to twice its size, when it is all newlines and quotation marks.
    let limit = options.readsRecords ? 2 * options.limits.reportSize + 4096 : 1 << 16
    do throws(SystemError) {
      lines =
        path == "-"
        ? LineReader(descriptor: standardInput, separator: separator, limit: limit)
        : try LineReader(path: path, separator: separator, limit: limit)
    } catch {
      return .unreadable(path, "cannot read the list: \(error.reason)")
    }
    lineNumber = 0
    return nil
  }

  /// nil when the line holds no input, or the stream has ended.
  private mutating func nextLine() -> Next? {
    guard let next = lines?.next() else { return nil }
    lineNumber += 1
    switch next {
    case .wait:
      lineNumber -= 1
      return .wait
    case .end:
      closeStream()
      return nil
    case .failed(let error):
      closeStream()
      return .input(.unreadable("-", "cannot read more: \(error.reason)"))
    case .tooLong: return .input(.unreadable("line \(lineNumber)", "the line is too long"))
    case .line(let line): return input(line).map { .input($0) }
    }
  }

  private mutating func input(_ line: [UInt8]) -> BatchInput? {
    guard options.readsRecords else {
      return line.isEmpty ? nil : input(listed: String(decoding: line, as: UTF8.self))
    }
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x0d || $0 == 0x09 }) { return nil }
    return BatchInput(name: "line \(lineNumber)", source: .record(line))
  }

  private mutating func input(listed path: String) -> BatchInput? {
    if !isWalked(path) { return BatchInput(name: path, source: .file) }
    listedDirectories += 1
    return nil
  }

  private mutating func closeStream() {
    lines?.close()
    lines = nil
  }
}
