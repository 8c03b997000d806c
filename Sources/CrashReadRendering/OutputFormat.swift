package import CrashReadReports
package import CrashReadVerdict

/// The output formats; raw values are their names on the command line.
public enum OutputFormat: String, Sendable, CaseIterable {
  /// For a person at a terminal.
  case text
  /// For programs: the contract in crashread-json(5).
  case json
  /// The same, one document per line.
  case ndjson
  /// For an issue, or the summary page of a CI run: GitHub-flavoured Markdown.
  case markdown
  /// One self-contained page.
  case html
  /// Annotations of GitHub Actions: workflow commands.
  case github
  /// GitLab's Code Quality report.
  case gitlab
  /// For code scanning and editors: SARIF 2.1.0.
  case sarif
  /// A test result in JUnit's XML.
  case junit
  /// Events for Sentry, one per line.
  case sentry
  /// A Sentry event in an envelope, to be posted as it is.
  case sentryEnvelope = "sentry-envelope"
  /// Payloads for Bugsnag, one per line.
  case bugsnag
  /// Apple's text report, with resolved frames.
  case crash
  /// The .ips file with resolved frames, otherwise unchanged.
  case ips

  /// A renderer of this format.
  ///
  /// - Parameters:
  ///   - style: How formats for people look.
  ///   - count: How many reports there are.
  /// - Returns: A new renderer.
  package func renderer(style: RenderingStyle, count: Int) -> any Renderer {
    switch self {
    case .text: TextRenderer(style: style)
    case .json: JSONRenderer(count == 1 && !style.isAlwaysArray ? .single : .array, style: style)
    case .ndjson: JSONRenderer(.lines, style: style)
    case .markdown: MarkdownRenderer(style: style)
    case .html: HTMLRenderer(style: style)
    case .github: GitHubRenderer(style: style)
    case .gitlab: GitLabRenderer(style: style)
    case .sarif: SARIFRenderer(style: style)
    case .junit: JUnitRenderer(style: style)
    case .sentry: SentryRenderer(isEnvelope: false)
    case .sentryEnvelope: SentryRenderer(isEnvelope: true)
    case .bugsnag: BugsnagRenderer()
    case .crash: CrashTextWriter()
    case .ips: IPSWriter()
    }
  }

  /// Whether a report can be written in this format. Only an .ips file can be written back as one.
  package func canWrite(_ report: CrashReport) -> Bool { self != .ips || report.format == .ips }
}

/// The formats of groups of crashes; raw values are their names on the command line.
public enum SummaryFormat: String, Sendable, CaseIterable {
  /// Text with a few lines per group, for a terminal.
  case text
  /// One JSON object, for programs: crashread-json(5).
  case json
  /// One HTML page with charts.
  case html
  /// Markdown tables for release notes.
  case markdown

  /// Groups in this form.
  package func text(_ groups: CrashGroups, style: RenderingStyle) -> String {
    switch self {
    case .text: summaryText(groups, style: style)
    case .json: summaryJSON(groups)
    case .html: summaryHTML(groups, style: style)
    case .markdown: summaryMarkdown(groups, style: style)
    }
  }

  /// A comparison in this form.
  package func text(_ comparison: CrashComparison, style: RenderingStyle) -> String {
    switch self {
    case .text: comparisonText(comparison, style: style)
    case .json: comparisonJSON(comparison)
    case .html: comparisonHTML(comparison, style: style)
    case .markdown: comparisonMarkdown(comparison, style: style)
    }
  }
}
