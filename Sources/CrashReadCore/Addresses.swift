/// An address in one of three spaces, which look alike and are often equal: confusing them gives plausible wrong lines.
///
/// The spaces meet only at an image and its debug file: `load address + offset = runtime address`, and
/// `linked base + offset = linked address`.
public struct Address<Space>: Hashable, Comparable, Sendable, CustomStringConvertible {
  /// The number itself, in bytes.
  public var rawValue: UInt64

  /// Wraps a number that is known to be in this space.
  package init(_ rawValue: UInt64) { self.rawValue = rawValue }

  /// Orders by the unsigned number.
  public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

  /// `0x` and lower-case hexadecimal digits without padding.
  public var description: String { "0x" + String(rawValue, radix: 16) }
}

/// The space of addresses in the crashed process.
public enum RuntimeSpace: Sendable {}
/// The space of distances from the start of a loaded image, in bytes.
public enum ImageSpace: Sendable {}
/// The space of addresses as the linker gave them, which DWARF and symbol tables use.
public enum LinkedSpace: Sendable {}

/// An address in the crashed process, as reports print it.
public typealias RuntimeAddress = Address<RuntimeSpace>
/// A distance in bytes from the start of a loaded image.
public typealias ImageOffset = Address<ImageSpace>
/// An address as linked: what DWARF, `nlist` and ELF symbol tables use.
public typealias LinkedAddress = Address<LinkedSpace>

extension Address<RuntimeSpace> {
  /// The distance from an image's start; nil when the address lies below it.
  package func offset(from start: RuntimeAddress) -> ImageOffset? {
    rawValue >= start.rawValue ? ImageOffset(rawValue - start.rawValue) : nil
  }

  /// The address `offset` bytes after this one; nil when the sum doesn't fit in 64 bits.
  package func advanced(by offset: ImageOffset) -> RuntimeAddress? {
    let (sum, overflow) = rawValue.addingReportingOverflow(offset.rawValue)
    return overflow ? nil : RuntimeAddress(sum)
  }
}

extension Address<LinkedSpace> {
  /// The address `offset` bytes after this one; nil when the sum doesn't fit in 64 bits.
  package func advanced(by offset: ImageOffset) -> LinkedAddress? {
    let (sum, overflow) = rawValue.addingReportingOverflow(offset.rawValue)
    return overflow ? nil : LinkedAddress(sum)
  }
}
