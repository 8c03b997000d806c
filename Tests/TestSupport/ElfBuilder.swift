/// Writes little-endian ELF files as `elf.h` describes them. Shares no code with what reads them.
package struct ElfBuilder {
  package struct Section {
    package var name: String
    package var type: UInt32
    package var flags: UInt64 = 0
    package var bytes: [UInt8]
    /// The header's offset and size instead of the correct ones.
    package var claimedOffset: UInt64?
    package var claimedSize: UInt64?
    /// The index of the section that this one refers to, as headers count: the first of all is the null section.
    package var link: UInt32 = 0
    package var entrySize: UInt64 = 0

    package init(
      _ name: String, type: UInt32 = 1, _ bytes: [UInt8] = [], claimedOffset: UInt64? = nil,
      claimedSize: UInt64? = nil
    ) {
      self.name = name
      self.type = type
      self.bytes = bytes
      self.claimedOffset = claimedOffset
      self.claimedSize = claimedSize
    }
  }

  package struct Segment {
    package var type: UInt32
    package var flags: UInt32
    package var address: UInt64
    package var size: UInt64

    package init(type: UInt32 = 1, flags: UInt32, at address: UInt64, size: UInt64) {
      self.type = type
      self.flags = flags
      self.address = address
      self.size = size
    }
  }

  package var is64Bit = true
  package var isBigEndian = false
  package var machine: UInt16 = 62
  package var segments: [Segment] = []
  package var sections: [Section] = []

  package init() {}

  /// The whole file: header, segments, section bytes, names, section headers.
  package func file() -> [UInt8] {
    let headerSize = is64Bit ? 64 : 52
    var body = ByteBuilder()
    body.append(contentsOf: segments.flatMap { segmentHeader($0) })
    var offsets: [Int] = []
    var names: [UInt8] = [0]
    var nameOffsets: [Int] = []
    let all = sections + [Section(".shstrtab", type: 3)]
    for section in all {
      nameOffsets.append(names.count)
      names += Array(section.name.utf8) + [0]
    }
    for section in sections {
      offsets.append(headerSize + body.count)
      body.append(contentsOf: section.bytes)
    }
    offsets.append(headerSize + body.count)
    body.append(contentsOf: names)
    // libelf uses headers in place where they are aligned.
    body.pad(to: (headerSize + body.count + 7) / 8 * 8 - headerSize)
    let table = headerSize + body.count
    var headers = ByteBuilder()
    headers.pad(to: is64Bit ? 64 : 40)  // the null section
    for index in all.indices {
      let size = index == sections.count ? names.count : all[index].bytes.count
      headers.append(
        contentsOf: sectionHeader(all[index], name: nameOffsets[index], offset: offsets[index], size: size))
    }
    return header(sectionTable: table, sectionCount: all.count + 1) + body.bytes + headers.bytes
  }

  private func header(sectionTable: Int, sectionCount: Int) -> [UInt8] {
    var header = ByteBuilder(isBigEndian: isBigEndian)
    header.append(
      contentsOf: [0x7f, 0x45, 0x4c, 0x46, is64Bit ? 2 : 1, isBigEndian ? 2 : 1, 1]
        + [UInt8](repeating: 0, count: 9))
    header.append(UInt16(2))
    header.append(machine)
    header.append(UInt32(1))
    header.append(word: 0, is64Bit: is64Bit)
    header.append(word: segments.isEmpty ? 0 : is64Bit ? 64 : 52, is64Bit: is64Bit)
    header.append(word: UInt64(sectionTable), is64Bit: is64Bit)
    header.append(UInt32(0))
    let sizes = [is64Bit ? 64 : 52, is64Bit ? 56 : 32, segments.count, is64Bit ? 64 : 40]
    for field in sizes + [sectionCount, sectionCount - 1] { header.append(UInt16(field)) }
    return header.bytes
  }

  private func segmentHeader(_ segment: Segment) -> [UInt8] {
    var header = ByteBuilder()
    header.append(segment.type)
    if is64Bit { header.append(segment.flags) }
    for word in [0, segment.address, segment.address, segment.size, segment.size] {
      header.append(word: word, is64Bit: is64Bit)
    }
    if !is64Bit { header.append(segment.flags) }
    header.append(word: 4096, is64Bit: is64Bit)
    return header.bytes
  }

  private func sectionHeader(_ section: Section, name: Int, offset: Int, size: Int) -> [UInt8] {
    var header = ByteBuilder()
    header.append(UInt32(name))
    header.append(section.type)
    header.append(word: section.flags, is64Bit: is64Bit)
    header.append(word: 0, is64Bit: is64Bit)
    header.append(word: section.claimedOffset ?? UInt64(offset), is64Bit: is64Bit)
    header.append(word: section.claimedSize ?? UInt64(size), is64Bit: is64Bit)
    header.append(section.link)
    header.append(UInt32(0))
    header.append(word: 1, is64Bit: is64Bit)
    header.append(word: section.entrySize, is64Bit: is64Bit)
    return header.bytes
  }
}

extension ElfBuilder.Section {
  /// A note section with an `NT_GNU_BUILD_ID`.
  package static func buildID(_ id: [UInt8], name: String = ".note.gnu.build-id") -> Self {
    var note = ByteBuilder()
    note.append(UInt32(4))
    note.append(UInt32(id.count))
    note.append(UInt32(3))
    note.append("GNU", length: 4)
    note.append(contentsOf: id)
    note.pad(to: (note.count + 3) / 4 * 4)
    return Self(name, type: 7, note.bytes)
  }
}

extension ElfBuilder {
  /// A file of functions, 16 bytes of code each from 0x1000 on, whose names are the same 100,000 bytes, each from another
  /// byte on. Its build-id is 1, 2, 3… 16.
  package static func longNames(functions: Int) -> [UInt8] {
    let abbreviations: [UInt8] = [
      1, 0x11, 1, 0x11, 0x01, 0x12, 0x06, 0, 0,  // compile_unit: low_pc addr, high_pc data4
      2, 0x2e, 0, 0x03, 0x0e, 0x11, 0x01, 0x12, 0x06, 0, 0,  // subprogram: name strp, low_pc, high_pc
      0,
    ]
    var entries = ByteBuilder()
    entries.append(UInt8(1))
    entries.append(UInt64(0x1000))
    entries.append(UInt32(16 * functions))
    for index in 0..<functions {
      entries.append(UInt8(2))
      entries.append(UInt32(index))
      entries.append(UInt64(0x1000 + 16 * index))
      entries.append(UInt32(16))
    }
    entries.append(UInt8(0))
    var unit = ByteBuilder()
    unit.append(UInt32(7 + entries.count))
    unit.append(UInt16(4))
    unit.append(UInt32(0))
    unit.append(UInt8(8))
    var note = ByteBuilder()
    for field in [4, 16, 3] as [UInt32] { note.append(field) }
    note.append(contentsOf: Array("GNU\0".utf8) + (1...16))
    var builder = ElfBuilder()
    builder.segments = [.init(flags: 5, at: 0x1000, size: UInt64(16 * functions))]
    builder.sections = [
      .init(".note.gnu.build-id", type: 7, note.bytes), .init(".debug_abbrev", abbreviations),
      .init(".debug_info", unit.bytes + entries.bytes),
      .init(".debug_str", [UInt8](repeating: 0x6e, count: 100_000) + [0]),
    ]
    return builder.file()
  }
}
