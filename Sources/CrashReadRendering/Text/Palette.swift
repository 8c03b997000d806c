/// The role of a text, for colouring.
enum TextRole: Sendable {
  case headline, function, location, marked, heading, dimmed, warning
}

/// Maps roles to ANSI sequences and files to hyperlinks; or to nothing for plain output.
struct Palette: Sendable {
  let isColored: Bool
  /// This machine's name, for links; nil for none.
  var linkHost: String?

  func paint(_ text: String, _ role: TextRole) -> String {
    guard isColored, !text.isEmpty else { return text }
    return "\u{1b}[\(code(role))m\(text)\u{1b}[0m"
  }

  /// A link to a file on this machine (OSC 8). The line is a fragment, which terminals that don't support it ignore.
  func link(_ text: String, to excerpt: SourceExcerpt?) -> String {
    guard let linkHost, let excerpt, excerpt.path.hasPrefix("/") else { return text }
    let target = "file://\(uriPath(linkHost))\(uriPath(excerpt.path))#\(excerpt.markedLine)"
    return "\u{1b}]8;;\(target)\u{1b}\\\(text)\u{1b}]8;;\u{1b}\\"
  }

  /// SGR parameters (ECMA-48, section 8.3.117): the eight basic colours, which are readable in every theme.
  private func code(_ role: TextRole) -> String {
    switch role {
    case .headline: "1;31"
    case .function: "1"
    case .location: "36"
    case .marked: "1;31"
    case .heading: "1"
    case .dimmed: "2"
    case .warning: "33"
    }
  }
}
