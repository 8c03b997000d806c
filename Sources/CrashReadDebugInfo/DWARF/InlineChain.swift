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
    var location = lines?.location(at: address)
    guard let (function, calls) = function(at: address) else {
      return FunctionChain(frames: location.map { [SourceFrame(location: $0)] } ?? [])
    }
    var frames: [SourceFrame] = []
    frames.reserveCapacity(calls.count + 1)
    for call in calls {
      frames.append(SourceFrame(name(of: call), location: location, isInlined: true))
      location = lines?.place(of: call)
    }
    var frame = SourceFrame(function.name, location: location)
    frame.entry = function.entry
    frames.append(frame)
    let isUnnamed = function.name.linkage == nil && manglesNames
    return FunctionChain(frames: frames, unnamedEntry: isUnnamed ? function.entry : nil)
  }
}
