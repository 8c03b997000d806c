internal import CrashReadCore
internal import CrashReadReports
internal import CrashReadVerdict

/// A fault address that differs in one high bit from an address in memory: the effect of failing memory or an
/// overclocked CPU.
struct FlippedBit {
  /// The bit, and the address with the bit corrected.
  let bit: Int
  let address: UInt64
  let evidence: Evidence

  /// The bits that are examined. Lower bits also change when a power of two is added, which programs do; higher ones
  /// aren't part of an address.
  private static let bits = 33...46
  /// The maximum offset of a member from a pointer to its object, in bytes.
  private static let maximumDistance: UInt64 = 4096

  /// Nil when no single bit explains the address. A small number is a null pointer, a count or a flag: any register with
  /// a power of two would be one bit away.
  init?(_ report: CrashReport, fault: UInt64) {
    guard fault >> 47 == 0, fault >> 32 != 0, let thread = report.crashedThread,
      let state = report.crashedThreadState
    else {
      return nil
    }
    let found = Self.bits.compactMap { bit -> FlippedBit? in
      let address = fault ^ 1 << UInt64(bit)
      guard address >> 33 != 0 || bit != 33 else { return nil }
      return FlippedBit(bit, address, report, thread, state)
    }
    // Two candidates prove nothing.
    guard found.count == 1 else { return nil }
    self = found[0]
  }

  private init?(_ bit: Int, _ address: UInt64, _ report: CrashReport, _ thread: Int, _ state: ThreadState) {
    (self.bit, self.address) = (bit, address)
    if let image = report.images.firstIndex(where: { $0.contains(address) }) {
      evidence = Evidence(image: image, of: report)
      return
    }
    guard address > 1 << 32,
      let register = state.registers.first(where: {
        address &- $0.value < Self.maximumDistance && !ThreadState.faultRegisterNames.contains($0.name)
      })
    else { return nil }
    evidence = Evidence(.register(thread: thread, name: register.name), register.value)
  }

  /// The finding, as a hint: such an address can also occur by chance.
  func finding(_ fault: Fact<UInt64>, _ texts: Texts) -> Finding? {
    let values = ["fault": hexadecimal(fault.value), "bit": String(bit), "address": hexadecimal(address)]
    return texts.code["flipped"].map {
      Finding(
        rule: "flipped-bit", text: $0.filled(with: values), confidence: .hint,
        evidence: [fault.evidence, evidence])
    }
  }
}
