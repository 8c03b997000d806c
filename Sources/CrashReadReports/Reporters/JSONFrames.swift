internal import CrashReadCore

/// Frames, threads and images of reporters whose JSON is recognised by member names.
struct JSONFrames {
  private(set) var images: [BinaryImage] = []
  /// The lowest address of code in a 64-bit process; smaller numbers are offsets from an image's start.
  private static let lowestAddress: UInt64 = 0x1_0000_0000

  private static let address = [
    "instructionaddress", "instructionaddr", "instructionpointer", "instructionptr", "frameaddress",
    "address",
    "addr", "pc",
  ]
  private static let load = [
    "macholoadaddress", "imageaddr", "imageaddress", "imageloadaddress", "objectaddr", "loadaddress",
    "baseaddress",
    "imagebase", "startaddress", "startaddr", "start", "binaryaddress",
  ]
  private static let imageName = [
    "machofile", "binaryname", "imagename", "objectname", "package", "library", "modulename", "module",
    "image", "binary",
  ]
  private static let identity = ["machouuid", "imageuuid", "binaryuuid", "uuid", "debugid", "buildid", "id"]
  private static let symbol = ["method", "function", "symbolname", "functionname", "methodname", "symbol"]
  private static let symbolStart = ["symboladdress", "symboladdr", "symbolstartaddr"]
  private static let file = ["file", "filename", "filepath", "sourcefile", "abspath"]
  private static let line = ["linenumber", "linenum", "lineno", "line"]
  private static let frameLists = [
    "stacktrace", "frames", "stack", "stackframes", "backtrace", "callstack", "callstackframes",
  ]

  /// Reads a list of images.
  init(images list: JSONValue) {
    images = list.elements.filter(\.isObject).map(Self.image)
  }

  private static func image(_ source: JSONValue) -> BinaryImage {
    let fields = JSONFields(source)
    var image = BinaryImage(start: RuntimeAddress(fields[load].bits ?? 0))
    image.path = fields[["path", "codefile", "imagepath", "name"] + imageName].string
    image.name = fields[["name"] + imageName].string.map(fileName) ?? image.path.map(fileName)
    image.id = fields[identity].string.flatMap { ImageID(parsing: $0) }
    let architecture = fields[["arch", "architecture", "archname", "cputype", "codetype"]]
    image.architecture = (architecture.string ?? architecture["arch"].string).map {
      Architecture(rawValue: $0)
    }
    if let size = fields.address(["imagesize", "size", "machosize"]) {
      image.end = image.start.advanced(by: ImageOffset(size - 1))
    } else if let end = fields.address(["maxaddress", "endaddress", "endaddr", "end"]),
      end > image.start.rawValue
    {
      image.end = RuntimeAddress(end)
    }
    return image
  }

  /// Whether an object is a native frame: it has an address, and an image or a function.
  static func isFrame(_ source: JSONValue) -> Bool {
    let fields = JSONFields(source)
    guard fields.address(address) != nil || fields.address(symbolStart) != nil else { return false }
    return fields[imageName].string != nil || fields[load].bits != nil || fields[symbol].string != nil
  }

  /// Whether an object is an image: it has an identity and a location.
  static func isImage(_ source: JSONValue) -> Bool {
    let fields = JSONFields(source)
    return fields[load].bits != nil && fields[identity].string.flatMap { ImageID(parsing: $0) } != nil
      && fields[address].isNull
  }

  /// The frames of an exception or a thread, as a list of objects, of lines, or as one text; innermost first.
  mutating func frames(of source: JSONValue) -> [Frame] {
    let list = JSONFields(source)[Self.frameLists]
    var frames: [Frame]
    if let text = list.string {
      frames = Self.frames(inText: text)
    } else if list.elements.contains(where: { $0.string != nil }) {
      frames = Self.frames(inText: list.elements.compactMap(\.string).joined(separator: "\n"))
    } else {
      frames = self.frames(list)
    }
    for index in frames.indices { frames[index].number = index }
    return frames
  }

  /// Reads a list of objects.
  mutating func frames(_ list: JSONValue) -> [Frame] {
    list.elements.filter(\.isObject).map { frame($0) }
  }

  /// Lines in the format of Apple's reports; else those of a managed language.
  private static func frames(inText text: String) -> [Frame] {
    let lines = LineCursor(Bytes(Array(text.utf8)))
    let frames = lines.compactMap { FrameLine($0)?.frame }
    return frames.isEmpty ? ManagedStack.backtraces(in: text).first ?? [] : frames
  }

  private mutating func frame(_ source: JSONValue) -> Frame {
    let fields = JSONFields(source)
    var frame = Frame(kind: .returnAddress, address: nil)
    frame.imageName = fields[Self.imageName].string.map(fileName)
    locate(&frame, fields)
    if fields[["ispc"]].isTrue { frame.kind = .programCounter }
    frame.reportedFile = fields[Self.file].string
    if frame.reportedFile.map(fileName) == frame.imageName { frame.reportedFile = nil }
    frame.reportedLine = fields[Self.line].integer.flatMap { $0 > 0 ? $0 : nil }
    readSymbol(fields, source, into: &frame)
    return frame
  }

  /// Reads the symbol. A name that only repeats the address isn't one.
  private func readSymbol(_ fields: JSONFields, _ source: JSONValue, into frame: inout Frame) {
    let nested = JSONFields(fields[["symbolinfo", "symbol"]])
    guard let name = fields[Self.symbol].string ?? nested[Self.symbol].string,
      !name.hasPrefix("0x"), !["<redacted>", "???", "(null)"].contains(name)
    else { return }
    frame.reportedSymbol = name
    if let start = fields.address(Self.symbolStart) ?? nested.address(Self.symbolStart),
      let address = frame.address, start <= address.rawValue
    {
      frame.reportedSymbolOffset = address.offset(from: RuntimeAddress(start))?.rawValue
    }
  }

  private mutating func locate(_ frame: inout Frame, _ fields: JSONFields) {
    let numbers = Self.numbers(fields)
    if let load = numbers.load { frame.image = image(at: load, fields) }
    guard let value = numbers.address else {
      frame.imageOffset = fields[["offset", "imageoffset", "offsetaddress"]].bits.map { ImageOffset($0) }
      return
    }
    if value < Self.lowestAddress, numbers.load == nil {
      frame.imageOffset = ImageOffset(value)
    } else {
      frame.address = RuntimeAddress(value)
      frame.imageOffset = numbers.load.flatMap { frame.address?.offset(from: RuntimeAddress($0)) }
    }
  }

  /// The frame's address and the image's load address.
  ///
  /// measure.sh has used `symbol_address` and `binary_address` for either; their difference, which it also states,
  /// shows which is which.
  private static func numbers(_ fields: JSONFields) -> (address: UInt64?, load: UInt64?) {
    let (address, load) = (fields.address(address), fields.address(load))
    guard address == nil, let load, let other = fields.address(symbolStart) else { return (address, load) }
    let (high, low) = (max(load, other), min(load, other))
    guard let offset = fields[["offset"]].bits, high - low == offset else { return (load, nil) }
    return (high, low)
  }

  /// The image that a frame identifies by its load address; it is added if it isn't listed.
  private mutating func image(at load: UInt64, _ fields: JSONFields) -> Int? {
    let start = RuntimeAddress(load)
    if let index = images.firstIndex(where: { $0.start == start }) { return index }
    guard let id = fields[["machouuid", "imageuuid", "binaryuuid"]].string.flatMap({ ImageID(parsing: $0) })
    else {
      return nil
    }
    var image = BinaryImage(start: start)
    image.path = fields[Self.imageName].string
    image.name = image.path.map(fileName)
    image.id = id
    images.append(image)
    return images.count - 1
  }

  /// Reads a thread.
  mutating func thread(_ source: JSONValue, index: Int) -> ThreadRecord {
    let fields = JSONFields(source)
    var thread = ThreadRecord(index: index)
    thread.id = fields[["id", "threadid", "threadnumber", "sequence"]].text
    thread.name = fields[["name", "threadname", "title"]].string
    thread.queue = fields[["queue", "queuename"]].string
    thread.isCrashed = fields[["crashed", "errorreportingthread", "iscrashed", "triggered"]].isTrue
    thread.frames = frames(of: source)
    thread.state = ThreadState(registersOf: fields[["registers"]])
    return thread
  }
}

extension ThreadState {
  /// The registers of an object that maps names to values; nil without any.
  init?(registersOf object: JSONValue) {
    let registers = object.members.compactMap { name, value in
      value.bits.map { Register(name: name.lowercased(), value: $0) }
    }
    guard !registers.isEmpty else { return nil }
    self.init(registers: registers)
  }
}
