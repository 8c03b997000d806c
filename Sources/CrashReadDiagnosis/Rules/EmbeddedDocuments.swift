internal import CCrashReadKnowledge
internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadVerdict

/// The JSON documents of `Knowledge`, as embedded in the program.
enum EmbeddedDocuments {
  static var rules: JSONValue { unsafe ProgramText(knowledge_rules()).value }
  static var frames: JSONValue { unsafe ProgramText(knowledge_frames()).value }
  static var codes: JSONValue { unsafe ProgramText(knowledge_codes()).value }
  static var english: JSONValue { unsafe ProgramText(knowledge_en()).value }
  static var japanese: JSONValue { unsafe ProgramText(knowledge_ja()).value }
  static var contracts: JSONValue { unsafe ProgramText(knowledge_contracts()).value }
  /// The elements of `contracts`, for whoever keeps them.
  static var contractLines: EmbeddedLines { unsafe EmbeddedLines(ProgramText(knowledge_contracts())) }

  /// The texts of a contract; nil when there are none.
  ///
  /// A report needs one or two of thousands, so they are located by their lines and parsed one by one.
  static func contractTexts(_ id: String, in language: Language) -> JSONValue? {
    let lines = language == .english ? englishContracts : japaneseContracts
    return lines.first(beginningWith: Array("{\"id\":\"\(id)\",".utf8))
  }

  private static let englishContracts = unsafe EmbeddedLines(ProgramText(knowledge_contracts_en()))
  private static let japaneseContracts = unsafe EmbeddedLines(ProgramText(knowledge_contracts_ja()))
}

extension ProgramText {
  fileprivate init(_ document: knowledge_document) {
    unsafe self.init(document.bytes, count: document.count)
  }

  /// The whole text, parsed. An invalid one gives null, so the tests would find its contents missing.
  fileprivate var value: JSONValue { JSONValue(document: self) ?? .null }

  /// The value that fills the rest of a line, except for a comma at its end; nil when it is invalid.
  fileprivate func valueOfLine(from start: Int) -> JSONValue? {
    withBytes { bytes in
      let end = bytes.firstOffset(of: UInt8(ascii: "\n"), from: start) ?? bytes.count
      let isFollowed = bytes[end - 1] == UInt8(ascii: ",")
      return JSONValue(document: bytes.extracting(start..<(isFollowed ? end - 1 : end)).array)
    }
  }
}

/// The elements of an array with one on each line, each parsed when it is needed: neither the text nor the locations of all
/// its values are kept in memory.
struct EmbeddedLines: RandomAccessCollection, Sendable {
  private let text: ProgramText
  /// The offset of each element.
  private let starts: [Int]

  fileprivate init(_ text: ProgramText) {
    self.text = text
    starts = text.withBytes { bytes in
      var (starts, position) = ([Int](), 0)
      while let end = bytes.firstOffset(of: UInt8(ascii: "\n"), from: position) {
        if bytes[position] == UInt8(ascii: "{") { starts.append(position) }
        position = end + 1
      }
      return starts
    }
  }

  /// The first element whose text begins like this; nil when there is none.
  func first(beginningWith start: [UInt8]) -> JSONValue? {
    let found = text.withBytes { bytes in
      starts.first { bytes.extracting($0...).begins(with: start.span) }
    }
    return found.flatMap(text.valueOfLine)
  }

  var startIndex: Int { 0 }
  var endIndex: Int { starts.count }
  subscript(index: Int) -> JSONValue { text.valueOfLine(from: starts[index]) ?? .null }
}
