internal import CrashReadCore
internal import CrashReadSystem

/// Zydis 4.0 or 4.1, which reads x86 instructions (`Zydis/Decoder.h`, `Zydis/Formatter.h`).
@safe
struct Zydis: Sendable {
  private typealias Name = @convention(c) @Sendable (Int32) -> UnsafePointer<CChar>?

  private let decodeFull:
    @convention(c) @Sendable (
      UnsafeRawPointer?, UnsafeRawPointer?, Int, UnsafeMutableRawPointer?, UnsafeMutableRawPointer?
    ) -> UInt32
  private let format:
    @convention(c) @Sendable (
      UnsafeRawPointer?, UnsafeRawPointer?, UnsafeRawPointer?, UInt8, UnsafeMutableRawPointer?, Int, UInt64,
      UnsafeRawPointer?
    ) -> UInt32
  private let largestEnclosing: @convention(c) @Sendable (Int32, Int32) -> Int32
  private let (mnemonicName, categoryName, registerName): (Name, Name, Name)
  /// `ZydisDecoder` and `ZydisFormatter`, which aren't changed after initialisation.
  private let (decoder, formatter): ([UInt64], [UInt64])

  /// Opened on first use.
  static let shared = Result { () throws(MissingLibrary) in try Zydis() }

  private init() throws(MissingLibrary) {
    let library = try Self.library()
    unsafe decodeFull = try library.function("ZydisDecoderDecodeFull")
    unsafe format = try library.function("ZydisFormatterFormatInstruction")
    largestEnclosing = try library.function("ZydisRegisterGetLargestEnclosing")
    unsafe mnemonicName = try library.function("ZydisMnemonicGetString")
    unsafe categoryName = try library.function("ZydisCategoryGetString")
    unsafe registerName = try library.function("ZydisRegisterGetString")
    let setUp: @convention(c) (UnsafeMutableRawPointer?, Int32, Int32) -> UInt32 =
      unsafe try library.function("ZydisDecoderInit")
    let start: @convention(c) (UnsafeMutableRawPointer?, Int32) -> UInt32 =
      unsafe try library.function("ZydisFormatterInit")
    let set: @convention(c) (UnsafeMutableRawPointer?, Int32, UInt) -> UInt32 =
      unsafe try library.function("ZydisFormatterSetProperty")
    var decoder = [UInt64](repeating: 0, count: 4)
    var formatter = [UInt64](repeating: 0, count: 74)
    _ = unsafe decoder.withUnsafeMutableBytes { unsafe setUp($0.baseAddress, Layout.mode, Layout.stackWidth) }
    unsafe formatter.withUnsafeMutableBytes { bytes in
      _ = unsafe start(bytes.baseAddress, Layout.intelStyle)
      // Numbers in C syntax, without leading zeros.
      for property in Layout.numberProperties { _ = unsafe set(bytes.baseAddress, property, 0) }
    }
    (self.decoder, self.formatter) = (decoder, formatter)
  }

  /// Debian 13 has 4.1, and Debian 12 has 4.0.
  private static func library() throws(MissingLibrary) -> RuntimeLibrary {
    if let newer = try? RuntimeLibrary("libZydis.so.4.1", package: "libzydis4.1") { return newer }
    return try RuntimeLibrary("libZydis.so.4.0", package: "libzydis4.0")
  }

  /// The first instruction in some bytes; nil when they don't begin with a complete one.
  func instruction(_ bytes: ArraySlice<UInt8>, at address: UInt64) -> ZydisInstruction? {
    unsafe withUnsafeTemporaryAllocation(byteCount: Layout.size, alignment: 16) { memory in
      unsafe memory.initializeMemory(as: UInt8.self, repeating: 0)
      let (head, operands) = unsafe (
        memory.baseAddress, memory.baseAddress?.advanced(by: Layout.operands)
      )
      let status = unsafe bytes.withUnsafeBytes { code in
        unsafe decoder.withUnsafeBytes {
          unsafe decodeFull($0.baseAddress, code.baseAddress, code.count, head, operands)
        }
      }
      guard Self.isSuccess(status) else { return nil }
      return unsafe read(UnsafeRawBufferPointer(memory), at: address)
    }
  }

  /// `ZYAN_SUCCESS`: the highest bit of a status indicates failure.
  private static func isSuccess(_ status: UInt32) -> Bool { status & 0x8000_0000 == 0 }

  private func read(_ memory: UnsafeRawBufferPointer, at address: UInt64) -> ZydisInstruction {
    let count = min(Int(unsafe memory[Layout.operandCount]), Layout.maximumOperands)
    let attributes = unsafe memory.loadUnaligned(fromByteOffset: Layout.attributes, as: UInt64.self)
    return unsafe ZydisInstruction(
      length: Int(unsafe memory[Layout.length]),
      mnemonic: name(
        mnemonicName, unsafe memory.loadUnaligned(fromByteOffset: Layout.mnemonic, as: Int32.self)),
      category: name(
        categoryName, unsafe memory.loadUnaligned(fromByteOffset: Layout.category, as: Int32.self)),
      exceptionClass: Int(unsafe memory.loadUnaligned(fromByteOffset: Layout.exceptionClass, as: Int32.self)),
      isPrivileged: attributes & Layout.isPrivileged != 0,
      operands: (0..<count).map { unsafe operand(memory, Layout.operands + $0 * Layout.operandSize) },
      text: unsafe text(memory, at: address))
  }

  private func operand(_ memory: UnsafeRawBufferPointer, _ start: Int) -> ZydisInstruction.Operand {
    func number(_ offset: Int) -> Int32 {
      unsafe memory.loadUnaligned(fromByteOffset: start + offset, as: Int32.self)
    }
    func wide(_ offset: Int) -> Int64 {
      unsafe memory.loadUnaligned(fromByteOffset: start + offset, as: Int64.self)
    }
    var operand = ZydisInstruction.Operand(
      isHidden: number(4) != Layout.explicit, actions: unsafe memory[start + 8],
      bits: Int(unsafe memory.loadUnaligned(fromByteOffset: start + 16, as: UInt16.self)))
    switch number(32) {
    case 1: operand.content = .register(register(number(40)))
    case 2:
      operand.content = .memory(
        .init(
          kind: number(40), segment: register(number(44)), base: register(number(48)),
          index: register(number(52)),
          scale: Int(unsafe memory[start + 56]), displacement: wide(72)))
    case 4: operand.content = .immediate(wide(48), isRelative: unsafe memory[start + 41] != 0)
    default: break
    }
    return operand
  }

  private func register(_ number: Int32) -> ZydisInstruction.Register {
    let whole = largestEnclosing(Layout.mode, number)
    let isGeneral = Layout.generalRegisters.contains(whole)
    return unsafe ZydisInstruction.Register(
      name: number == 0 ? "" : name(registerName, number),
      general: isGeneral ? UInt8(whole - Layout.generalRegisters.lowerBound) : nil,
      isWhole: number == whole)
  }

  private func text(_ memory: UnsafeRawBufferPointer, at address: UInt64) -> String? {
    unsafe withUnsafeTemporaryAllocation(byteCount: 128, alignment: 1) { text in
      unsafe text.initializeMemory(as: UInt8.self, repeating: 0)
      let operands = unsafe memory.baseAddress?.advanced(by: Layout.operands)
      let visible = unsafe memory[Layout.visibleCount]
      let status = unsafe formatter.withUnsafeBytes {
        unsafe format(
          $0.baseAddress, memory.baseAddress, operands, visible, text.baseAddress, text.count, address, nil)
      }
      guard Self.isSuccess(status) else { return nil }
      return unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
    }
  }

  private func name(_ table: Name, _ number: Int32) -> String {
    unsafe copiedString(table(number)) ?? ""
  }
}

/// Constants of Zydis 4.0, unchanged in 4.1: offsets of the members of `ZydisDecodedInstruction` and `ZydisDecodedOperand`
/// (`Zydis/DecoderTypes.h`), and enumerators.
private enum Layout {
  static let (mnemonic, length, operandCount, visibleCount) = (4, 8, 24, 25)
  static let (attributes, category, exceptionClass) = (32, 92, 108)
  /// `ZydisDecodedInstruction` has 328 bytes; ten `ZydisDecodedOperand` of 80 bytes each follow it here.
  static let (operands, operandSize, maximumOperands, size) = (328, 80, 10, 328 + 80 * 10)
  /// `ZYDIS_MACHINE_MODE_LONG_64` and `ZYDIS_STACK_WIDTH_64`.
  static let (mode, stackWidth): (Int32, Int32) = (0, 2)
  static let intelStyle: Int32 = 1
  /// Padding of addresses, displacements and immediates, and upper case.
  static let numberProperties: [Int32] = [9, 10, 13, 16, 24]
  static let explicit: Int32 = 1
  /// `ZYDIS_ATTRIB_IS_PRIVILEGED`.
  static let isPrivileged: UInt64 = 1 << 8
  /// `ZYDIS_REGISTER_RAX` to `R15`, in the order of their numbers in the code.
  static let generalRegisters: ClosedRange<Int32> = 53...68
}

/// An instruction as decoded by Zydis.
struct ZydisInstruction: Sendable, Hashable {
  struct Register: Sendable, Hashable {
    /// As a disassembler prints it; empty for none.
    var name: String
    /// The number of the general register that it is, or is part of.
    var general: UInt8?
    /// Whether it is the full 64-bit register.
    var isWhole: Bool
  }

  struct Memory: Sendable, Hashable {
    /// `ZydisMemoryOperandType`.
    var kind: Int32
    var segment: Register
    var base: Register
    var index: Register
    var scale: Int
    var displacement: Int64
  }

  enum Content: Sendable, Hashable {
    case register(Register)
    case memory(Memory)
    case immediate(Int64, isRelative: Bool)
    case none
  }

  struct Operand: Sendable, Hashable {
    /// Whether it is implicit, like the stack operand of `push`.
    var isHidden: Bool
    /// Bits of `ZydisOperandAction`: read, written, and both conditionally.
    var actions: UInt8
    var bits: Int
    var content = Content.none

    var isRead: Bool { actions & 5 != 0 }
    var isWritten: Bool { actions & 10 != 0 }
  }

  var length: Int
  var mnemonic: String
  var category: String
  /// `ZydisExceptionClass`.
  var exceptionClass: Int
  var isPrivileged: Bool
  var operands: [Operand]
  var text: String?
}
