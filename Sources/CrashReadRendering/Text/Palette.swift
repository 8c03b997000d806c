/// What a piece of text is, for colouring.
enum TextRole: Sendable {
  case headline, function, place, marked, heading, dimmed, warning
}

/// Role → ANSI sequence, and file → hyperlink; or nothing at all for plain output.
struct Palette: Sendable {
  let isColored: Bool
  /// This machine's name, for links; nil for none.
  var linkHost: String?

  func paint(_ text: String, _ role: TextRole) -> String {
    guard isColored, !text.isEmpty else { return text }
    return "\u{1b}[\(code(role))m\(text)\u{1b}[0m"
  }

  /// A link to a file of this machine (OSC 8); the line is a fragment, which terminals that can't use it pass over.
  func link(_ text: String, to excerpt: SourceExcerpt?) -> String {
    guard let linkHost, let excerpt, excerpt.path.hasPrefix("/") else { return text }
    let target = "file://\(uriPath(linkHost))\(uriPath(excerpt.path))#\(excerpt.markedLine)"
    return "\u{1b}]8;;\(target)\u{1b}\\\(text)\u{1b}]8;;\u{1b}\\"
  }

  /// SGR parameters (ECMA-48, section 8.3.117): the eight basic colours, which every theme keeps readable.
  private func code(_ role: TextRole) -> String {
    switch role {
    case .headline: "1;31"
    case .function: "1"
    case .place: "36"
    case .marked: "1;31"
    case .heading: "1"
    case .dimmed: "2"
    case .warning: "33"
    }
  }
}
