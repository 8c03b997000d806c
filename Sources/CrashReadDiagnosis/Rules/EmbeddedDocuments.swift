internal import CCrashReadKnowledge
internal import CrashReadReports

/// The JSON documents of `Knowledge`, as they are built into the program.
enum EmbeddedDocuments {
  static var rules: JSONValue { unsafe parse(knowledge_rules()) }
  static var codes: JSONValue { unsafe parse(knowledge_codes()) }
  static var english: JSONValue { unsafe parse(knowledge_en()) }
  static var japanese: JSONValue { unsafe parse(knowledge_ja()) }

  /// A document that is no JSON gives null, and then the tests find nothing of what should be in it.
  private static func parse(_ document: knowledge_document) -> JSONValue {
    let bytes = unsafe UnsafeBufferPointer(start: document.bytes, count: document.count)
    return unsafe JSONValue(document: Array(bytes)) ?? .null
  }
}
