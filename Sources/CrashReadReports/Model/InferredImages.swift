internal import CrashReadCore

/// A binary as stated by a frame.
struct FrameModule: Hashable {
  /// Its path, or its file name alone.
  var path: String
  /// The slice, where the frame names it.
  var architecture: Architecture?
  /// Its identity, where the frame states it.
  var id: ImageID?
}

/// Images inferred from frames, for reports that don't list any.
///
/// The load address is a frame's address minus its offset. If a report states only offsets, the load address is
/// unknown: the image's `start` is 0 and its `end` nil, so it contains no address. Otherwise `end` is the highest
/// address seen, since the image's real end is unknown.
struct InferredImages {
  private struct Key: Hashable {
    var path: String
    var start: RuntimeAddress?
  }

  private(set) var images: [BinaryImage] = []
  private var positions: [Key: Int] = [:]
  private var indexByPath: [String: Int] = [:]

  /// Finds or adds the image of a frame that is `offset` bytes after the image's start; nil for impossible numbers.
  mutating func image(
    of module: FrameModule, holding address: RuntimeAddress?, at offset: ImageOffset
  ) -> Int? {
    guard let address else { return indexByPath[module.path] ?? image(of: module, from: nil) }
    // No image is loaded at 0, so the number is an address.
    guard address.rawValue > offset.rawValue else { return nil }
    let start = RuntimeAddress(address.rawValue - offset.rawValue)
    let index = image(of: module, from: start)
    images[index].end = max(images[index].end ?? start, address)
    return index
  }

  private mutating func image(of module: FrameModule, from start: RuntimeAddress?) -> Int {
    let key = Key(path: module.path, start: start)
    if let known = positions[key] { return known }
    var image = BinaryImage(start: start ?? RuntimeAddress(0))
    image.name = fileName(module.path)
    image.path = module.path.utf8.contains(UInt8(ascii: "/")) ? module.path : nil
    image.architecture = module.architecture
    image.id = module.id
    positions[key] = images.count
    if start != nil, indexByPath[module.path] == nil { indexByPath[module.path] = images.count }
    images.append(image)
    return images.count - 1
  }
}

extension CrashReport {
  /// Appends inferred images to those the report lists, and links the frames to them.
  ///
  /// A listed image of the same name replaces an inferred one, unless it was loaded elsewhere.
  mutating func merge(_ inferred: InferredImages) {
    guard !inferred.images.isEmpty else { return }
    var listed: [String: Int] = [:]
    for (index, image) in images.enumerated() { image.name.map { listed[$0] = index } }
    var added = 0
    let newIndices = inferred.images.map { image -> Int in
      if let index = image.name.flatMap({ listed[$0] }),
        image.end == nil || images[index].start == image.start
      {
        return index
      }
      images.append(image)
      added += 1
      return images.count - 1
    }
    for thread in threads.indices { threads[thread].frames.remapImages(newIndices) }
    lastExceptionBacktrace.remapImages(newIndices)
    guard added > 0 else { return }
    let message = "images that the report doesn't list were inferred from its frames: \(added)"
    notes.append(ReportNote(line: nil, message: message))
  }
}

extension [Frame] {
  fileprivate mutating func remapImages(_ newIndices: [Int]) {
    for index in indices { self[index].image = self[index].image.map { newIndices[$0] } }
  }
}
