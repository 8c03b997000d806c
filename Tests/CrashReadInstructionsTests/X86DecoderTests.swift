import Testing

@testable import CrashReadInstructions

/// Whether this build decodes x86 instructions.
let hasZydis = InstructionSet.x86_64.missingLibrary == nil

@Suite("x86-64 instructions", .enabled(if: hasZydis, "libzydis4.0 isn't installed"))
struct X86DecoderTests {
  private func instruction(_ bytes: [UInt8]) throws -> Instruction {
    try #require(X86Decoder.instructions(bytes[...], at: 0x1000).first)
  }

  private let rax = MachineRegister(0)
  private let rbx = MachineRegister(3)
  private let rsp = MachineRegister(4)
  private let rdi = MachineRegister(7)

  @Test(
    "are printed",
    arguments: [
      ([0x48, 0x8b, 0x44, 0xcb, 0x10], "mov rax, [rbx+rcx*8+0x10]"), ([0x0f, 0x0b], "ud2"),
      ([0xe8, 0, 0, 0, 0], "call 0x1005"), ([0x48, 0x83, 0x3f, 0], "cmp qword ptr [rdi], 0x0"),
      ([0x66, 0x0f, 0x6f, 0x07], "movdqa xmm0, [rdi]"), ([0x8b, 0x05, 0, 1, 0, 0], "mov eax, [0x1106]"),
    ] as [([UInt8], String)])
  func text(_ bytes: [UInt8], _ text: String) throws {
    let found = try instruction(bytes)
    #expect(found.text == text)
    #expect(found.length == bytes.count)
  }

  @Test("state their memory operands")
  func memory() throws {
    // mov rax, [rbx+rcx*8+0x10]
    let indexed = try instruction([0x48, 0x8b, 0x44, 0xcb, 0x10])
    #expect(indexed.memory.first?.address { $0 == rbx ? 0x2000 : 2 } == 0x2020)
    #expect(indexed.memory.first?.size == 8 && indexed.memory.first?.access == .read)
    #expect(indexed.effect == .load([LoadedRegister(register: rax, offset: 0)]))
    // mov eax, [rip+0x100]
    #expect(try instruction([0x8b, 0x05, 0, 1, 0, 0]).memory.first?.address { _ in nil } == 0x1106)
    // push rbp writes below the stack pointer; pop reads at it.
    let push = try instruction([0x55])
    #expect(push.memory.map { $0.address { _ in 0x2000 } } == [0x1ff8])
    #expect(push.memory.first?.access == .write)
    // call [rax+0x10] reads the target first.
    let call = try instruction([0xff, 0x50, 0x10])
    #expect(call.memory.map(\.access) == [.read, .write])
    #expect(call.memory.first?.displacement == 0x10)
    // add [rdi], eax
    #expect(try instruction([0x01, 0x07]).memory.first?.access == .readWrite)
    // lea, nop and prefetcht0 access no memory.
    for bytes: [UInt8] in [[0x48, 0x8d, 0x04, 0x0b], [0x0f, 0x1f, 0x40, 0], [0x0f, 0x18, 0x0f]] {
      #expect(try instruction(bytes).memory.isEmpty)
    }
    // The base of gs is unknown: mov rax, gs:[0x28]
    let local = try instruction([0x65, 0x48, 0x8b, 0x04, 0x25, 0x28, 0, 0, 0])
    #expect(local.memory.first?.address { _ in 0 } == nil)
    // rep movsb: both ends.
    #expect(try instruction([0xf3, 0xa4]).memory.map(\.base) == [rdi, MachineRegister(6)])
  }

  @Test("state the required alignment")
  func alignment() throws {
    let expected: [([UInt8], Int)] = [
      ([0x0f, 0x28, 0x07], 16),  // movaps xmm0, [rdi]
      ([0x0f, 0x10, 0x07], 1),  // movups
      ([0xf3, 0x0f, 0x6f, 0x07], 1),  // movdqu
      ([0x66, 0x0f, 0xfe, 0x07], 16),  // paddd xmm0, [rdi]
      ([0xf2, 0x0f, 0x58, 0x07], 1),  // addsd xmm0, [rdi]
      ([0xc5, 0xfc, 0x28, 0x07], 32),  // vmovaps ymm0, [rdi]
      ([0xc5, 0xfc, 0x58, 0x07], 1),  // vaddps ymm0, ymm0, [rdi]
      ([0x62, 0xf1, 0x7c, 0x48, 0x28, 0x07], 64),  // vmovaps zmm0, [rdi]
      ([0x62, 0xf1, 0x7d, 0x48, 0xe7, 0x07], 64),  // vmovntdq [rdi], zmm0
      ([0x62, 0xf1, 0x7c, 0x48, 0x58, 0x07], 1),  // vaddps zmm0, zmm0, [rdi]
      ([0x48, 0x0f, 0xc7, 0x0f], 16),  // cmpxchg16b [rdi]
      ([0x48, 0x8b, 0x07], 1),  // mov rax, [rdi]
    ]
    for (bytes, alignment) in expected {
      let found = try instruction(bytes)
      #expect(found.memory.first?.alignment == alignment, "\(found.text ?? "")")
    }
  }

  @Test("state the registers written")
  func written() throws {
    // mov al, [rbx] changes a part of rax; cmp nothing; call and push the stack pointer; rep stosb its counters.
    #expect(try instruction([0x8a, 0x03]).written == RegisterSet(rax))
    #expect(try instruction([0x48, 0x39, 0xd8]).written.isEmpty)
    #expect(try instruction([0x48, 0x39, 0xd8]).setsFlags)
    #expect(try instruction([0x55]).written == RegisterSet(rsp))
    #expect(try instruction([0xf3, 0xaa]).written.contains(rdi))
    // div rcx
    #expect(
      try instruction([0x48, 0xf7, 0xf1]).written == [RegisterSet(rax), RegisterSet(MachineRegister(2))])
    // mov rbx, rdi; xor eax, eax; mov eax, -1; lea rax, [rip+0]
    #expect(try instruction([0x48, 0x89, 0xfb]).effect == .copy(to: rbx, from: rdi))
    #expect(try instruction([0x31, 0xc0]).effect == .constant(rax, 0))
    #expect(try instruction([0xb8, 0xff, 0xff, 0xff, 0xff]).effect == .constant(rax, 0xffff_ffff))
    #expect(try instruction([0x48, 0x8d, 0x05, 0, 0, 0, 0]).effect == .constant(rax, 0x1007))
  }

  @Test("state the control flow")
  func flow() throws {
    #expect(try instruction([0xeb, 0x02]).flow == .jump(0x1004))
    #expect(try instruction([0xe8, 0, 0, 0, 0]).flow == .call(0x1005))
    #expect(try instruction([0x70, 0x02]).flow == .branch(0x1004, .flags("vs")))
    #expect(try instruction([0x0f, 0x83, 0, 1, 0, 0]).flow == .branch(0x1106, .flags("hs")))
    #expect(try instruction([0xff, 0xd0]).flow == .indirectCall(rax))
    #expect(try instruction([0xff, 0x61, 0x08]).flow == .indirectJump(nil))
    #expect(try instruction([0xc3]).flow == .return)
    #expect(try instruction([0x0f, 0x05]).flow == .systemCall)
    #expect(try instruction([0x0f, 0x0b]).flow == .trap(.undefined(2)))
    #expect(try instruction([0xcc]).flow == .trap(.interrupt(3)))
    for bytes: [UInt8] in [[0xf4], [0xfa], [0xec], [0x0f, 0x30], [0x0f, 0x20, 0xc0], [0xcd, 0x2d]] {
      #expect(try instruction(bytes).isPrivileged)
    }
    for bytes: [UInt8] in [[0xcc], [0x0f, 0xa2], [0x0f, 0x31], [0x0f, 0x05]] {
      #expect(try !instruction(bytes).isPrivileged)
    }
  }

  @Test("before an address are those that every decoding agrees on")
  func before() {
    // mov rax, [rdi+0x10]; mov rcx, [rax]; test rcx, rcx; je; mov rdx, [rcx+8], four times
    let turn: [UInt8] = [
      0x48, 0x8b, 0x47, 0x10, 0x48, 0x8b, 0x08, 0x48, 0x85, 0xc9, 0x74, 0x05, 0x48, 0x8b, 0x51, 0x08,
    ]
    let code = Array([turn, turn, turn, turn].joined())
    let found = X86Decoder.instructions(before: 0x1010, code)
    #expect(found.last?.text == "mov rdx, [rcx+0x8]")
    #expect(found.map(\.end).last == 0x1010)
    for (first, second) in zip(found, found.dropFirst()) { #expect(first.end == second.address) }
    #expect(found.count > 8)
    // So few bytes prove nothing.
    #expect(X86Decoder.instructions(before: 0x1010, turn).isEmpty)
  }
}
