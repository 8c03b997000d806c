internal import CrashReadCore
internal import CrashReadInstructions

/// The code of an interrupted arm64 function up to the interrupted instruction.
///
/// A backtrace by frame pointers omits the caller of a function that has not pushed its frame: a leaf function, or one
/// interrupted in its prologue. Compact unwind information calls it frameless (`mach-o/compact_unwind_encoding.h`), and
/// the code shows the same: as long as no instruction has written the link register, it holds the return address
/// (Procedure Call Standard for the Arm 64-bit Architecture, 6.1.1).
struct LeafFunction {
  private let counter: UInt64
  private let before: [Instruction]
  private let following: [Instruction]

  /// Nil unless the code starts with the function, and all of it before `counter` is decoded.
  init?(_ code: ImageCode, upTo counter: UInt64, _ set: InstructionSet) {
    guard let entry = code.entry, entry == code.start, counter >= entry,
      counter - entry <= UInt64(code.bytes.count)
    else { return nil }
    self.counter = counter
    let count = Int(counter - entry)
    before = set.instructions(Array(code.bytes.prefix(count)), at: entry)
    following = set.instructions(Array(code.bytes.dropFirst(count)), at: counter)
    guard before.last?.end ?? entry == counter else { return nil }
  }

  /// Whether the link register still holds the address that the function returns to.
  var keepsReturnAddress: Bool {
    guard before.allSatisfy(Self.keepsLinkRegister) else { return false }
    // Code after it can have run before, in a loop.
    return !mayRepeat || following.allSatisfy(Self.keepsLinkRegister)
  }

  private static func keepsLinkRegister(_ instruction: Instruction) -> Bool {
    !instruction.written.contains(.linkRegister) && instruction.text != nil
  }

  /// Whether code after the interrupted instruction can lead back to it.
  private var mayRepeat: Bool {
    following.contains { instruction in
      switch instruction.flow {
      case .jump(let target), .branch(let target, _): target <= counter
      case .indirectJump: true
      default: false
      }
    }
  }
}
