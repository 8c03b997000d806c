internal import CrashReadReports

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
  var known: [[Frame]: Int] = [:]
  for index in indices {
    let thread = report.threads[index]
    guard thread.callTree.isEmpty else {
      groups.append(ThreadGroup(threads: [index]))
      continue
    }
    let stack = thread.frames.map(\.withoutPosition)
    if let group = known[stack] {
      groups[group].threads.append(index)
    } else {
      known[stack] = groups.count
      groups.append(ThreadGroup(threads: [index]))
    }
  }
  return groups
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
