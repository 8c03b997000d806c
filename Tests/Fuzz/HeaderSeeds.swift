import TestSupport

/// What the files begin with that are read as debug files.
let magics: [[UInt8]] = [
  [0x7f, 0x45, 0x4c, 0x46], [0xcf, 0xfa, 0xed, 0xfe], [0xce, 0xfa, 0xed, 0xfe], [0xca, 0xfe, 0xba, 0xbe],
  [0xca, 0xfe, 0xba, 0xbf], Array("dyld_v1".utf8), Array("crsympk1".utf8),
  Array("MODULE mac ".utf8), Array("MYSG".utf8), Array("SYMC".utf8),
]

/// One small file of each kind, in which the first byte is the index of its magic number, which is omitted.
func headerSeeds() -> [[UInt8]] {
  var elf = ElfBuilder()
  elf.segments = [.init(flags: 5, at: 0x1000, size: 0x1000)]
  elf.sections = [
    .init(
      ".note.gnu.build-id", type: 7, [4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 0x47, 0x4e, 0x55, 0, 1, 2, 3, 4]),
    .init(".gnu_debuglink", Array("a.debug".utf8) + [0, 1, 2, 3, 4]),
    .init(".gnu_debugaltlink", Array("alt".utf8) + [0] + Array(1...20)),
    .init(".debug_abbrev", [1, 0x11, 0, 0x11, 1, 0x12, 6, 0, 0, 0]),
    .init(
      ".debug_info", [20, 0, 0, 0, 4, 0, 0, 0, 0, 0, 8, 1, 0, 0x10, 0, 0, 0, 0, 0, 0, 0, 0x10, 0, 0]),
  ]
  var macho = MachOBuilder()
  macho.segments = [.init("__TEXT", at: 0x4000, size: 0x1000, isCode: true)]
  macho.symbols = [.init("_main", at: 0x4100)]
  let files = [true, false].flatMap { is64Bit in
    (elf.is64Bit, macho.is64Bit) = (is64Bit, is64Bit)
    return [elf.file(), macho.file(), universalFile([macho, macho], isWide: is64Bit)]
  }
  let systems =
    [SharedCacheBuilder().file(), watchCache.file(), symbolPack(), Array(breakpadFile.utf8), gsymFile()]
    + (7...9).map { SymCacheBuilder.example(version: $0).file() }
  return (files + systems).map { file in
    let magic = magics.firstIndex { file.starts(with: $0) } ?? 0
    return [UInt8(magic)] + file.dropFirst(magics[magic].count)
  }
}

/// A 32-bit cache, with local symbols that are found by the library's offset in the file.
private var watchCache: SharedCacheBuilder {
  var builder = SharedCacheBuilder()
  (builder.magic, builder.headerSize) = ("dyld_v1arm64_32", 0x138)
  (builder.is64Bit, builder.local) = (false, 0x600)
  return builder
}

/// A pack with one image and two functions, one of which has a name.
private func symbolPack() -> [UInt8] {
  var file = ByteBuilder()
  file.append("crsympk1", length: 8)
  file.append(UInt64(1))
  file.append(contentsOf: Array(1...16))
  for number in [0x1_8000_0000, 0x1000, 72] as [UInt64] { file.append(number) }
  for number in [2, 88, 90, 0, 0x100, 92, 0x200, 0] as [UInt32] { file.append(number) }
  file.append("a\0b\0name", length: 10)
  return file.bytes
}

private let breakpadFile = """
  MODULE mac arm64 4C4C44ED55553144A1625A07DAE58C2C0 App
  INFO CODE_ID 4C4C44ED55553144A1625A07DAE58C2C
  FILE 0 /src/a.c
  INLINE_ORIGIN 0 inlined
  FUNC m 1000 20 0 f(int)
  INLINE 0 7 0 0 1004 4 100c 4
  1000 10 5 0
  1010 10 6 0
  PUBLIC 1040 0 g

  """

/// A file with one function, which has two rows of lines and a call inlined into it.
private func gsymFile() -> [UInt8] {
  let strings = Array("\0f\0inlined\0/src\0a.c\0".utf8)
  var function = ByteBuilder()
  for number in [0x20, 1] as [UInt32] { function.append(number) }
  let lines: [UInt8] = [0x7f, 3, 5, 6, 14, 0]
  let calls: [UInt8] = [1, 0, 0x20, 1, 1, 0, 0, 0, 0, 0] + [1, 4, 4, 0, 3, 0, 0, 0, 1, 7] + [0]
  for (kind, bytes) in [(1, lines), (2, calls)] as [(UInt32, [UInt8])] {
    function.append(kind)
    function.append(UInt32(bytes.count))
    function.append(contentsOf: bytes)
  }
  for number in [0, 0] as [UInt32] { function.append(number) }
  var file = ByteBuilder()
  file.append("MYSG", length: 4)
  file.append(contentsOf: [1, 0, 4, 16])
  file.append(UInt64(0x1000))
  // After the header: one offset, one function's location, two files, then strings and the function.
  for number in [1, 76, UInt32(strings.count)] { file.append(number) }
  file.append(contentsOf: Array(1...20))
  for number in [0, 76 + UInt32(strings.count), 2, 0, 0, 11, 16] { file.append(number) }
  file.append(contentsOf: strings + function.bytes)
  return file.bytes
}
