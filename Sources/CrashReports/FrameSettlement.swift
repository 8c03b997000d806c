internal import BinaryIdentity

extension CrashReport {
  /// Says of each frame what its address is and in which image it lies, once all of the report is read.
  ///
  /// The frames of a call tree say themselves what their addresses are, and so do all with `statesKinds`.
  mutating func settleFrames(statesKinds: Bool = false) {
    crashedThread = threads.firstIndex(where: \.isCrashed)
    let architecture = architecture
    let linker = FrameLinker(images: images, architecture: architecture)
    for index in threads.indices {
      if !threads[index].callTree.isEmpty {
        for entry in threads[index].callTree.indices {
          linker.link(&threads[index].callTree[entry].frame)
        }
        threads[index].takeHeaviestPath()
        continue
      }
      if !statesKinds { threads[index].settleKinds(architecture) }
      linker.link(&threads[index].frames)
    }
    linker.link(&lastExceptionBacktrace)
    for index in applicationSpecificBacktraces.indices { linker.link(&applicationSpecificBacktraces[index]) }
  }
}

extension ThreadRecord {
  fileprivate mutating func takeHeaviestPath() {
    frames = heaviestPath(through: callTree)
    for index in frames.indices { frames[index].number = index }
  }

  /// Only the innermost frame can be where the thread was executing; inlined frames share their caller's address.
  ///
  /// Reporters inside the app leave out their own frames, so that the first one left is a caller. The registers show it.
  fileprivate mutating func settleKinds(_ architecture: Architecture?) {
    guard let physical = frames.firstIndex(where: { !$0.isInlined }) ?? frames.indices.last else { return }
    if let counter = state?.programCounter, let address = frames[physical].address {
      func strip(_ value: UInt64) -> UInt64 { architecture?.strippedCodeAddress(value) ?? value }
      guard strip(counter) == strip(address.rawValue) else { return }
    }
    // Some reports list the functions inlined there as frames of the same address, without a mark.
    let address = frames[physical].address
    let last = frames[physical...].firstIndex { $0.address != address } ?? frames.endIndex
    for index in 0..<last { frames[index].kind = .programCounter }
  }
}

/// Finds the image of each frame: by address, then by name.
private struct FrameLinker {
  let images: [BinaryImage]
  /// What frames may call each image.
  let names: [[String]]
  let map: ImageMap
  let architecture: Architecture?
  /// Images without an end, by what frames may call them.
  private var named: [String: [Int]] = [:]

  init(images: [BinaryImage], architecture: Architecture?) {
    self.images = images
    self.architecture = architecture
    names = images.map(\.names)
    map = ImageMap(images)
    for index in images.indices where images[index].end == nil {
      for name in names[index] { named[name, default: []].append(index) }
    }
  }

  func link(_ frames: inout [Frame]) {
    for index in frames.indices { link(&frames[index]) }
  }

  func link(_ frame: inout Frame) {
    if frame.image == nil { frame.image = image(of: frame) }
    settleOffset(&frame)
  }

  private func image(of frame: Frame) -> Int? {
    guard let address = frame.address, let probe = probe(address, frame.kind) else { return nil }
    let candidates = map.images(containing: probe)
    if candidates.count > 1, let name = frame.imageName,
      let match = candidates.first(where: { names[$0].contains(name) })
    {
      return match
    }
    return candidates.first ?? imageByBase(frame, probe)
  }

  /// The call before a return address decides: what follows it may be another image.
  private func probe(_ address: RuntimeAddress, _ kind: FrameKind) -> RuntimeAddress? {
    let value = architecture?.strippedCodeAddress(address.rawValue) ?? address.rawValue
    return RuntimeAddress(kind == .returnAddress && value > 0 ? value - 1 : value)
  }

  /// An image without an end counts when the frame names it, or when none starts between it and the address.
  private func imageByBase(_ frame: Frame, _ probe: RuntimeAddress) -> Int? {
    let open = (frame.imageName.flatMap { named[$0] } ?? []).prefix(16).filter {
      images[$0].start <= probe
    }
    return open.max { images[$0].start < images[$1].start } ?? map.openImage(before: probe)
  }

  /// `MyApp + 37504` counts from the image's start, and so does the number behind the symbols of some iOS 14 reports.
  ///
  /// No function lies at an image's start, where its header is, so equal numbers prove it. Without them the image's
  /// name decides.
  private func settleOffset(_ frame: inout Frame) {
    guard let symbol = frame.reportedSymbol, let offset = frame.reportedSymbolOffset else { return }
    let distance = frame.image.flatMap { frame.address?.offset(from: images[$0].start) }
    guard distance.map({ $0.rawValue == offset }) ?? isImageName(symbol, of: frame) else { return }
    frame.imageOffset = frame.imageOffset ?? ImageOffset(offset)
    frame.reportedSymbolOffset = nil
    if isImageName(symbol, of: frame) { frame.reportedSymbol = nil }
  }

  /// Reporters put the image's UUID there, too.
  private func isImageName(_ symbol: String, of frame: Frame) -> Bool {
    if symbol == frame.imageName { return true }
    guard let image = frame.image else { return false }
    return names[image].contains(symbol)
      || symbol.utf8.count == 36 && images[image].id == ImageID(parsing: symbol)
  }
}

extension BinaryImage {
  /// What frames may call the image: its name as printed, and its file's name.
  fileprivate var names: [String] {
    var names = name.map { [$0] } ?? []
    if let path, path.utf8.contains(UInt8(ascii: "/")) {
      let file = fileName(path)
      if file != name { names.append(file) }
    }
    return names
  }
}
