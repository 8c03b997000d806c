/// Writes Mach-O files as `mach-o/loader.h`, `nlist.h` and `fat.h` describe them. Shares no code with what reads them.
package struct MachOBuilder {
  package struct Section {
    package var name: String
    package var bytes: [UInt8]
    /// The header's offset and size instead of the correct ones.
    package var claimedOffset: UInt32?
    package var claimedSize: UInt64?

    package init(
      _ name: String, _ bytes: [UInt8] = [], claimedOffset: UInt32? = nil, claimedSize: UInt64? = nil
    ) {
      self.name = name
      self.bytes = bytes
      self.claimedOffset = claimedOffset
      self.claimedSize = claimedSize
    }
  }

  package struct Segment {
    package var name: String
    package var address: UInt64
    package var size: UInt64
    package var isCode: Bool
    package var sections: [Section]

    package init(
      _ name: String, at address: UInt64, size: UInt64, isCode: Bool = false, sections: [Section] = []
    ) {
      self.name = name
      self.address = address
      self.size = size
      self.isCode = isCode
      self.sections = sections
    }
  }

  package struct Symbol {
    package var name: String
    package var address: UInt64
    package var type: UInt8

    package init(_ name: String, at address: UInt64, type: UInt8 = 0x0f) {
      self.name = name
      self.address = address
      self.type = type
    }
  }

  package var is64Bit = true
  package var isBigEndian = false
  package var cpuType: UInt32 = 0x0100_000c
  package var cpuSubtype: UInt32 = 0
  /// `MH_DSYM`; a program is `MH_EXECUTE`, 2.
  package var fileType: UInt32 = 0xa
  package var uuid: [UInt8]? = Array(1...16)
  package var segments: [Segment] = []
  package var symbols: [Symbol] = []
  /// Load commands put in front of the others, as they are.
  package var rawCommands: [[UInt8]] = []
  /// The header's number and size of load commands instead of the correct ones.
  package var claimedCommandCount: UInt32?
  package var claimedCommandsSize: UInt32?

  package init() {}

  /// The whole file.
  package func file() -> [UInt8] {
    let headerSize = is64Bit ? 32 : 28
    let commandsSize = commands(dataStart: 0).joined().count
    let commands = commands(dataStart: headerSize + commandsSize)
    var file = ByteBuilder(isBigEndian: isBigEndian)
    file.append(is64Bit ? UInt32(0xfeed_facf) : 0xfeed_face)
    file.append(cpuType)
    file.append(cpuSubtype)
    file.append(fileType)
    file.append(claimedCommandCount ?? UInt32(commands.count))
    file.append(claimedCommandsSize ?? UInt32(commandsSize))
    file.append(UInt32(0))
    if is64Bit { file.append(UInt32(0)) }
    file.append(contentsOf: Array(commands.joined()))
    file.append(contentsOf: segments.flatMap { $0.sections.flatMap(\.bytes) })
    file.append(contentsOf: symbolEntries)
    file.append(contentsOf: strings.bytes)
    return file.bytes
  }

  private func commands(dataStart: Int) -> [[UInt8]] {
    var result = rawCommands
    if let uuid {
      var command = ByteBuilder(isBigEndian: isBigEndian)
      command.append(UInt32(0x1b))
      command.append(UInt32(24))
      command.append(contentsOf: uuid)
      result.append(command.bytes)
    }
    var offset = dataStart
    for segment in segments {
      result.append(command(of: segment, dataStart: offset))
      offset += segment.sections.map(\.bytes.count).reduce(0, +)
    }
    if !symbols.isEmpty {
      var command = ByteBuilder(isBigEndian: isBigEndian)
      let fields = [
        2, 24, offset, symbols.count, offset + symbolEntries.count, strings.bytes.count,
      ]
      for field in fields { command.append(UInt32(field)) }
      result.append(command.bytes)
    }
    return result
  }

  private func command(of segment: Segment, dataStart: Int) -> [UInt8] {
    var command = ByteBuilder(isBigEndian: isBigEndian)
    command.append(is64Bit ? UInt32(0x19) : 1)
    command.append(UInt32((is64Bit ? 72 : 56) + segment.sections.count * (is64Bit ? 80 : 68)))
    command.append(segment.name, length: 16)
    let words = [segment.address, segment.size, UInt64(dataStart), 0]
    for word in words { command.append(word: word, is64Bit: is64Bit) }
    command.append(UInt32(segment.isCode ? 5 : 1))
    command.append(UInt32(segment.isCode ? 5 : 1))
    command.append(UInt32(segment.sections.count))
    command.append(UInt32(0))
    var offset = dataStart
    for section in segment.sections {
      command.append(section.name, length: 16)
      command.append(segment.name, length: 16)
      command.append(word: segment.address, is64Bit: is64Bit)
      command.append(word: section.claimedSize ?? UInt64(section.bytes.count), is64Bit: is64Bit)
      command.append(section.claimedOffset ?? UInt32(offset))
      for _ in 0..<(is64Bit ? 7 : 6) { command.append(UInt32(0)) }
      offset += section.bytes.count
    }
    return command.bytes
  }

  private var strings: (bytes: [UInt8], offsets: [Int]) {
    var bytes: [UInt8] = [0]
    var offsets: [Int] = []
    for symbol in symbols {
      offsets.append(bytes.count)
      bytes += Array(symbol.name.utf8) + [0]
    }
    return (bytes, offsets)
  }

  private var symbolEntries: [UInt8] {
    var entries = ByteBuilder(isBigEndian: isBigEndian)
    for (symbol, name) in zip(symbols, strings.offsets) {
      entries.append(UInt32(name))
      entries.append(symbol.type)
      entries.append(UInt8(1))
      entries.append(UInt16(0))
      entries.append(word: symbol.address, is64Bit: is64Bit)
    }
    return entries.bytes
  }
}

/// A fat file of thin files.
package func universalFile(
  _ slices: [MachOBuilder], isWide: Bool = false, claimedCount: UInt32? = nil, claimedOffset: UInt64? = nil
) -> [UInt8] {
  let files = slices.map { $0.file() }
  var offset = 8 + slices.count * (isWide ? 32 : 20)
  var file = ByteBuilder(isBigEndian: true)
  file.append(isWide ? UInt32(0xcafe_babf) : 0xcafe_babe)
  file.append(claimedCount ?? UInt32(slices.count))
  for (slice, bytes) in zip(slices, files) {
    file.append(slice.cpuType)
    file.append(slice.cpuSubtype)
    file.append(word: claimedOffset ?? UInt64(offset), is64Bit: isWide)
    file.append(word: UInt64(bytes.count), is64Bit: isWide)
    file.append(UInt32(0))
    if isWide { file.append(UInt32(0)) }
    offset += bytes.count
  }
  for bytes in files { file.append(contentsOf: bytes) }
  return file.bytes
}
