internal import CrashReadCore

/// An HTTP server of debug files, and its layout.
///
/// Source: Symbolicator's `symbol-server-compatibility.md`, and the SSQP key conventions of .NET's `symstore`.
package struct SymbolServer: Sendable, Hashable, CustomStringConvertible {
  /// How paths are built; raw values are those of the option.
  package enum Layout: String, Sendable, Hashable, CaseIterable {
    /// Sentry's: `4c/4c44…/debuginfo`.
    case unified
    /// Microsoft's: `_.dwarf/mach-uuid-sym-4c4c44…/_.dwarf`.
    case symstore
    /// Microsoft's layout in lower case.
    case ssqp
    /// Breakpad's and Mozilla's: `App/4C4C44…0/App.sym`.
    case breakpad
  }

  /// The layout.
  var layout: Layout
  /// The base URL, without a trailing slash.
  var url: String

  /// Parses `LAYOUT=URL`; nil for an unknown layout, and for anything but an HTTP URL.
  package init?(parsing text: String) {
    let parts = text.split(separator: "=", maxSplits: 1)
    guard parts.count == 2, let layout = Layout(rawValue: String(parts[0])),
      ["http://", "https://"].contains(where: parts[1].hasPrefix),
      parts[1].utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f })
    else { return nil }
    self.layout = layout
    url = String(parts[1].hasSuffix("/") ? parts[1].dropLast() : parts[1])
  }

  /// The text that `init(parsing:)` accepts.
  package var description: String { "\(layout.rawValue)=\(url)" }

  /// The URLs at which the server may have an image's debug file, the best first.
  /// - Parameters:
  ///   - id: The image's identity.
  ///   - name: The file name of the image.
  /// - Returns: URLs; empty when the layout needs a name and there is none.
  func addresses(of id: ImageID, name: String) -> [String] {
    let digits = hexDigits(id.bytes)
    // The maximum length of a file name on any file system.
    let name = name.utf8.count > 255 ? "" : escaped(layout == .ssqp ? name.lowercased() : name)
    let isMachO = id.byteCount == 16
    let paths: [String]
    switch layout {
    case .unified:
      let folder = digits.prefix(2) + "/" + digits.dropFirst(2)
      paths = ["debuginfo", "breakpad", "executable"].map { "\(folder)/\($0)" }
    case .symstore, .ssqp:
      let (ending, mark) = isMachO ? ("dwarf", "mach-uuid") : ("debug", "elf-buildid")
      let program = name.isEmpty ? [] : ["\(name)/\(mark)-\(digits)/\(name)"]
      paths = ["_.\(ending)/\(mark)-sym-\(digits)/_.\(ending)"] + program
    case .breakpad:
      paths = name.isEmpty ? [] : ["\(name)/\(hexDigits(id.guid.bytes).uppercased())0/\(name).sym"]
    }
    return paths.map { "\(url)/\($0)" }
  }
}

/// A name escaped for a URL's path (RFC 3986, section 2.1); empty for a name that is no file name, such as `..`.
private func escaped(_ name: String) -> String {
  let text = percentEncoded(name, keeping: "+@")
  return [".", ".."].contains(text) ? "" : text
}
