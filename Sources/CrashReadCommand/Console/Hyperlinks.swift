/// The variables by which terminals that follow hyperlinks (OSC 8) make themselves known.
///
/// No terminal can be asked, so programs keep lists: these are the ones of the Rust crate `supports-hyperlinks`. Inside
/// tmux and screen links may get lost on the way, so there they have to be asked for.
struct TerminalSigns: Equatable, Sendable {
  static let names = [
    "TERM_PROGRAM", "VTE_VERSION", "KONSOLE_VERSION", "WT_SESSION", "DOMTERM", "FORCE_HYPERLINK", "TMUX",
    "STY",
  ]

  /// The values of those that are set.
  var values: [String: String] = [:]

  /// Whether the terminal of this `TERM` is known to follow links.
  func followsLinks(terminal: String?) -> Bool {
    if let forced = values["FORCE_HYPERLINK"] { return forced != "0" }
    if values["TMUX"] != nil || values["STY"] != nil || terminal == "dumb" { return false }
    if values["KONSOLE_VERSION"] != nil || values["WT_SESSION"] != nil || values["DOMTERM"] != nil {
      return true
    }
    // VTE had them from 0.50 on, and crashed on some before.
    if let version = values["VTE_VERSION"].flatMap({ Int($0) }) { return version >= 5002 }
    let programs: Set = ["Hyper", "iTerm.app", "WezTerm", "vscode", "ghostty", "zed"]
    if let program = values["TERM_PROGRAM"], programs.contains(program) { return true }
    let terminals: Set = ["xterm-kitty", "xterm-ghostty", "alacritty", "alacritty-direct", "wezterm", "foot"]
    return terminal.map { terminals.contains($0) } ?? false
  }
}

extension Environment {
  /// Whether links are written, with `--hyperlinks` above what is known of the terminal.
  func usesLinks(_ choice: HyperlinkChoice, onTerminal: Bool) -> Bool {
    switch choice {
    case .always: true
    case .never: false
    case .auto: onTerminal && signs.followsLinks(terminal: terminal)
    }
  }
}
