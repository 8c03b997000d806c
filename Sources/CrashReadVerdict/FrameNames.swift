internal import CrashReadDebugInfo
internal import CrashReadReports
package import CrashReadSymbolication

extension ResolvedFrame {
  /// All names at the frame, innermost first; the report's own only when nothing else names it.
  package var functionNames: [String] {
    if !locations.isEmpty {
      let names = locations.compactMap(\.function)
      if !names.isEmpty { return names }
    }
    return ownSymbol.map { [demangle($0) ?? $0] } ?? []
  }

  /// Whether one of these names satisfies a condition. The list of names isn't built.
  package func hasFunction(where isWanted: (String) -> Bool) -> Bool {
    var isNamed = false
    for location in locations {
      guard let name = location.function else { continue }
      if isWanted(name) { return true }
      isNamed = true
    }
    guard !isNamed, let symbol = ownSymbol else { return false }
    return isWanted(demangle(symbol) ?? symbol)
  }

  /// The report's symbol; nil for a placeholder that stands for any function without a name.
  package var functionSymbol: String? {
    let placeholders = [
      "GCC_except_table", "<redacted>", "<deduplicated_symbol>", "_mh_execute_header", "___lldb_un",
    ]
    return ownSymbol.flatMap { symbol in
      placeholders.contains { symbol.hasPrefix($0) } ? nil : demangle(symbol) ?? symbol
    }
  }
}
