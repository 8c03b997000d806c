internal import CrashReadCore

/// Reads what Julia prints when a signal ends it: `signal (11): Segmentation fault: 11`, since version 1.9
/// `[12] signal 11 (2): Segmentation fault: 11`, then `in expression starting at cart.jl:95` and the stack, innermost
/// first (JuliaLang/julia, src/signals-unix.c and src/stackwalk.c, `jl_print_native_codeloc`).
struct JuliaFault {
  private var isFault = false
  private var count = 0

  /// The signal of a line such as `signal (11.2): Segmentation fault: 11`.
  mutating func signal(_ text: Bytes) -> String? {
    let text =
      text.first == UInt8(ascii: "[") ? text.split(at: UInt8(ascii: "]"))?.after.trimmedStart ?? text : text
    guard let rest = text.after("signal "), let mark = text.firstRange(of: "): "),
      text[mark.upperBound...].first.map({ (0x41...0x5a).contains($0) }) ?? false
    else { return nil }
    let digits = (rest.after("(") ?? rest).prefix(while: \.isDigit)
    guard let signal = digits.decimalValue.flatMap(MachNames.signal) else { return nil }
    isFault = true
    return signal
  }

  /// A frame: `total at /carts/cart.jl:11 [inlined]`, `unknown function (ip: 0x1167d539b)`.
  mutating func frame(_ line: Line) -> Frame? {
    guard isFault, !line.text.hasPrefix("in expression starting at ") else { return nil }
    var frame = Frame(kind: .returnAddress, address: nil)
    if let address = line.text.after("unknown function (ip: 0x")?.leadingHexValue {
      frame.address = RuntimeAddress(address)
    } else if let mark = line.text.firstRange(of: " at ") {
      frame.reportedSymbol = line.text[..<mark.lowerBound].string
      Self.place(
        line.text[mark.upperBound...].before(" [inlined]") ?? line.text[mark.upperBound...], in: &frame)
    }
    guard frame.address != nil || frame.reportedFile != nil || frame.imageName != nil else { return nil }
    (frame.number, frame.line) = (count, line.number)
    count += 1
    return frame
  }

  /// Takes `/carts/cart.jl:11`, or `/lib/libcurl.4.dylib (unknown line)` of code without debug information.
  private static func place(_ text: Bytes, in frame: inout Frame) {
    if let path = text.before(" (unknown line)") {
      frame.imageName = fileName(path).nonEmptyString
    } else if let colon = text.lastIndex(of: UInt8(ascii: ":")),
      let number = text[(colon + 1)...].decimalValue, colon > text.startIndex
    {
      frame.reportedFile = text[..<colon].string
      frame.reportedLine = number == 0 ? nil : Int(exactly: number)
      frame.isManaged = text[..<colon].hasSuffix(".jl")
    }
  }
}
