internal import CCrashReadElfutils

/// Reads types: their names as in the source, their sizes, and the types that typedefs stand for.
///
/// Types of a damaged file can refer to one another in cycles, so each value visits a bounded number of entries; beyond
/// that, names end with `…` and the rest is unknown.
struct TypeReader {
  /// Whether the language writes `struct node` rather than `node`: C and Objective-C.
  let usesTags: Bool
  /// The size of a pointer in bytes.
  let addressSize: Int
  private(set) var budget = 10_000

  init(usesTags: Bool, addressSize: Int) {
    self.usesTags = usesTags
    self.addressSize = addressSize
  }

  /// Counts the visit of an entry; false when the maximum is reached.
  mutating func visit() -> Bool {
    budget -= 1
    return budget >= 0
  }

  // MARK: Properties of types

  /// The type behind typedefs and qualifiers; nil for `void` and cycles.
  mutating func resolved(_ type: DwarfEntry?) -> DwarfEntry? {
    var current = type
    while let entry = current, visit() {
      switch entry.tag {
      case DW_TAG_typedef, DW_TAG_const_type, DW_TAG_volatile_type, DW_TAG_restrict_type, DW_TAG_atomic_type,
        DW_TAG_immutable_type, DW_TAG_packed_type, DW_TAG_shared_type:
        current = entry.reference(DW_AT_type)
      default: return entry
      }
    }
    return nil
  }

  /// The size of a type in bytes; nil when unknown.
  mutating func size(of type: DwarfEntry?) -> UInt64? {
    guard let entry = resolved(type) else { return nil }
    if let size = entry.number(DW_AT_byte_size) { return size }
    switch entry.tag {
    case DW_TAG_pointer_type, DW_TAG_reference_type, DW_TAG_rvalue_reference_type: return UInt64(addressSize)
    case DW_TAG_array_type:
      guard let element = size(of: entry.reference(DW_AT_type)), let counts = counts(of: entry) else {
        return nil
      }
      return counts.reduce(element) { $0.multipliedReportingOverflow(by: $1).overflow ? 0 : $0 * $1 }
    case DW_TAG_structure_type:
      return entry.swiftName.flatMap { SwiftScalar(mangled: $0) }?.size(addressSize).map { UInt64($0) }
    default: return nil
    }
  }

  /// The number of elements in each dimension of an array; nil when one is unknown.
  mutating func counts(of array: DwarfEntry) -> [UInt64]? {
    var counts: [UInt64] = []
    for dimension in children(of: array, limit: 8) where dimension.tag == DW_TAG_subrange_type {
      if let count = dimension.number(DW_AT_count) {
        counts.append(count)
      } else if let last = dimension.number(DW_AT_upper_bound), last < UInt64.max {
        counts.append(last + 1)
      } else {
        return nil
      }
    }
    return counts.isEmpty ? nil : counts
  }

  /// An entry's children, within the budget.
  mutating func children(of entry: DwarfEntry, limit: Int = .max) -> [DwarfEntry] {
    var children: [DwarfEntry] = []
    var next = entry.firstChild
    while let child = next, children.count < limit, visit() {
      children.append(child)
      next = child.nextSibling.flatMap { $0.offset > child.offset ? $0 : nil }
    }
    return children
  }
}

// MARK: - Spelling

extension TypeReader {
  /// A type as written in the source: `const struct node *`, `long (*)(int)`, `[Int]`.
  mutating func spelling(of type: DwarfEntry?) -> String {
    let text = spelled(type, "", depth: 0)
    return text.utf8.count <= 200 ? text : String(text.prefix(199)) + "…"
  }

  /// Spells a type around a declarator. C declarators nest from the inside out: `inner` is what surrounds the name so
  /// far, and is passed on to the target type.
  private mutating func spelled(_ type: DwarfEntry?, _ inner: String, depth: Int) -> String {
    guard let type else { return joined("void", inner) }
    guard depth < 32, inner.utf8.count < 400, visit() else { return joined("…", inner) }
    let target = type.reference(DW_AT_type)
    switch type.tag {
    case DW_TAG_pointer_type where type.string(DW_AT_name) == nil:
      return spelled(target, "*" + inner, depth: depth + 1)
    case DW_TAG_reference_type: return spelled(target, "&" + inner, depth: depth + 1)
    case DW_TAG_rvalue_reference_type: return spelled(target, "&&" + inner, depth: depth + 1)
    case DW_TAG_const_type, DW_TAG_volatile_type, DW_TAG_restrict_type, DW_TAG_atomic_type:
      return qualified(type.tag, target, inner, depth)
    case DW_TAG_array_type:
      let counts = counts(of: type)?.map { "[\($0)]" }.joined() ?? "[]"
      return spelled(target, grouped(inner) + counts, depth: depth + 1)
    case DW_TAG_subroutine_type:
      let parameters = children(of: type, limit: 16).filter { $0.tag == DW_TAG_formal_parameter }
        .map { spelled($0.reference(DW_AT_type), "", depth: depth + 1) }.joined(separator: ", ")
      let list = parameters.isEmpty && usesTags ? "void" : parameters
      return spelled(target, "\(grouped(inner))(\(list))", depth: depth + 1)
    default: return joined(name(of: type, depth), inner)
    }
  }

  /// Spells a qualified type: `const char *`, but `char *const`, since a pointer's qualifier follows its star.
  private mutating func qualified(
    _ tag: Int, _ target: DwarfEntry?, _ inner: String, _ depth: Int
  ) -> String {
    let word =
      switch tag {
      case DW_TAG_const_type: "const"
      case DW_TAG_volatile_type: "volatile"
      case DW_TAG_restrict_type: "restrict"
      default: "_Atomic"
      }
    // This is how Swift encodes `let` declarations.
    if target?.isSwift == true { return spelled(target, inner, depth: depth + 1) }
    guard let target, target.tag == DW_TAG_pointer_type else {
      return word + " " + spelled(target, inner, depth: depth + 1)
    }
    let gap = inner.isEmpty || inner.hasPrefix("[") || inner.hasPrefix(")") ? "" : " "
    return spelled(target.reference(DW_AT_type), "*" + word + gap + inner, depth: depth + 1)
  }

  private mutating func name(of type: DwarfEntry, _ depth: Int) -> String {
    if let mangled = type.swiftName { return demangle(mangled) ?? type.string(DW_AT_name) ?? mangled }
    let tag =
      switch type.tag {
      case DW_TAG_structure_type: "struct"
      case DW_TAG_union_type: "union"
      case DW_TAG_enumeration_type: "enum"
      default: ""
      }
    guard let name = type.string(DW_AT_name) else {
      if type.isSwift, let wrapped = type.swiftContent { return spelled(wrapped, "", depth: depth + 1) }
      return tag.isEmpty ? "?" : tag + " {…}"
    }
    // An Objective-C class, recognised by its runtime class, has no tag in the source.
    let isTagged = usesTags && !tag.isEmpty && type.number(appleRuntimeClass) == nil
    return isTagged ? tag + " " + name : name
  }

  private func joined(_ name: String, _ inner: String) -> String {
    inner.isEmpty ? name : name + " " + inner
  }

  private func grouped(_ inner: String) -> String {
    inner.hasPrefix("*") || inner.hasPrefix("&") ? "(\(inner))" : inner
  }
}
