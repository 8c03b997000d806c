public import CrashReadCore

/// A parameter or a local variable, and what is known of its value at one address.
public struct Variable: Sendable, Hashable {
  /// The name in the source.
  public var name: String
  /// The type as the source writes it: `const struct node *`, `[Int]`. Long ones are cut and end with `…`.
  public var type: String
  /// Whether it is a parameter of its function.
  public var isParameter: Bool
  /// The line that declares it, 1-based; nil when unknown.
  public var line: Int?
  /// Its value.
  public var value: VariableValue
  /// When it is a pointer: the members of what it points to that are at the fault address. Several where DWARF can't tell
  /// which was meant, as in a union; empty when the address isn't that of a member.
  public var faultMembers: [FaultMember]

  /// A variable of which only the name and the type are known.
  package init(name: String, type: String, isParameter: Bool = false, value: VariableValue = .notAvailable) {
    self.name = name
    self.type = type
    self.isParameter = isParameter
    self.value = value
    faultMembers = []
  }
}

/// What is known of a variable's value.
public enum VariableValue: Sendable, Hashable {
  /// The value as text in the manner of the source: `-3`, `red`, `nil`, `0x16fdff2a0`, `{x = 1, y = 2}`. For a pointer its
  /// bits too.
  case known(String, pointer: UInt64?)
  /// It is in memory, of which reports hold none; nil where the address too would take memory to find out.
  case inMemory(RuntimeAddress?)
  /// It is in a register that the report doesn't state, or has to be computed from values that the report lacks.
  case notAvailable
  /// DWARF has no location for it at this address.
  case optimizedOut
}

/// A member of a pointer's target, at the address that the program could not reach.
public struct FaultMember: Sendable, Hashable {
  /// As the source would write it: `node->origin.x`, `self.next`, `*count`.
  public var expression: String
  /// From where the pointer points, in bytes.
  public var offset: UInt64
  /// The type the pointer points to: `struct node`.
  public var type: String
  /// Whether the address is where the member begins, and no other member's. Bit-fields share their bytes.
  public var isExact: Bool

  /// A member at an offset.
  package init(expression: String, offset: UInt64, type: String, isExact: Bool) {
    self.expression = expression
    self.offset = offset
    self.type = type
    self.isExact = isExact
  }
}

/// What a look-up of variables has to go by.
package struct VariableContext: Sendable, Hashable {
  /// The registers at the address, by the report's lower-case names; empty where they aren't known, as in a caller.
  package var registers: [String: UInt64]
  /// What to add to a linked address to get the process's, with wrap-around.
  package var slide: UInt64
  /// The address that the program could not reach, as the report states it; nil when it failed otherwise.
  package var faultAddress: UInt64?

  /// A context without registers.
  package init(registers: [String: UInt64] = [:], slide: UInt64 = 0, faultAddress: UInt64? = nil) {
    self.registers = registers
    self.slide = slide
    self.faultAddress = faultAddress
  }
}
