internal import CrashReadCore

/// A mail (RFC 5322) with its parts (RFC 2045, 2046): its attachments and its own text.
package enum MailMessage {
  /// A part's name and its decoded bytes.
  package struct Part {
    package var name: String
    package var bytes: [UInt8]
  }

  private static let maximumParts = 1000
  private static let maximumDepth = 8
  private static let maximumHeaderSize = 1 << 16

  /// Whether bytes are a mail.
  package static func isMail(_ bytes: [UInt8]) -> Bool { head(of: bytes[...]) != nil }

  /// The parts of a mail, except for pictures and other media; nil for bytes that aren't a mail.
  package static func parts(of bytes: [UInt8]) -> [Part]? {
    guard let head = head(of: bytes[...]) else { return nil }
    var parts: [Part] = []
    collect(MailEntity(head: head.fields, body: head.body), into: &parts, depth: 0)
    return parts
  }

  /// The header and the body; nil when the header lacks the fields that every mail has and few other texts do.
  private static func head(of bytes: Bytes) -> (fields: MailFields, body: Bytes)? {
    guard let first = bytes.first, first.isLetter, let head = MailFields.read(bytes.prefix(maximumHeaderSize))
    else {
      return nil
    }
    let fields = head.fields
    let isMail = fields["from"] != nil && (fields["date"] != nil || fields["message-id"] != nil)
    guard isMail || fields["mime-version"] != nil && fields["content-type"] != nil else { return nil }
    return (fields, bytes[head.end...])
  }

  private static func collect(_ entity: MailEntity, into parts: inout [Part], depth: Int) {
    guard depth < maximumDepth, parts.count < maximumParts else { return }
    if let boundary = entity.boundary {
      for part in split(entity.body, at: boundary) {
        guard let head = MailFields.read(part) else { continue }
        collect(MailEntity(head: head.fields, body: part[head.end...]), into: &parts, depth: depth + 1)
      }
    } else if entity.type == "message/rfc822" {
      guard let head = MailFields.read(entity.body) else { return }
      collect(MailEntity(head: head.fields, body: entity.body[head.end...]), into: &parts, depth: depth + 1)
    } else if !entity.isPicture {
      parts.append(Part(name: entity.name ?? "part \(parts.count + 1)", bytes: entity.decodedBody))
    }
  }

  /// The parts between the lines `--boundary`, up to `--boundary--`.
  private static func split(_ body: Bytes, at boundary: String) -> [Bytes] {
    let mark = Array("--\(boundary)".utf8)
    var (parts, start): ([Bytes], Int?) = ([], nil)
    for line in LineRanges(body) where body[line].starts(with: mark) {
      if let start { parts.append(body[start..<line.lowerBound]) }
      let isLast = body[line].dropFirst(mark.count).starts(with: "--".utf8)
      if isLast || parts.count >= maximumParts { return parts }
      start = line.upperBound
    }
    if let start { parts.append(body[start...]) }
    return parts
  }
}

/// Header fields by their names in lower case, the first of each name.
private typealias MailFields = [String: String]

extension MailFields {
  /// Reads fields up to an empty line, with continuation lines; nil when another line is among them.
  fileprivate static func read(_ bytes: Bytes) -> (fields: MailFields, end: Int)? {
    var (fields, last): (MailFields, String?) = ([:], nil)
    var lines = LineRanges(bytes)
    while let range = lines.next() {
      let line = bytes[range]
      if line.trimmed.isEmpty {
        // The rest of the boundary's own line.
        if last == nil { continue }
        return (fields, lines.position)
      }
      if line.first?.isBlank == true, let last {
        fields[last]? += " " + line.trimmed.string
      } else if let colon = line.firstIndex(of: UInt8(ascii: ":")), isName(line[..<colon]) {
        let name = line[..<colon].string.lowercased()
        if fields[name] == nil { fields[name] = line[(colon + 1)...].trimmed.string }
        last = name
      } else if !line.hasPrefix("From ") || last != nil {
        return nil
      }
    }
    return nil
  }

  private static func isName(_ bytes: Bytes) -> Bool {
    !bytes.isEmpty && bytes.count < 78
      && bytes.allSatisfy { $0.isLetter || $0.isDigit || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
  }
}

/// A mail, or a part of one.
private struct MailEntity {
  var head: MailFields
  var body: Bytes

  /// `text/plain`, in lower case.
  var type: String {
    (head["content-type"] ?? "text/plain").prefix { $0 != ";" }.trimmingSpaces.lowercased()
  }

  /// The delimiter of the parts; nil when there are none.
  var boundary: String? { type.hasPrefix("multipart/") ? parameter("boundary", of: "content-type") : nil }

  /// The file name given by the sender, without a path.
  var name: String? {
    let name = parameter("filename", of: "content-disposition") ?? parameter("name", of: "content-type")
    return name.flatMap { $0.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init) }
  }

  var isPicture: Bool { ["image/", "video/", "audio/"].contains { type.hasPrefix($0) } }

  /// The parameter `name="value"` or `name=value` of a field.
  private func parameter(_ name: String, of field: String) -> String? {
    guard let value = head[field] else { return nil }
    for part in value.split(separator: ";").dropFirst() {
      let pair = part.split(separator: "=", maxSplits: 1).map(\.trimmingSpaces)
      guard pair.count == 2, pair[0].lowercased() == name else { continue }
      let text = pair[1]
      return text.hasPrefix("\"") && text.hasSuffix("\"") && text.count > 1
        ? String(text.dropFirst().dropLast()) : String(text)
    }
    return nil
  }

  /// The body with its transfer encoding decoded (RFC 2045, section 6).
  var decodedBody: [UInt8] {
    switch head["content-transfer-encoding"]?.lowercased() {
    case "base64": base64Decoded(body.filter { !$0.isWhitespace }.string) ?? Array(body)
    case "quoted-printable": quotedPrintable(body)
    default: Array(body)
    }
  }
}

extension [UInt8] {
  fileprivate var string: String { String(decoding: self, as: UTF8.self) }
}

/// Decodes quoted-printable text (RFC 2045, section 6.7): `=41` is a byte, and `=` at the end of a line is a soft line
/// break.
func quotedPrintable(_ body: Bytes) -> [UInt8] {
  var bytes: [UInt8] = []
  var position = body.startIndex
  while position < body.endIndex {
    let byte = body[position]
    position += 1
    guard byte == UInt8(ascii: "=") else {
      bytes.append(byte)
      continue
    }
    let rest = body[position...]
    if let first = rest.first, first == 0x0a || first == 0x0d {
      position += rest.hasPrefix("\r\n") ? 2 : 1
    } else if let value = UInt8(rest.prefix(2).string, radix: 16), rest.count >= 2 {
      bytes.append(value)
      position += 2
    } else {
      bytes.append(byte)
    }
  }
  return bytes
}
