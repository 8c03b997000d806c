/// One entry of an archive that a test builds.
package struct ArchiveEntry {
  package enum Kind: Equatable {
    case file, directory, pipe, device
    case symbolicLink(String)
    /// A link to another entry, which only tar supports.
    case hardLink(String)
  }

  package var name: String
  package var kind: Kind
  package var bytes: [UInt8]

  package init(_ name: String, _ bytes: [UInt8] = [], kind: Kind = .file) {
    self.name = name
    self.kind = kind
    self.bytes = bytes
  }
}

// MARK: - Zip

/// A zip file (PKWARE's APPNOTE.TXT) of entries that are not compressed.
package func zipFile(_ entries: [ArchiveEntry]) -> [UInt8] {
  var file = ByteBuilder()
  var directory = ByteBuilder()
  for entry in entries {
    var member = ZipMember(name: entry.name, contents: entry.bytes, size: entry.bytes.count)
    if case .symbolicLink(let target) = entry.kind {
      member = ZipMember(
        name: entry.name, contents: Array(target.utf8), size: target.utf8.count, mode: 0o120777)
    }
    directory.append(contentsOf: member.directoryEntry(at: file.count))
    file.append(contentsOf: member.localEntry)
  }
  return file.bytes + directory.bytes
    + zipEnd(count: entries.count, directorySize: directory.count, directoryStart: file.count)
}

/// A zip file of one entry that expands to a gigabyte for each megabyte of it, after the first bytes.
package func zipBomb(name: String, head: [UInt8], megabytes: Int) -> [UInt8] {
  let contents = deflatedZeros(after: head, megabytes: megabytes)
  let size = head.count + megabytes << 30
  let member = ZipMember(name: name, contents: contents, size: size, method: 8)
  let entry = member.localEntry
  let directory = member.directoryEntry(at: 0)
  return entry + directory + zipEnd(count: 1, directorySize: directory.count, directoryStart: entry.count)
}

/// A zip file of many empty entries.
package func zipFile(emptyEntries count: Int) -> [UInt8] {
  let member = ZipMember(name: "x", contents: [], size: 0)
  let (entry, directory) = (member.localEntry, member.directoryEntry(at: 0))
  let size = directory.count * count
  return repeated(entry, count) + repeated(directory, count)
    + zipEnd(count: count, directorySize: size, directoryStart: entry.count * count)
}

private func repeated(_ bytes: [UInt8], _ count: Int) -> [UInt8] {
  var result = bytes
  while result.count < bytes.count * count { result += result }
  result.removeLast(result.count - bytes.count * count)
  return result
}

private struct ZipMember {
  var name: String
  var contents: [UInt8]
  var size: Int
  /// 0: as it is; 8: deflated.
  var method = 0
  var mode = 0o100644

  /// The fields in front of the contents, which are repeated in the directory.
  private var description: [UInt8] {
    var fields = ByteBuilder()
    fields.append(UInt16(20))  // the version needed
    fields.append(UInt16(1 << 11))  // the name is UTF-8
    fields.append(UInt16(method))
    fields.append(UInt32(0x5a21_0000))  // 2025-01-01
    fields.append(method == 0 ? checksum(contents) : 0)
    fields.append(UInt32(truncatingIfNeeded: contents.count))
    fields.append(UInt32(truncatingIfNeeded: size))
    fields.append(UInt16(name.utf8.count))
    fields.append(UInt16(0))
    return fields.bytes
  }

  var localEntry: [UInt8] { [0x50, 0x4b, 3, 4] + description + Array(name.utf8) + contents }

  func directoryEntry(at offset: Int) -> [UInt8] {
    var fields = ByteBuilder()
    fields.append(contentsOf: [0x50, 0x4b, 1, 2])
    fields.append(UInt16(3 << 8 | 20))  // made on Unix, whose modes are above
    fields.append(contentsOf: description)
    fields.append(UInt16(0))
    fields.append(UInt16(0))
    fields.append(UInt16(0))
    fields.append(UInt32(mode) << 16)
    fields.append(UInt32(offset))
    fields.append(contentsOf: Array(name.utf8))
    return fields.bytes
  }
}

private func zipEnd(count: Int, directorySize: Int, directoryStart: Int) -> [UInt8] {
  var end = ByteBuilder()
  end.append(contentsOf: [0x50, 0x4b, 5, 6, 0, 0, 0, 0])
  for _ in 0..<2 { end.append(UInt16(truncatingIfNeeded: count)) }
  end.append(UInt32(directorySize))
  end.append(UInt32(directoryStart))
  end.append(UInt16(0))
  return end.bytes
}

/// The CRC-32 of zip and gzip.
private func checksum(_ bytes: [UInt8]) -> UInt32 {
  var sum: UInt32 = .max
  for byte in bytes {
    sum ^= UInt32(byte)
    for _ in 0..<8 { sum = sum >> 1 ^ (sum & 1 == 0 ? 0 : 0xedb8_8320) }
  }
  return ~sum
}

// MARK: - Tar, ar, gzip

/// A tar file in POSIX's "ustar" form; long names go into entries of GNU's.
package func tarFile(_ entries: [ArchiveEntry]) -> [UInt8] {
  var file: [UInt8] = []
  for entry in entries {
    if entry.name.utf8.count > 100 {
      file += tarMember(ArchiveEntry("././@LongLink", Array(entry.name.utf8) + [0]), type: "L")
    }
    file += tarMember(entry, type: nil)
  }
  return file + [UInt8](repeating: 0, count: 1024)
}

private func tarMember(_ entry: ArchiveEntry, type: Character?) -> [UInt8] {
  let (kind, target) =
    switch entry.kind {
    case .file: ("0", "")
    case .hardLink(let target): ("1", target)
    case .symbolicLink(let target): ("2", target)
    case .device: ("3", "")
    case .directory: ("5", "")
    case .pipe: ("6", "")
    }
  func header(checksum: String) -> [UInt8] {
    var fields = ByteBuilder()
    fields.append(entry.name, length: 100)
    for text in ["0000644", "0000000", "0000000"] { fields.append(text, length: 8) }
    fields.append(octal(entry.bytes.count, digits: 11), length: 12)
    fields.append(octal(1_735_689_600, digits: 11), length: 12)
    fields.append(checksum, length: 8)
    fields.append(type.map(String.init) ?? kind, length: 1)
    fields.append(target, length: 100)
    fields.append("ustar", length: 6)
    fields.append("00", length: 2)
    fields.pad(to: 512)
    return fields.bytes
  }
  let sum = header(checksum: "        ").reduce(0) { $0 + Int($1) }
  let padding = (512 - entry.bytes.count % 512) % 512
  return header(checksum: octal(sum, digits: 6)) + entry.bytes + [UInt8](repeating: 0, count: padding)
}

private func octal(_ number: Int, digits: Int) -> String {
  let text = String(number, radix: 8)
  return String(repeating: "0", count: max(0, digits - text.count)) + text
}

/// An ar file, as Debian packages are.
package func arFile(_ entries: [ArchiveEntry]) -> [UInt8] {
  var file = ByteBuilder()
  file.append(contentsOf: Array("!<arch>\n".utf8))
  for entry in entries {
    for (text, length) in [
      (entry.name, 16), ("0", 12), ("0", 6), ("0", 6), ("100644", 8), (String(entry.bytes.count), 10),
    ] {
      file.append(contentsOf: Array((text + String(repeating: " ", count: length - text.utf8.count)).utf8))
    }
    file.append(contentsOf: [0x60, 0x0a] + entry.bytes + (entry.bytes.count % 2 == 0 ? [] : [0x0a]))
  }
  return file.bytes
}

/// A gzip file (RFC 1952) that expands to some bytes, and a gigabyte of zeros for each megabyte that follows. It has no end.
package func gzipBomb(head: [UInt8], megabytes: Int) -> [UInt8] {
  [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3] + deflatedZeros(after: head, megabytes: megabytes)
}

/// Bytes as they are, and then a block with a code in which two bits stand for 258 zeros (RFC 1951).
///
/// Eight zero bits in a row are four times that; so the block's header is followed by as many zero bytes as one likes.
private func deflatedZeros(after head: [UInt8], megabytes: Int) -> [UInt8] {
  var stored = ByteBuilder()
  let start = head + [0]  // what is repeated is the byte before
  stored.append(UInt8(0))
  stored.append(UInt16(start.count))
  stored.append(~UInt16(start.count))
  stored.append(contentsOf: start)
  let header: [UInt8] = [0xec, 0xc1, 1, 1, 0, 0, 0, 0x80, 0x90, 0xfe, 0xaf, 0xee, 8, 0x0a]
  return stored.bytes + header + [UInt8](repeating: 0, count: megabytes << 20)
}
