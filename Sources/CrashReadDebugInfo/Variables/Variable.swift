public import CrashReadCore

/// A parameter or a local variable, and its value at one address as far as it is known.
public struct Variable: Sendable, Hashable {
  /// The name in the source.
  public var name: String
  /// The type as written in the source: `const struct node *`, `[Int]`. Long ones are truncated and end with `…`.
  public var type: String
  /// Whether it is a parameter of its function.
  public var isParameter: Bool
  /// The line that declares it, 1-based; nil when unknown.
  public var line: Int?
  /// Its value.
  public var value: VariableValue
  /// For a pointer, the members of its target at the fault address; several where DWARF can't distinguish them, as in a
  /// union. Empty when there is none.
  public var faultMembers: [FaultMember]

  /// A variable whose name and type are known.
  package init(name: String, type: String, isParameter: Bool = false, value: VariableValue = .notAvailable) {
    self.name = name
    self.type = type
    self.isParameter = isParameter
    self.value = value
    faultMembers = []
  }
}

/// The value of a variable, as far as known.
public enum VariableValue: Sendable, Hashable {
  /// The value as it would be written in the source: `-3`, `red`, `nil`, `0x16fdff2a0`, `{x = 1, y = 2}`; for a
  /// pointer, also its bits.
  case known(String, pointer: UInt64?)
  /// It is in memory, which reports don't contain; nil when computing its address needs memory, too.
  case inMemory(RuntimeAddress?)
  /// It is in a register that the report doesn't state, or computed from values that the report doesn't contain.
  case notAvailable
  /// DWARF has no location for it at this address.
  case optimizedOut
}

/// A member of a pointer's target, at the address that the program couldn't access.
public struct FaultMember: Sendable, Hashable {
  /// As in the source: `node->origin.x`, `self.next`, `*count`.
  public var expression: String
  /// Its offset from the pointer in bytes.
  public var offset: UInt64
  /// The type the pointer points to: `struct node`.
  public var type: String
  /// Whether the address is the start of this member and of no other. Bit-fields share their bytes.
  public var isExact: Bool

  /// A member at an offset.
  package init(expression: String, offset: UInt64, type: String, isExact: Bool) {
    self.expression = expression
    self.offset = offset
    self.type = type
    self.isExact = isExact
  }
}

/// The inputs of a look-up of variables.
package struct VariableContext: Sendable, Hashable {
  /// The registers at the address, by the report's lower-case names; empty where unknown, as in a caller.
  package var registers: [String: UInt64]
  /// The number to add to a linked address to get the process's address, with wrap-around.
  package var slide: UInt64
  /// The address that the program couldn't access, as stated in the report; nil for other crashes.
  package var faultAddress: UInt64?
  /// Addresses at which the pointer in memory is known.
  package var pointers: [UInt64: UInt64] = [:]

  /// A context without registers.
  package init(registers: [String: UInt64] = [:], slide: UInt64 = 0, faultAddress: UInt64? = nil) {
    self.registers = registers
    self.slide = slide
    self.faultAddress = faultAddress
  }
}
