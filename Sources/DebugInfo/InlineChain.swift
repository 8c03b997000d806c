internal import BinaryIdentity
internal import CElfutils

/// The functions at one address, as far as DWARF names them.
struct FunctionChain {
  /// Innermost first; the last is the real function. Empty when DWARF doesn't cover the address.
  var frames: [SourceFrame]
  /// Where the real function begins, when DWARF should give its linkage name and doesn't.
  var unnamedEntry: LinkedAddress?
}

extension DwarfUnit {
  /// Functions at an address inside the unit.
  mutating func chain(at address: LinkedAddress, codeRanges: [Range<LinkedAddress>]) -> FunctionChain {
    var location = lines?.location(at: address)
    let entries = entries(at: address, codeRanges: codeRanges)
    guard let function = entries.first else {
      return FunctionChain(frames: location.map { [SourceFrame(location: $0)] } ?? [])
    }
    var frames: [SourceFrame] = []
    for entry in entries.reversed() {
      let names = entry.functionNames()
      var frame = namedFrame(SourceFrame(location: location), linkage: names.linkage, source: names.source)
      frame.isInlined = entry.tag == DW_TAG_inlined_subroutine
      frames.append(frame)
      if frame.isInlined { location = lines?.callSite(of: entry) }
    }
    let entry = function.entryAddress
    frames[frames.count - 1].entry = entry
    let isUnnamed = frames.last?.linkageName == nil && manglesNames
    return FunctionChain(frames: frames, unnamedEntry: isUnnamed ? entry : nil)
  }
}

/// A frame under the better of two names: the linker's demangled, else the source's.
func namedFrame(_ frame: SourceFrame, linkage: String?, source: String?) -> SourceFrame {
  var frame = frame
  frame.function = linkage.flatMap(demangle) ?? source ?? linkage
  frame.linkageName = linkage
  return frame
}
