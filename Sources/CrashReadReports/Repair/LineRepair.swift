/// One kind of damage that can be taken out line by line.
struct LineRepair: Sendable {
  /// What a note says of it.
  let message: String
  /// Whether a text evidently has this damage.
  let isNeeded: @Sendable (TextSurvey, [UInt8]) -> Bool
  /// A line without it; the line as it is when it has none.
  let line: @Sendable (Bytes, TextSurvey) -> Bytes

  /// All of them; those that can hide others come first.
  static let all = [
    invisible, entities, tags, fences, quoting, numbers, timestamps, listMarks, indentation, markdown,
  ]

  static let quoting = LineRepair(message: "marks of quoted mail were taken off the lines") { survey, _ in
    survey.quotedCount >= 3 || survey.quotedCount > 0 && survey.quotedCount * 2 >= survey.lineCount
  } line: { line, _ in
    var rest = line
    while rest.trimmedStart.first == UInt8(ascii: ">") {
      rest = rest.trimmedStart.dropFirst().drop(atMost: 1, 0x20)
    }
    return rest
  }

  static let fences = LineRepair(message: "marks of a Markdown code block were taken out") { survey, _ in
    survey.fenceCount > 0
  } line: { line, _ in
    withoutFence(line)
  }

  /// A backtrace's frames have ascending numbers, too, but each has an address.
  static let numbers = LineRepair(message: "line numbers were taken off the lines") { survey, _ in
    survey.lastNumber != nil && survey.numbersOtherLines
  } line: { line, _ in
    numbered(line)?.rest ?? line
  }

  static let listMarks = LineRepair(message: "list marks were taken off the lines") { survey, _ in
    survey.listMark != nil && survey.lineCount > 2
  } line: { line, survey in
    guard let mark = survey.listMark, line.trimmedStart.first == mark else { return line }
    return line.trimmedStart.dropFirst().drop(atMost: 1, 0x20)
  }

  static let tags = LineRepair(message: "HTML tags were taken out") { survey, bytes in
    survey.hasTags && !survey.hasNUL
  } line: { line, _ in
    withoutTags(line)
  }

  static let timestamps = LineRepair(message: "timestamps were taken off the lines") { survey, _ in
    survey.lineCount > 4 && survey.stampedCount * 10 >= survey.lineCount * 7
  } line: { line, _ in
    withoutTimestamp(line) ?? line
  }

  /// Web pages read `_` and `*` as marks of emphasis, and those who know it put a backslash before them.
  static let markdown = LineRepair(message: "marks of Markdown inside names were taken out") {
    survey, bytes in
    hasMarkdownInNames(bytes[...])
  } line: { line, _ in
    withoutMarkdownInNames(line)
  }

  static let indentation = LineRepair(message: "the indentation of all lines was taken off") { survey, _ in
    survey.lineCount > 0 && survey.indentation > 0
  } line: { line, survey in
    line.dropFirst(min(survey.indentation, line.prefix { $0.isBlank }.count))
  }

  static let entities = LineRepair(message: "escapes of HTML were taken out") { survey, bytes in
    survey.hasAmpersand && isEvidentlyEscaped(bytes[...])
  } line: { line, _ in
    line.withoutXMLEscapes
  }

  static let invisible = LineRepair(
    message: "invisible characters were taken out, and no-break spaces became blanks"
  ) { survey, bytes in
    survey.hasHighBytes && hasDamagingInvisibles(bytes[...])
  } line: { line, _ in
    withoutInvisibles(line)
  }
}
