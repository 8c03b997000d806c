internal import CKnowledge
internal import CrashReports

/// The JSON documents of `Knowledge`, as they are built into the program.
enum EmbeddedDocuments {
  static var rules: JSONValue { unsafe parse(knowledge_rules()) }
  static var codes: JSONValue { unsafe parse(knowledge_codes()) }
  static var english: JSONValue { unsafe parse(knowledge_en()) }
  static var japanese: JSONValue { unsafe parse(knowledge_ja()) }
  static var contracts: JSONValue { unsafe parse(knowledge_contracts()) }

  /// The line of one contract's texts; nil when there is none.
  ///
  /// Hundreds of texts are there and a report needs one or two, so they are found by bytes and read one by one.
  static func contractTexts(_ id: String, in language: Language) -> JSONValue? {
    let document = unsafe language == .english ? knowledge_contracts_en() : knowledge_contracts_ja()
    let bytes = unsafe UnsafeBufferPointer(start: document.bytes, count: document.count)
    let beginning = Array("{\"id\":\"\(id)\",".utf8)
    var lines = unsafe bytes[...]
    while let end = unsafe lines.firstIndex(of: UInt8(ascii: "\n")) {
      let line = unsafe lines[..<end]
      if unsafe line.starts(with: beginning) {
        let isFollowed = unsafe line.last == UInt8(ascii: ",")
        return unsafe JSONValue(document: Array(isFollowed ? line.dropLast() : line))
      }
      unsafe lines = lines[(end + 1)...]
    }
    return nil
  }

  /// A document that is no JSON gives null, and then the tests find nothing of what should be in it.
  private static func parse(_ document: knowledge_document) -> JSONValue {
    let bytes = unsafe UnsafeBufferPointer(start: document.bytes, count: document.count)
    return unsafe JSONValue(document: Array(bytes)) ?? .null
  }
}
