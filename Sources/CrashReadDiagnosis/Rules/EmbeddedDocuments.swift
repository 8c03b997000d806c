internal import CCrashReadKnowledge
internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadVerdict

/// The JSON documents of `Knowledge`, as embedded in the program.
enum EmbeddedDocuments {
  static var rules: JSONValue { unsafe parse(knowledge_rules()) }
  static var codes: JSONValue { unsafe parse(knowledge_codes()) }
  static var english: JSONValue { unsafe parse(knowledge_en()) }
  static var japanese: JSONValue { unsafe parse(knowledge_ja()) }
  static var contracts: JSONValue { unsafe parse(knowledge_contracts()) }

  /// The line with the texts of a contract; nil when there is none.
  ///
  /// A report needs one or two of hundreds, so they are located by bytes and parsed individually.
  static func contractTexts(_ id: String, in language: Language) -> JSONValue? {
    let document = unsafe language == .english ? knowledge_contracts_en() : knowledge_contracts_ja()
    let bytes = unsafe Span(_unsafeStart: document.bytes, count: document.count)
    let beginning = Array("{\"id\":\"\(id)\",".utf8)
    guard let start = bytes.firstOffset(of: beginning.span) else { return nil }
    let end = bytes.firstOffset(of: UInt8(ascii: "\n"), from: start) ?? bytes.count
    let isFollowed = bytes[end - 1] == UInt8(ascii: ",")
    return JSONValue(document: (start..<(isFollowed ? end - 1 : end)).map { bytes[$0] })
  }

  /// An invalid document gives null; the tests would miss its contents.
  private static func parse(_ document: knowledge_document) -> JSONValue {
    let bytes = unsafe UnsafeBufferPointer(start: document.bytes, count: document.count)
    return unsafe JSONValue(document: Array(bytes)) ?? .null
  }
}
