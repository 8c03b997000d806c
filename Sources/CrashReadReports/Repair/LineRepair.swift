internal import CrashReadCore

/// One kind of damage that can be removed line by line.
struct LineRepair: Sendable {
  /// The message of the note about it.
  let message: String
  /// Whether a text evidently has this damage.
  let isNeeded: @Sendable (TextSurvey, [UInt8]) -> Bool
  /// Returns the line without it; a line that has none is returned unchanged.
  let line: @Sendable (Bytes, TextSurvey) -> Bytes

  /// All repairs; those of damage that can hide other damage come first.
  static let all = [
    invisible, entities, colons, backslashes, tags, fences, fieldTables, codeSpans, quoting, comments,
    annotations,
    numbers, rows, timestamps,
    logHeads,
    loggerTags,
    listMarks,
    indentation,
    markdown,
    emphasis,
    debuggerMarks,
    addresses,
    brackets,
  ]

  static let quoting = LineRepair(message: "the marks of quoted mail were removed") { survey, _ in
    survey.mailCount >= 2 || survey.quotedCount > 0 && survey.quotedCount * 2 >= survey.lineCount
  } line: { line, _ in
    var rest = line
    while rest.trimmedStart.first == UInt8(ascii: ">") {
      rest = rest.trimmedStart.dropFirst().drop(atMost: 1, 0x20)
    }
    return rest
  }

  /// Removes the marks of a report in a script's comments. Crashlytics has them before its head's lines alone.
  static let comments = LineRepair(message: "the marks of comments were removed") { survey, bytes in
    survey.commentCount > 4 && survey.commentCount * 2 >= survey.lineCount
      && (bytes[...].firstRange(of: "Exception Type:") != nil
        || bytes[...].firstRange(of: "Sanitizer: ") != nil)
  } line: { line, _ in
    guard let text = line.trimmedStart.after("#"), text.first?.isBlank ?? true else { return line }
    return text.trimmedStart
  }

  /// Removes what tutorials write behind the values of a report's fields: `Role:  Foreground //the task's role`.
  static let annotations = LineRepair(message: "remarks behind the values of fields were removed") {
    _, bytes in
    holdsAnnotations(bytes[...])
  } line: { line, _ in
    withoutAnnotation(line) ?? line
  }

  private static func holdsAnnotations(_ text: Bytes) -> Bool {
    guard text.firstRange(of: " //") != nil else { return false }
    var count = 0
    for range in LineRanges(text) where withoutAnnotation(text[range]) != nil {
      count += 1
      if count == minimumAnnotated { return true }
    }
    return false
  }

  private static let minimumAnnotated = 3

  /// The line up to the remark; nil when it is none of a report's fields, or has no remark. No value of a field has a blank
  /// before two slashes.
  private static func withoutAnnotation(_ line: Bytes) -> Bytes? {
    guard let mark = line.firstRange(of: " //"), let first = line.trimmedStart.first,
      (0x41...0x5a).contains(first), case let field = line[..<mark.lowerBound].trimmedEnd,
      field.trimmedStart.hasPrefix("Thread ") || HeaderSection.hasKey(Line(number: 0, raw: field))
    else { return nil }
    return field
  }

  static let fences = LineRepair(message: "Markdown code fences were removed") { survey, _ in
    survey.fenceCount > 0
  } line: { line, _ in
    withoutFence(line)
  }

  /// Makes the report's own lines of the rows of a table with its fields.
  static let fieldTables = LineRepair(message: "a table's rows became lines of a report") { _, bytes in
    bytes[...].firstRange(of: "\n|") != nil && bytes[...].firstRange(of: "Exception ") != nil
  } line: { line, _ in
    withField(line)
  }

  /// Removes the backquotes around each line, as word processors export a font of fixed width.
  static let codeSpans = LineRepair(message: "Markdown code spans were removed") { survey, _ in
    survey.spanCount > 4 && survey.spanCount * 2 >= survey.lineCount
  } line: { line, _ in
    codeSpan(line) ?? line
  }

  /// Removes line numbers. Frames have ascending numbers as well, but also an image and an address each.
  static let numbers = LineRepair(message: "line numbers were removed") { survey, _ in
    survey.lastNumber != nil && survey.numbersOtherLines && !survey.numbersFrames
  } line: { line, _ in
    numbered(line)?.rest ?? line
  }

  /// Removes the numbers of rows that stand right before those of frames.
  static let rows = LineRepair(message: "row numbers before the numbers of frames were removed") {
    survey, _ in
    survey.firstRow != nil
  } line: { line, survey in
    guard let first = survey.firstRow, case let digits = line.prefix(while: \.isDigit), digits.count > 1,
      let number = (1...maximumFrameDigits).lazy.compactMap({ digits.suffix($0).decimalValue })
        .first(where: { $0 < maximumRows && digits.elementsEqual("\(first + $0)\($0)".utf8) })
    else { return line }
    return Bytes(Array(String(number).utf8) + Array(line[digits.endIndex...]))
  }

  /// The maximum number of frames of such a list.
  private static let maximumRows: UInt64 = 512
  private static let maximumFrameDigits = 3

  /// Makes headings of those that stand in brackets: `[Last Exception Backtrace]`, `[Thread 18 Crashed]`.
  static let brackets = LineRepair(message: "headings in brackets became headings") { _, bytes in
    bytes[...].firstRange(of: "[Last Exception Backtrace]") != nil
      || bytes[...].firstRange(of: " Crashed]") != nil
  } line: { line, _ in
    guard let inside = line.trimmed.after("[")?.before("]"),
      inside.equals("Last Exception Backtrace") || inside.hasPrefix("Thread ") && inside.hasSuffix(" Crashed")
    else { return line }
    return Bytes(Array(inside) + Array(":".utf8))
  }

  /// Puts a blank between an address and the name behind it: `1 CoreFoundation 0x181646a30-[NSException name] + 0`.
  static let addresses = LineRepair(
    message: "blanks between addresses and names were put back"
  ) { _, bytes in
    holdsGluedNames(bytes[...])
  } line: { line, _ in
    gluedName(line).map { Bytes(Array(line[..<$0]) + [0x20] + Array(line[$0...])) } ?? line
  }

  private static func holdsGluedNames(_ text: Bytes) -> Bool {
    var count = 0
    for range in LineRanges(text) where gluedName(text[range]) != nil {
      count += 1
      if count == minimumGlued { return true }
    }
    return false
  }

  private static let minimumGlued = 3

  /// Where a method's or a C function's name begins right behind a frame's address; nil for other lines.
  private static func gluedName(_ line: Bytes) -> Int? {
    guard line.trimmedStart.first?.isDigit ?? false, let mark = line.firstRange(of: " 0x") else { return nil }
    let name = line[mark.upperBound...].drop(while: \.isHexDigit)
    guard name.startIndex - mark.upperBound >= 8,
      name.first == UInt8(ascii: "_") || name.beginsWithMethod
    else { return nil }
    return name.startIndex
  }

  /// Removes the backslash that RTF has at each line break, from a paste of the file's source.
  static let backslashes = LineRepair(message: "backslashes at line ends were removed") { survey, _ in
    survey.backslashCount > 4 && survey.backslashCount * 3 >= survey.lineCount
  } line: { line, _ in
    line.last == UInt8(ascii: "\\") ? line.dropLast() : line
  }

  /// Makes a colon of the full-width one that people who write Chinese or Japanese put behind a key.
  static let colons = LineRepair(message: "colons of full width became colons") { survey, bytes in
    survey.hasHighBytes && bytes[...].firstRange(of: "\u{ff1a}") != nil
  } line: { line, _ in
    withPlainColon(line)
  }

  static let listMarks = LineRepair(message: "list markers were removed") { survey, _ in
    survey.listMark != nil && survey.lineCount > 2
  } line: { line, survey in
    guard let mark = survey.listMark, line.trimmedStart.first == mark else { return line }
    return line.trimmedStart.dropFirst().drop(atMost: 1, 0x20)
  }

  static let tags = LineRepair(message: "HTML tags were removed") { survey, bytes in
    survey.hasTags && !survey.hasNUL
  } line: { line, _ in
    withoutTags(line)
  }

  static let timestamps = LineRepair(message: "timestamps were removed") { survey, _ in
    survey.lineCount > 4 && survey.stampedCount * 10 >= survey.lineCount * 7
  } line: { line, _ in
    withoutTimestamp(line) ?? line
  }

  /// Removes the process's name: of the one that most lines are of, or of the one that writes reports.
  static let logHeads = LineRepair(message: "the heads of a log's lines were removed") { survey, _ in
    let count = survey.logHead?.count ?? 0
    return survey.reporterCount > 1 || count > 3 && count * 2 >= survey.lineCount
  } line: { line, survey in
    let row = LogHead.withoutRow(line)
    guard let head = LogHead(line.trimmedStart),
      survey.reporterCount > 1 ? head.isReporter : head.owner.elementsEqual(survey.logHead?.owner ?? [])
    else { return survey.reporterCount > 1 ? row : line }
    return head.rest
  }

  static let loggerTags = LineRepair(message: "the tags of a logger were removed") { survey, _ in
    survey.lineCount > 4 && (survey.loggerTag?.count ?? 0) * 10 >= survey.lineCount * 7
  } line: { line, survey in
    guard let tag = survey.loggerTag?.text, line.trimmedStart.starts(with: tag) else { return line }
    let rest = line.trimmedStart.dropFirst(tag.count)
    return tag.last == UInt8(ascii: "|") ? rest.drop(atMost: 1, 0x20) : withoutLevelColon(rest)
  }

  /// Removes Markdown's escapes: web pages read `_` and `*` as emphasis, so some people put a backslash before them.
  static let markdown = LineRepair(message: "Markdown marks in names were removed") {
    survey, bytes in
    hasMarkdown(bytes[...])
  } line: { line, _ in
    withoutMarkdown(line)
  }

  /// Puts back the underscores of names that a page took for emphasis and wrote as asterisks: `objc*release`, `run(*:)`.
  static let emphasis = LineRepair(message: "underscores that Markdown had taken for emphasis were put back")
  {
    _, bytes in
    bytes[...].firstRange(of: " objc*") != nil
  } line: { line, _ in
    withUnderscores(line)
  }

  /// Puts back LLDB's mark of the current thread and frame, an asterisk, which Markdown reads as a list's.
  static let debuggerMarks = LineRepair(message: "LLDB's marks were put back") { _, bytes in
    bytes[...].firstRange(of: "- thread #") != nil && bytes[...].firstRange(of: "frame #") != nil
  } line: { line, _ in
    withDebuggerMark(line)
  }

  static let indentation = LineRepair(message: "the indentation of all lines was removed") { survey, _ in
    survey.lineCount > 0 && survey.indentation > 0
  } line: { line, survey in
    line.dropFirst(min(survey.indentation, line.prefix { $0.isBlank }.count))
  }

  static let entities = LineRepair(message: "HTML escapes were decoded") { survey, bytes in
    survey.hasAmpersand && isEvidentlyEscaped(bytes[...])
  } line: { line, _ in
    line.withoutXMLEscapes
  }

  static let invisible = LineRepair(
    message: "invisible characters were removed, and no-break spaces became blanks"
  ) { survey, bytes in
    survey.hasHighBytes && hasDamagingInvisibles(bytes[...])
  } line: { line, _ in
    withoutInvisibles(line)
  }
}
