internal import CrashReadCore

/// The functions at one address, as far as DWARF names them.
struct FunctionChain {
  /// Innermost first; the last is the real function. Empty when DWARF doesn't cover the address.
  var frames: [SourceFrame]
  /// Where the real function begins, when DWARF should give its linkage name and doesn't.
  var unnamedEntry: LinkedAddress?
}

extension DwarfUnit {
  /// Functions at an address inside the unit.
  func chain(at address: LinkedAddress) -> FunctionChain {
    let location = lines?.location(at: address)
    guard let (function, calls) = function(at: address) else {
      return FunctionChain(frames: location.map { [SourceFrame(location: $0)] } ?? [])
    }
    let named = calls.lazy.map { NamedCall(name: self.name(of: $0), callSite: self.lines?.place(of: $0)) }
    let frames = inlineChain(function.name, entry: function.entry, calls: named, location: location)
    let isUnnamed = function.name.linkage == nil && manglesNames
    return FunctionChain(frames: frames, unnamedEntry: isUnnamed ? function.entry : nil)
  }
}

/// A call that was inlined.
struct NamedCall {
  /// The function that was inlined.
  var name: FunctionName
  /// Where it was called from.
  var callSite: SourceLocation?
}

/// The frames at an address, innermost first.
/// - Parameters:
///   - function: The function that isn't inlined.
///   - entry: Where that begins.
///   - calls: What was inlined into it there, innermost first.
///   - location: The line being executed.
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
