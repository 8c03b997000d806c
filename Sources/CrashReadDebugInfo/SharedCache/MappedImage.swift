internal import CrashReadCore

/// A Mach-O image in a shared cache's memory: its load commands, and the tables to which they refer.
///
/// The tables are in `__LINKEDIT`, which all images of the cache share; offsets in the commands are relative to it.
struct MappedImage {
  private let cache: SharedCache
  /// Its address.
  let address: UInt64
  /// Whether its structures are the 64-bit ones.
  let is64Bit: Bool
  private(set) var uuid: [UInt8]?
  private(set) var textSize: UInt64 = 0
  private var linkEdit: (address: UInt64, offset: UInt64)?
  private var tables: [Table: (offset: UInt32, count: UInt32)] = [:]

  /// The tables that contain names or starts of functions.
  enum Table { case symbols, strings, exports, functionStarts }

  private static let maximumCommands = 4096

  /// Reads an image; nil when there is no image of this byte order.
  init?(_ cache: SharedCache, at address: UInt64) {
    self.cache = cache
    self.address = address
    let header = cache.bytes(at: address)
    let magic = header.integer(at: 0, size: 4)
    guard magic == 0xfeed_facf || magic == 0xfeed_face else { return nil }
    is64Bit = magic == 0xfeed_facf
    var command = is64Bit ? 32 : 28
    for _ in 0..<min(Int(header.integer(at: 16, size: 4)), Self.maximumCommands) {
      let size = Int(header.integer(at: command + 4, size: 4))
      guard size >= 8, command + size <= header.count, cache.spendCommand() else { return }
      read(header.part(from: command, size: size))
      command += size
    }
  }

  private mutating func read(_ command: ByteView) {
    func number(_ offset: Int) -> UInt32 { UInt32(command.integer(at: offset, size: 4)) }
    switch number(0) {
    case 0x1, 0x19: readSegment(command, is64Bit: number(0) == 0x19)
    case 0x1b: uuid = command.bytes(at: 8, count: 16)
    case 0x2:
      tables[.symbols] = (number(8), number(12))
      tables[.strings] = (number(16), number(20))
    case 0x22, 0x8000_0022: tables[.exports] = (number(40), number(44))  // LC_DYLD_INFO
    case 0x8000_0033: tables[.exports] = (number(8), number(12))  // LC_DYLD_EXPORTS_TRIE
    case 0x26: tables[.functionStarts] = (number(8), number(12))
    default: break
    }
  }

  private mutating func readSegment(_ command: ByteView, is64Bit: Bool) {
    let name = command.part(from: 8, size: 16).string(at: 0)
    let size = is64Bit ? 8 : 4
    // vmaddr, vmsize, fileoff
    func field(_ index: Int) -> UInt64 { command.integer(at: 24 + size * index, size: size) }
    if name == "__TEXT" { textSize = field(1) }
    if name == "__LINKEDIT" { linkEdit = (field(0), field(2)) }
  }

  /// A table's bytes, and its number of entries or bytes as the command states it; empty if there is none.
  func table(_ table: Table) -> (bytes: ByteView, count: Int) {
    guard let extent = tables[table], let linkEdit, extent.count > 0 else { return (ByteView(), 0) }
    return (cache.bytes(at: linkEdit.address &+ UInt64(extent.offset) &- linkEdit.offset), Int(extent.count))
  }
}
