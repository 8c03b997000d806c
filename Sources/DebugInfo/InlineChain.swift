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
    let table = functions ?? FunctionTable(unit: body, codeRanges: codeRanges)
    functions = table
    var location = location(at: address)
    guard var function = table.function(at: address) else {
      return FunctionChain(frames: location.map { [SourceFrame(location: $0)] } ?? [])
    }
    var frames: [SourceFrame] = []
    for var entry in inlineChain(function, at: address).reversed() {
      let names = entry.functionNames()
      var frame = namedFrame(linkage: names.linkage, source: names.source)
      frame.location = location
      frame.isInlined = entry.tag == DW_TAG_inlined_subroutine
      frames.append(frame)
      if frame.isInlined { location = callSite(of: &entry) }
    }
    let isUnnamed = frames.last?.linkageName == nil && manglesNames
    return FunctionChain(frames: frames, unnamedEntry: isUnnamed ? function.entryAddress : nil)
  }
}

/// A frame with the better of two names: the linker's demangled, else the source's.
func namedFrame(linkage: String?, source: String?) -> SourceFrame {
  guard let linkage else { return SourceFrame(function: source) }
  return SourceFrame(function: demangle(linkage) ?? source ?? linkage, linkageName: linkage)
}

/// The function that covers an address and the calls inlined there, as DWARF entries: the function first, the innermost
/// call last.
private func inlineChain(_ function: DwarfEntry, at address: LinkedAddress) -> [DwarfEntry] {
  var chain = [function]
  var scope = function
  // Each step goes one level down. Real code has a few dozen levels; the limit is for damaged files.
  for _ in 0..<1024 {
    guard let inner = innerScope(&scope, at: address) else { break }
    scope = inner
    if scope.tag == DW_TAG_inlined_subroutine { chain.append(scope) }
  }
  return chain
}

/// The child scope that covers an address; nil when none does.
private func innerScope(_ scope: inout DwarfEntry, at address: LinkedAddress) -> DwarfEntry? {
  var next = scope.firstChild
  while var child = next {
    switch child.tag {
    case DW_TAG_inlined_subroutine, DW_TAG_lexical_block, DW_TAG_try_block, DW_TAG_catch_block,
      DW_TAG_with_stmt:
      if child.holds(address.rawValue) { return child }
    default: break
    }
    next = child.nextSibling
  }
  return nil
}
