internal import CrashReadCore

/// Frames as measure.sh displays and copies them: columns of number, image, function, type and location, separated by
/// tabs or blanks (measure-sh/measure, backend/api/event/frame.go, `Frame.String`).
enum MeasureText {
  private static let endings: [StaticString] = [".swift", ".m", ".mm", ".c", ".cc", ".cpp", ".h", ".hpp"]

  /// Reads a frame whose function has a name; the others have Apple's format.
  static func frame(_ line: Line) -> Frame? {
    let cells = columns(line.text)
    guard cells.count == 5, cells[2].prefixedHexValue == nil,
      let number = cells[0].decimalValue.flatMap({ Int(exactly: $0) }),
      let colon = cells[4].lastIndex(of: UInt8(ascii: ":")),
      let lineNumber = cells[4][(colon + 1)...].decimalValue.flatMap({ Int(exactly: $0) }),
      case let file = cells[4][..<colon], endings.contains(where: { file.hasSuffix($0) })
    else { return nil }
    var frame = Frame(kind: .returnAddress, address: nil)
    frame.number = number
    frame.line = line.number
    frame.imageName = cells[1].string
    frame.reportedSymbol = name(cells[2].string, of: cells[3])
    (frame.reportedFile, frame.reportedLine) = (file.string, lineNumber > 0 ? lineNumber : nil)
    return frame
  }

  /// The name of a function; if there is no type, that column has the image's address.
  private static func name(_ function: String, of type: Bytes) -> String {
    let isWhole =
      type.prefixedHexValue != nil || function.hasPrefix("-[") || function.hasPrefix("+[")
      || function.hasPrefix(type.string + ".")
    return isWhole ? function : type.string + "." + function
  }

  /// The texts separated by tabs or at least two blanks.
  private static func columns(_ text: Bytes) -> [Bytes] {
    var cells: [Bytes] = []
    var rest = text
    while cells.count < 6, !rest.isEmpty {
      let gap = min(
        rest.firstIndex(of: 0x09) ?? rest.endIndex, rest.firstRange(of: "  ")?.lowerBound ?? rest.endIndex)
      cells.append(rest[..<gap].trimmed)
      rest = rest[gap...].trimmedStart
    }
    return cells
  }
}
