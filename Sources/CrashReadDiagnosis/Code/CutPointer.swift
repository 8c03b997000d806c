internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadVerdict

/// A fault address that is the lower half of a 64-bit pointer: the value passed through a type of 32 bits, such as the
/// result of a C function without a prototype, or a struct's field.
struct CutPointer {
  /// The whole pointer.
  let address: UInt64
  let evidence: Evidence

  /// Smaller values are more often a null pointer's member, a count or a flag.
  private static let minimum: UInt64 = 1 << 20
  /// Where programs and their own libraries are loaded: the system's lie close together, so that nearly any number is the
  /// lower half of an address there.
  private static let programs: Range<UInt64> = 0x1_0000_0000..<0x1_8000_0000

  /// Nil when no address of an image and no register has the fault address as its lower half, or the process has
  /// addresses of 32 bits.
  init?(_ report: CrashReport, fault: UInt64) {
    guard fault >> 32 == 0, fault >= Self.minimum, report.architecture?.is64Bit ?? false,
      let thread = report.crashedThread, let state = report.crashedThreadState
    else { return nil }
    let register = state.registers.first { register in
      // Bits above those of addresses are a tag or a signature.
      register.value >> 32 & 0x7fff != 0 && register.value & 0xffff_ffff == fault
        && !ThreadState.faultRegisterNames.contains(register.name)
    }
    if let register {
      (address, evidence) = (
        register.value, Evidence(.register(thread: thread, name: register.name), register.value)
      )
      return
    }
    let images = report.images.indices.lazy.compactMap { index -> (UInt64, Int)? in
      let image = report.images[index]
      let whole = image.start.rawValue & ~0xffff_ffff | fault
      return Self.programs.contains(image.start.rawValue) && image.contains(whole) ? (whole, index) : nil
    }
    guard let (whole, index) = images.first else { return nil }
    address = whole
    evidence = Evidence(image: index, of: report)
  }

  /// The finding, as a hint for an image: other numbers can lie there by chance.
  func finding(_ fault: Fact<UInt64>, _ texts: Texts) -> Finding? {
    let values = ["fault": hexadecimal(fault.value), "address": hexadecimal(address)]
    let isRegister = if case .register = evidence.source { true } else { false }
    return texts.code["cut"].map {
      Finding(
        rule: "cut-pointer", text: $0.filled(with: values), confidence: isRegister ? .likely : .hint,
        evidence: [fault.evidence, evidence])
    }
  }
}
