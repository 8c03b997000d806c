internal import CrashReadCore

/// Threads, frames and images of a Sentry event.
struct SentryFrames {
  let images: [BinaryImage]

  /// Frames, innermost first, and the registers that go with them.
  struct Backtrace {
    var frames: [Frame]
    var state: ThreadState?
  }

  static func image(_ source: JSONValue) -> BinaryImage {
    var image = BinaryImage(start: RuntimeAddress(source["image_addr"].bits ?? 0))
    image.path = source["code_file"].string ?? source["name"].string ?? source["debug_file"].string
    image.name = image.path.map(fileName)
    image.id = identity(source)
    image.architecture = source["arch"].string.map { Architecture(rawValue: $0) }
    if let size = source["image_size"].bits, size > 0 {
      image.end = image.start.advanced(by: ImageOffset(size - 1))
    }
    return image
  }

  /// The identity of an image. For an ELF file, `code_id` is the whole build-id, and the other two members are part of
  /// it in another byte order.
  private static func identity(_ source: JSONValue) -> ImageID? {
    let isELF = source["type"].string == "elf"
    let names = isELF ? ["code_id", "debug_id", "uuid"] : ["uuid", "debug_id", "code_id"]
    let identities = names.lazy.compactMap { name in
      source[name].string.flatMap { ImageID(parsing: name == "code_id" ? $0[...] : $0.prefix(36)) }
    }
    return identities.first { $0.byteCount >= 16 }
  }

  func thread(_ source: JSONValue, index: Int) -> ThreadRecord {
    var thread = ThreadRecord(index: index)
    thread.id = source["id"].text
    thread.name = source["name"].string
    thread.isCrashed = source["crashed"].isTrue
    let backtrace = backtrace(source["stacktrace"])
    thread.frames = backtrace.frames
    thread.state = backtrace.state
    return thread
  }

  /// Reads a backtrace, which Sentry lists with the outermost call first.
  func backtrace(_ source: JSONValue) -> Backtrace {
    var frames = source["frames"].elements.reversed().map(frame)
    for index in frames.indices { frames[index].number = index }
    return Backtrace(frames: frames, state: ThreadState(registersOf: source["registers"]))
  }

  private func frame(_ source: JSONValue) -> Frame {
    var frame = Frame(kind: .returnAddress, address: nil)
    frame.imageName = source["package"].string.map(fileName)
    locate(&frame, source)
    frame.reportedFile = source["abs_path"].string ?? source["filename"].string
    frame.reportedLine = source["lineno"].integer.flatMap { $0 > 0 ? $0 : nil }
    guard let symbol = source["function"].string, symbol != "<redacted>" else { return frame }
    frame.reportedSymbol = symbol
    if let start = source["symbol_addr"].bits, start > 0 {
      frame.reportedSymbolOffset = frame.address?.offset(from: RuntimeAddress(start))?.rawValue
    }
    return frame
  }

  /// Addresses are absolute, or relative to the image that `addr_mode` numbers: `rel:2`.
  private func locate(_ frame: inout Frame, _ source: JSONValue) {
    guard let value = source["instruction_addr"].bits else { return }
    let mode = source["addr_mode"].string ?? "abs"
    guard mode.hasPrefix("rel:") else {
      frame.address = RuntimeAddress(value)
      if let start = source["image_addr"].bits, start > 0 {
        frame.imageOffset = frame.address?.offset(from: RuntimeAddress(start))
      }
      return
    }
    guard let index = Int(mode.dropFirst(4)), images.indices.contains(index) else { return }
    frame.image = index
    frame.imageOffset = ImageOffset(value)
    frame.address = images[index].start.advanced(by: ImageOffset(value))
  }
}
