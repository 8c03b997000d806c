internal import CrashReadCore
internal import CrashReadDebugInfo
internal import CrashReadSystem

// Encodes an index: the number of directories and of files, then each preceded by its status. Numbers are 8-byte
// little-endian, texts are preceded by their length. Checksum and version are those of the stored record.
extension SearchIndex {
  var encoded: [UInt8] {
    var writer = IndexWriter()
    writer.number(directories.count)
    writer.number(files.count)
    for (status, names) in directories {
      writer.status(status)
      writer.number(names.count)
      for name in names { writer.text(name) }
    }
    for (status, contents) in files {
      writer.status(status)
      writer.contents(contents)
    }
    return writer.bytes
  }

  /// Decodes an index; nil for invalid bytes.
  init?(decoding bytes: [UInt8]) {
    var reader = IndexReader(bytes: bytes)
    do throws(TruncationError) {
      let directories = try reader.number()
      let files = try reader.number()
      for _ in 0..<directories {
        let status = try reader.status(.directory)
        var names: [String] = []
        for _ in 0..<(try reader.number()) { names.append(try reader.text()) }
        add(names, of: status)
      }
      for _ in 0..<files {
        let status = try reader.status(.file)
        add(try reader.contents(), of: status)
      }
    } catch {
      return nil
    }
    guard reader.offset == bytes.count else { return nil }
  }
}

private enum Mark {
  static let noBinary = 0
  static let binaries = 1
  static let damaged = 2

  static let hasDWARF = 1
  static let isDSYM = 2
  static let isDebugDylibStub = 4
  static let hasLink = 8
  static let hasMember = 16
}

private struct IndexWriter {
  private(set) var bytes: [UInt8] = []

  mutating func number(_ value: Int) { word(UInt64(bitPattern: Int64(value))) }

  private mutating func word(_ value: UInt64) { bytes.append(littleEndian: value) }

  mutating func text(_ text: String) { data(Array(text.utf8)) }

  private mutating func data(_ data: [UInt8]) {
    number(data.count)
    bytes += data
  }

  /// The kind isn't encoded: directories come first.
  mutating func status(_ status: FileStatus) {
    for value in [status.id.device, status.id.inode, status.size] { word(value) }
    for value in [status.written, status.changed] { word(UInt64(bitPattern: value)) }
  }

  mutating func contents(_ contents: SearchIndex.Contents) {
    switch contents {
    case .noBinary: number(Mark.noBinary)
    case .damaged(let message):
      number(Mark.damaged)
      text(message)
    case .binaries(let slices):
      number(Mark.binaries)
      number(slices.count)
      for slice in slices { self.slice(slice) }
    }
  }

  private mutating func slice(_ slice: BinarySlice.Summary) {
    text(slice.layout.rawValue)
    number(
      (slice.hasDWARF ? Mark.hasDWARF : 0) | (slice.isDSYM ? Mark.isDSYM : 0)
        | (slice.isDebugDylibStub ? Mark.isDebugDylibStub : 0)
        | (slice.debugLink == nil ? 0 : Mark.hasLink) | (slice.member == nil ? 0 : Mark.hasMember))
    number(slice.fileOffset)
    number(slice.sizeOfDWARF)
    data(slice.id?.bytes ?? [])
    text(slice.architecture?.rawValue ?? "")
    if let link = slice.debugLink {
      text(link.name)
      number(Int(link.checksum))
    }
    if let member = slice.member { text(member) }
  }
}

private struct IndexReader {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(bytes: [UInt8]) { self.bytes = bytes }

  private mutating func word() throws(TruncationError) -> UInt64 {
    let value = try bytes.span.integer(UInt64.self, at: offset)
    offset += 8
    return value
  }

  /// A count or an index.
  mutating func number() throws(TruncationError) -> Int {
    guard let value = Int(exactly: try word()) else { throw TruncationError(offset: offset) }
    return value
  }

  private mutating func data() throws(TruncationError) -> ArraySlice<UInt8> {
    let length = try number()
    guard length >= 0, length <= bytes.count - offset else { throw TruncationError(offset: offset) }
    defer { offset += length }
    return bytes[offset..<offset + length]
  }

  mutating func text() throws(TruncationError) -> String { String(decoding: try data(), as: UTF8.self) }

  mutating func status(_ kind: FileKind) throws(TruncationError) -> FileStatus {
    let id = FileStatus.ID(device: try word(), inode: try word())
    return FileStatus(
      id: id, kind: kind, size: try word(), written: Int64(bitPattern: try word()),
      changed: Int64(bitPattern: try word()))
  }

  mutating func contents() throws(TruncationError) -> SearchIndex.Contents {
    switch try number() {
    case Mark.noBinary: return .noBinary
    case Mark.damaged: return .damaged(try text())
    case Mark.binaries:
      var slices: [BinarySlice.Summary] = []
      for _ in 0..<(try number()) { slices.append(try slice()) }
      return .binaries(slices)
    default: throw TruncationError(offset: offset)
    }
  }

  private mutating func slice() throws(TruncationError) -> BinarySlice.Summary {
    guard let layout = BinarySlice.Layout(rawValue: try text()) else { throw TruncationError(offset: offset) }
    let marks = try number()
    let fileOffset = try number()
    let size = try number()
    let id = ImageID(bytes: Array(try data()))
    let architecture = try text()
    var link: DebugLink?
    if marks & Mark.hasLink != 0 {
      link = DebugLink(name: try text(), checksum: UInt32(truncatingIfNeeded: try number()))
    }
    let member = marks & Mark.hasMember == 0 ? nil : try text()
    return BinarySlice.Summary(
      layout: layout, id: id,
      architecture: architecture.isEmpty ? nil : Architecture(rawValue: architecture), fileOffset: fileOffset,
      hasDWARF: marks & Mark.hasDWARF != 0, sizeOfDWARF: size, debugLink: link,
      isDSYM: marks & Mark.isDSYM != 0, isDebugDylibStub: marks & Mark.isDebugDylibStub != 0, member: member)
  }
}
