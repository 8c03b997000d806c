internal import CrashRead

/// Writes the results in every requested format.
struct ReportOutput {
  private let setting: ReportSetting
  private var options: Options { setting.options }

  init(_ setting: ReportSetting) { self.setting = setting }

  /// Writes to every target given by the options, or to standard output.
  ///
  /// - Returns: Whether everything was written, in the requested format.
  func write(_ results: [InputResult], to console: inout Console) -> Bool {
    let analyses = results.compactMap(\.analysis)
    let unsuited =
      options.targets.contains { $0.format == .report(.ips) }
      ? noteReportsUnsuitedForIPS(analyses, &console) : 0
    let isWritten = writeResult(to: &console, options) { format, surface, write in
      guard case .report(let format) = format,
        format != .ips || unsuited < analyses.count, format != .sentryEnvelope || analyses.count == 1,
        !analyses.isEmpty || mayBeEmpty(format)
      else { return }
      write(text(of: results, as: format, on: surface))
    }
    let hasTooMany = analyses.count > 1 && options.targets.contains { $0.format == .report(.sentryEnvelope) }
    if hasTooMany {
      console.error(
        "an envelope holds one event, and \(analyses.count) reports were read: post each by itself")
    }
    return isWritten && unsuited == 0 && !hasTooMany
  }

  /// Whether an empty result is written as well: GitLab expects a CI job's file in any case.
  private func mayBeEmpty(_ format: OutputFormat) -> Bool {
    format == .ndjson || format == .json && options.printsArray || format == .gitlab && options.verb == .ci
  }

  /// The results in one format.
  func text(of results: [InputResult], as format: OutputFormat, on surface: Surface) -> String {
    let count = results.count { $0.analysis != nil }
    var renderer = format.renderer(style: style(surface), count: count)
    return render(results, with: &renderer)
  }

  /// Reports on standard error which inputs aren't .ips files, and counts them.
  private func noteReportsUnsuitedForIPS(_ analyses: [ReportAnalysis], _ console: inout Console) -> Int {
    var count = 0
    for analysis in analyses {
      let report = analysis.diagnosis.symbolicated.report
      if OutputFormat.ips.canWrite(report) { continue }
      console.error(
        "a report in the format \(report.format.rawValue) cannot be written as .ips, only an .ips file can; use "
          + "--format=crash for Apple's text or --format=json for programs", file: analysis.input)
      count += 1
    }
    return count
  }

  private func style(_ surface: Surface) -> RenderingStyle {
    var style = RenderingStyle()
    style.isColored = surface.isColored
    style.linkHost = surface.linkHost
    style.width = surface.textWidth
    style.showsAllThreads = options.showsAllThreads
    style.threads = options.threads
    style.showsAllVariables = options.showsAllVariables
    style.showsCode = options.showsCode
    style.showsReasoning = options.showsReasoning
    style.brief = options.brief
    style.isAlwaysArray = options.printsArray
    style.showsLinkageNames = options.showsLinkageNames
    style.language = setting.language
    style.usesRelativePaths = options.verb == .ci
    return style
  }

  private func render(_ results: [InputResult], with renderer: inout any Renderer) -> String {
    var text = ""
    renderer.begin(into: &text)
    for result in results {
      switch result {
      case .analysis(let analysis): renderer.render(analysis, into: &text)
      case .unread(let input): renderer.render(input, into: &text)
      }
    }
    renderer.end(into: &text)
    return text
  }
}

/// The variables by which terminals that support hyperlinks (OSC 8) are recognised.
///
/// A terminal can't be queried for this, so programs keep lists; this one is that of the Rust crate
/// `supports-hyperlinks`. tmux and screen may drop links, so in these they must be requested.
struct TerminalVariables: Equatable, Sendable {
  static let names = [
    "TERM_PROGRAM", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION", "DOMTERM", "FORCE_HYPERLINK", "TMUX",
    "STY",
  ]

  /// The values of the variables that are set.
  var values: [String: String] = [:]

  /// Whether the terminal with this `TERM` is known to support links.
  func followsLinks(terminal: String?) -> Bool {
    if let forced = values["FORCE_HYPERLINK"] { return forced != "0" }
    if values["TMUX"] != nil || values["STY"] != nil || terminal == "dumb" { return false }
    if values["KONSOLE_VERSION"] != nil || values["WT_SESSION"] != nil || values["DOMTERM"] != nil {
      return true
    }
    // VTE supports them since 0.50, but that version could crash on them.
    if let version = values["VTE_VERSION"].flatMap({ Int($0) }) { return version >= 5002 }
    let programs: Set = ["Hyper", "iTerm.app", "WezTerm", "vscode", "ghostty", "zed"]
    if let program = values["TERM_PROGRAM"], programs.contains(program) { return true }
    let terminals: Set = ["xterm-kitty", "xterm-ghostty", "alacritty", "alacritty-direct", "wezterm", "foot"]
    return terminal.map { terminals.contains($0) } ?? false
  }
}

extension Environment {
  /// Whether links are written; `--hyperlinks` has priority over what is known of the terminal.
  func usesLinks(_ choice: HyperlinkChoice, onTerminal: Bool) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto: onTerminal && terminalVariables.followsLinks(terminal: terminal)
    }
  }
}
