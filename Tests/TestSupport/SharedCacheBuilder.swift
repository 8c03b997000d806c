/// Writes a small file in the form of dyld's shared cache, as `dyld_cache_format.h` describes it: one library, with a symbol,
/// an export and the start of a function. Shares no code with what reads it.
package struct SharedCacheBuilder {
  package var base: UInt64 { is64Bit ? 0x1_8000_0000 : 0x1a00_0000 }
  /// The library's offset from the base and from the file's start.
  package static let image: UInt64 = 0x1000
  package static let uuid: [UInt8] = Array(1...16)

  /// Further files, as the header of this one names them.
  package var suffixes: [String] = []
  /// The magic number, of 15 bytes and a zero.
  package var magic = "dyld_v1  arm64e"
  /// The size of the header, which ends before fields that were added later.
  package var headerSize = 0x1e0
  /// How far before the first library's file this one's memory begins: then another file has the library.
  package var distance: UInt64 = 0
  /// Whether the library's structures are the 64-bit ones.
  package var is64Bit = true
  /// Whether the list of functions' starts and the exports call them Thumb code, by bit 0.
  package var isThumb = false
  /// The address of the symbol `_local`, in bytes from the library's start; nil for none.
  package var local: UInt64?

  package init() {}

  /// The whole file.
  package func file() -> [UInt8] {
    var file = ByteBuilder()
    file.append(magic, length: 16)
    for number in [headerSize, 1, 0, 0] { file.append(UInt32(number)) }
    file.pad(to: 0x48)
    file.append(UInt64(local == nil ? 0 : 0x2200))
    file.pad(to: 0x58)
    file.append(contentsOf: Self.fileID)
    file.pad(to: 0x88)
    file.append(UInt64(0x300))
    file.append(UInt64(1))
    file.pad(to: 0x188)
    file.append(UInt32(0x400))
    file.append(UInt32(suffixes.count))
    file.pad(to: headerSize)
    // The one mapping: the whole file.
    for number in [base - distance, 0x3000, 0] { file.append(number) }
    file.append(UInt64(0x5_0000_0005))
    file.pad(to: 0x300)
    file.append(contentsOf: Self.uuid)
    file.append(base + Self.image)
    file.append(UInt32(0x1000))
    file.append(UInt32(0x380))
    file.pad(to: 0x380)
    file.append("/usr/lib/libmade.dylib", length: 32)
    file.pad(to: 0x400)
    for suffix in suffixes {
      file.append(contentsOf: Self.fileID)
      file.append(distance)
      if headerSize > 0x1c8 { file.append(suffix, length: 32) }
    }
    file.pad(to: Int(Self.image))
    appendImage(to: &file)
    return file.bytes
  }

  private static var fileID: [UInt8] { uuid.reversed() }

  private func appendImage(to file: inout ByteBuilder) {
    let commands = [
      segment("__TEXT", at: base + Self.image, offset: Self.image),
      segment("__LINKEDIT", at: base + 0x2000, offset: 0x2000), Self.uuidCommand, Self.symbols,
      Self.table(0x8000_0033, 0x2100, 0x20), Self.table(0x26, 0x2140, 8),
    ]
    let header = [0x0100_000c, 2, 6, UInt32(commands.count), UInt32(commands.joined().count), 0]
    for number in [is64Bit ? 0xfeed_facf : 0xfeed_face] + header + (is64Bit ? [0] : []) {
      file.append(number)
    }
    file.append(contentsOf: Array(commands.joined()))
    file.pad(to: 0x2000)
    appendSymbol(of: 0x400, to: &file)
    file.pad(to: 0x2080)
    file.append("\0_made", length: 8)
    file.pad(to: 0x2100)
    // The trie: a root with one edge to `_exported`, which is at 0x500.
    file.append(
      contentsOf: [0, 1] + Array("_exported".utf8) + [0, 13, 3, 0, isThumb ? 0x81 : 0x80, 0x0a, 0])
    file.pad(to: 0x2140)
    // Functions begin at 0x400, 0x500 and 0x600.
    file.append(contentsOf: [isThumb ? 0x81 : 0x80, 0x08, 0x80, 0x02, 0x80, 0x02, 0])
    appendLocals(to: &file)
    file.pad(to: 0x3000)
  }

  /// An nlist or nlist_64 with the first name of its strings.
  private func appendSymbol(of offset: UInt64, to file: inout ByteBuilder) {
    file.append(UInt32(1))
    file.append(UInt32(0x01_0f))
    append(base + Self.image + offset, to: &file)
  }

  /// `dyld_cache_local_symbols_info`, and what it refers to.
  private func appendLocals(to file: inout ByteBuilder) {
    guard let local else { return }
    file.pad(to: 0x2200)
    for number in [0x20, 1, 0x40, 8, 0x50, 1] as [UInt32] { file.append(number) }
    file.pad(to: 0x2220)
    appendSymbol(of: local, to: &file)
    file.pad(to: 0x2240)
    file.append("\0_local", length: 16)
    // The library by its address offset, or by its offset in the file.
    if headerSize >= 0x1a0 { file.append(Self.image) } else { file.append(UInt32(Self.image)) }
    for number in [0, 1] as [UInt32] { file.append(number) }
  }

  private func append(_ word: UInt64, to bytes: inout ByteBuilder) {
    if is64Bit { bytes.append(word) } else { bytes.append(UInt32(truncatingIfNeeded: word)) }
  }

  private static func command(_ kind: UInt32, _ body: (inout ByteBuilder) -> Void) -> [UInt8] {
    var contents = ByteBuilder()
    body(&contents)
    var command = ByteBuilder()
    command.append(kind)
    command.append(UInt32(8 + contents.count))
    return command.bytes + contents.bytes
  }

  private func segment(_ name: String, at address: UInt64, offset: UInt64) -> [UInt8] {
    Self.command(is64Bit ? 0x19 : 0x1) { command in
      command.append(name, length: 16)
      for number in [address, 0x1000, offset, 0x1000] { append(number, to: &command) }
      for number in [5, 5, 0, 0] as [UInt32] { command.append(number) }
    }
  }

  private static var uuidCommand: [UInt8] { command(0x1b) { $0.append(contentsOf: uuid) } }
  private static var symbols: [UInt8] {
    command(0x2) { command in for number in [0x2000, 1, 0x2080, 8] as [UInt32] { command.append(number) } }
  }

  private static func table(_ kind: UInt32, _ offset: UInt32, _ size: UInt32) -> [UInt8] {
    command(kind) { command in for number in [offset, size] { command.append(number) } }
  }
}
