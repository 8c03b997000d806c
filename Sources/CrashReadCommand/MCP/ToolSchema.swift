internal import CrashRead
internal import CrashReadRendering

// A tool as a client sees it: its arguments as JSON Schema; those that are options come from the option table.
extension ToolDefinition {
  func write(to json: inout JSONWriter) {
    json.field("name", name)
    json.field("title", title)
    json.field("description", summary)
    json.object("inputSchema") { json in
      json.field("type", "object")
      json.object("properties") { json in
        for argument in arguments { json.object(key: argument.name) { argument.write(to: &$0) } }
        for option in options { json.object(key: option.long) { option.writeSchema(for: verb, to: &$0) } }
      }
      json.strings("required", arguments.filter(\.isRequired).map(\.name))
      json.field("additionalProperties", false)
    }
    json.object("annotations") { json in
      json.field("readOnlyHint", true)
      json.field("openWorldHint", false)
    }
  }
}

extension ToolDefinition.Argument {
  fileprivate func write(to json: inout JSONWriter) {
    switch kind {
    case .text: json.field("type", "string")
    case .number: json.field("type", "integer")
    case .texts:
      json.field("type", "array")
      json.object("items") { $0.field("type", "string") }
    case .choice(let values):
      json.field("type", "string")
      json.strings("enum", values)
    }
    json.field("description", summary)
  }
}

extension OptionDefinition {
  fileprivate func writeSchema(for verb: Verb, to json: inout JSONWriter) {
    json.field("type", value == nil ? "boolean" : "string")
    let values = choices(for: verb).map(\.word)
    if !values.isEmpty { json.strings("enum", values) }
    json.field("description", summary)
  }

  /// The arguments for the option's value from the client; empty for null or `false`.
  func arguments(for given: JSONValue) throws(ToolCall.Refusal) -> [String] {
    if given.isNull { return [] }
    if value == nil, let isSet = given.bool { return isSet ? ["--" + long] : [] }
    if value != nil, let text = given.anyText { return ["--\(long)=\(text)"] }
    throw .init(message: "\(long) must be \(value == nil ? "true or false" : "a string")")
  }
}
