internal import CrashReadCore

/// Reads the functions of one unit. Entries are named by their offsets in `.debug_info`.
protocol FunctionSearch {
  /// Calls `body` with every range of every function of the unit.
  ///
  /// With `skipsBodies`, what stands below a function is passed over where the compiler says how far it goes (gcc), and
  /// functions inside functions are not found.
  func forEachFunction(skipsBodies: Bool, _ body: (_ entry: Int, _ low: UInt64, _ high: UInt64) -> Void)

  /// Adds the blocks and inlined calls in a function to an empty tree.
  func readScopes(of function: Int, into tree: inout ScopeTree)

  /// Calls `body` with every range of an entry, `high` exclusive.
  func forEachRange(of entry: Int, _ body: (_ low: UInt64, _ high: UInt64) -> Void)

  /// What an inlined call says of itself.
  func inlinedCall(at entry: Int) -> InlinedCall

  /// A function's names, each taken from the first entry that has it, going from an inlined call or a definition to what
  /// it is an instance of.
  func name(of entry: Int) -> FunctionName

  /// Where a function's code begins; nil when it has none.
  func entryAddress(of function: Int) -> LinkedAddress?
}

/// Where a function was inlined: `DW_AT_call_file`, `DW_AT_call_line`, `DW_AT_call_column`.
struct InlinedCall {
  /// The entry that has the function's name, as far as it is known without going there.
  var function: Int
  var file: UInt64?
  var line: UInt64?
  var column: UInt64?
}
