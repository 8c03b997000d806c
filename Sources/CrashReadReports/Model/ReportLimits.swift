internal import CrashReadCore

extension CrashReport {
  /// Leaves out what goes beyond the limits, and notes it.
  mutating func cut(to limits: Limits) {
    // What is said of a crash without the crashed thread would be wrong.
    let threadCount = max(limits.threads, (crashedThread ?? -1) + 1)
    note(excess(of: &threads, over: threadCount), .threads)
    note(excess(of: &images, over: limits.images), .images)
    var frameCount = 0
    forEachBacktrace { frameCount += excess(of: &$0, over: limits.frames) }
    for index in threads.indices { frameCount += excess(of: &threads[index].callTree, over: limits.frames) }
    note(frameCount, .frames)
  }

  private mutating func forEachBacktrace(_ body: (inout [Frame]) -> Void) {
    body(&lastExceptionBacktrace)
    for index in threads.indices { body(&threads[index].frames) }
    for index in applicationSpecificBacktraces.indices { body(&applicationSpecificBacktraces[index]) }
  }

  private mutating func note(_ count: Int, _ limit: Limits.Name) {
    guard count > 0 else { return }
    let name = limit.rawValue
    let message = "beyond the limit of \(name) \(count) were left out; --limit \(name)=N sets another"
    notes.append(ReportNote(line: nil, message: message))
    if limit == .images { forgetMissingImages() }
  }

  private mutating func forgetMissingImages() {
    let count = images.count
    func forget(_ frame: inout Frame) {
      if let image = frame.image, image >= count { frame.image = nil }
    }
    forEachBacktrace { frames in for index in frames.indices { forget(&frames[index]) } }
    for thread in threads.indices {
      for entry in threads[thread].callTree.indices { forget(&threads[thread].callTree[entry].frame) }
    }
  }
}

extension [CrashReport] {
  /// Leaves out what a limit on reports was passed with, and notes it.
  func cut(to limit: Int) -> [CrashReport] {
    guard count > limit, let last = prefix(limit).last else { return self }
    let message =
      "the input holds more than \(limit) reports; the rest was not read; --limit reports=N sets another limit"
    var kept = Array(prefix(limit - 1)) + [last]
    kept[limit - 1].notes.append(ReportNote(line: nil, message: message))
    return kept
  }
}

/// Cuts a list, and says by how much.
private func excess<Element>(of list: inout [Element], over count: Int) -> Int {
  let excess = max(0, list.count - count)
  list.removeLast(excess)
  return excess
}
