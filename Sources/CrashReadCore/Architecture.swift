/// A CPU architecture by the name Apple's tools use, such as `arm64e`.
public struct Architecture: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The name as reports print it.
  public let rawValue: String

  /// Takes any name, known or not.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The name.
  public var description: String { rawValue }

  /// 32-bit Intel.
  package static let i386 = Architecture(rawValue: "i386")
  /// 64-bit Intel.
  package static let x86_64 = Architecture(rawValue: "x86_64")
  /// 64-bit Intel, Haswell or later.
  package static let x86_64h = Architecture(rawValue: "x86_64h")
  /// 32-bit ARM.
  package static let armv7 = Architecture(rawValue: "armv7")
  /// 64-bit ARM.
  package static let arm64 = Architecture(rawValue: "arm64")
  /// 64-bit ARM with pointer authentication.
  package static let arm64e = Architecture(rawValue: "arm64e")
  /// 64-bit ARM with pointer authentication and checked pointer arithmetic, of the system since iOS 27 and macOS 27.
  package static let arm64eX1 = Architecture(rawValue: "arm64e.x1")
  /// 64-bit ARM instructions with 32-bit pointers (Apple Watch).
  package static let arm64_32 = Architecture(rawValue: "arm64_32")
}

extension Architecture {
  /// From `cputype` and `cpusubtype` of a Mach-O header (`mach/machine.h`); nil for a CPU not known here.
  package init?(machOType type: UInt32, subtype: UInt32) {
    let subtype = subtype & 0x00ff_ffff  // CPU_SUBTYPE_MASK: the high byte holds capability bits
    switch (type, subtype) {
    case (7, _): self = .i386
    case (0x0100_0007, 8): self = .x86_64h
    case (0x0100_0007, _): self = .x86_64
    case (12, 6): self.init(rawValue: "armv6")
    case (12, 9): self = .armv7
    case (12, 11): self.init(rawValue: "armv7s")
    case (12, 12): self.init(rawValue: "armv7k")
    case (12, _): self.init(rawValue: "arm")
    case (0x0100_000c, 2): self = .arm64e
    case (0x0100_000c, 12): self = .arm64eX1
    case (0x0100_000c, _): self = .arm64
    case (0x0200_000c, _): self = .arm64_32
    case (18, _): self.init(rawValue: "ppc")
    case (0x0100_0012, _): self.init(rawValue: "ppc64")
    default: return nil
    }
  }

  /// From `e_machine` of an ELF header (`elf.h`); nil for a machine not known here.
  package init?(elfMachine machine: UInt16) {
    switch machine {
    case 3: self = .i386
    case 40: self.init(rawValue: "arm")
    case 62: self = .x86_64
    case 183: self = .arm64
    default: return nil
    }
  }

  /// From a report's `Code Type` or `cpuType`, such as `ARM-64 (Native)`; nil when it names none.
  package init?(codeType: some StringProtocol) {
    let name = codeType.prefix { $0 != " " && $0 != "(" }.lowercased()
    switch name {
    case "x86-64", "x86_64": self = .x86_64
    case "x86_64h": self = .x86_64h
    case "x86", "i386": self = .i386
    case "arm-64", "arm64": self = .arm64
    case "arm-64e", "arm64e": self = .arm64e
    case "arm64e.x1", "arm64e_x1", "arm64ex1": self = .arm64eX1
    case "arm64_32", "arm-64_32": self = .arm64_32
    case "arm", "armv6", "armv7", "armv7f", "armv7k", "armv7s": self.init(rawValue: name)
    case "ppc", "ppc64": self.init(rawValue: name)
    default: return nil
    }
  }

  /// Whether instructions are those of 64-bit ARM, whatever the pointer width.
  package var isARM64: Bool { rawValue.begins(with: "arm64") || rawValue == "aarch64" }

  /// Whether instructions are those of 32-bit ARM, where bit 0 of a code address selects Thumb.
  package var isARM32: Bool { rawValue.begins(with: "arm") && !isARM64 }

  /// How far to step back from a return address to get inside the call, in bytes.
  ///
  /// The size of an instruction where it is fixed; otherwise 1, which lies inside the call whatever its size. On 32-bit
  /// ARM the Thumb bit must be cleared first.
  package var callStep: UInt64 {
    isARM64 || rawValue.begins(with: "ppc") ? 4 : isARM32 ? 2 : 1
  }

  /// The address bits of a code pointer, without pointer authentication code and tag.
  ///
  /// On 64-bit ARM, bit 55 distinguishes kernel addresses, which stay unchanged, from user addresses, which use 47 bits
  /// on Apple systems. On 32-bit ARM the Thumb bit is cleared.
  package func strippedCodeAddress(_ address: UInt64) -> UInt64 {
    if isARM32 { return address & 0xffff_fffe }
    guard isARM64, address & (1 << 55) == 0 else { return address }
    return address & 0x0000_7fff_ffff_ffff
  }
}
