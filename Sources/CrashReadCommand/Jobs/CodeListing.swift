internal import CrashRead
internal import CrashReadCore
internal import CrashReadInstructions
internal import CrashReadSystem

/// The instructions around an address, grouped by the source line they belong to.
struct CodeListing {
  /// A line of source, or an instruction.
  struct Line {
    var text: String
    var isLocation = false
    var isMarked = false
  }

  private(set) var lines: [Line] = []

  /// The numbers of instructions listed before and after the one at the address.
  private static let (countBefore, countAfter) = (8, 8)
  /// The numbers of bytes read to find them: before and after the address, and at most back to the function's start.
  private static let (readSize, maximumFunctionSize): (UInt64, UInt64) = (128, 4096)

  /// Reads the code around an address.
  /// - Parameters:
  ///   - program: The file with the code.
  ///   - file: The debug file, for the lines; the same build's.
  ///   - address: The address in the file.
  ///   - entry: The start of its function; nil when unknown.
  ///   - shift: The difference between the user's addresses and the file's.
  init(
    of program: DebugFile, locations file: DebugFile, at address: LinkedAddress, entry: LinkedAddress?,
    shift: UInt64
  ) {
    read(program, file, address, entry, shift)
  }

  private mutating func read(
    _ program: DebugFile, _ file: DebugFile, _ address: LinkedAddress, _ entry: LinkedAddress?,
    _ shift: UInt64
  ) {
    guard let set = file.slice.architecture.flatMap(InstructionSet.init) else {
      return note("no code that can be decoded")
    }
    if let missing = set.missingLibrary { return note(missing.description) }
    let value = address.rawValue
    let known = entry.map(\.rawValue).flatMap {
      $0 <= value && value - $0 <= Self.maximumFunctionSize ? $0 : nil
    }
    let first = known ?? (value > Self.readSize ? value - Self.readSize : 0)
    let (end, overflow) = value.addingReportingOverflow(Self.readSize)
    guard !overflow, let code = program.code(LinkedAddress(first)..<LinkedAddress(end), around: address)
    else {
      return note("no code in this file")
    }
    let count = Int(value - code.start.rawValue)
    let ahead = set.instructions(
      Array(code.bytes[..<count]), upTo: value, entry: known == code.start.rawValue ? known : nil)
    let rest = set.instructions(Array(code.bytes[count...]), at: value)
    var location: String?
    for instruction in ahead.suffix(Self.countBefore) + rest.prefix(Self.countAfter + 1) {
      let now = Self.location(of: instruction, in: file)
      if let now, now != location { lines.append(Line(text: now, isLocation: true)) }
      location = now
      let shown = LinkedAddress(instruction.address &+ shift)
      lines.append(
        Line(text: "\(shown): \(instruction.text ?? "?")", isMarked: instruction.address == value))
    }
  }

  private mutating func note(_ text: String) { lines.append(Line(text: text, isLocation: true)) }

  private static func location(of instruction: Instruction, in file: DebugFile) -> String? {
    file.frames(at: LinkedAddress(instruction.address)).first?.location.map { location in
      [location.shownFile, location.line.map(String.init)].compactMap(\.self).joined(separator: ":")
    }
  }

  /// As shown below an address.
  var text: String {
    lines.map { line in
      plainText("    " + (line.isLocation ? "" : line.isMarked ? "> " : "  ") + line.text) + "\n"
    }
    .joined()
  }

  /// As written to JSON.
  var texts: [String] { lines.map { ($0.isMarked ? "> " : "") + $0.text } }
}
