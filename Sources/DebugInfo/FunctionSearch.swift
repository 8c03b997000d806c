/// Finds the entries of one unit that cover an address. Entries are named by their offsets in `.debug_info`.
protocol FunctionSearch {
  /// Calls `body` with every range of every function of the unit.
  ///
  /// With `skipsBodies`, what stands below a function is passed over where the compiler says how far it goes (gcc), and
  /// functions inside functions are not found.
  func forEachFunction(skipsBodies: Bool, _ body: (_ entry: Int, _ low: UInt64, _ high: UInt64) -> Void)

  /// The calls inlined into a function at an address, outermost first.
  func inlinedCalls(in function: Int, at address: UInt64) -> [Int]
}
