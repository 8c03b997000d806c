internal import CrashRead

/// Where a result is written, and in which format.
struct OutputTarget: Equatable, Sendable {
  /// The file's path; `-` is standard output.
  var path: String
  var format: FormatOption

  /// Parses `FORMAT=FILE`, or `FILE` whose extension implies the format; other names get the given format.
  init(_ text: String, for verb: Verb, otherwise format: FormatOption) {
    let formats = FormatOption.allCases.filter { $0.verbs.contains(verb) }
    if let sign = text.firstIndex(of: "="), let named = formats.first(where: { $0.rawValue == text[..<sign] })
    {
      self.init(path: String(text[text.index(after: sign)...]), format: named)
    } else {
      self.init(path: text, format: Self.format(ofName: text, among: formats) ?? format)
    }
  }

  private init(path: String, format: FormatOption) {
    self.path = path
    self.format = format
  }

  /// The format with the longest matching extension.
  private static func format(ofName name: String, among formats: [FormatOption]) -> FormatOption? {
    let fitting = formats.flatMap { format in
      format.endings.filter { name.hasSuffix($0) }.map { (format: format, length: $0.utf8.count) }
    }
    return fitting.max { $0.length < $1.length }?.format
  }
}

extension Options {
  /// The targets of the result.
  var targets: [OutputTarget] {
    (outputs.isEmpty ? ["-"] : outputs).map {
      OutputTarget($0, for: verb, otherwise: format ?? verb.usualFormat)
    }
  }

  /// Whether a format was requested that no output has, since the names of all outputs imply other formats.
  var hasUnusedFormat: Bool { format.map { wanted in targets.allSatisfy { $0.format != wanted } } ?? false }
}

extension Verb {
  /// The default format.
  fileprivate var usualFormat: FormatOption { .report(self == .batch ? .ndjson : .text) }
}

/// The values of `--format`.
enum FormatOption: Hashable, Sendable {
  case report(OutputFormat)
  case lookup(LookupFormat)
}

/// The formats that only `lookup` has.
enum LookupFormat: String, CaseIterable, Sendable {
  case tsv, addr2line, atos
}

extension FormatOption: OptionChoice {
  static let allCases = OutputFormat.allCases.map(Self.report) + LookupFormat.allCases.map(Self.lookup)

  init?(rawValue: String) {
    let report = OutputFormat(rawValue: rawValue).map(Self.report)
    guard let format = report ?? LookupFormat(rawValue: rawValue).map(Self.lookup) else { return nil }
    self = format
  }

  var rawValue: String {
    switch self {
    case .report(let format): format.rawValue
    case .lookup(let format): format.rawValue
    }
  }

  var summary: String {
    switch self {
    case .report(let format): format.summary
    case .lookup(.tsv): "one line per frame, fields separated by tabs, an empty line after each address"
    case .lookup(.addr2line): "as addr2line -fip prints it"
    case .lookup(.atos): "as atos -i -fullPath prints it"
    }
  }

  var verbs: Set<Verb> {
    switch self {
    case .report(.text), .report(.json): [.report, .ci, .lookup, .kind, .explain, .symbols]
    case .report(.ndjson): [.report, .ci, .batch]
    case .report: [.report, .ci]
    case .lookup: [.lookup]
    }
  }

  /// The file name extensions that imply this format.
  var endings: [String] {
    switch self {
    case .report(let format): format.endings
    case .lookup(.tsv): [".tsv"]
    case .lookup(.addr2line), .lookup(.atos): []
    }
  }

  /// Whether it shows each frame's source lines and links to each frame's file.
  var showsSourceOfFrames: Bool {
    guard case .report(let format) = self else { return false }
    return [.text, .html, .sarif, .sentry, .sentryEnvelope, .bugsnag].contains(format)
  }
}

extension OutputFormat {
  fileprivate var summary: String {
    switch self {
    case .text: "for reading"
    case .json: "for programs; crashread-json(5) describes it"
    case .ndjson: "the same, one report per line, and a line for an input without a report"
    case .markdown: "for an issue, or a CI run's summary page"
    case .html: "one self-contained page for a browser"
    case .github: "annotations of GitHub Actions (workflow commands)"
    case .gitlab: "GitLab's Code Quality report"
    case .sarif: "SARIF 2.1.0, for code scanning and editors"
    case .junit: "a test result, in JUnit's XML"
    case .sentry: "Sentry's events, one per line"
    case .sentryEnvelope: "a Sentry event in its envelope, to be posted as it is"
    case .bugsnag: "Bugsnag's payloads, one per line; post each with your project's Bugsnag-Api-Key"
    case .crash: "Apple's text report, written back with functions and lines"
    case .ips: "an .ips file, written back with functions and lines"
    }
  }

  fileprivate var endings: [String] {
    switch self {
    // Files with any other extension are text, unless --format says otherwise.
    case .text, .github, .sentry, .bugsnag: []
    case .json: [".json"]
    case .ndjson: [".ndjson", ".jsonl"]
    case .markdown: [".md", ".markdown"]
    case .html: [".html", ".htm"]
    case .gitlab: ["gl-code-quality-report.json"]
    case .sarif: [".sarif", ".sarif.json"]
    case .junit: [".xml"]
    case .sentryEnvelope: [".envelope"]
    case .crash: [".crash"]
    case .ips: [".ips"]
    }
  }
}
