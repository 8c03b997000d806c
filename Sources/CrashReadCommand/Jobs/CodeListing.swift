internal import CrashRead
internal import CrashReadCore
internal import CrashReadInstructions
internal import CrashReadSystem

/// The instructions around an address of a file, each run of them below the line that it is of.
struct CodeListing {
  /// A line of source, or an instruction.
  struct Line {
    var text: String
    var isPlace = false
    var isMarked = false
  }

  private(set) var lines: [Line] = []

  /// Instructions before the one at the address, and behind it.
  private static let (before, behind) = (8, 8)
  /// Bytes that are read to find them: more of them where a function begins there.
  private static let (reach, longestFunction): (UInt64, UInt64) = (128, 4096)

  /// Reads the code around an address.
  /// - Parameters:
  ///   - file: The file.
  ///   - address: Where the file has it.
  ///   - entry: Where its function begins; nil when that isn't known.
  ///   - shift: What to add to the file's addresses to get those that the user knows.
  init(of file: DebugFile, at address: LinkedAddress, entry: LinkedAddress?, shift: UInt64) {
    read(file, address, entry, shift)
  }

  private mutating func read(
    _ file: DebugFile, _ address: LinkedAddress, _ entry: LinkedAddress?, _ shift: UInt64
  ) {
    guard let set = file.slice.architecture.flatMap(InstructionSet.init) else {
      return note("no code that can be read")
    }
    if let missing = set.missingLibrary { return note(missing.description) }
    let value = address.rawValue
    let known = entry.map(\.rawValue).flatMap { $0 <= value && value - $0 <= Self.longestFunction ? $0 : nil }
    let first = known ?? (value > Self.reach ? value - Self.reach : 0)
    let (end, overflow) = value.addingReportingOverflow(Self.reach)
    guard !overflow, let code = file.code(LinkedAddress(first)..<LinkedAddress(end), around: address) else {
      return note("no code in this file")
    }
    let count = Int(value - code.start.rawValue)
    let ahead = set.instructions(
      Array(code.bytes[..<count]), upTo: value, entry: known == code.start.rawValue ? known : nil)
    let rest = set.instructions(Array(code.bytes[count...]), at: value)
    var place: String?
    for instruction in ahead.suffix(Self.before) + rest.prefix(Self.behind + 1) {
      let now = Self.place(of: instruction, in: file)
      if let now, now != place { lines.append(Line(text: now, isPlace: true)) }
      place = now
      let shown = LinkedAddress(instruction.address &+ shift)
      lines.append(
        Line(text: "\(shown): \(instruction.text ?? "?")", isMarked: instruction.address == value))
    }
  }

  private mutating func note(_ text: String) { lines.append(Line(text: text, isPlace: true)) }

  private static func place(of instruction: Instruction, in file: DebugFile) -> String? {
    file.frames(at: LinkedAddress(instruction.address)).first?.location.map { place in
      [place.shownFile, place.line.map(String.init)].compactMap(\.self).joined(separator: ":")
    }
  }

  /// As it stands below an address.
  var text: String {
    lines.map { line in
      plainText("    " + (line.isPlace ? "" : line.isMarked ? "> " : "  ") + line.text) + "\n"
    }
    .joined()
  }

  /// As in JSON.
  var texts: [String] { lines.map { ($0.isMarked ? "> " : "") + $0.text } }
}
