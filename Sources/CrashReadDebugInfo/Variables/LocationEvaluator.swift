internal import CCrashReadElfutils

/// The result of a DWARF expression, given only registers.
enum EvaluatedLocation: Equatable {
  /// The value's bytes, little-endian; as many as a register has, which can be more than the type's size.
  case bytes([UInt8])
  /// The value is in memory, at an address of the crashed process; nil when computing the address needs memory.
  case memory(UInt64?)
  /// It needs a register that the report doesn't state, the caller's registers, or something unsupported.
  case notAvailable
  /// The expression is empty: the value was optimised out.
  case nowhere
}

/// Evaluates DWARF expressions (DWARF 5, sections 2.5 and 2.6) with a thread's registers.
///
/// Nothing is guessed: an operation that needs memory, a caller's frame or thread-local storage ends the evaluation.
struct LocationEvaluator {
  let registers: DwarfRegisters
  /// The unit's address size in bytes.
  let addressSize: Int
  /// The difference between linked addresses and those of the process.
  let slide: UInt64
  /// The function's `DW_AT_frame_base`, evaluated.
  var frameBase = EvaluatedLocation.notAvailable

  private enum Stop: Error { case needsMemory, notAvailable }

  private struct Entry {
    var bits: UInt64
    var type: LocationOperation.BaseType?
  }

  /// Where the value is, according to the operations so far.
  private enum LocationKind {
    /// Its address is on top of the stack.
    case address
    case register(UInt64)
    /// The value itself is on top of the stack.
    case stackValue
    case implicit([UInt8])
  }

  /// The maximum number of operations. Branches can go back, so a damaged expression may not end.
  private static let maximumSteps = 4096
  private static let maximumStackDepth = 256
  private static let maximumValueSize: UInt64 = 64

  func evaluate(_ operations: [LocationOperation]) -> EvaluatedLocation {
    if operations.isEmpty { return .nowhere }
    do throws(Stop) {
      return try run(operations)
    } catch {
      return error == .needsMemory || isPlainAddress(operations) ? .memory(nil) : .notAvailable
    }
  }

  /// Whether an expression gives a memory address whatever the registers hold, as for all variables of an unoptimised
  /// program.
  private func isPlainAddress(_ operations: [LocationOperation]) -> Bool {
    guard operations.count == 1 else { return false }
    switch operations[0].code {
    case DW_OP_fbreg, DW_OP_bregx, DW_OP_breg0...DW_OP_breg31: return true
    default: return false
    }
  }

  private func run(_ operations: [LocationOperation]) throws(Stop) -> EvaluatedLocation {
    var stack: [Entry] = []
    var kind = LocationKind.address
    var pieces: [EvaluatedLocation] = []
    var index = 0
    for _ in 0..<Self.maximumSteps {
      guard index < operations.count else {
        return pieces.isEmpty ? try value(kind, stack) : whole(pieces)
      }
      let operation = operations[index]
      index += 1
      switch operation.code {
      case DW_OP_skip: index = try target(of: operation, in: operations)
      case DW_OP_bra: if try pop(&stack).bits != 0 { index = try target(of: operation, in: operations) }
      case DW_OP_piece:
        guard operation.first <= Self.maximumValueSize else { throw .notAvailable }
        let isEmpty = if case .address = kind { stack.isEmpty } else { false }
        pieces.append(isEmpty ? .nowhere : truncated(try value(kind, stack), to: Int(operation.first)))
        stack = []
        kind = .address
        guard pieces.count <= 16 else { throw .notAvailable }
      case DW_OP_reg0...DW_OP_reg31: kind = .register(UInt64(operation.code - DW_OP_reg0))
      case DW_OP_regx: kind = .register(operation.first)
      case DW_OP_stack_value: kind = .stackValue
      case DW_OP_implicit_value: kind = .implicit(operation.bytes)
      default: try step(operation, &stack)
      }
      guard stack.count <= Self.maximumStackDepth else { throw .notAvailable }
    }
    throw .notAvailable
  }

  /// The index of a branch's target operation; one past the last ends the expression.
  private func target(
    of branch: LocationOperation, in operations: [LocationOperation]
  ) throws(Stop) -> Int {
    let offset = branch.offset &+ 3 &+ branch.first
    if let index = operations.firstIndex(where: { $0.offset == offset }) { return index }
    throw .notAvailable
  }

  private func value(_ kind: LocationKind, _ stack: [Entry]) throws(Stop) -> EvaluatedLocation {
    switch kind {
    case .register(let number):
      return .bytes(littleEndian(try register(number), size: registers.size(of: number)))
    case .implicit(let bytes): return .bytes(bytes)
    case .address, .stackValue:
      guard let top = stack.last else { throw .notAvailable }
      guard case .stackValue = kind else { return .memory(masked(top.bits, size: addressSize)) }
      return .bytes(littleEndian(top.bits, size: top.type?.size ?? addressSize))
    }
  }

  private func truncated(_ value: EvaluatedLocation, to size: Int) -> EvaluatedLocation {
    guard case .bytes(let bytes) = value else { return value }
    return bytes.count >= size ? .bytes(Array(bytes.prefix(size))) : .notAvailable
  }

  /// Joins the pieces of a value, if all of them are known.
  private func whole(_ pieces: [EvaluatedLocation]) -> EvaluatedLocation {
    if pieces.allSatisfy({ $0 == .nowhere }) { return .nowhere }
    var bytes: [UInt8] = []
    for piece in pieces {
      switch piece {
      case .bytes(let part): bytes += part
      case .memory: return .memory(nil)
      case .notAvailable, .nowhere: return .notAvailable
      }
    }
    return .bytes(bytes)
  }
}

// MARK: - One operation

extension LocationEvaluator {
  private func step(_ operation: LocationOperation, _ stack: inout [Entry]) throws(Stop) {
    let code = operation.code
    switch code {
    case DW_OP_nop: break
    case DW_OP_lit0...DW_OP_lit31: push(UInt64(code - DW_OP_lit0), &stack)
    case DW_OP_const1u, DW_OP_const1s, DW_OP_const2u, DW_OP_const2s, DW_OP_const4u, DW_OP_const4s,
      DW_OP_const8u, DW_OP_const8s, DW_OP_constu, DW_OP_consts, DW_OP_constx, DW_OP_GNU_const_index:
      push(operation.first, &stack)
    case DW_OP_addr, DW_OP_addrx, DW_OP_GNU_addr_index: push(operation.first &+ slide, &stack)
    case DW_OP_breg0...DW_OP_breg31:
      push(try register(UInt64(code - DW_OP_breg0)) &+ operation.first, &stack)
    case DW_OP_bregx: push(try register(operation.first) &+ operation.second, &stack)
    case DW_OP_regval_type, DW_OP_GNU_regval_type:
      stack.append(try converted(Entry(bits: try register(operation.first)), to: operation.type))
    case DW_OP_fbreg: push(try frameAddress() &+ operation.first, &stack)
    case DW_OP_convert, DW_OP_GNU_convert, DW_OP_reinterpret, DW_OP_GNU_reinterpret:
      stack.append(try converted(try pop(&stack), to: operation.type))
    // The CFA needs `.eh_frame`, which debug files lack; the value is in memory in any case.
    case DW_OP_deref, DW_OP_deref_size, DW_OP_deref_type, DW_OP_GNU_deref_type, DW_OP_xderef,
      DW_OP_xderef_size, DW_OP_xderef_type, DW_OP_call_frame_cfa, DW_OP_form_tls_address,
      DW_OP_GNU_push_tls_address:
      throw .needsMemory
    case DW_OP_dup, DW_OP_drop, DW_OP_over, DW_OP_pick, DW_OP_swap, DW_OP_rot:
      try rearrange(operation, &stack)
    case DW_OP_abs, DW_OP_neg, DW_OP_not, DW_OP_plus_uconst: try change(operation, &stack)
    default: try combine(code, &stack)
    }
  }

  private func push(_ bits: UInt64, _ stack: inout [Entry]) {
    stack.append(Entry(bits: masked(bits, size: addressSize)))
  }

  private func pop(_ stack: inout [Entry]) throws(Stop) -> Entry {
    guard let top = stack.popLast() else { throw .notAvailable }
    return top
  }

  private func register(_ number: UInt64) throws(Stop) -> UInt64 {
    guard let value = registers[number] else { throw .notAvailable }
    return value
  }

  private func frameAddress() throws(Stop) -> UInt64 {
    switch frameBase {
    // A register as the frame base stands for its contents (DWARF 5, section 3.3.5).
    case .bytes(let bytes): return unsigned(bytes)
    case .memory(let address?): return address
    case .memory(nil): throw .needsMemory
    case .notAvailable, .nowhere: throw .notAvailable
    }
  }

  private func rearrange(_ operation: LocationOperation, _ stack: inout [Entry]) throws(Stop) {
    let depth = stack.count
    switch operation.code {
    case DW_OP_drop: _ = try pop(&stack)
    case DW_OP_swap:
      guard depth >= 2 else { throw .notAvailable }
      stack.swapAt(depth - 1, depth - 2)
    case DW_OP_rot:
      guard depth >= 3 else { throw .notAvailable }
      stack.insert(stack.removeLast(), at: depth - 3)
    default:
      let below: UInt64 =
        operation.code == DW_OP_dup ? 0 : operation.code == DW_OP_over ? 1 : operation.first
      guard below < UInt64(depth) else { throw .notAvailable }
      stack.append(stack[depth - 1 - Int(below)])
    }
  }

  private func change(_ operation: LocationOperation, _ stack: inout [Entry]) throws(Stop) {
    var top = try pop(&stack)
    switch operation.code {
    case DW_OP_abs: if signed(top) < 0 { top.bits = 0 &- top.bits }
    case DW_OP_neg: top.bits = 0 &- top.bits
    case DW_OP_not: top.bits = ~top.bits
    default: top.bits = top.bits &+ operation.first
    }
    stack.append(try normalized(top))
  }

  private func combine(_ code: Int, _ stack: inout [Entry]) throws(Stop) {
    let right = try pop(&stack)
    var left = try pop(&stack)
    let (a, b) = (left.bits, right.bits)
    let width = UInt64(8 * (left.type?.size ?? addressSize))
    switch code {
    case DW_OP_and: left.bits = a & b
    case DW_OP_or: left.bits = a | b
    case DW_OP_xor: left.bits = a ^ b
    case DW_OP_plus: left.bits = a &+ b
    case DW_OP_minus: left.bits = a &- b
    case DW_OP_mul: left.bits = a &* b
    case DW_OP_shl: left.bits = b < width ? a << b : 0
    case DW_OP_shr: left.bits = b < width ? a >> b : 0
    case DW_OP_shra: left.bits = UInt64(bitPattern: signed(left) >> Int64(min(b, 63)))
    case DW_OP_div, DW_OP_mod: left.bits = try quotient(code, left, right)
    case DW_OP_eq, DW_OP_ne, DW_OP_lt, DW_OP_le, DW_OP_gt, DW_OP_ge:
      left = Entry(bits: compare(code, signed(left), signed(right)) ? 1 : 0)
    default: throw .notAvailable
    }
    stack.append(try normalized(left))
  }

  /// Division is signed, while the generic type's remainder isn't (DWARF 5, section 2.5.1.4).
  private func quotient(_ code: Int, _ left: Entry, _ right: Entry) throws(Stop) -> UInt64 {
    guard right.bits != 0 else { throw .notAvailable }
    let isSigned = left.type?.isSigned ?? (code == DW_OP_div)
    if !isSigned { return code == DW_OP_div ? left.bits / right.bits : left.bits % right.bits }
    let (a, b) = (signed(left), signed(right))
    let result =
      code == DW_OP_div ? a.dividedReportingOverflow(by: b) : a.remainderReportingOverflow(dividingBy: b)
    return UInt64(bitPattern: result.partialValue)
  }

  private func compare(_ code: Int, _ a: Int64, _ b: Int64) -> Bool {
    switch code {
    case DW_OP_eq: a == b
    case DW_OP_ne: a != b
    case DW_OP_lt: a < b
    case DW_OP_le: a <= b
    case DW_OP_gt: a > b
    default: a >= b
    }
  }

  // MARK: Sizes

  private func signed(_ entry: Entry) -> Int64 {
    // Comparisons of the generic type are signed; a typed value has its own signedness.
    if entry.type?.isSigned == false { return Int64(bitPattern: entry.bits) }
    return signExtended(entry.bits, size: entry.type?.size ?? addressSize)
  }

  private func converted(_ entry: Entry, to type: LocationOperation.BaseType?) throws(Stop) -> Entry {
    guard entry.type?.isInteger != false, type?.isInteger != false else { throw .notAvailable }
    let isSigned = entry.type?.isSigned ?? false
    let bits = isSigned ? UInt64(bitPattern: signed(entry)) : entry.bits
    return try normalized(Entry(bits: bits, type: type))
  }

  private func normalized(_ entry: Entry) throws(Stop) -> Entry {
    guard entry.type?.isInteger != false else { throw .notAvailable }
    return Entry(bits: masked(entry.bits, size: entry.type?.size ?? addressSize), type: entry.type)
  }
}

/// The low bytes of a number.
func masked(_ bits: UInt64, size: Int) -> UInt64 {
  size >= 8 || size <= 0 ? bits : bits & (1 << UInt64(8 * size) - 1)
}

/// The low bytes of a number, sign-extended.
func signExtended(_ bits: UInt64, size: Int) -> Int64 {
  guard size > 0, size < 8 else { return Int64(bitPattern: bits) }
  let shift = Int64(64 - 8 * size)
  return Int64(bitPattern: bits << UInt64(shift)) >> shift
}

/// The first eight bytes as a number.
func unsigned(_ bytes: some Collection<UInt8>) -> UInt64 {
  bytes.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
}

/// The low bytes of a number, lowest first.
func littleEndian(_ bits: UInt64, size: Int) -> [UInt8] {
  (0..<min(max(size, 0), 8)).map { UInt8(truncatingIfNeeded: bits >> UInt64(8 * $0)) }
}
