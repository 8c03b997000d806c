internal import CrashReadCore

extension CrashReport {
  /// Removes what exceeds the limits, and notes it.
  mutating func cut(to limits: Limits) {
    // Without the crashed thread, the diagnosis would be wrong.
    let threadCount = max(limits.threads, (crashedThread ?? -1) + 1)
    note(excess(of: &threads, over: threadCount), .threads)
    note(excess(of: &images, over: limits.images), .images)
    var frameCount = 0
    forEachBacktrace { frameCount += excess(of: &$0, over: limits.frames) }
    for index in threads.indices { frameCount += excess(of: &threads[index].callTree, over: limits.frames) }
    note(frameCount, .frames)
    cutNames()
  }

  /// Truncates names that are examined or written for each frame, or for each report of an input. Otherwise work and
  /// output would grow with the product of a name's length and the number of frames.
  private mutating func cutNames() {
    var names = NameCut()
    for index in images.indices {
      names.cut(&images[index].name)
      names.cut(&images[index].path)
    }
    forEachBacktrace { frames in for index in frames.indices { names.cut(&frames[index].imageName) } }
    for thread in threads.indices {
      for entry in threads[thread].callTree.indices {
        names.cut(&threads[thread].callTree[entry].frame.imageName)
      }
    }
    for path in NameCut.headerNames { names.cut(&header[keyPath: path]) }
    guard names.count > 0 else { return }
    let message = "names of more than \(NameCut.longest) bytes were cut: \(names.count)"
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
  /// Drops the reports that exceed a limit, and notes it.
  func cut(to limit: Int) -> [CrashReport] {
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
private struct NameCut {
  /// The maximum length of a name: `PATH_MAX` is 1,024 on Apple's systems, and no other name in a report is as long as
  /// a path.
  static let longest = 1024

  static let headerNames: [any WritableKeyPath<ReportHeader, String?> & Sendable] = [
    \.incident, \.date, \.launchDate, \.process, \.path, \.bundleID, \.version, \.build, \.codeType,
    \.hardwareModel,
    \.osVersion, \.parentProcess, \.deviceKey,
  ]

  /// The number of names that were truncated.
  private(set) var count = 0

  mutating func cut(_ name: inout String?) {
    guard let text = name, text.utf8.count > Self.longest else { return }
    name = String(decoding: text.utf8.prefix(Self.longest), as: UTF8.self)
    count += 1
  }
}
