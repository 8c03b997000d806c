internal import CrashRead
internal import CrashReadRendering
internal import CrashReadSystem

/// A tool of the server: a command line that a client fills in.
struct ToolDefinition: Sendable {
  /// What a tool has besides options of the command.
  struct Argument: Sendable {
    enum Kind: Sendable { case text, number, texts, choice([String]) }

    var name: String
    var kind: Kind
    var summary: String
    var isRequired = false
  }

  var name: String
  var title: String
  var summary: String
  /// The command behind it.
  var verb: Verb
  var arguments: [Argument]
  /// Names of options in the option table that a client may give.
  var optionNames: [String] = []
  /// Makes the command line.
  var call: @Sendable (ToolArguments, RootFolders) throws(ToolCall.Refusal) -> ToolCall

  /// The options that a client may give, from the option table.
  var options: [OptionDefinition] {
    verb.options.filter { optionNames.contains($0.long) }
  }
}

/// What is run for a request.
struct ToolCall {
  /// Why a request can't be met, in words for whoever made it.
  struct Refusal: Error, Equatable {
    var message: String
  }

  /// Words behind the verb, without options.
  var words: [String]
  var input: [UInt8] = []
}

/// The arguments of a request, checked as they are taken.
struct ToolArguments {
  let values: JSONValue
  /// Bytes that a report may have.
  let sizeLimit: Int

  func text(_ name: String) throws(ToolCall.Refusal) -> String? {
    let value = values[name]
    guard value.isNull || value.isString else { throw .init(message: "\(name) must be a text") }
    return value.anyText
  }

  func number(_ name: String) throws(ToolCall.Refusal) -> Int? {
    if values[name].isNull { return nil }
    guard let number = values[name].number, number >= 0 else {
      throw .init(message: "\(name) must be a number that isn't negative")
    }
    return number
  }

  /// A text alone is taken for an array of one.
  func texts(_ name: String) throws(ToolCall.Refusal) -> [String] {
    let value = values[name]
    if value.isNull { return [] }
    let texts = value.isArray ? value.elements.map(\.anyText) : [value.anyText]
    let found = texts.compactMap(\.self)
    guard found.count == texts.count else { throw .init(message: "\(name) must be an array of texts") }
    return found
  }

  func required<Value>(_ name: String, _ value: Value?) throws(ToolCall.Refusal) -> Value {
    guard let value else { throw .init(message: "\(name) is missing") }
    return value
  }

  /// The report a request is about: a file below a root, or a text.
  func report(_ roots: RootFolders) throws(ToolCall.Refusal) -> [UInt8] {
    if let text = try text("text") {
      guard values["path"].string == nil else { throw .init(message: "give either path or text") }
      return Array(text.utf8)
    }
    let path = try required("path or text", text("path"))
    return try confined { () throws(RootFolders.Refusal) in try roots.bytes(of: path, limit: sizeLimit) }
  }

  /// Options for places with debug files, each below a root.
  func places(_ name: String, _ roots: RootFolders) throws(ToolCall.Refusal) -> [String] {
    var places: [String] = []
    for path in try texts(name) {
      places.append(
        try confined { () throws(RootFolders.Refusal) in
          try roots.realPath(of: path, [.file, .directory])
        })
    }
    return places
  }

  /// Does something with the roots.
  func confined<Result>(
    _ body: () throws(RootFolders.Refusal) -> Result
  ) throws(ToolCall.Refusal) -> Result {
    do throws(RootFolders.Refusal) { return try body() } catch { throw .init(message: error.message) }
  }
}
