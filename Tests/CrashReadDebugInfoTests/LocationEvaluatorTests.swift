import CCrashReadElfutils
import CrashReadCore
import Testing

@testable import CrashReadDebugInfo

@Suite("Location expressions")
struct LocationEvaluatorTests {
  private typealias Operation = LocationOperation

  private func evaluate(
    _ operations: LocationOperation...,
    registers: [String: UInt64] = ["rdi": 0x1000, "rsi": 0xffff_ffff_ffff_fffe],
    architecture: Architecture = .x86_64, addressSize: Int = 8, frameBase: EvaluatedLocation = .notAvailable
  ) -> EvaluatedLocation {
    var evaluator = LocationEvaluator(
      registers: DwarfRegisters(registers, architecture: architecture), addressSize: addressSize, slide: 0x10)
    evaluator.frameBase = frameBase
    // Positions matter only to branches; three bytes is a branch's size.
    return evaluator.evaluate(
      operations.enumerated().map { index, operation in
        var operation = operation
        operation.offset = UInt64(3 * index)
        return operation
      })
  }

  private func op(_ code: Int, _ first: Int64 = 0, _ second: Int64 = 0) -> LocationOperation {
    Operation(code: code, first: UInt64(bitPattern: first), second: UInt64(bitPattern: second))
  }

  private func value(_ bits: UInt64) -> EvaluatedLocation { .bytes(littleEndian(bits, size: 8)) }

  @Test func registerHoldsTheValue() {
    #expect(evaluate(op(DW_OP_reg5)) == value(0x1000))
    #expect(evaluate(op(DW_OP_regx, 4)) == value(0xffff_ffff_ffff_fffe))
    #expect(evaluate(op(DW_OP_reg0)) == .notAvailable)  // the report doesn't state rax
    #expect(evaluate(op(DW_OP_regx, 9999)) == .notAvailable)
  }

  @Test func registersOf32BitsAreHalfAsWide() {
    let result = evaluate(op(DW_OP_reg2), registers: ["r2": 7], architecture: .armv7, addressSize: 4)
    #expect(result == .bytes([7, 0, 0, 0]))
    let i386 = evaluate(op(DW_OP_breg5, -4), registers: ["ebp": 2], architecture: .i386, addressSize: 4)
    #expect(i386 == .memory(0xffff_fffe))
  }

  @Test(arguments: [
    (Architecture.arm64, 29, "fp"), (.arm64, 30, "lr"), (.arm64e, 31, "sp"), (.arm64, 8, "x8"),
    (.armv7, 13, "sp"), (.armv7, 14, "lr"), (.armv7, 12, "r12"), (.x86_64, 1, "rdx"), (.x86_64, 3, "rbx"),
    (.x86_64, 6, "rbp"), (.x86_64, 7, "rsp"), (.x86_64h, 15, "r15"), (.i386, 4, "esp"), (.i386, 5, "ebp"),
  ])
  func numbersAreThoseOfTheABI(_ architecture: Architecture, _ number: UInt64, _ name: String) {
    #expect(DwarfRegisters([name: 42], architecture: architecture)[number] == 42)
  }

  @Test func addressesAreMemory() {
    #expect(evaluate(op(DW_OP_breg5, 8)) == .memory(0x1008))
    #expect(evaluate(op(DW_OP_addr, 0x2000)) == .memory(0x2010))  // moved by where the image was loaded
    #expect(evaluate(op(DW_OP_fbreg, -24), frameBase: value(0x7000)) == .memory(0x6fe8))
    #expect(evaluate(op(DW_OP_fbreg, -24), frameBase: .memory(0x7000)) == .memory(0x6fe8))
  }

  @Test func withoutItsRegisterMemoryHasNoAddress() {
    #expect(evaluate(op(DW_OP_fbreg, -24)) == .memory(nil))
    #expect(evaluate(op(DW_OP_breg0, 8)) == .memory(nil))
    #expect(evaluate(op(DW_OP_breg0, 8), op(DW_OP_stack_value)) == .notAvailable)
  }

  @Test func memoryOperandsAreNotRead() {
    #expect(evaluate(op(DW_OP_breg5), op(DW_OP_deref), op(DW_OP_stack_value)) == .memory(nil))
    #expect(evaluate(op(DW_OP_fbreg, 0), frameBase: evaluate(op(DW_OP_call_frame_cfa))) == .memory(nil))
    #expect(evaluate(op(DW_OP_form_tls_address)) == .memory(nil))
  }

  @Test(arguments: [DW_OP_entry_value, DW_OP_GNU_entry_value, DW_OP_implicit_pointer, DW_OP_call2, 0xee])
  func unknownOperationsAreUnavailable(_ code: Int) {
    #expect(evaluate(op(code), op(DW_OP_stack_value)) == .notAvailable)
    #expect(evaluate(op(DW_OP_lit1), op(DW_OP_lit1), op(code), op(DW_OP_stack_value)) == .notAvailable)
  }

  @Test func emptyIsOptimisedOut() { #expect(evaluate() == .nowhere) }

  @Test func arithmetic() {
    let cases: [(Int, Int64, Int64, UInt64)] = [
      (DW_OP_plus, 2, 3, 5), (DW_OP_minus, 2, 3, .max), (DW_OP_mul, -2, 3, UInt64(bitPattern: -6)),
      (DW_OP_div, -7, 2, UInt64(bitPattern: -3)), (DW_OP_mod, 7, 3, 1), (DW_OP_and, 6, 3, 2),
      (DW_OP_or, 6, 3, 7), (DW_OP_xor, 6, 3, 5), (DW_OP_shl, 1, 63, 1 << 63), (DW_OP_shl, 1, 64, 0),
      (DW_OP_shr, -1, 60, 15), (DW_OP_shra, -8, 1, UInt64(bitPattern: -4)), (DW_OP_shra, -8, 200, .max),
      (DW_OP_lt, -1, 1, 1), (DW_OP_gt, -1, 1, 0), (DW_OP_eq, 4, 4, 1), (DW_OP_ne, 4, 4, 0),
      (DW_OP_le, 4, 4, 1), (DW_OP_ge, 3, 4, 0), (DW_OP_div, .min, -1, 1 << 63),
    ]
    for (code, left, right, wanted) in cases {
      let result = evaluate(op(DW_OP_consts, left), op(DW_OP_consts, right), op(code), op(DW_OP_stack_value))
      #expect(result == value(wanted), "\(code) \(left) \(right)")
    }
    let byZero = evaluate(op(DW_OP_lit1), op(DW_OP_lit0), op(DW_OP_div), op(DW_OP_stack_value))
    #expect(byZero == .notAvailable)
    #expect(evaluate(op(DW_OP_consts, -5), op(DW_OP_abs), op(DW_OP_stack_value)) == value(5))
    #expect(evaluate(op(DW_OP_lit5), op(DW_OP_neg), op(DW_OP_not), op(DW_OP_stack_value)) == value(4))
  }

  @Test func stackIsRearranged() {
    let three = [op(DW_OP_lit1), op(DW_OP_lit2), op(DW_OP_lit3)]
    let cases: [(LocationOperation, UInt64)] = [
      (op(DW_OP_dup), 3), (op(DW_OP_drop), 2), (op(DW_OP_over), 2), (op(DW_OP_pick, 2), 1),
      (op(DW_OP_swap), 2), (op(DW_OP_rot), 2),
    ]
    for (operation, wanted) in cases {
      let result = evaluate(three[0], three[1], three[2], operation, op(DW_OP_stack_value))
      #expect(result == value(wanted))
    }
    for code in [DW_OP_dup, DW_OP_drop, DW_OP_over, DW_OP_swap, DW_OP_rot, DW_OP_plus, DW_OP_bra] {
      #expect(evaluate(op(code)) == .notAvailable)
    }
    #expect(evaluate(op(DW_OP_lit1), op(DW_OP_pick, -1)) == .notAvailable)
  }

  @Test func typesTruncateAndExtend() {
    var narrow = op(DW_OP_convert, 1)
    narrow.type = .init(size: 4, isSigned: true, isInteger: true)
    var wide = narrow
    wide.type = .init(size: 8, isSigned: true, isInteger: true)
    let result = evaluate(op(DW_OP_breg4), narrow, wide, op(DW_OP_stack_value))
    #expect(result == value(UInt64(bitPattern: -2)))
    narrow.type = .init(size: 4, isSigned: false, isInteger: true)
    #expect(evaluate(op(DW_OP_breg4), narrow, wide, op(DW_OP_stack_value)) == value(0xffff_fffe))
    narrow.type = .init(size: 4, isSigned: false, isInteger: false)  // a float's bits aren't an integer
    #expect(evaluate(op(DW_OP_breg4), narrow, op(DW_OP_stack_value)) == .notAvailable)
  }

  @Test func piecesAreJoined() {
    let both = evaluate(
      op(DW_OP_reg5), op(DW_OP_piece, 2), op(DW_OP_lit7), op(DW_OP_stack_value), op(DW_OP_piece, 1))
    #expect(both == .bytes([0, 0x10, 7]))
    #expect(evaluate(op(DW_OP_reg5), op(DW_OP_piece, 8), op(DW_OP_piece, 8)) == .notAvailable)
    #expect(evaluate(op(DW_OP_piece, 8), op(DW_OP_piece, 8)) == .nowhere)
    #expect(evaluate(op(DW_OP_reg5), op(DW_OP_piece, 8), op(DW_OP_breg5), op(DW_OP_piece, 8)) == .memory(nil))
    #expect(evaluate(op(DW_OP_reg5), op(DW_OP_piece, 9)) == .notAvailable)
    #expect(evaluate(op(DW_OP_reg5), op(DW_OP_piece, .max)) == .notAvailable)
    #expect(evaluate(op(DW_OP_reg5), op(DW_OP_bit_piece, 8, 0)) == .notAvailable)
  }

  @Test func implicitBytesAreTheValue() {
    var bytes = op(DW_OP_implicit_value, 3)
    bytes.bytes = [1, 2, 3]
    #expect(evaluate(bytes) == .bytes([1, 2, 3]))
  }

  @Test func branchesAreFollowed() {
    // Over the literal 1 when the condition holds.
    for (condition, wanted) in [(DW_OP_lit1, UInt64(9)), (DW_OP_lit0, 1)] {
      let result = evaluate(
        op(DW_OP_lit9), op(condition), op(DW_OP_bra, 3), op(DW_OP_lit1), op(DW_OP_stack_value))
      #expect(result == value(wanted))
    }
    #expect(evaluate(op(DW_OP_lit9), op(DW_OP_skip, 1), op(DW_OP_stack_value)) == .notAvailable)
  }

  @Test func endlessExpressionsTerminate() {
    #expect(evaluate(op(DW_OP_skip, -3)) == .notAvailable)
    #expect(evaluate(op(DW_OP_lit1), op(DW_OP_skip, -6)) == .notAvailable)
    #expect(evaluate(op(DW_OP_lit1), op(DW_OP_dup), op(DW_OP_bra, -6)) == .notAvailable)
  }
}
