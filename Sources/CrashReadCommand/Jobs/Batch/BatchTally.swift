internal import CrashReadBatch
internal import CrashReadSystem

/// Counts the inputs of a batch and reports the progress: continuously on a terminal, otherwise at the end.
struct BatchTally {
  /// The number of inputs; nil while unknown.
  private var total: Int?
  /// Another list of the same inputs, to count them before they are read; nil where they can be read only once.
  private var ahead: InputList?
  private var aheadCount = 0
  private let isShown: Bool
  /// Whether directories are searched for reports, and no list or pipe is read.
  private let readsDirectories: Bool
  private var done = 0
  private var errors = 0
  private var skipped = 0
  /// Inputs that an earlier run has read.
  var known = 0
  private var problems = 0
  private let start = monotonicMilliseconds()
  private var lastShown = 0

  /// A tally for a batch of which no input has been read yet.
  init(of inputs: InputList, isShown: Bool) {
    total = inputs.total
    ahead = isShown && total == nil && !inputs.readsStreams ? inputs : nil
    self.isShown = isShown
    readsDirectories = inputs.total == nil && !inputs.readsStreams
  }

  /// Whether everything was read and used.
  var isClean: Bool { errors == 0 && problems == 0 && !foundNothing }

  /// Whether no report was found, most likely because the wrong directory was given.
  private var foundNothing: Bool { readsDirectories && skipped == done && known == 0 }

  mutating func add(_ outcome: BatchOutcome, isSkipped: Bool) {
    done += 1
    if isSkipped { skipped += 1 } else if outcome != .read { errors += 1 }
  }

  /// Reports a problem with a file.
  mutating func add(problem: String, of file: String, on console: inout Console) {
    console.error(problem, file: file)
    problems += 1
  }

  /// Shows the progress.
  mutating func show(on console: inout Console) {
    let now = monotonicMilliseconds()
    guard isShown, total != 0, now - lastShown > 200 else { return }
    lastShown = now
    countAhead()
    console.showProgress(line(now))
  }

  /// Counts inputs for a short time: directories may be of any size, and the workers must not wait.
  private mutating func countAhead() {
    let start = monotonicMilliseconds()
    while ahead != nil, monotonicMilliseconds() - start < 20 {
      switch ahead?.next() {
      case .input: aheadCount += 1
      case .wait, .end, nil: (ahead, total) = (nil, aheadCount)
      }
    }
  }

  private func line(_ now: Int) -> String {
    let count = total.map { "\(done + known)/\($0)" } ?? "\(done + known)"
    let rate = done * 1000 / max(1, now - start)
    return "\(count) inputs, \(rate)/s" + (errors > 0 ? ", \(errors) errors" : "")
  }

  /// Prints the totals.
  ///
  /// - Parameters:
  ///   - console: Where to print.
  ///   - listedDirectories: How many directories in lists were skipped.
  ///   - waiting: How many inputs that lacked debug files were skipped.
  func end(_ console: inout Console, listedDirectories: Int, waiting: Int) {
    if isShown { console.showProgress("") }
    if errors > 0 { console.note("\(errors) of \(done) inputs failed") }
    if foundNothing {
      let others = skipped == 1 ? "; 1 other file was skipped" : "; \(skipped) other files were skipped"
      console.error("the directories contain no report" + (skipped > 0 ? others : ""))
    } else if skipped > 0 {
      console.note(
        skipped == 1
          ? "1 file in a directory contains no report" : "\(skipped) files in directories contain no report")
    }
    if listedDirectories > 0 {
      console.note(
        listedDirectories == 1
          ? "1 directory in a list was skipped; name it as an operand to read it"
          : "\(listedDirectories) directories in lists were skipped; name them as operands to read them")
    }
    if known > 0 {
      let rest =
        waiting > 0 ? "; \(waiting) of them lacked debug files (--retry-unresolved reads those again)" : ""
      let inputs = known == 1 ? "1 input was" : "\(known) inputs were"
      console.note("\(inputs) read before, by this or an earlier run" + rest)
    }
  }
}
