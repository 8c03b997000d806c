internal import CrashReadCore

/// Threads, frames, registers and images of an .ips body.
struct IPSFrames {
  let images: [BinaryImage]
  /// Images of source `A` hold absolute addresses, not loaded code.
  private let isAbsolute: [Bool]

  init(images: [BinaryImage], sources: [JSONValue]) {
    self.images = images
    isAbsolute = sources.map {
      $0["source"].string == "A" || ($0["base"].bits ?? 0) == 0 && $0["name"].isNull
    }
  }

  static func image(_ source: JSONValue) -> BinaryImage {
    let base = source["base"].bits ?? 0
    var image = BinaryImage(start: RuntimeAddress(base))
    image.name = source["name"].string
    image.path = source["path"].string
    image.id = source["uuid"].string.flatMap { ImageID(parsing: $0) }
    image.architecture = source["arch"].string.map { Architecture(rawValue: $0) }
    image.version = source["CFBundleShortVersionString"].text
    if let size = source["size"].bits, size > 0 {
      image.end = image.start.advanced(by: ImageOffset(size - 1))
    }
    return image
  }

  func thread(_ source: JSONValue, index: Int) -> ThreadRecord {
    var thread = ThreadRecord(index: index)
    thread.id = source["id"].text
    thread.name = source["name"].string
    thread.queue = source["queue"].string
    thread.isCrashed = source["triggered"].isTrue
    thread.frames = frames(source["frames"])
    thread.omittedFrameCount = Self.omittedFrameCount(source["recursionInfoArray"])
    thread.code = Self.code(source["instructionState"]["instructionStream"])
    if source["threadState"].isObject { thread.state = Self.state(source["threadState"]) }
    return thread
  }

  /// Code as `beforePC` and `atPC` in Base64, or as numbers and the count of those before the program counter.
  static func code(_ source: JSONValue) -> CodeBytes? {
    let bytes = source["bytes"].elements.map { $0.integer.flatMap(UInt8.init(exactly:)) }
    if let offset = source["offset"].integer, bytes.indices.contains(offset) {
      guard !bytes.contains(nil) else { return nil }
      let known = bytes.compactMap(\.self)
      return CodeBytes(before: Array(known[..<offset]), at: Array(known[offset...]))
    }
    guard let code = source["atPC"].string.flatMap({ base64Decoded($0) }) else { return nil }
    return CodeBytes(before: source["beforePC"].string.flatMap { base64Decoded($0) } ?? [], at: code)
  }

  /// The middle of a recursion is omitted: from the first to the last elided frame, counted from the innermost one.
  private static func omittedFrameCount(_ recursions: JSONValue) -> Int? {
    let counts = recursions.elements.compactMap { recursion -> Int? in
      guard let first = recursion["hottestElided"].integer, let last = recursion["coldestElided"].integer,
        first >= 0, last >= first
      else { return nil }
      return last - first
    }
    return counts.max()
  }

  func frames(_ source: JSONValue) -> [Frame] {
    source.elements.enumerated().map { number, source in
      var frame = frame(source)
      frame.number = number
      return frame
    }
  }

  private func frame(_ source: JSONValue) -> Frame {
    var frame = Frame(kind: .returnAddress, address: nil)
    frame.reportedSymbol = source["symbol"].string
    frame.reportedSymbolOffset = frame.reportedSymbol == nil ? nil : source["symbolLocation"].bits
    frame.reportedFile = source["sourceFile"].string
    frame.reportedLine = source["sourceLine"].integer.flatMap { $0 > 0 ? $0 : nil }
    frame.isInlined = source["inline"].isTrue
    guard let offset = source["imageOffset"].bits else { return frame }
    guard let index = source["imageIndex"].integer, images.indices.contains(index), !isAbsolute[index] else {
      // Outside of all images, the offset is the address itself.
      if source["imageIndex"].isNull || source["imageIndex"].integer.map(images.indices.contains) == true {
        frame.address = RuntimeAddress(offset)
      }
      return frame
    }
    frame.image = index
    frame.imageName = images[index].name
    frame.imageOffset = ImageOffset(offset)
    frame.address = images[index].start.advanced(by: ImageOffset(offset))
    return frame
  }

  /// Reads `x: [{value}, …]` and named registers; fields that aren't registers have no `value`.
  private static func state(_ source: JSONValue) -> ThreadState {
    var state = ThreadState(flavor: source["flavor"].string)
    for (name, value) in source.members {
      for (index, element) in value.elements.enumerated() {
        append(element, named: "\(name.lowercased())\(index)", to: &state)
      }
      append(value, named: name.lowercased(), to: &state)
    }
    return state
  }

  private static func append(_ source: JSONValue, named name: String, to state: inout ThreadState) {
    guard let value = source["value"].bits else { return }
    let meaning = source["description"].string ?? symbol(source)
    state.registers.append(Register(name: name, value: value, meaning: meaning))
  }

  private static func symbol(_ source: JSONValue) -> String? {
    // A selector's name is more informative than the string table it lies in.
    if let selector = source["objc-selector"].string { return selector }
    guard let symbol = source["symbol"].string else { return nil }
    guard let offset = source["symbolLocation"].bits, offset != 0 else { return symbol }
    return "\(symbol) + \(offset)"
  }
}
