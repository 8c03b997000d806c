internal import CrashReadCore
internal import CrashReadReports
package import CrashReadSymbolication
package import CrashReadVerdict

/// Writes for a person which debug files a report needs, which are available, and what to do next.
package struct SymbolCheckText: Sendable {
  private let palette: Palette
  private let width: Int
  private let labels: any SymbolCheckLabels

  private static let indent = 10

  /// Creates a writer.
  /// - Parameters:
  ///   - isColored: Whether ANSI colours are used.
  ///   - width: The width in columns.
  ///   - language: The language of the labels.
  package init(isColored: Bool, width: Int, language: Language) {
    labels = symbolCheckLabels(in: language)
    palette = Palette(isColored: isColored)
    self.width = width
  }

  /// The result for one report; ends with a line feed.
  package func text(_ check: SymbolCheck) -> String {
    let blocks = [headline(check)] + check.images.map { image($0, check) } + [others(check)]
    return blocks.filter { !$0.isEmpty }.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  private func headline(_ check: SymbolCheck) -> [String] {
    let found = check.images.count(where: \.isFound)
    let text =
      check.hasImages
      ? labels.headline(program(check), found: found, wanted: check.images.count)
      : labels.noImages(program(check))
    return wrapped(plainText(text), toWidth: width).map {
      palette.paint($0, check.isComplete ? .heading : .headline)
    }
  }

  private func program(_ check: SymbolCheck) -> String {
    let header = check.report.header
    let words = [header.process ?? labels.unknownProcess, header.version, header.build.map { "(\($0))" }]
    return words.compactMap { $0 }.joined(separator: " ")
  }

  // MARK: An image

  private func image(_ image: ImageCheck, _ check: SymbolCheck) -> [String] {
    let name = image.image.name ?? image.image.path ?? "???"
    let facts = [
      image.image.architecture?.rawValue, labels.frames(image.frameCount, image.resolvedFrameCount),
    ]
    let head = [name] + facts.compactMap { $0 }
    let state = image.isFound ? labels.found : labels.missing
    var lines = row(state, plainText(head.joined(separator: ", ")), image.isFound ? .heading : .warning)
    lines += row(labels.wanted, image.image.id?.description ?? labels.noIdentity)
    for file in image.files { lines += self.file(file, image.image.id) }
    if image.furtherFileCount > 0 { lines += row("", labels.furtherFiles(image.furtherFileCount)) }
    if image.files.isEmpty { lines += row(labels.seen, labels.nothing(among: check.candidateCount)) }
    guard let step = image.step else { return lines }
    return lines + advice(labels.advice(step, image, check.report.header))
  }

  /// Paragraphs beside their label. Text to copy isn't wrapped, and starts further to the left.
  private func advice(_ hints: [Hint]) -> [String] {
    hints.enumerated().flatMap { index, hint in
      switch hint {
      case .text(let text): row(index == 0 ? labels.next : "", text)
      case .verbatim(let text): ["  " + palette.paint(plainText(text), .location)]
      }
    }
  }

  /// A path, followed by the problems with the file.
  private func file(_ file: CheckedFile, _ wanted: ImageID?) -> [String] {
    // The reason already contains the word 'damaged'.
    var remarks = file.message?.hasPrefix("damaged: ") == true ? [] : [labels.verdict(file.verdict)]
    if let id = file.id, wanted.map({ !id.isNamed(by: $0) }) ?? true { remarks.append(id.description) }
    if file.verdict != .match { remarks += file.architectures.map(\.rawValue) }
    if let version = file.version { remarks.append(labels.version(version)) }
    if let message = file.message { remarks.append(message) }
    return row(labels.seen, plainText(shortPath(file.path)))
      + row("", remarks.joined(separator: ", "), .dimmed)
  }

  /// The path of the bundle instead of the file in it, if both have the same name.
  private func shortPath(_ path: String) -> String {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count > 5, parts.suffix(4).dropLast() == ["Contents", "Resources", "DWARF"],
      let bundle = parts.dropLast(4).last, let file = parts.last, bundle.hasPrefix(file + ".")
    else { return path }
    return parts.dropLast(4).joined(separator: "/")
  }

  /// A label in a column of its own, and a text beside it.
  private func row(_ label: String, _ text: String, _ role: TextRole? = nil) -> [String] {
    wrapped(plainText(text), toWidth: width - Self.indent).enumerated().map { index, line in
      let head = padded(index == 0 ? label : "", toWidth: Self.indent)
      let isState = role == .heading || role == .warning
      return (isState ? palette.paint(head, role ?? .heading) : head)
        + (role == .dimmed ? palette.paint(line, .dimmed) : line)
    }
  }

  // MARK: Other images

  /// The images with the most unnamed frames, and how many each has.
  private func nameless(_ check: SymbolCheck) -> String {
    let shown = check.namelessSystemImages.prefix(5).map { "\($0.image.fileName) (\($0.frameCount))" }
    return shown.joined(separator: ", ") + (check.namelessSystemImages.count > shown.count ? ", …" : "")
  }

  private func others(_ check: SymbolCheck) -> [String] {
    var texts: [String] = []
    if check.idleImageCount > 0 { texts.append(labels.idleImages(check.idleImageCount)) }
    if check.systemImageCount > 0 {
      texts.append(labels.systemImages(check.systemImageCount, found: check.foundSystemImageCount))
    }
    if !check.namelessSystemImages.isEmpty {
      texts.append(plainText(labels.systemNames(nameless(check), system: check.report.header.osVersion)))
    }
    return texts.flatMap { wrapped($0, toWidth: width) }.map { palette.paint($0, .dimmed) }
  }
}
