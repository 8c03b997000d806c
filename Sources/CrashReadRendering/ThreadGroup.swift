internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadSymbolication
internal import CrashReadVerdict

/// Threads of a report with equal stacks, frame by frame.
struct ThreadGroup: Equatable {
  /// Indices into the report's threads, ascending; at least one.
  var threads: [Int]
  var first: Int { threads[0] }
}

extension Collection<ThreadGroup> {
  /// The total number of threads in the groups.
  var threadCount: Int { reduce(0) { $0 + $1.threads.count } }
}

/// Groups threads with equal stacks; one with a call tree stays alone.
func groupedThreads(_ report: CrashReport, _ indices: [Int]) -> [ThreadGroup] {
  var groups: [ThreadGroup] = []
  var known: [Stack: Int] = [:]
  for index in indices {
    let thread = report.threads[index]
    guard thread.callTree.isEmpty else {
      groups.append(ThreadGroup(threads: [index]))
      continue
    }
    let stack = Stack(frames: thread.frames.map(\.withoutPosition))
    if let group = known[stack] {
      groups[group].threads.append(index)
    } else {
      known[stack] = groups.count
      groups.append(ThreadGroup(threads: [index]))
    }
  }
  return groups
}

/// The frames of a thread. Only what distinguishes most of them is hashed: a frame has more than a dozen fields.
private struct Stack: Hashable {
  var frames: [Frame]

  func hash(into hasher: inout Hasher) {
    for frame in frames {
      hasher.combine(frame.address?.rawValue)
      hasher.combine(frame.reportedSymbol)
    }
  }
}

extension Frame {
  /// The frame without its position in the input, which differs in equal stacks.
  fileprivate var withoutPosition: Frame {
    var frame = self
    (frame.number, frame.line, frame.lineCount) = (nil, nil, 1)
    return frame
  }
}

/// Numbers with consecutive ones joined: `1, 3–5`.
func numberList(_ numbers: [Int]) -> String {
  var runs: [ClosedRange<Int>] = []
  for number in numbers {
    if let last = runs.last, last.upperBound < Int.max, number == last.upperBound + 1 {
      runs[runs.count - 1] = last.lowerBound...number
    } else {
      runs.append(number...number)
    }
  }
  return runs.map { run in
    run.count == 1
      ? "\(run.lowerBound)"
      : run.count == 2 ? "\(run.lowerBound), \(run.upperBound)" : "\(run.lowerBound)–\(run.upperBound)"
  }.joined(separator: ", ")
}

/// The frames of a backtrace that are shown, and where repetitions of a recursion are omitted.
struct RepeatedRows {
  enum Row: Sendable, Equatable {
    case frame(Int)
    /// A number of omitted repetitions, each of `length` frames, up to the frame at `last`; they equal those shown
    /// before.
    case repeats(repetitions: Int, length: Int, last: Int)
  }

  /// The minimum number of repetitions that are folded; fewer are shown in full.
  private static let minimumRepetitions = 4

  let rows: [Row]

  /// Shows the first and the last repetition of each recursion; the marked frame is never omitted.
  init(_ frames: [ResolvedFrame], marked: Int?) {
    var rows: [Row] = []
    var next = 0
    for cycle in FrameCycle.all(in: frames, minimumRepetitions: Self.minimumRepetitions) {
      let hidden = cycle.start + cycle.length..<cycle.range.upperBound - cycle.length
      if let marked, hidden.contains(marked) { continue }
      rows += (next..<hidden.lowerBound).map(Row.frame)
      let last = hidden.upperBound - 1
      rows.append(
        .repeats(
          repetitions: cycle.repetitions - 2, length: cycle.length, last: frames[last].captured.number ?? last
        ))
      next = hidden.upperBound
    }
    self.rows = rows + (next..<frames.count).map(Row.frame)
  }
}
