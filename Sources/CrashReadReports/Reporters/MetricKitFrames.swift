internal import CrashReadCore

/// Call stacks of MetricKit, and the images named by their frames.
struct MetricKitFrames {
  /// The images of all frames so far, in the order of their first frame.
  private(set) var images: [BinaryImage] = []
  /// Whether stacks were sampled over time. Sampled stacks begin with the outermost call, a crash's with the innermost.
  private let isSampled: Bool
  private var known: [ImageKey: Int] = [:]

  private struct ImageKey: Hashable {
    var identity: String
    var start: UInt64
  }

  init(isSampled: Bool) { self.isSampled = isSampled }

  mutating func thread(_ source: JSONValue, index: Int) -> ThreadRecord {
    var thread = ThreadRecord(index: index)
    thread.isCrashed = source["threadAttributed"].isTrue
    let flat = source["callStackFrames"].elements
    let tree = flat.isEmpty ? entries(source["callStackRootFrames"].elements) : []
    if !flat.isEmpty {
      thread.frames = flat.map { frame($0) }
    } else if Self.hasBranches(tree) {
      thread.callTree = Self.markingLeaves(tree)
      thread.frames = heaviestPath(through: tree)
    } else {
      let frames = tree.map(\.frame)
      thread.frames = beginsWithInnermost(frames) ? frames : frames.reversed()
    }
    if isSampled { thread.sampleCount = Self.total(tree) }
    for number in thread.frames.indices { thread.frames[number].number = number }
    return thread
  }

  /// Whether a stack begins with the innermost call, as a crash's does, and not a sampled one.
  ///
  /// If exactly one end of the stack is in a library that starts threads, that end is the outermost.
  private func beginsWithInnermost(_ frames: [Frame]) -> Bool {
    func startsThreads(_ frame: Frame?) -> Bool {
      ["dyld", "libdyld.dylib", "libsystem_pthread.dylib"].contains(frame?.imageName ?? "")
    }
    let ends = (startsThreads(frames.first), startsThreads(frames.last))
    return ends.0 == ends.1 ? !isSampled : ends.1
  }

  /// Lists a tree in preorder.
  ///
  /// Uses an explicit stack, since trees are as deep as the program's calls.
  private mutating func entries(_ roots: [JSONValue]) -> [CallTreeEntry] {
    var entries: [CallTreeEntry] = []
    var open = roots.reversed().map { (node: $0, depth: 0) }
    while let (node, depth) = open.popLast() {
      let samples = node["sampleCount"].integer
      entries.append(CallTreeEntry(frame: frame(node), depth: depth, sampleCount: samples))
      for child in node["subFrames"].elements.reversed() { open.append((child, depth + 1)) }
    }
    return entries
  }

  private static func hasBranches(_ tree: [CallTreeEntry]) -> Bool {
    tree.enumerated().contains { $0 != $1.depth }
  }

  /// Marks the leaves of a tree as program counters, since a sample was taken there; all other entries are return
  /// addresses.
  private static func markingLeaves(_ tree: [CallTreeEntry]) -> [CallTreeEntry] {
    var tree = tree
    for index in tree.indices where index + 1 == tree.count || tree[index + 1].depth <= tree[index].depth {
      tree[index].frame.kind = .programCounter
    }
    return tree
  }

  /// The number of samples of all roots; nil when one doesn't state it.
  private static func total(_ tree: [CallTreeEntry]) -> Int? {
    var sum = 0
    for root in tree where root.depth == 0 {
      guard let count = root.sampleCount else { return nil }
      let (next, overflow) = sum.addingReportingOverflow(count)
      guard !overflow else { return nil }
      sum = next
    }
    return sum
  }

  private mutating func frame(_ source: JSONValue) -> Frame {
    let address = source["address"].bits.flatMap { $0 == 0 ? nil : RuntimeAddress($0) }
    var frame = Frame(kind: .returnAddress, address: address)
    frame.imageName = source["binaryName"].string
    readNames(source, into: &frame)
    let stated = source["offsetIntoBinaryTextSegment"].bits ?? source["offsetAddress"].bits
    guard let stated else { return frame }
    let start = Self.start(address, stated)
    frame.imageOffset = address.flatMap { $0.offset(from: start) } ?? ImageOffset(stated)
    frame.image = image(source, start)
    return frame
  }

  /// App Store Connect adds what its servers know of the address.
  private func readNames(_ source: JSONValue, into frame: inout Frame) {
    guard let symbol = source["symbolName"].string, symbol != "???" else { return }
    frame.reportedSymbol = symbol
    frame.reportedSymbolOffset = source["offsetIntoSymbol"].bits
    frame.reportedFile = source["fileName"].string
    frame.reportedLine = source["lineNumber"].integer.flatMap { $0 > 0 ? $0 : nil }
  }

  /// The image's load address.
  ///
  /// iOS 14.0 writes it in place of the offset that later systems write. The lowest code address of a 64-bit process is
  /// larger than any image, which distinguishes the two.
  private static func start(_ address: RuntimeAddress?, _ stated: UInt64) -> RuntimeAddress {
    guard let address, stated <= address.rawValue else { return RuntimeAddress(0) }
    return RuntimeAddress(stated >= 0x1_0000_0000 ? stated : address.rawValue - stated)
  }

  /// The image that a frame identifies by its UUID and, if it was loaded twice, its load address.
  private mutating func image(_ source: JSONValue, _ start: RuntimeAddress) -> Int? {
    let id = source["binaryUUID"].string
    let name = source["binaryName"].string
    guard let identity = id ?? name else { return nil }
    let key = ImageKey(identity: identity, start: start.rawValue)
    if let index = known[key] { return index }
    var image = BinaryImage(start: start)
    image.name = name
    // A truncated identity is ignored.
    image.id = id.flatMap { ImageID(parsing: $0) }.flatMap { $0.byteCount >= 16 ? $0 : nil }
    known[key] = images.count
    images.append(image)
    return images.count - 1
  }
}
