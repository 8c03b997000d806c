internal import CrashRead
internal import CrashReadCore
internal import CrashReadSystem

/// The inputs of a batch in order, each available as soon as it is known.
package struct InputList: InputSource {
  private var walk = DirectoryWalk()
  private var operands: ArraySlice<String>
  private var lists: ArraySlice<String>
  private var lines: LineReader?
  private var lineNumber = 0
  /// The number of directories in lists. They are skipped: `find` lists their contents as well, and nothing is to be
  /// read twice.
  package private(set) var listedDirectories = 0
  private let form: ListForm

  /// The form of the lists.
  package struct ListForm: Sendable {
    /// Whether paths end with a zero byte instead of a newline.
    var isZeroSeparated: Bool
    /// Whether the lines are records with reports instead of paths.
    var holdsRecords: Bool
    /// The maximum size of a report in bytes.
    var sizeLimit: Int

    package init(isZeroSeparated: Bool, holdsRecords: Bool, sizeLimit: Int) {
      (self.isZeroSeparated, self.holdsRecords, self.sizeLimit) = (isZeroSeparated, holdsRecords, sizeLimit)
    }
  }

  /// - Parameters:
  ///   - operands: Reports and directories; no debug files.
  ///   - lists: Streams of paths or records; `-` is standard input.
  ///   - form: The form of the lists.
  package init(operands: [String], lists: [String], form: ListForm) {
    self.operands = operands[...]
    self.lists = lists[...]
    self.form = form
  }

  /// The number of inputs; nil when it isn't known in advance.
  package var total: Int? {
    let areFiles = operands.allSatisfy { (try? fileKind($0)) != .directory }
    return lists.isEmpty && areFiles ? operands.count : nil
  }

  /// Whether inputs come from streams, which can be read only once.
  package var readsStreams: Bool { !lists.isEmpty }

  /// The stream that may deliver more; nil when none is open.
  package var descriptor: Int32? { lines?.descriptor }

  package mutating func next() -> NextInput {
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

  /// The input for a path; nil for a directory, whose files follow.
  private mutating func input(named path: String) -> BatchInput? {
    guard isWalked(path) else { return BatchInput(name: path, source: .file) }
    return walk.enter(path).map(input)
  }

  /// Whether a path is a directory of inputs; a result bundle is a single input.
  private func isWalked(_ path: String) -> Bool {
    (try? fileKind(path)) == .directory && !ReportContainer.isResultBundle(path)
  }

  // MARK: Streams

  private mutating func openList(_ path: String) -> BatchInput? {
    let separator = form.isZeroSeparated ? 0 : UInt8(ascii: "\n")
    // JSON at most doubles the size of a text: when it is all newlines and quotation marks.
    let limit = form.holdsRecords ? 2 * form.sizeLimit + 4096 : 1 << 16
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

  /// The next item; nil when the line holds no input, or the stream has ended.
  private mutating func nextLine() -> NextInput? {
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
    guard form.holdsRecords else {
      return line.isEmpty ? nil : input(listed: String(decoding: line, as: UTF8.self))
    }
    if line.allSatisfy(\.isWhitespace) { return nil }
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
