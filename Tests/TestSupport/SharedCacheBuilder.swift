/// Writes a small file in the form of dyld's shared cache, as `dyld_cache_format.h` describes it: one library, with a symbol,
/// an export and the place where a function begins. Shares no code with what reads it.
package struct SharedCacheBuilder {
  package static let base: UInt64 = 0x1_8000_0000
  /// Where the library lies, in bytes from the base and from the file's start.
  package static let image: UInt64 = 0x1000
  package static let uuid: [UInt8] = Array(1...16)

  /// Further files, as the header of this one names them.
  package var suffixes: [String] = []

  package init() {}

  /// The whole file.
  package func file() -> [UInt8] {
    var file = ByteBuilder()
    file.append("dyld_v1   arm64e", length: 16)
    let headerSize = 0x1e0
    for number in [headerSize, 1, 0, 0] { file.append(UInt32(number)) }
    file.pad(to: 0x58)
    file.append(contentsOf: Self.uuid.reversed())
    file.pad(to: 0x88)
    file.append(UInt64(0x300))
    file.append(UInt64(1))
    file.pad(to: 0x188)
    file.append(UInt32(0x400))
    file.append(UInt32(suffixes.count))
    file.pad(to: headerSize)
    // The one mapping: the whole file.
    for number in [Self.base, 0x3000, 0] { file.append(number) }
    file.append(UInt64(0x5_0000_0005))
    file.pad(to: 0x300)
    file.append(contentsOf: Self.uuid)
    file.append(Self.base + Self.image)
    file.append(UInt32(0x1000))
    file.append(UInt32(0x380))
    file.pad(to: 0x380)
    file.append("/usr/lib/libmade.dylib", length: 32)
    file.pad(to: 0x400)
    for suffix in suffixes {
      file.append(contentsOf: Self.uuid)
      file.append(UInt64(0x10_0000))
      file.append(suffix, length: 32)
    }
    file.pad(to: Int(Self.image))
    appendImage(to: &file)
    return file.bytes
  }

  private func appendImage(to file: inout ByteBuilder) {
    let commands = [
      Self.segment, Self.linkEdit, Self.uuidCommand, Self.symbols, Self.table(0x8000_0033, 0x2100, 0x20),
      Self.table(0x26, 0x2140, 8),
    ]
    for number in [
      0xfeed_facf, 0x0100_000c, 2, 6, UInt32(commands.count), UInt32(commands.joined().count), 0, 0,
    ] {
      file.append(number)
    }
    file.append(contentsOf: Array(commands.joined()))
    file.pad(to: 0x2000)
    // An nlist_64 of `_made` at 0x400, and its name.
    file.append(UInt32(1))
    file.append(UInt32(0x01_0f))
    file.append(Self.base + Self.image + 0x400)
    file.pad(to: 0x2080)
    file.append("\0_made", length: 8)
    file.pad(to: 0x2100)
    // The trie: a root with one edge to `_exported`, which is at 0x500.
    file.append(contentsOf: [0, 1] + Array("_exported".utf8) + [0, 13, 3, 0, 0x80, 0x0a, 0])
    file.pad(to: 0x2140)
    // Functions begin at 0x400, 0x500 and 0x600.
    file.append(contentsOf: [0x80, 0x08, 0x80, 0x02, 0x80, 0x02, 0])
    file.pad(to: 0x3000)
  }

  private static func command(_ kind: UInt32, _ body: (inout ByteBuilder) -> Void) -> [UInt8] {
    var contents = ByteBuilder()
    body(&contents)
    var command = ByteBuilder()
    command.append(kind)
    command.append(UInt32(8 + contents.count))
    return command.bytes + contents.bytes
  }

  private static func segment(_ name: String, at address: UInt64, size: UInt64, offset: UInt64) -> [UInt8] {
    command(0x19) { command in
      command.append(name, length: 16)
      for number in [address, size, offset, size] { command.append(number) }
      for number in [5, 5, 0, 0] as [UInt32] { command.append(number) }
    }
  }

  private static var segment: [UInt8] { segment("__TEXT", at: base + image, size: 0x1000, offset: image) }
  private static var linkEdit: [UInt8] {
    segment("__LINKEDIT", at: base + 0x2000, size: 0x1000, offset: 0x2000)
  }
  private static var uuidCommand: [UInt8] { command(0x1b) { $0.append(contentsOf: uuid) } }
  private static var symbols: [UInt8] {
    command(0x2) { command in for number in [0x2000, 1, 0x2080, 8] as [UInt32] { command.append(number) } }
  }

  private static func table(_ kind: UInt32, _ offset: UInt32, _ size: UInt32) -> [UInt8] {
    command(kind) { command in for number in [offset, size] { command.append(number) } }
  }
}
