internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadReports

extension SymbolicatedReport {
  /// Names the frames of system images that neither the report nor a debug file names, by what other reports state of
  /// the same images.
  mutating func nameFunctions(from memory: SymbolMemory) {
    let backtraces = [lastExceptionBacktrace, allocated, deallocated] + applicationSpecificBacktraces
    guard (threads + callTrees + backtraces).contains(where: \.wantsNames) else { return }
    let namer = FrameNamer(report, memory)
    // Other values may share the arrays; unmodified ones aren't copied.
    for index in threads.indices where threads[index].wantsNames { namer.name(&threads[index]) }
    for index in callTrees.indices where callTrees[index].wantsNames { namer.name(&callTrees[index]) }
    for index in applicationSpecificBacktraces.indices { namer.name(&applicationSpecificBacktraces[index]) }
    namer.name(&lastExceptionBacktrace)
    namer.name(&allocated)
    namer.name(&deallocated)
  }
}

extension [ResolvedFrame] {
  /// Whether a frame of the system has no name.
  fileprivate var wantsNames: Bool {
    // Frames are large: accessed in place, so that none is copied.
    indices.contains { !self[$0].isInApp && self[$0].locations.isEmpty && isNameless(at: $0) }
  }

  private func isNameless(at index: Int) -> Bool {
    guard !self[index].symbolIsFar, let symbol = self[index].captured.reportedSymbol else { return true }
    return symbol.isPlaceholder || symbol == SymbolSighting.foldedName
  }
}

private struct FrameNamer {
  private let images: [ImageID?]
  private let locator: FrameLocator
  private let memory: SymbolMemory

  init(_ report: CrashReport, _ memory: SymbolMemory) {
    images = report.images.map(\.id)
    locator = FrameLocator(report)
    self.memory = memory
  }

  func name(_ frames: inout [ResolvedFrame]) {
    for index in frames.indices where frames[index].isNameless && !frames[index].isInApp {
      name(&frames[index])
    }
  }

  private func name(_ frame: inout ResolvedFrame) {
    guard let image = frame.image, let id = images[image],
      let offset = locator.lookupOffset(of: frame.captured, in: image)?.rawValue,
      let callOffset = locator.codeOffset(of: frame.captured, in: image)?.rawValue,
      let function = memory.function(at: offset, in: id)
    else { return }
    var location = SourceFrame(function: demangle(function.name) ?? function.name, linkageName: function.name)
    location.symbolOffset = callOffset - function.start
    frame.locations = [location]
    frame.functionOffset = location.symbolOffset
    frame.resolution = .learned
    frame.learned = LearnedName(sightings: function.witnessCount, since: function.day.map(calendarDay))
  }
}
