package import CrashReadCore

extension CrashReport {
  /// Decides for each frame the kind of its address and the image that contains its code, once the whole report has
  /// been read.
  ///
  /// The frames of a call tree state the kinds of their addresses, and so do all frames if `statesKinds` is set.
  mutating func locateFrames(statesKinds: Bool = false) {
    crashedThread = threads.firstIndex(where: \.isCrashed)
    for index in threads.indices { threads[index].frames.dropCutAddress() }
    lastExceptionBacktrace.dropCutAddress()
    let locator = FrameLocator(self)
    for index in threads.indices {
      if !threads[index].callTree.isEmpty {
        for entry in threads[index].callTree.indices {
          locator.locate(&threads[index].callTree[entry].frame)
        }
        threads[index].takeHeaviestPath()
        continue
      }
      if !statesKinds { threads[index].decideKinds(locator) }
      locator.locate(&threads[index].frames)
    }
    locator.locate(&lastExceptionBacktrace)
    for index in applicationSpecificBacktraces.indices {
      locator.locate(&applicationSpecificBacktraces[index])
    }
    if var record = allocation {
      locator.locate(&record.allocated)
      locator.locate(&record.deallocated)
      allocation = record
    }
  }
}

extension [Frame] {
  /// Drops the address of a last frame that a copy ends within: in a process of 64 bits, no image lies in the first 4 GiB
  /// (`__PAGEZERO`).
  fileprivate mutating func dropCutAddress() {
    let pageZero: UInt64 = 0x1_0000_0000
    guard count > 2, let last, last.imageName != nil, last.reportedSymbol == nil, last.imageOffset == nil,
      let address = last.address?.rawValue, address > 0, address < pageZero,
      dropLast().allSatisfy({ $0.address?.rawValue ?? 0 >= pageZero })
    else { return }
    self[count - 1].address = nil
  }
}

extension ThreadRecord {
  fileprivate mutating func takeHeaviestPath() {
    frames = heaviestPath(through: callTree)
    for index in frames.indices { frames[index].number = index }
  }

  /// Decides which frames are program counters. Only the innermost frame can be where the thread was executing; inlined
  /// frames share its address.
  ///
  /// Reporters inside the app leave out their own frames, so the first frame may be a caller; the registers show it. A
  /// signal interrupts a function anywhere: the frame below the trampoline is where it will resume.
  fileprivate mutating func decideKinds(_ locator: FrameLocator) {
    for index in frames.indices.dropFirst() where frames[index - 1].isSignalTrampoline {
      frames[index].kind = .programCounter
    }
    guard let physical = frames.firstIndex(where: { !$0.isInlined }) ?? frames.indices.last else { return }
    if let counter = state?.programCounter, let address = frames[physical].address {
      guard locator.codeAddress(counter) == locator.codeAddress(address.rawValue) else { return }
    }
    // Some reports list inlined functions as frames with the same address, without marking them.
    let address = frames[physical].address
    let last = frames[physical...].firstIndex { $0.address != address } ?? frames.endIndex
    for index in 0..<last { frames[index].kind = .programCounter }
  }
}

extension Frame {
  /// Whether it is the kernel's trampoline for a signal handler: Darwin's `_sigtramp` (libplatform,
  /// `src/setjmp/generic/sigtramp.c`), glibc's `__restore_rt`.
  fileprivate var isSignalTrampoline: Bool {
    reportedSymbol == "_sigtramp" || reportedSymbol == "__restore_rt"
  }
}

/// Determines the location of a frame's code: all rules about return addresses, address bits and images are here.
///
/// A return address is that of the instruction after the call. That instruction can belong to the next line, to another
/// inlined function or, after a call that never returns, to the next function, even in another image. So a frame is
/// looked up inside the call before it. The address being executed and the resume point of an `async` function are
/// looked up unchanged. The adjusted address is used only for look-ups: the report's address is shown.
///
/// On 32-bit ARM, bit 0 selects Thumb and is cleared first: an odd return address minus 1 would still be that of the
/// next instruction.
package struct FrameLocator: Sendable {
  private let images: [BinaryImage]
  private let map: ImageMap
  private let architecture: Architecture?
  /// Images without an end, by the names that frames may use for them.
  private var named: [String: [Int]] = [:]

  /// Sorts a report's images once.
  package init(_ report: CrashReport) {
    images = report.images
    architecture = report.architecture
    map = ImageMap(images)
    for (index, image) in images.enumerated() where image.end == nil {
      for name in image.names { named[name, default: []].append(index) }
    }
  }

  fileprivate func locate(_ frames: inout [Frame]) {
    for index in frames.indices { locate(&frames[index]) }
  }

  fileprivate func locate(_ frame: inout Frame) {
    frame.image = image(of: frame)
    completeOffset(&frame)
    // Trackers have put an address in a line's place.
    if let line = frame.reportedLine, line > Self.maximumLine { frame.reportedLine = nil }
  }

  /// More lines than any source file has.
  private static let maximumLine = 50_000_000

  /// The image that the report states for a frame, otherwise the one that contains its code, as an index into the
  /// report's images; nil when the report lists none.
  package func image(of frame: Frame) -> Int? {
    if let image = frame.image { return images.indices.contains(image) ? image : nil }
    guard let probe = callSite(of: frame, image: nil) else { return nil }
    guard let last = map.closedImage(containing: probe) else { return imageByBase(frame, probe) }
    guard let name = frame.imageName, !images[last].isCalled(name) else { return last }
    return map.closedImage(containing: probe) { images[$0].isCalled(name) } ?? last
  }

  /// The address to look up for a frame, as an offset from its image's start; nil when the frame has neither an address
  /// nor an offset, or its address is below the image.
  package func lookupOffset(of frame: Frame, in image: Int) -> ImageOffset? {
    guard let offset = codeOffset(of: frame, in: image) else { return nil }
    let step = step(of: frame, image: image)
    return offset.rawValue >= step ? ImageOffset(offset.rawValue - step) : nil
  }

  /// The frame's own address as an offset from its image's start: for a caller, that after the call.
  package func codeOffset(of frame: Frame, in image: Int) -> ImageOffset? {
    // Some reporters print the offset without an address.
    let address = codeAddress(of: frame, image: image)
    return address.map { $0.offset(from: images[image].start) } ?? frame.imageOffset
  }

  /// A frame's address without pointer-authentication and Thumb bits; nil when the frame has none.
  package func codeAddress(of frame: Frame, image: Int?) -> RuntimeAddress? {
    frame.address.map { RuntimeAddress(codeAddress($0.rawValue, image: image)) }
  }

  /// A code address without the bits that aren't part of it; `image` is the one that contains it, if known.
  fileprivate func codeAddress(_ value: UInt64, image: Int? = nil) -> UInt64 {
    architecture(of: image)?.strippedCodeAddress(value) ?? value
  }

  private func callSite(of frame: Frame, image: Int?) -> RuntimeAddress? {
    guard let address = codeAddress(of: frame, image: image) else { return nil }
    let step = step(of: frame, image: image)
    return RuntimeAddress(address.rawValue >= step ? address.rawValue - step : 0)
  }

  private func step(of frame: Frame, image: Int?) -> UInt64 {
    frame.kind == .returnAddress ? architecture(of: image)?.callStep ?? 1 : 0
  }

  private func architecture(of image: Int?) -> Architecture? {
    image.flatMap { images[$0].architecture } ?? architecture
  }

  /// An image without an end: one that the frame names, or the last one that starts before the address.
  private func imageByBase(_ frame: Frame, _ probe: RuntimeAddress) -> Int? {
    let open = (frame.imageName.flatMap { named[$0] } ?? []).prefix(16).filter {
      images[$0].start <= probe
    }
    return open.max { images[$0].start < images[$1].start } ?? map.openImage(before: probe)
  }

  /// Determines whether a number is an offset from the symbol or from the image's start: `MyApp + 37504` is from the
  /// image's start, and so is the number after the symbols of some iOS 14 reports.
  ///
  /// No function is at an image's start, where its header is, so equal numbers prove it. Otherwise the image's name
  /// decides.
  private func completeOffset(_ frame: inout Frame) {
    guard let symbol = frame.reportedSymbol, let offset = frame.reportedSymbolOffset else { return }
    let distance = frame.image.flatMap { frame.address?.offset(from: images[$0].start) }
    guard distance.map({ $0.rawValue == offset }) ?? isImageName(symbol, of: frame) else { return }
    frame.imageOffset = frame.imageOffset ?? ImageOffset(offset)
    frame.reportedSymbolOffset = nil
    if isImageName(symbol, of: frame) { frame.reportedSymbol = nil }
  }

  /// Whether a symbol is the name of the frame's image. Some reporters put the image's UUID there.
  private func isImageName(_ symbol: String, of frame: Frame) -> Bool {
    if symbol == frame.imageName { return true }
    guard let image = frame.image else { return false }
    return images[image].isCalled(symbol)
      || symbol.utf8.count == 36 && images[image].id == ImageID(parsing: symbol)
  }
}

extension BinaryImage {
  /// Whether frames may use a name for the image.
  fileprivate func isCalled(_ text: String) -> Bool {
    if name == text { return true }
    guard let path, let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")) else { return false }
    return path[path.utf8.index(after: slash)...] == text
  }

  /// The names that frames may use for the image: as printed, and its file's name.
  fileprivate var names: [String] {
    var names = name.map { [$0] } ?? []
    if let path, path.utf8.contains(UInt8(ascii: "/")) {
      let file = fileName(path)
      if file != name { names.append(file) }
    }
    return names
  }
}
