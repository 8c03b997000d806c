/// Where a result goes, and in which form.
struct OutputTarget: Equatable, Sendable {
  /// `-` is standard output.
  var path: String
  var format: Format

  /// Reads `FORMAT=FILE`, or `FILE` whose name tells the form; another name means the form given.
  init(_ text: String, for verb: Verb, otherwise format: Format) {
    let formats = Format.allCases.filter { $0.verbs.contains(verb) }
    if let sign = text.firstIndex(of: "="), let named = formats.first(where: { $0.rawValue == text[..<sign] })
    {
      self.init(path: String(text[text.index(after: sign)...]), format: named)
    } else {
      self.init(path: text, format: Self.format(ofName: text, among: formats) ?? format)
    }
  }

  private init(path: String, format: Format) {
    self.path = path
    self.format = format
  }

  /// The form with the longest of the endings that fit.
  private static func format(ofName name: String, among formats: [Format]) -> Format? {
    let fitting = formats.flatMap { format in
      format.endings.filter { name.hasSuffix($0) }.map { (format: format, length: $0.utf8.count) }
    }
    return fitting.max { $0.length < $1.length }?.format
  }
}

extension Options {
  /// Every place the result goes to.
  var targets: [OutputTarget] {
    (outputs.isEmpty ? ["-"] : outputs).map {
      OutputTarget($0, for: verb, otherwise: format ?? verb.usualFormat)
    }
  }

  /// Whether a form was asked for that no output has, since the names of all outputs mean others.
  var hasUnusedFormat: Bool { format.map { wanted in targets.allSatisfy { $0.format != wanted } } ?? false }
}

extension Verb {
  /// The form of a result when nothing is said of it.
  fileprivate var usualFormat: Format { self == .batch ? .ndjson : .text }
}

extension Format {
  /// The endings of file names that mean this form.
  var endings: [String] {
    switch self {
    // A file of any other name is text, unless --format says something else.
    case .text: []
    case .json: [".json"]
    case .ndjson: [".ndjson", ".jsonl"]
    case .markdown: [".md", ".markdown"]
    case .html: [".html", ".htm"]
    case .github, .addr2line, .atos: []
    case .gitlab: ["gl-code-quality-report.json"]
    case .sarif: [".sarif", ".sarif.json"]
    case .junit: [".xml"]
    case .sentry: []
    case .sentryEnvelope: [".envelope"]
    case .crash: [".crash"]
    case .ips: [".ips"]
    case .tsv: [".tsv"]
    }
  }
}

extension Format {
  /// Whether it has use for the source around each frame's line, and for where each frame's file is.
  var showsSourceOfFrames: Bool { [.text, .html, .sarif, .sentry, .sentryEnvelope].contains(self) }
}
