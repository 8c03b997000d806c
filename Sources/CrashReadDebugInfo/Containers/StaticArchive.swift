/// Finds a file in a static library: the format of `ar.h`, with the long names of BSD and Apple, or of GNU.
struct StaticArchive {
  /// A file in the archive.
  struct Member {
    var name: String
    /// Its modification time in seconds since 1970; 0 if the archive was created without times.
    var time: UInt64
    /// Its offset in the archive.
    var offset: Int
    var size: Int
  }

  /// In the archive's order. Two members may have the same name.
  private(set) var members: [Member] = []

  /// Nil when it isn't an archive.
  init?(_ bytes: ByteView) {
    guard Self.text(bytes, at: 0, size: 8) == "!<arch>\n" else { return nil }
    var longNames = ByteView()
    var header = 8
    while header + 60 <= bytes.count {
      let start = header + 60
      guard let size = Int(Self.field(bytes, at: header + 48, size: 10)), size >= 0,
        size <= bytes.count - start
      else { return }  // damaged: the rest can't be located
      let time = UInt64(Self.field(bytes, at: header + 16, size: 12)) ?? 0
      let name = Self.field(bytes, at: header, size: 16)
      if name == "//" {
        longNames = bytes.part(from: start, size: size)
      } else {
        members.append(Self.member(name, time, bytes.part(from: start, size: size), at: start, longNames))
      }
      header = start + size + size % 2
    }
  }

  /// Resolves a name that is stored elsewhere: before the contents (`#1/20`), or in the table of long names (`/20`).
  private static func member(
    _ name: String, _ time: UInt64, _ contents: ByteView, at start: Int, _ longNames: ByteView
  ) -> Member {
    if name.hasPrefix("#1/"), let length = Int(name.dropFirst(3)), 0...contents.count ~= length {
      let long = text(contents, at: 0, size: length).prefix { $0 != "\0" }
      return Member(name: String(long), time: time, offset: start + length, size: contents.count - length)
    }
    var name = name
    if name.hasPrefix("/"), let offset = Int(name.dropFirst()) {
      name = String(longNames.string(at: offset).prefix { $0 != "\n" })
    }
    if name.hasSuffix("/") { name.removeLast() }
    return Member(name: name, time: time, offset: start, size: contents.count)
  }

  /// A field of a header, without its padding.
  private static func field(_ bytes: ByteView, at offset: Int, size: Int) -> String {
    String(text(bytes, at: offset, size: size).prefix { $0 != " " })
  }

  private static func text(_ bytes: ByteView, at offset: Int, size: Int) -> String {
    String(decoding: (0..<size).map { bytes.byte(at: offset + $0) }, as: UTF8.self)
  }
}
