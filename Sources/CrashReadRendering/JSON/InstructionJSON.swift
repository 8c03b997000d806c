internal import CrashReadCore
internal import CrashReadVerdict

/// The instruction at which a thread stopped: `threads[n].instruction` of crashread-json(5).
func writeInstruction(_ statement: InstructionStatement, to json: inout JSONWriter) {
  json.field("address", hexadecimal: statement.address)
  json.field("bytes", hexDigits(statement.bytes))
  json.field("text", statement.text)
  if let operand = statement.operand {
    json.object("operand") { json in
      json.field("text", operand.text)
      json.field("address", operand.address.map(hexadecimal))
      json.field("size", operand.size)
      json.field("access", operand.access)
      if let matches = operand.matchesFault { json.field("matchesFault", matches) }
    }
  }
  if let origin = statement.origin {
    json.object("origin") { json in
      json.field("kind", origin.kind.rawValue)
      json.field("text", origin.text)
      json.field("variable", origin.variable)
    }
  }
  if !statement.before.isEmpty { json.strings("before", statement.before) }
  if !statement.after.isEmpty { json.strings("after", statement.after) }
}
