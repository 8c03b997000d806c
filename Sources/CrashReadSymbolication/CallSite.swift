internal import CrashReadCore
internal import CrashReadReports

/// Where in its image a frame is looked up: the one place for the rule about return addresses.
///
/// A return address names the instruction after the call. That instruction can belong to the next line, to another
/// inlined function, or, after a call that never returns, to the next function. So it is looked up inside the call
/// before it. Frame 0 and resume points of `async` functions are looked up as they are. The moved address is used for
/// the look-up alone: what is shown is the report's address.
///
/// On 32-bit ARM bit 0 says 'Thumb' and must go first: an odd return address minus one is still the next instruction.
///
/// - Returns: nil when the frame has neither an address nor an offset, or an address below the image.
func lookupOffset(
  of frame: Frame, in image: BinaryImage, architecture: Architecture?
) -> ImageOffset? {
  let address = codeAddress(of: frame, architecture: architecture)
  // Some reporters print the offset and no address.
  guard let offset = address.map({ $0.offset(from: image.start) }) ?? frame.imageOffset else { return nil }
  guard frame.kind == .returnAddress else { return offset }
  let step = architecture?.callStep ?? 1
  return offset.rawValue >= step ? ImageOffset(offset.rawValue - step) : nil
}

/// A frame's address without pointer-authentication and Thumb bits; nil when the frame has none.
func codeAddress(of frame: Frame, architecture: Architecture?) -> RuntimeAddress? {
  frame.address.map { RuntimeAddress(architecture?.strippedCodeAddress($0.rawValue) ?? $0.rawValue) }
}
