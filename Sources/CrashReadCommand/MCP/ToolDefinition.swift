internal import CrashRead
internal import CrashReadRendering
internal import CrashReadSystem

/// A tool of the server: a command line with arguments from the client.
struct ToolDefinition: Sendable {
  /// An argument of a tool besides the command's options.
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
  /// The command that it runs.
  var verb: Verb
  var arguments: [Argument]
  /// The names of the command's options that a client may set.
  var optionNames: [String] = []
  /// Builds the command line.
  var call: @Sendable (ToolArguments, RootFolders) throws(ToolCall.Refusal) -> ToolCall

  /// The options that a client may set, from the option table.
  var options: [OptionDefinition] {
    verb.options.filter { optionNames.contains($0.long) }
  }
}

/// The process that is run for a request.
struct ToolCall {
  /// Why a request can't be served, as its error message.
  struct Refusal: Error, Equatable {
    var message: String
  }

  /// Arguments after the verb, without options.
  var arguments: [String]
  var input: [UInt8] = []
}

/// The arguments of a request, checked as they are read.
struct ToolArguments {
  let values: JSONValue
  /// The maximum size of a report in bytes.
  let sizeLimit: Int

  func text(_ name: String) throws(ToolCall.Refusal) -> String? {
    let value = values[name]
    guard value.isNull || value.isString else { throw .init(message: "\(name) must be a string") }
    return value.anyText
  }

  func number(_ name: String) throws(ToolCall.Refusal) -> Int? {
    if values[name].isNull { return nil }
    guard let number = values[name].number, number >= 0 else {
      throw .init(message: "\(name) must be a non-negative number")
    }
    return number
  }

  /// A single text counts as an array of one.
  func texts(_ name: String) throws(ToolCall.Refusal) -> [String] {
    let value = values[name]
    if value.isNull { return [] }
    let texts = value.isArray ? value.elements.map(\.anyText) : [value.anyText]
    let found = texts.compactMap(\.self)
    guard found.count == texts.count else { throw .init(message: "\(name) must be an array of strings") }
    return found
  }

  func required<Value>(_ name: String, _ value: Value?) throws(ToolCall.Refusal) -> Value {
    guard let value else { throw .init(message: "\(name) is missing") }
    return value
  }

  /// The report of a request: a file below a root, or a text.
  func report(_ roots: RootFolders) throws(ToolCall.Refusal) -> [UInt8] {
    if let text = try text("text") {
      guard values["path"].string == nil else { throw .init(message: "give either path or text") }
      return Array(text.utf8)
    }
    let path = try required("path or text", text("path"))
    return try confined { () throws(RootFolders.Refusal) in try roots.bytes(of: path, limit: sizeLimit) }
  }

  /// Paths for debug files, each below a root.
  func paths(_ name: String, _ roots: RootFolders) throws(ToolCall.Refusal) -> [String] {
    var paths: [String] = []
    for path in try texts(name) {
      paths.append(
        try confined { () throws(RootFolders.Refusal) in
          try roots.realPath(of: path, [.file, .directory])
        })
    }
    return paths
  }

  /// Runs a block on the roots and converts its errors.
  func confined<Result>(
    _ body: () throws(RootFolders.Refusal) -> Result
  ) throws(ToolCall.Refusal) -> Result {
    do throws(RootFolders.Refusal) { return try body() } catch { throw .init(message: error.message) }
  }
}
