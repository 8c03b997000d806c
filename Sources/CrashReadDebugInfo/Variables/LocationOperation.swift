internal import CCrashReadElfutils
internal import CrashReadCore

/// An operation of a DWARF expression (DWARF 5, section 2.5), copied from libdw with what it refers to.
struct LocationOperation {
  /// The size and signedness of an operation's result (DWARF 5, section 2.5.1.1).
  struct BaseType {
    var size: Int
    var isSigned: Bool
    var isInteger: Bool
  }

  /// `DW_OP_…`.
  var code: Int
  /// The first operand: a constant, a register's number, or an offset, sign-extended if it is signed.
  var first: UInt64 = 0
  /// The second operand; 0 for none.
  var second: UInt64 = 0
  /// Its offset in the expression, which branches refer to.
  var offset: UInt64 = 0
  /// Its type; nil for the generic type.
  var type: BaseType?
  /// The bytes of `DW_OP_implicit_value`.
  var bytes: [UInt8] = []
}

/// An attribute's description of where a value is.
enum LocationDescription {
  /// The entry doesn't have the attribute.
  case missing
  /// The location list has no entry for the address.
  case notHere
  /// Operations; empty if the value was optimised out.
  case operations([LocationOperation])
  /// Damaged, or longer than any real expression.
  case unreadable
}

extension DwarfEntry {
  /// The maximum number of operations. Real expressions have a few dozen.
  private static var maximumOperations: Int { 512 }

  /// The expression of an attribute for an address. The corresponding C function is `dwarf_getlocation_addr`.
  func location(_ name: Int, at address: LinkedAddress) -> LocationDescription {
    var attribute = unsafe Dwarf_Attribute()
    guard unsafe with({ unsafe dwarf_attr_integrate($0, UInt32(name), &attribute) }) != nil else {
      return .missing
    }
    var expression: UnsafeMutablePointer<Dwarf_Op>?
    var count = 0
    let found = unsafe dwarf_getlocation_addr(&attribute, address.rawValue, &expression, &count, 1)
    if found == 0 { return .notHere }
    guard found > 0, count <= Self.maximumOperations else { return .unreadable }
    guard count > 0, let start = unsafe expression else { return .operations([]) }
    var operations: [LocationOperation] = []
    for index in 0..<count {
      guard let operation = unsafe operation(start + index, &attribute) else { return .unreadable }
      operations.append(operation)
    }
    return .operations(operations)
  }

  private func operation(
    _ source: UnsafeMutablePointer<Dwarf_Op>, _ attribute: inout Dwarf_Attribute
  ) -> LocationOperation? {
    let bare = unsafe source.pointee
    var operation = LocationOperation(
      code: Int(bare.atom), first: bare.number, second: bare.number2, offset: bare.offset)
    switch operation.code {
    case DW_OP_implicit_value:
      var block = unsafe Dwarf_Block()
      guard unsafe dwarf_getlocation_implicit_value(&attribute, source, &block) == 0 else { return nil }
      operation.bytes = unsafe copiedBytes(block)
    case DW_OP_addrx, DW_OP_constx, DW_OP_GNU_addr_index, DW_OP_GNU_const_index:
      guard let value = unsafe indexedValue(source, &attribute) else { return nil }
      operation.first = value
    case DW_OP_convert, DW_OP_GNU_convert, DW_OP_reinterpret, DW_OP_GNU_reinterpret:
      // Offset 0 means the generic type.
      if operation.first == 0 { break }
      operation.type = unsafe baseType(source, &attribute)
      if operation.type == nil { return nil }
    case DW_OP_regval_type, DW_OP_GNU_regval_type:
      operation.type = unsafe baseType(source, &attribute)
      if operation.type == nil { return nil }
    default: break
    }
    return operation
  }

  /// The address or constant at an index of `.debug_addr`.
  private func indexedValue(
    _ operation: UnsafeMutablePointer<Dwarf_Op>, _ attribute: inout Dwarf_Attribute
  ) -> UInt64? {
    var target = unsafe Dwarf_Attribute()
    guard unsafe dwarf_getlocation_attr(&attribute, operation, &target) == 0 else { return nil }
    var value: UInt64 = 0
    if unsafe dwarf_formaddr(&target, &value) == 0 { return value }
    return unsafe dwarf_formudata(&target, &value) == 0 ? value : nil
  }

  private func baseType(
    _ operation: UnsafeMutablePointer<Dwarf_Op>, _ attribute: inout Dwarf_Attribute
  ) -> LocationOperation.BaseType? {
    var die = unsafe Dwarf_Die()
    guard unsafe dwarf_getlocation_die(&attribute, operation, &die) == 0 else { return nil }
    let type = unsafe DwarfEntry(die)
    guard type.tag == DW_TAG_base_type, let size = type.number(DW_AT_byte_size), (1...8).contains(size),
      let encoding = type.number(DW_AT_encoding)
    else { return nil }
    let code = Int(clamping: encoding)
    let isSigned = code == DW_ATE_signed || code == DW_ATE_signed_char
    let isUnsigned = [DW_ATE_unsigned, DW_ATE_unsigned_char, DW_ATE_boolean, DW_ATE_address].contains(code)
    return .init(size: Int(size), isSigned: isSigned, isInteger: isSigned || isUnsigned)
  }
}

/// The bytes of a block; of one longer than any value that is shown, only the first.
func copiedBytes(_ block: Dwarf_Block) -> [UInt8] {
  guard let start = unsafe block.data else { return [] }
  return unsafe Array(UnsafeBufferPointer(start: start, count: min(Int(clamping: block.length), 64)))
}
