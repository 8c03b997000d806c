/// The instruction at which the crashed thread stopped, and what it says about the fault.
public struct InstructionStatement: Sendable, Hashable {
  /// The thread, as an index into the report's threads.
  public var thread: Int
  /// Its address: the program counter.
  public var address: UInt64
  /// Its bytes, as the report quotes them.
  public var bytes: [UInt8]
  /// As a disassembler prints it.
  public var text: String
  /// The memory operand; nil when the instruction has none, or did not fail.
  public var operand: OperandStatement?
  /// The origin of the value that makes the operand's address bad; nil when unknown.
  public var origin: OriginStatement?
  /// The preceding instructions, each with its address.
  public var before: [String] = []
  /// The following instructions.
  public var after: [String] = []
  /// The addresses of the preceding instructions, of this one and of the following ones.
  package var addresses: [UInt64] = []

  /// An instruction of a thread.
  package init(thread: Int, address: UInt64, bytes: [UInt8], text: String) {
    self.thread = thread
    self.address = address
    self.bytes = bytes
    self.text = text
  }
}

/// The memory operand of an instruction.
public struct OperandStatement: Sendable, Hashable {
  /// The expression for the address: `x8 + x25 × 8`.
  public var text: String
  /// The address, computed from the registers; nil when one of them isn't stated.
  public var address: UInt64?
  /// The number of bytes; nil when unknown.
  public var size: Int?
  /// `read`, `write` or `readWrite`.
  public var access: String
  /// Whether it covers the address at which the report says the access failed; nil when one of the addresses is
  /// unknown.
  public var matchesFault: Bool?

  /// An operand.
  package init(text: String, address: UInt64?, size: Int?, access: String, matchesFault: Bool?) {
    self.text = text
    self.address = address
    self.size = size
    self.access = access
    self.matchesFault = matchesFault
  }
}

/// The origin of a value.
public struct OriginStatement: Sendable, Hashable {
  /// Raw values are those of the JSON output.
  public enum Kind: String, Sendable, Hashable {
    case argument, load, call, constant, unknown
  }

  /// The kind of origin.
  public var kind: Kind
  /// The origin in words.
  public var text: String
  /// The variable at this origin, according to a debug file; nil when unknown.
  public var variable: String?

  /// An origin.
  package init(kind: Kind, text: String, variable: String?) {
    self.kind = kind
    self.text = text
    self.variable = variable
  }
}
