internal import CrashReadCore

/// The functions at an address, as far as DWARF names them.
struct FunctionChain {
  /// Innermost first; the last one is the real function. Empty when DWARF doesn't cover the address.
  var frames: [SourceFrame]
  /// The start of the real function, if its linkage name is missing although its language has one; otherwise nil.
  var unnamedEntry: LinkedAddress?
}

extension DwarfUnit {
  /// Functions at an address inside the unit.
  func chain(at address: LinkedAddress) -> FunctionChain {
    let location = lines?.location(at: address)
    guard let (function, calls) = function(at: address) else {
      return FunctionChain(frames: location.map { [SourceFrame(location: $0)] } ?? [])
    }
    let named = calls.lazy.map { NamedCall(name: self.name(of: $0), callSite: self.lines?.location(of: $0)) }
    let frames = inlineChain(function.name, entry: function.entry, calls: named, location: location)
    let isUnnamed = function.name.linkage == nil && manglesNames
    return FunctionChain(frames: frames, unnamedEntry: isUnnamed ? function.entry : nil)
  }
}

/// An inlined call with the name of its callee.
struct NamedCall {
  /// The function that was inlined.
  var name: FunctionName
  /// The location of the call.
  var callSite: SourceLocation?
}

/// The frames at an address, innermost first.
/// - Parameters:
///   - function: The function that isn't inlined.
///   - entry: Its start.
///   - calls: The calls inlined there, innermost first.
///   - location: The line of the address.
/// - Returns: The frames, the real function last.
func inlineChain(
  _ function: FunctionName, entry: LinkedAddress?, calls: some Collection<NamedCall>,
  location: SourceLocation?
) -> [SourceFrame] {
  var location = location
  var frames: [SourceFrame] = []
  frames.reserveCapacity(calls.count + 1)
  for call in calls {
    frames.append(SourceFrame(call.name, location: location, isInlined: true))
    location = call.callSite
  }
  var frame = SourceFrame(function, location: location)
  frame.entry = entry
  frames.append(frame)
  return frames
}

/// Reads the functions of one unit. Entries are identified by their offsets in `.debug_info`.
protocol FunctionSearch {
  /// Calls `body` with every range of every function of the unit.
  ///
  /// With `skipsBodies`, the children of a function are skipped if the compiler states where they end (gcc does), and
  /// nested functions aren't found.
  func forEachFunction(skipsBodies: Bool, _ body: (_ entry: Int, _ low: UInt64, _ high: UInt64) -> Void)

  /// Adds the blocks and inlined calls in a function to an empty tree.
  func readScopes(of function: Int, into tree: inout ScopeTree)

  /// Calls `body` with every range of an entry, `high` exclusive.
  func forEachRange(of entry: Int, _ body: (_ low: UInt64, _ high: UInt64) -> Void)

  /// The attributes of an inlined call.
  func inlinedCall(at entry: Int) -> InlinedCall

  /// A function's names, each taken from the first entry that has it, following references to its abstract instance or
  /// declaration.
  func name(of entry: Int) -> FunctionName

  /// The start of a function's code; nil when it has none.
  func entryAddress(of function: Int) -> LinkedAddress?
}

/// An inlined call: `DW_AT_call_file`, `DW_AT_call_line`, `DW_AT_call_column`.
struct InlinedCall {
  /// The entry with the function's name, as far as it is known without following references.
  var function: Int
  var file: UInt64?
  var line: UInt64?
  var column: UInt64?
}
