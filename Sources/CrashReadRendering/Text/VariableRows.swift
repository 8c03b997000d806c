internal import CrashReadCore
internal import CrashReadDebugInfo

/// The variables of a function, one per line: `node = nil  const struct node *`.
///
/// The short form shows those with a value, and counts the others.
func variableLines(_ variables: [Variable], showsAll: Bool, _ labels: any Labels) -> [String] {
  let known = variables.filter(\.isKnown)
  let shown = showsAll ? variables : Array(known.prefix(6))
  var lines = shown.map { "\($0.name) = \(labels.value($0.value))  \($0.type)" }
  let rest = showsAll ? [] : Array(known.dropFirst(6)) + variables.filter { !$0.isKnown }
  if !rest.isEmpty { lines.append(labels.otherVariables(rest)) }
  return lines
}

extension Variable {
  fileprivate var isKnown: Bool { if case .known = value { true } else { false } }
}

extension Labels {
  /// A value, or in parentheses the reason why there is none.
  fileprivate func value(_ value: VariableValue) -> String {
    switch value {
    case .known(let text, _): text
    case .inMemory(let address?): "(\(inMemory), \(address))"
    case .inMemory(nil): "(\(inMemory))"
    case .notAvailable: "(\(notAvailable))"
    case .optimizedOut: "(\(optimizedOut))"
    }
  }

  /// `(3 in memory, 1 optimised out)`.
  fileprivate func otherVariables(_ variables: [Variable]) -> String {
    var (known, inMemory, notAvailable, optimizedOut) = (0, 0, 0, 0)
    for variable in variables {
      switch variable.value {
      case .known: known += 1
      case .inMemory: inMemory += 1
      case .notAvailable: notAvailable += 1
      case .optimizedOut: optimizedOut += 1
      }
    }
    return others(
      known: known, inMemory: inMemory, notAvailable: notAvailable, optimizedOut: optimizedOut)
  }
}

/// Writes `variables` of a location: each with its name, its type, and its value or why there is none.
func writeVariables(_ variables: [Variable], to json: inout JSONWriter) {
  guard !variables.isEmpty else { return }
  json.array("variables", variables) { json, variable in
    json.object { json in
      json.field("name", variable.name)
      json.field("type", variable.type)
      json.field("parameter", variable.isParameter)
      json.field("line", variable.line)
      switch variable.value {
      case .known(let text, _):
        json.field("status", "known")
        json.field("value", text)
      case .inMemory(let address):
        json.field("status", "inMemory")
        json.field("address", address?.description)
      case .notAvailable: json.field("status", "notAvailable")
      case .optimizedOut: json.field("status", "optimizedOut")
      }
    }
  }
}
