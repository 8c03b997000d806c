internal import CCrashReadElfutils
internal import CrashReadCore

/// Prints values as in the source.
struct ValueText {
  var types: TypeReader
  let architecture: Architecture?

  /// The text, and its number if it is one.
  struct Printed: Hashable {
    var text: String
    /// The pointer's bits, if the type is one.
    var pointer: UInt64?
  }

  /// A value's text; nil when there are fewer bytes than the type has. They are little-endian; a register may have
  /// more.
  mutating func printed(_ bytes: [UInt8], as type: DwarfEntry?) -> Printed? {
    guard let entry = types.resolved(type) else { return nil }
    guard let size = types.size(of: entry) else { return nil }
    guard size > 0, size <= 64, bytes.count >= Int(size) else { return nil }
    let bytes = Array(bytes.prefix(Int(size)))
    if let pointer = pointerBits(bytes, entry) {
      return Printed(text: pointerText(pointer), pointer: pointer)
    }
    return Printed(text: text(bytes, entry, depth: 0))
  }

  private func pointerBits(_ bytes: [UInt8], _ type: DwarfEntry) -> UInt64? {
    switch type.tag {
    case DW_TAG_pointer_type, DW_TAG_reference_type, DW_TAG_rvalue_reference_type, DW_TAG_unspecified_type:
      return bytes.count <= 8 ? unsigned(bytes) : nil
    case DW_TAG_structure_type:
      guard bytes.count <= 8, let scalar = type.swiftName.flatMap({ SwiftScalar(mangled: $0) }) else {
        return nil
      }
      return scalar == .pointer || scalar == .object ? unsigned(bytes) : nil
    default: return nil
    }
  }

  /// Spells a pointer. A signed one is shown without its signature, followed by the full value.
  private func pointerText(_ bits: UInt64) -> String {
    guard bits != 0 else { return "nil" }
    let address = architecture?.isARM64 == true ? architecture?.strippedCodeAddress(bits) ?? bits : bits
    return address == bits ? hexadecimal(bits) : "\(hexadecimal(address)) (\(hexadecimal(bits)))"
  }

  private mutating func text(_ bytes: [UInt8], _ type: DwarfEntry, depth: Int) -> String {
    switch type.tag {
    case DW_TAG_base_type: return scalarText(bytes, type)
    case DW_TAG_enumeration_type: return enumerator(bytes, type)
    case DW_TAG_structure_type, DW_TAG_class_type:
      if let scalar = type.swiftName.flatMap({ SwiftScalar(mangled: $0) }) {
        return swiftText(bytes, scalar)
      }
      return structure(bytes, type, depth) ?? rawText(bytes)
    default: return rawText(bytes)
    }
  }

  private func scalarText(_ bytes: [UInt8], _ type: DwarfEntry) -> String {
    let encoding = type.number(DW_AT_encoding).map { Int(clamping: $0) }
    guard bytes.count <= 8 else { return rawText(bytes) }
    let bits = unsigned(bytes)
    switch encoding {
    case DW_ATE_boolean: return bits < 2 ? bits == 1 ? "true" : "false" : String(bits)
    case DW_ATE_signed: return String(signExtended(bits, size: bytes.count))
    case DW_ATE_unsigned: return String(bits)
    case DW_ATE_signed_char:
      return characterText(String(signExtended(bits, size: bytes.count)), bits)
    case DW_ATE_unsigned_char, DW_ATE_UTF, DW_ATE_ASCII: return characterText(String(bits), bits)
    case DW_ATE_float: return floatText(bytes) ?? rawText(bytes)
    default: return rawText(bytes)
    }
  }

  private func characterText(_ number: String, _ bits: UInt64) -> String {
    guard (0x20..<0x7f).contains(bits) else { return number }
    return "\(number) '\(Character(UnicodeScalar(UInt8(bits))))'"
  }

  private func floatText(_ bytes: [UInt8]) -> String? {
    switch bytes.count {
    case 4: "\(Float(bitPattern: UInt32(truncatingIfNeeded: unsigned(bytes))))"
    case 8: "\(Double(bitPattern: unsigned(bytes)))"
    default: nil
    }
  }

  private func swiftText(_ bytes: [UInt8], _ scalar: SwiftScalar) -> String {
    let bits = unsigned(bytes)
    switch scalar {
    case .signed: return String(signExtended(bits, size: bytes.count))
    case .unsigned: return String(bits)
    case .bool: return bits & 1 == 1 ? "true" : "false"  // a Bool uses one bit only
    case .float: return floatText(bytes) ?? rawText(bytes)
    case .pointer, .object: return pointerText(bits)
    }
  }

  /// The enumerator with the value; otherwise the number.
  private mutating func enumerator(_ bytes: [UInt8], _ type: DwarfEntry) -> String {
    guard bytes.count <= 8 else { return rawText(bytes) }
    let bits = unsigned(bytes)
    for child in types.children(of: type) where child.tag == DW_TAG_enumerator {
      guard let value = child.number(DW_AT_const_value), masked(value, size: bytes.count) == bits else {
        continue
      }
      if let name = child.string(DW_AT_name) { return name }
    }
    return String(signExtended(bits, size: bytes.count))
  }

  /// Spells a structure: `{x = 1, y = 2}`; nil when a member's value can't be determined from DWARF alone.
  private mutating func structure(_ bytes: [UInt8], _ type: DwarfEntry, _ depth: Int) -> String? {
    guard depth < 3, !type.isSwift || types.hasTrueOffsets(type) else { return nil }
    var parts: [String] = []
    for child in types.children(of: type) {
      guard child.tag != DW_TAG_inheritance, child.tag != DW_TAG_variant_part else { return nil }
      guard child.tag == DW_TAG_member, !child.has(DW_AT_external) else { continue }
      guard parts.count < 8, !child.has(DW_AT_bit_size), let name = child.string(DW_AT_name),
        let offset = child.memberOffset.flatMap({ Int(exactly: $0) }),
        let member = types.resolved(child.reference(DW_AT_type)),
        let size = types.size(of: member).flatMap({ Int(exactly: $0) }), size > 0,
        offset <= bytes.count, size <= bytes.count - offset
      else { return nil }
      let slice = Array(bytes[offset..<offset + size])
      let value = pointerBits(slice, member).map(pointerText) ?? text(slice, member, depth: depth + 1)
      parts.append("\(name) = \(value)")
    }
    return parts.isEmpty ? nil : "{" + parts.joined(separator: ", ") + "}"
  }

  /// The bytes as little-endian words.
  private func rawText(_ bytes: [UInt8]) -> String {
    stride(from: 0, to: bytes.count, by: 8).map { start in
      hexadecimal(unsigned(bytes[start..<min(start + 8, bytes.count)]))
    }.joined(separator: " ")
  }
}
