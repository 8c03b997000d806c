internal import CrashReadCore

extension CrashReport {
  /// Removes what exceeds the limits, and notes it.
  mutating func truncate(to limits: Limits) {
    // Without the crashed thread, the diagnosis would be wrong.
    let threadCount = max(limits.threads, (crashedThread ?? -1) + 1)
    note(excess(of: &threads, over: threadCount), .threads)
    note(excess(of: &images, over: limits.images), .images)
    var frameCount = 0
    forEachBacktrace { frameCount += excess(of: &$0, over: limits.frames) }
    for index in threads.indices { frameCount += excess(of: &threads[index].callTree, over: limits.frames) }
    note(frameCount, .frames)
    truncateNames()
  }

  /// Truncates names that are examined or written for each frame, or for each report of an input. Otherwise work and
  /// output would grow with the product of a name's length and the number of frames.
  private mutating func truncateNames() {
    var names = NameTruncation()
    for index in images.indices {
      names.truncate(&images[index].name)
      names.truncate(&images[index].path)
    }
    forEachBacktrace { frames in for index in frames.indices { names.truncate(&frames[index].imageName) } }
    for thread in threads.indices {
      for entry in threads[thread].callTree.indices {
        names.truncate(&threads[thread].callTree[entry].frame.imageName)
      }
    }
    for path in NameTruncation.headerNames { names.truncate(&header[keyPath: path]) }
    guard names.count > 0 else { return }
    let message = "names of more than \(NameTruncation.maximumLength) bytes were truncated: \(names.count)"
    notes.append(ReportNote(line: nil, message: message))
  }

  private mutating func forEachBacktrace(_ body: (inout [Frame]) -> Void) {
    body(&lastExceptionBacktrace)
    for index in threads.indices { body(&threads[index].frames) }
    for index in applicationSpecificBacktraces.indices { body(&applicationSpecificBacktraces[index]) }
    if var record = allocation {
      body(&record.allocated)
      body(&record.deallocated)
      allocation = record
    }
  }

  private mutating func note(_ count: Int, _ limit: Limits.Name) {
    guard count > 0 else { return }
    let name = limit.rawValue
    let message = "beyond the limit of \(name) \(count) were left out; --limit \(name)=N sets another"
    notes.append(ReportNote(line: nil, message: message))
    if limit == .images { clearInvalidImages() }
  }

  private mutating func clearInvalidImages() {
    let count = images.count
    func clearInvalidImage(_ frame: inout Frame) {
      if let image = frame.image, image >= count { frame.image = nil }
    }
    forEachBacktrace { frames in for index in frames.indices { clearInvalidImage(&frames[index]) } }
    for thread in threads.indices {
      for entry in threads[thread].callTree.indices {
        clearInvalidImage(&threads[thread].callTree[entry].frame)
      }
    }
  }
}

extension [CrashReport] {
  /// Drops the reports that exceed a limit, and notes it.
  func truncate(to limit: Int) -> [CrashReport] {
    guard count > limit, let last = prefix(limit).last else { return self }
    let message =
      "the input holds more than \(limit) reports; the rest was not read; --limit reports=N sets another limit"
    var kept = Array(prefix(limit - 1)) + [last]
    kept[limit - 1].notes.append(ReportNote(line: nil, message: message))
    return kept
  }
}

/// Truncates a list; returns the number of elements that were removed.
private func excess<Element>(of list: inout [Element], over count: Int) -> Int {
  let excess = max(0, list.count - count)
  list.removeLast(excess)
  return excess
}

/// Truncates names that are longer than any real one.
private struct NameTruncation {
  /// The maximum length of a name: `PATH_MAX` is 1,024 on Apple's systems, and no other name in a report is as long as
  /// a path.
  static let maximumLength = 1024

  static let headerNames: [any WritableKeyPath<ReportHeader, String?> & Sendable] = [
    \.incident, \.date, \.launchDate, \.process, \.path, \.bundleID, \.version, \.build, \.codeType,
    \.hardwareModel,
    \.osVersion, \.parentProcess, \.deviceKey,
  ]

  /// The number of names that were truncated.
  private(set) var count = 0

  mutating func truncate(_ name: inout String?) {
    guard let text = name, text.utf8.count > Self.maximumLength else { return }
    name = String(decoding: text.utf8.prefix(Self.maximumLength), as: UTF8.self)
    count += 1
  }
}
