internal import CrashReadCore
internal import CrashReadDiagnosis
internal import CrashReadRendering
internal import CrashReadVerdict

/// A setting of a worker, encoded as texts.
private struct Field: Sendable {
  let name: String
  /// Encodes the setting, one text per value.
  let texts: @Sendable (BatchSettings) -> [String]
  /// Decodes one value.
  let take: @Sendable (inout BatchSettings, String) -> Void

  typealias Path<Value> = any WritableKeyPath<BatchSettings, Value> & Sendable

  static func list(_ name: String, _ path: Path<[String]>) -> Field {
    Field(name: name, texts: { $0[keyPath: path] }, take: { $0[keyPath: path].append($1) })
  }

  static func text(_ name: String, _ path: Path<String?>) -> Field {
    Field(name: name, texts: { $0[keyPath: path].map { [$0] } ?? [] }, take: { $0[keyPath: path] = $1 })
  }

  static func flag(_ name: String, _ path: Path<Bool>) -> Field {
    Field(name: name, texts: { ["\($0[keyPath: path])"] }, take: { $0[keyPath: path] = $1 == "true" })
  }

  static func number(_ name: String, _ path: Path<Int>) -> Field {
    Field(
      name: name, texts: { ["\($0[keyPath: path])"] },
      take: { $0[keyPath: path] = Int($1) ?? $0[keyPath: path] })
  }
}

/// The settings that a worker needs; those used by the batch alone aren't included.
private let fields: [Field] =
  [
    .list("symbols", \.symbols), .list("optionalSymbols", \.optionalSymbols), .text("caches", \.caches),
    .flag("asksDebuginfod", \.asksDebuginfod), .list("symbolServers", \.symbolServers),
    .list("programFolders", \.programFolders), .text("symbolMemory", \.symbolMemory),
    .number("quorum", \.quorum), .flag("learns", \.learns), .flag("learnsByFolder", \.learnsByFolder),
    .flag("allowsMismatch", \.allowsMismatch), .flag("showsReasoning", \.showsReasoning),
    .number("seconds", \.inputLimits.seconds),
    .list("cacheCommand", \.cacheCommand), .flag("writesResults", \.writesResults),
    Field(
      name: "language", texts: { [$0.language.rawValue] },
      take: { $0.language = Language(rawValue: $1) ?? $0.language }),
    Field(
      name: "brief", texts: { $0.brief.map { [$0.rawValue] } ?? [] },
      take: { $0.brief = BriefAudience(rawValue: $1) }),
  ]
  + Limits.Name.allCases.map { limit in
    Field(
      name: "limit." + limit.rawValue, texts: { ["\($0.limits[limit])"] },
      take: { settings, text in Int(text).map { settings.limits[limit] = $0 } })
  }

extension BatchSettings {
  /// The settings as sent to a worker: names and values alternate.
  var message: [UInt8] {
    joinedTexts(fields.flatMap { field in field.texts(self).flatMap { [field.name, $0] } })
  }

  /// Decodes the settings that a batch sends.
  init(message: [UInt8]) {
    self.init()
    let texts = splitTexts(message)
    let known = Dictionary(uniqueKeysWithValues: fields.map { ($0.name, $0) })
    for index in stride(from: 1, to: texts.count, by: 2) {
      known[texts[index - 1]]?.take(&self, texts[index])
    }
  }
}
