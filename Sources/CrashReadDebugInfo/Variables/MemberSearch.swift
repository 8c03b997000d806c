internal import CCrashReadElfutils
internal import CrashReadCore

/// Finds the members of a pointer's target type at an offset.
struct MemberSearch {
  var types: TypeReader

  /// A member by its path from the outermost type: `origin.x`, `names[2]`; empty for the type itself.
  struct Member: Hashable {
    var path: String
    /// Whether the member begins at the offset; false for a bit-field that shares the bytes there.
    var isExact = true
  }

  /// The maximum number of candidates; more say nothing.
  static let maximumMembers = 8

  /// All members that begin at an offset, only innermost ones: several for unions and bit-fields.
  ///
  /// Empty when no member begins at the offset, or DWARF doesn't say.
  mutating func members(of type: DwarfEntry?, at offset: UInt64) -> [Member] {
    var found: [Member] = []
    search(type, offset, path: "", depth: 0, &found)
    // If some types weren't read, another member may be at the offset as well.
    return found.count <= Self.maximumMembers && types.budget >= 0 ? found : []
  }

  private mutating func search(
    _ type: DwarfEntry?, _ offset: UInt64, path: String, depth: Int, _ found: inout [Member]
  ) {
    guard depth < 16, found.count <= Self.maximumMembers, let entry = types.resolved(type),
      let size = types.size(of: entry), offset < size
    else { return }
    switch entry.tag {
    case DW_TAG_structure_type, DW_TAG_class_type, DW_TAG_union_type:
      // Objective-C lays out ivars at run time, and DWARF omits the header of Swift's objects.
      if entry.hasMembersElsewhere {
        if depth > 0, offset == 0 { found.append(Member(path: path)) }
        return
      }
      if let scalar = entry.swiftName.flatMap({ SwiftScalar(mangled: $0) }), scalar != .object {
        if offset == 0 { found.append(Member(path: path)) }
        return
      }
      guard !entry.isSwift || types.hasTrueOffsets(entry) else { return }
      for child in types.children(of: entry) { visit(child, offset, path, depth, &found) }
    case DW_TAG_array_type: searchArray(entry, offset, path, depth, &found)
    default: if offset == 0 { found.append(Member(path: path)) }
    }
  }

  private mutating func visit(
    _ child: DwarfEntry, _ offset: UInt64, _ path: String, _ depth: Int, _ found: inout [Member]
  ) {
    guard child.tag == DW_TAG_member || child.tag == DW_TAG_inheritance,
      !child.has(DW_AT_external), !child.has(DW_AT_declaration)
    else { return }
    // Base classes and anonymous unions and structures don't appear in the path.
    let name = child.tag == DW_TAG_member ? child.string(DW_AT_name) : nil
    let inner = [path, name ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
    if child.has(DW_AT_bit_size) {
      if holdsBitField(child, offset), name != nil { found.append(Member(path: inner, isExact: false)) }
      return
    }
    guard let start = child.memberOffset, start <= offset else { return }
    search(child.reference(DW_AT_type), offset - start, path: inner, depth: depth + 1, &found)
  }

  /// Whether the bytes accessed for a bit-field include an offset: the storage unit of its declared type.
  private mutating func holdsBitField(_ field: DwarfEntry, _ offset: UInt64) -> Bool {
    guard let unit = field.number(DW_AT_byte_size) ?? types.size(of: field.reference(DW_AT_type)), unit > 0
    else { return false }
    let start =
      field.number(DW_AT_data_bit_offset).map { $0 / 8 / unit * unit } ?? field.memberOffset ?? UInt64.max
    return start <= offset && offset - start < unit
  }

  private mutating func searchArray(
    _ array: DwarfEntry, _ offset: UInt64, _ path: String, _ depth: Int, _ found: inout [Member]
  ) {
    let element = array.reference(DW_AT_type)
    guard let size = types.size(of: element), size > 0, let counts = types.counts(of: array) else { return }
    var index = offset / size
    var subscripts: [String] = []
    for count in counts.reversed() {
      guard count > 0 else { return }
      subscripts.insert("[\(index % count)]", at: 0)
      index /= count
    }
    search(element, offset % size, path: path + subscripts.joined(), depth: depth + 1, &found)
  }
}

extension TypeReader {
  /// Whether the members of a Swift structure have the offsets that DWARF states.
  ///
  /// Observed in Swift 6.3: the compiler adds up sizes and ignores alignment, so that an `Int32` after a `UInt8` has
  /// offset 9 instead of 12. An offset that satisfies the strictest alignment a member of its size can have, the
  /// largest power of two that divides the size, needs no padding, and is right if all before it are.
  mutating func hasTrueOffsets(_ structure: DwarfEntry) -> Bool {
    for member in children(of: structure) where member.tag == DW_TAG_member {
      guard let offset = member.memberOffset, let size = size(of: member.reference(DW_AT_type)) else {
        return false
      }
      let alignment = size == 0 ? 1 : min(16, UInt64(1) << UInt64(63 - size.leadingZeroBitCount))
      guard offset % alignment == 0 else { return false }
    }
    return true
  }
}

extension DwarfEntry {
  /// Whether DWARF's offsets of members differ from those in memory.
  var hasMembersElsewhere: Bool {
    guard let runtime = number(appleRuntimeClass) else { return false }
    if Int(clamping: runtime) == DW_LANG_ObjC || Int(clamping: runtime) == DW_LANG_ObjC_plus_plus {
      return true
    }
    return isSwift && swiftName.flatMap { SwiftScalar(mangled: $0) } == .object
  }

  /// A member's offset in its structure; nil if it isn't a constant, as for virtual bases.
  var memberOffset: UInt64? {
    guard has(DW_AT_data_member_location) else {
      return number(DW_AT_data_bit_offset).map { $0 / 8 } ?? 0
    }
    if let offset = number(DW_AT_data_member_location) { return offset }
    // DWARF 2 uses an expression, which is evaluated with the structure's address on the stack.
    guard case .operations(let operations) = location(DW_AT_data_member_location, at: LinkedAddress(0)),
      operations.count == 1, operations[0].code == DW_OP_plus_uconst
    else { return nil }
    return operations[0].first
  }

  /// Whether an entry has an attribute. The corresponding C function is `dwarf_hasattr`.
  func has(_ name: Int) -> Bool { unsafe with { unsafe dwarf_hasattr($0, UInt32(name)) } != 0 }
}
