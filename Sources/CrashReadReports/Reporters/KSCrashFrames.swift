internal import CrashReadCore

/// Threads, frames and images of KSCrash.
enum KSCrashFrames {
  static func image(_ source: JSONValue) -> BinaryImage {
    var image = BinaryImage(start: RuntimeAddress(source["image_addr"].bits ?? 0))
    image.path = source["name"].string
    image.name = image.path.map(fileName)
    image.id = source["uuid"].string.flatMap { ImageID(parsing: $0) }
    if let size = source["image_size"].bits, size > 0 {
      image.end = image.start.advanced(by: ImageOffset(size - 1))
    }
    // A subtype with capability bits is printed as a negative number.
    image.architecture = source["cpu_type"].bits.flatMap { type in
      Architecture(
        machOType: UInt32(truncatingIfNeeded: type),
        subtype: UInt32(truncatingIfNeeded: source["cpu_subtype"].bits ?? 0))
    }
    return image
  }

  static func thread(_ source: JSONValue, index: Int) -> ThreadRecord {
    var thread = ThreadRecord(index: source["index"].integer ?? index)
    thread.id = source["id"].text
    thread.name = source["name"].string
    thread.queue = source["dispatch_queue"].string
    thread.isCrashed = source["crashed"].isTrue
    let frames = source["backtrace"]["contents"].elements.filter(\.isObject)
    thread.frames = frames.enumerated().map { number, source in
      var frame = frame(source)
      frame.number = number
      return frame
    }
    thread.state = state(source["registers"], notable: source["notable_addresses"])
    return thread
  }

  private static func frame(_ source: JSONValue) -> Frame {
    let address = source["instruction_addr"].bits.map { RuntimeAddress($0) }
    var frame = Frame(kind: .returnAddress, address: address)
    frame.imageName = source["object_name"].string.map(fileName)
    if let start = source["object_addr"].bits, start > 0 {
      frame.imageOffset = address?.offset(from: RuntimeAddress(start))
    }
    guard let symbol = source["symbol_name"].string, symbol != "<redacted>" else { return frame }
    let start = source["symbol_addr"].bits
    // An image begins with its header, so a symbol at its start means that none was found.
    if let start, start > 0, start == source["object_addr"].bits { return frame }
    frame.reportedSymbol = symbol
    frame.reportedSymbolOffset = start.flatMap { address?.offset(from: RuntimeAddress($0))?.rawValue }
    return frame
  }

  /// The general-purpose registers, and those that describe the fault.
  private static func state(_ source: JSONValue, notable: JSONValue) -> ThreadState? {
    let members = source["basic"].members + source["exception"].members.filter { $0.name != "exception" }
    let registers = members.compactMap { name, value in
      value.bits.map { value in
        let note = notable[name]
        var register = Register(name: name.lowercased(), value: value, meaning: meaning(note))
        register.freedClass = note["type"].string == "unknown" ? note["last_deallocated_obj"].string : nil
        return register
      }
    }
    return registers.isEmpty ? nil : ThreadState(registers: registers)
  }

  /// What the reporter found at the address: a string, or an object of a class.
  private static func meaning(_ note: JSONValue) -> String? {
    switch note["type"].string {
    case "string": note["value"].string
    case "objc_object", "objc_class", "objc_block": note["class"].string.map { "object of class \($0)" }
    default: note["last_deallocated_obj"].string.map { "freed object of class \($0)" }
    }
  }
}

extension ThreadRecord {
  /// Adds the name that an exception had before it was freed.
  mutating func addFreedException(_ source: JSONValue) {
    guard let address = source["address"].bits, address != 0, let name = source["name"].string else { return }
    for index in state?.registers.indices ?? 0..<0 where state?.registers[index].value == address {
      guard let known = state?.registers[index].freedClass else { continue }
      state?.registers[index].freedClass = known == name ? name : "\(known) \(name)"
    }
  }
}
