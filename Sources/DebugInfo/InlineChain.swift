internal import BinaryIdentity
internal import CElfutils

/// The function that covers an address and the calls inlined there, as DWARF entries: the function first, the innermost
/// call last.
func inlineChain(_ function: DwarfEntry, at address: LinkedAddress) -> [DwarfEntry] {
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
